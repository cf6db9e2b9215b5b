// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Small concurrent programs, run in every way that C++20 allows. A thread is a function over a `thread`, which stands
// for atomic operations on a few locations. The checker finds an execution that ends as it must not, or proves that
// there is none.
//
// The model is the one of the C++20 standard (P0668) without the axiom against values out of thin air. Its axioms are
// as in Lahav et al., "Repairing sequential consistency in C/C++11", 2017. They are happens-before, coherence,
// atomicity, and the order of sequentially consistent operations and fences. Loads may so read any store that those
// axioms do not rule out. Examples are later loads before earlier stores, loads and stores in any order where nothing
// orders them, stores seen by some threads before others. Compilers and processors (x86, ARM64, POWER) do only a part
// of that: what holds here holds there.
//
// Beyond the standard:
//   heavy_fence   membarrier(2): between its two ends every other thread runs a full fence, at any one place of its
//                 program. The places are tried, all of them.
//   await         the kernel puts a thread to sleep until a location has a value that wakes it. Executions in which it
//                 could still see one are not ends; those in which it sleeps although nothing will come any more are.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::model {

using value = int;

/// Whatever names a memory location: "published", "dormant". Each holds 0 at first.
using location = std::string;

enum class kind : std::uint8_t { load, store, exchange, fence };

struct event {
    kind what;
    std::memory_order order;
    location where{};
    value read = 0;
    value written = 0;
    bool sleeps = false;  ///< a load that found nothing and waits for ever

    [[nodiscard]] bool reads() const { return what == kind::load || what == kind::exchange; }
    [[nodiscard]] bool writes() const { return what == kind::store || what == kind::exchange; }
};

/// What a thread has done, given what its loads returned.
struct trace {
    std::vector<event> events;
    std::vector<std::size_t> heavy;        ///< the first of the two fences of each heavy_fence()
    std::map<std::string, value> outcome;  ///< what the thread told
    bool asleep = false;
};

/// Ends a thread's function where it sleeps for ever.
struct asleep_for_ever {};

class thread {
public:
    value load(const location& where, std::memory_order order);
    void store(const location& where, value v, std::memory_order order);
    value exchange(const location& where, value v, std::memory_order order);
    value fetch_or(const location& where, value v, std::memory_order order);
    value fetch_and(const location& where, value v, std::memory_order order);
    bool compare_exchange(const location& where, value expected, value v, std::memory_order order);
    void fence(std::memory_order order = std::memory_order_seq_cst);
    void heavy_fence();
    /// Sleeps, in the kernel, until `wakes` holds for what `where` contains.
    value await(const location& where, const std::function<bool(value)>& wakes);

    /// For the predicate on how it all ended.
    void tell(const std::string& what, value v) { trace_.outcome[what] = v; }

private:
    friend class checker;
    value choose(const location& where);
    template <class Change>
    value modify(const location& where, std::memory_order order, Change change);

    std::map<location, std::set<value>>* values_ = nullptr;     ///< what loads may return
    std::vector<std::pair<std::size_t, std::size_t>> choices_;  ///< taken, of how many
    std::size_t next_ = 0;
    trace trace_;
};

using program = std::vector<std::function<void(thread&)>>;

/// How an execution ended: what the threads told and the last values of the locations (as "=location"). What nobody
/// told is 0.
class ending {
public:
    [[nodiscard]] value operator[](const std::string& what) const
    {
        const auto found = values_.find(what);
        return found == values_.end() ? 0 : found->second;
    }
    std::map<std::string, value> values_;
};

struct verdict {
    std::optional<std::string> counterexample;  ///< an execution that ends badly
    std::uint64_t executions = 0;               ///< consistent ones that were looked at
};

/// Tries all executions of `threads`, until one ends such that `bad`.
[[nodiscard]] verdict check(const program& threads, const std::function<bool(const ending&)>& bad);

}  // namespace zlink::model
