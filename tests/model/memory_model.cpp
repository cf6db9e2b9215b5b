// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "model/memory_model.hpp"

#include "model/execution.hpp"

#include <iterator>
#include <stdexcept>

namespace zlink::model {

// Which value a load returns is chosen among all that any thread may store there. choices_ is replayed and counted up,
// like the digits of a number, until all have been taken.
value thread::choose(const location& where)
{
    auto& values = (*values_)[where];
    values.insert(0);
    if (next_ == choices_.size()) choices_.emplace_back(0, values.size());
    return *std::next(values.begin(), std::ptrdiff_t(choices_[next_++].first));
}

value thread::load(const location& where, std::memory_order order)
{
    const value v = choose(where);
    trace_.events.push_back({kind::load, order, where, v});
    return v;
}

void thread::store(const location& where, value v, std::memory_order order)
{
    trace_.events.push_back({kind::store, order, where, 0, v});
}

template <class Change>
value thread::modify(const location& where, std::memory_order order, Change change)
{
    const value before = choose(where);
    trace_.events.push_back({kind::exchange, order, where, before, change(before)});
    return before;
}

value thread::exchange(const location& where, value v, std::memory_order order)
{
    return modify(where, order, [v](value) { return v; });
}

value thread::fetch_or(const location& where, value v, std::memory_order order)
{
    return modify(where, order, [v](value before) { return before | v; });
}

value thread::fetch_and(const location& where, value v, std::memory_order order)
{
    return modify(where, order, [v](value before) { return before & v; });
}

bool thread::compare_exchange(const location& where, value expected, value v, std::memory_order order)
{
    const value before = choose(where);
    if (before != expected) {
        trace_.events.push_back({kind::load, std::memory_order_relaxed, where, before});
        return false;
    }
    trace_.events.push_back({kind::exchange, order, where, before, v});
    return true;
}

void thread::fence(std::memory_order order)
{
    trace_.events.push_back({kind::fence, order});
}

void thread::heavy_fence()
{
    trace_.heavy.push_back(trace_.events.size());
    fence();
    fence();
}

value thread::await(const location& where, const std::function<bool(value)>& wakes)
{
    const value v = load(where, std::memory_order_acquire);
    if (wakes(v)) return v;
    trace_.events.back().sleeps = true;
    trace_.asleep = true;
    throw asleep_for_ever{};
}

// Runs each thread alone with all that its loads may return, then puts what they did together.
class checker {
public:
    checker(const program& threads, const std::function<bool(const ending&)>& bad) : threads_(threads), bad_(bad) {}

    verdict run()
    {
        learn_values();
        std::vector<trace> chosen;
        combine(chosen);
        return result_;
    }

private:
    // What may be stored depends on what may be loaded: until nothing new comes up.
    void learn_values()
    {
        bool grew = true;
        for (int rounds = 0; grew; ++rounds) {
            if (rounds == most_rounds) throw std::logic_error("a program that counts without end");
            grew = false;
            traces_.clear();
            for (const auto& body : threads_) traces_.push_back(traces_of(body));
            for (const auto& of_thread : traces_) {
                for (const trace& t : of_thread) {
                    for (const event& e : t.events) {
                        if (e.writes()) grew |= values_[e.where].insert(e.written).second;
                    }
                }
            }
        }
    }

    std::vector<trace> traces_of(const std::function<void(thread&)>& body)
    {
        std::vector<trace> all;
        thread t;
        t.values_ = &values_;
        while (true) {
            t.next_ = 0;
            t.trace_ = {};
            try {
                body(t);
            } catch (const asleep_for_ever&) {
            }
            all.push_back(t.trace_);
            while (!t.choices_.empty() && ++t.choices_.back().first == t.choices_.back().second) t.choices_.pop_back();
            if (t.choices_.empty()) return all;
        }
    }

    void combine(std::vector<trace>& chosen)
    {
        if (result_.counterexample) return;
        if (chosen.size() == traces_.size()) return place_barriers(chosen);
        for (const trace& t : traces_[chosen.size()]) {
            chosen.push_back(t);
            combine(chosen);
            chosen.pop_back();
        }
    }

    void place_barriers(const std::vector<trace>& chosen)
    {
        std::vector<execution::barrier> barriers;
        for (std::size_t from = 0; from < chosen.size(); ++from) {
            for (const std::size_t at : chosen[from].heavy) {
                for (std::size_t to = 0; to < chosen.size(); ++to) {
                    if (to != from) barriers.push_back({from, at, to, 0});
                }
            }
        }
        place(chosen, barriers, 0);
    }

    void place(const std::vector<trace>& chosen, std::vector<execution::barrier>& barriers, std::size_t next)
    {
        if (result_.counterexample) return;
        if (next == barriers.size()) {
            execution e(chosen, barriers);
            e.for_each_consistent([&](const ending& how) {
                ++result_.executions;
                if (bad_(how)) result_.counterexample = e.describe();
                return !result_.counterexample;
            });
            return;
        }
        for (std::size_t at = 0; at <= chosen[barriers[next].to].events.size(); ++at) {
            barriers[next].place = at;
            place(chosen, barriers, next + 1);
        }
    }

    static constexpr int most_rounds = 12;

    const program& threads_;
    const std::function<bool(const ending&)>& bad_;
    std::map<location, std::set<value>> values_;
    std::vector<std::vector<trace>> traces_;
    verdict result_;
};

verdict check(const program& threads, const std::function<bool(const ending&)>& bad)
{
    return checker(threads, bad).run();
}

}  // namespace zlink::model
