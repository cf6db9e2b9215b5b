// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "model/execution.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace zlink::model {

namespace {

bool acquires(const event& e)
{
    return (e.what == kind::fence || e.reads()) && e.order != std::memory_order_relaxed &&
           e.order != std::memory_order_release;
}

bool releases(const event& e)
{
    return (e.what == kind::fence || e.writes()) && e.order != std::memory_order_relaxed &&
           e.order != std::memory_order_acquire;
}

bool sequential(const event& e)
{
    return e.order == std::memory_order_seq_cst;
}

}  // namespace

execution::execution(const std::vector<trace>& threads, const std::vector<barrier>& barriers)
{
    for (const trace& t : threads) {
        for (const auto& [what, v] : t.outcome) told_[what] = v;
        for (const event& e : t.events) {
            const bool known = std::ranges::find(places_, e.where) != places_.end();
            if (e.what != kind::fence && !known) places_.push_back(e.where);
        }
    }
    for (const location& where : places_) {
        writes_.push_back({nodes_.size()});
        nodes_.push_back({{kind::store, std::memory_order_relaxed, where}, -1});
    }
    const std::size_t first = nodes_.size();
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> number;  // of a thread's event
    std::vector<std::size_t> other_fence(barriers.size());
    for (std::size_t t = 0; t < threads.size(); ++t) {
        for (std::size_t i = 0; i <= threads[t].events.size(); ++i) {
            for (std::size_t b = 0; b < barriers.size(); ++b) {
                if (barriers[b].to != t || barriers[b].place != i) continue;
                other_fence[b] = nodes_.size();
                nodes_.push_back({{kind::fence, std::memory_order_seq_cst}, int(t)});
            }
            if (i == threads[t].events.size()) break;
            const event& e = threads[t].events[i];
            number[{t, i}] = nodes_.size();
            if (e.reads()) reads_.push_back(nodes_.size());
            if (e.writes()) {
                writes_[std::size_t(std::ranges::find(places_, e.where) - places_.begin())].push_back(nodes_.size());
            }
            nodes_.push_back({e, int(t)});
        }
    }
    for (std::size_t a = 0; a < nodes_.size(); ++a) {
        for (std::size_t b = std::max(a + 1, first); b < nodes_.size(); ++b) {
            if (nodes_[a].thread < 0 || nodes_[a].thread == nodes_[b].thread) sequenced_.add(a, b);
        }
    }
    for (std::size_t b = 0; b < barriers.size(); ++b) {
        barriers_.add(number[{barriers[b].from, barriers[b].at}], other_fence[b]);
        barriers_.add(other_fence[b], number[{barriers[b].from, barriers[b].at + 1}]);
    }
    source_.resize(nodes_.size());
    orders_.resize(places_.size());
}

bool execution::same_place(std::size_t a, std::size_t b) const
{
    return nodes_[a].what.what != kind::fence && nodes_[b].what.what != kind::fence &&
           nodes_[a].what.where == nodes_[b].what.where;
}

void execution::for_each_consistent(const std::function<bool(const ending&)>& each)
{
    if (nodes_.size() > relation::most) throw std::length_error("a program of too many steps");
    each_ = &each;
    (void)choose_sources(0);
}

// The three of these return false once nobody wants more.
bool execution::choose_sources(std::size_t read)
{
    if (read == reads_.size()) {
        happens_before_ = (sequenced_ | barriers_ | synchronizes()).closure();
        return !happens_before_.irreflexive() || choose_orders(0);
    }
    const std::size_t r = reads_[read];
    const event& e = nodes_[r].what;
    for (const std::size_t w : writes_[std::size_t(std::ranges::find(places_, e.where) - places_.begin())]) {
        if (w == r || nodes_[w].what.written != e.read || sequenced_.has(r, w)) continue;
        // Of two that change the same value one does it first.
        const auto changes_too = [&](std::size_t other) { return source_[other] == w && nodes_[other].what.writes(); };
        if (e.writes() && std::any_of(reads_.begin(), reads_.begin() + std::ptrdiff_t(read), changes_too)) continue;
        source_[r] = w;
        if (!choose_sources(read + 1)) return false;
    }
    return true;
}

// From a release (or a fence before a store) to an acquire (or a fence behind a load) that reads from it. Or from the
// last of exchanges that follow it.
relation execution::synchronizes() const
{
    relation all;
    for (const std::size_t r : reads_) {
        std::vector<std::size_t> to;
        for (std::size_t n = r; n < nodes_.size(); ++n) {
            const bool behind = n == r || (sequenced_.has(r, n) && nodes_[n].what.what == kind::fence);
            if (behind && acquires(nodes_[n].what)) to.push_back(n);
        }
        if (to.empty()) continue;
        std::size_t steps = 0;
        for (std::size_t w = source_[r]; nodes_[w].thread >= 0 && steps < nodes_.size(); w = source_[w], ++steps) {
            for (std::size_t n = 0; n <= w; ++n) {
                const bool before = n == w || (sequenced_.has(n, w) && nodes_[n].what.what == kind::fence);
                if (!before || !releases(nodes_[n].what)) continue;
                for (const std::size_t t : to) all.add(n, t);
            }
            if (!nodes_[w].what.reads()) break;
        }
    }
    return all;
}

bool execution::choose_orders(std::size_t place)
{
    if (place == places_.size()) return !consistent() || (*each_)(how_it_ended());
    std::vector<std::size_t> order{writes_[place].front()};
    return order_writes(place, order);
}

bool execution::order_writes(std::size_t place, std::vector<std::size_t>& order)
{
    if (order.size() == writes_[place].size()) {
        // Nobody sleeps through the last value.
        for (const std::size_t r : reads_) {
            if (nodes_[r].what.sleeps && nodes_[r].what.where == places_[place] && source_[r] != order.back())
                return true;
        }
        orders_[place] = order;
        return choose_orders(place + 1);
    }
    for (const std::size_t w : writes_[place]) {
        if (std::ranges::find(order, w) != order.end()) continue;
        // An exchange comes right behind what it read; and what happens before comes before.
        if (nodes_[w].what.reads() && source_[w] != order.back()) continue;
        const auto later = [&](std::size_t before) { return happens_before_.has(w, before); };
        if (std::ranges::any_of(order, later)) continue;
        order.push_back(w);
        if (!order_writes(place, order)) return false;
        order.pop_back();
    }
    return true;
}

bool execution::consistent() const
{
    relation reads_from, modified, reads_before;
    for (const auto& order : orders_) {
        for (std::size_t a = 0; a < order.size(); ++a) {
            for (std::size_t b = a + 1; b < order.size(); ++b) modified.add(order[a], order[b]);
        }
    }
    for (const std::size_t r : reads_) {
        reads_from.add(source_[r], r);
        for (std::size_t w = 0; w < nodes_.size(); ++w) {
            if (w != r && modified.has(source_[r], w)) reads_before.add(r, w);
        }
    }
    const relation& hb = happens_before_;
    const relation communicates = (reads_from | modified | reads_before).closure();
    if (!hb.then(communicates).irreflexive()) return false;

    // The order of all that is sequentially consistent.
    const auto sc_fence = [&](std::size_t n) {
        return nodes_[n].what.what == kind::fence && sequential(nodes_[n].what);
    };
    const auto sc = [&](std::size_t n) { return sequential(nodes_[n].what); };
    relation same;
    for (std::size_t n = 0; n < nodes_.size(); ++n) same.add(n, n);
    const relation elsewhere = sequenced_.where([&](auto a, auto b) { return !same_place(a, b); });
    const relation steps = sequenced_ | elsewhere.then(hb).then(elsewhere) |
                           hb.where([&](auto a, auto b) { return same_place(a, b); }) | modified | reads_before;
    const relation from =
        (same | hb.where([&](auto a, auto) { return sc_fence(a); })).where([&](auto a, auto) { return sc(a); });
    const relation to =
        (same | hb.where([&](auto, auto b) { return sc_fence(b); })).where([&](auto, auto b) { return sc(b); });
    const relation base = from.then(steps).then(to);
    const relation fences =
        (hb | hb.then(communicates).then(hb)).where([&](auto a, auto b) { return sc_fence(a) && sc_fence(b); });
    return (base | fences).closure().irreflexive();
}

ending execution::how_it_ended() const
{
    ending how;
    how.values_ = told_;
    for (std::size_t p = 0; p < places_.size(); ++p)
        how.values_["=" + places_[p]] = nodes_[orders_[p].back()].what.written;
    return how;
}

std::string execution::describe() const
{
    std::ostringstream out;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
        const auto& [e, thread] = nodes_[n];
        if (thread < 0) continue;
        out << "  " << n << ": thread " << thread << " ";
        if (e.what == kind::fence) out << "fence";
        if (e.reads()) out << "reads " << e.where << " = " << e.read << " from " << source_[n] << " ";
        if (e.writes()) out << "writes " << e.where << " = " << e.written;
        out << (e.sleeps ? "and sleeps\n" : "\n");
    }
    for (const auto& [what, v] : how_it_ended().values_) out << "  " << what << " is " << v << "\n";
    return out.str();
}

}  // namespace zlink::model
