// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A reader that leaves the chunk it rests in against a writer that goes on in it: pipe/reclaim.cpp,
// write_window::claim and lane_writer::take_tail. Never may the writer put octets into a chunk that the reader has
// left.
#include "model/litmus.hpp"

namespace zlink::model {
namespace {

enum class barrier_kind { none, heavy };

// Values of "tail": where the next span is linked.
constexpr value its_span = 0, sentinel = 1, marked = 2, taken = 3, next_span = 4;

// lane_writer::write with its claim, publish; on to take_tail() where the claim fails. "top": 0 while there is room.
void write_one(thread& t)
{
    t.store("cursor", 1, relaxed);
    if (t.load("top", relaxed) == 0) {
        t.store("published", 1, release);
        return t.tell("wrote_there", 1);
    }
    t.store("cursor", 0, relaxed);
    if (t.exchange("tail", taken, acq_rel) != sentinel) {
        t.store("top", 0, relaxed);
        t.store("cursor", 1, relaxed);
        t.store("published", 1, release);
        t.tell("wrote_there", 1);
        return t.store("tail", its_span, release);
    }
    t.tell("began_anew", 1);
    t.store("tail", sentinel, release);
}

// lane_reader::begin_reclaim, the barrier, end_reclaim.
void leave(thread& t, barrier_kind barrier)
{
    if (t.load("published", acquire) != 0) return;
    if (!t.compare_exchange("tail", its_span, marked, acq_rel)) return;
    t.store("top", 1, relaxed);
    if (barrier == barrier_kind::heavy) t.heavy_fence();
    const bool unused = t.load("cursor", relaxed) == 0;
    if (!t.compare_exchange("tail", marked, unused ? sentinel : its_span, acq_rel)) return;
    if (unused) t.tell("left", 1);
}

bool written_where_nobody_reads(const ending& e)
{
    return e["left"] == 1 && e["wrote_there"] == 1;
}

TEST(lane_reclaim_test, is_never_done_under_a_writer)
{
    const auto both = [](barrier_kind barrier) { return program{write_one, [=](thread& t) { leave(t, barrier); }}; };
    EXPECT_TRUE(holds(both(barrier_kind::heavy), written_where_nobody_reads));
    EXPECT_TRUE(breaks(both(barrier_kind::none), written_where_nobody_reads));
}

// Else the case above would hold for never happening.
TEST(lane_reclaim_test, is_done_and_the_writer_begins_anew)
{
    const auto anew = [](const ending& e) { return e["left"] == 1 && e["began_anew"] == 1; };
    EXPECT_TRUE(breaks({write_one, [](thread& t) { leave(t, barrier_kind::heavy); }}, anew));
}

// So the writer's room is what the chunk has, and not what the window says, once it has taken the tail.
TEST(lane_reclaim_test, may_take_the_room_away_behind_a_take_of_the_tail)
{
    const auto late = [](const ending& e) { return e["room_taken_away"] == 1; };
    const program both{[](thread& t) {
                           if (t.exchange("tail", taken, acq_rel) != marked) return;
                           t.store("top", 0, relaxed);
                           t.tell("room_taken_away", t.load("top", relaxed));
                       },
                       [](thread& t) { leave(t, barrier_kind::heavy); }};
    EXPECT_TRUE(breaks(both, late));
}

// An ended span: lane_writer::append_span against lane_reader::reclaim_ended. The next span is linked to where the
// reader is.
TEST(lane_reclaim_test, of_a_sealed_span_loses_no_span)
{
    const auto both = [](bool takes) {
        return program{[=](thread& t) {
                           const value found = takes ? t.exchange("tail", taken, acq_rel) : t.load("tail", acquire);
                           t.store(found == sentinel ? "next_of_sentinel" : "next_of_span", 1, release);
                           t.store("tail", next_span, release);
                       },
                       [=](thread& t) {
                           if (t.load("next_of_span", relaxed) != 0) return t.tell("seen", 1);
                           const bool left = t.compare_exchange("tail", its_span, sentinel, acq_rel);
                           // Its next look, at the latest when the writer is done.
                           const location next = left ? "next_of_sentinel" : "next_of_span";
                           t.tell("seen", t.await(next, [](value v) { return v == 1; }));
                       }};
    };
    const auto span_lost = [](const ending& e) { return e["seen"] != 1; };
    EXPECT_TRUE(holds(both(true), span_lost));
    EXPECT_TRUE(breaks(both(false), span_lost));
}

}  // namespace
}  // namespace zlink::model
