// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What several threads have done together, as a set of events. Which store each load read from and in which order the
// stores to each location took effect are tried in all ways. The executions that the axioms of C++20 allow are handed
// out.
#pragma once

#include "model/memory_model.hpp"

#include <array>
#include <bit>

namespace zlink::model {

/// Events are numbered from 0; row a has bit b where a stands before b.
class relation {
public:
    static constexpr std::size_t most = 64;

    void add(std::size_t a, std::size_t b) { rows_[a] |= bit(b); }
    [[nodiscard]] bool has(std::size_t a, std::size_t b) const { return (rows_[a] & bit(b)) != 0; }
    [[nodiscard]] relation operator|(const relation& other) const
    {
        relation r = *this;
        for (std::size_t a = 0; a < most; ++a) r.rows_[a] |= other.rows_[a];
        return r;
    }
    /// First this, then the other.
    [[nodiscard]] relation then(const relation& other) const
    {
        relation r;
        for (std::size_t a = 0; a < most; ++a) {
            for (std::uint64_t left = rows_[a]; left != 0; left &= left - 1) {
                r.rows_[a] |= other.rows_[std::size_t(std::countr_zero(left))];
            }
        }
        return r;
    }
    [[nodiscard]] relation closure() const
    {
        relation r = *this;
        for (std::size_t k = 0; k < most; ++k) {
            if (r.rows_[k] == 0) continue;
            for (std::size_t a = 0; a < most; ++a) {
                if (r.has(a, k)) r.rows_[a] |= r.rows_[k];
            }
        }
        return r;
    }
    [[nodiscard]] bool irreflexive() const
    {
        for (std::size_t a = 0; a < most; ++a) {
            if (has(a, a)) return false;
        }
        return true;
    }
    template <class Keep>
    [[nodiscard]] relation where(Keep keep) const
    {
        relation r;
        for (std::size_t a = 0; a < most; ++a) {
            for (std::uint64_t left = rows_[a]; left != 0; left &= left - 1) {
                const auto b = std::size_t(std::countr_zero(left));
                if (keep(a, b)) r.add(a, b);
            }
        }
        return r;
    }

private:
    static std::uint64_t bit(std::size_t n) { return std::uint64_t{1} << n; }
    std::array<std::uint64_t, most> rows_{};
};

class execution {
public:
    /// One of the other threads' fences of a heavy_fence(): `from` calls it as its event `at`, `to` runs it before its
    /// event `place`.
    struct barrier {
        std::size_t from, at, to, place;
    };

    execution(const std::vector<trace>& threads, const std::vector<barrier>& barriers);

    /// `each` returns false to stop.
    void for_each_consistent(const std::function<bool(const ending&)>& each);

    /// The one handed out last, for people.
    [[nodiscard]] std::string describe() const;

private:
    struct node {
        event what;
        int thread;  ///< -1: what was there at first
    };

    [[nodiscard]] bool same_place(std::size_t a, std::size_t b) const;
    [[nodiscard]] relation synchronizes() const;
    bool choose_sources(std::size_t read);
    bool choose_orders(std::size_t place);
    bool order_writes(std::size_t place, std::vector<std::size_t>& order);
    [[nodiscard]] bool consistent() const;
    [[nodiscard]] ending how_it_ended() const;

    std::vector<node> nodes_;
    std::vector<location> places_;
    std::vector<std::size_t> reads_;
    relation sequenced_;
    relation happens_before_;
    relation barriers_;
    std::vector<std::size_t> source_;               ///< of each node that reads: the write
    std::vector<std::vector<std::size_t>> writes_;  ///< of each place; the first is what was there at first
    std::vector<std::vector<std::size_t>> orders_;  ///< of each place: as they took effect
    std::map<std::string, value> told_;
    const std::function<bool(const ending&)>* each_ = nullptr;
};

}  // namespace zlink::model
