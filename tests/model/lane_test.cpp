// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How messages in lanes and what belongs to the holder of a token become visible: pipe/lane_writer.cpp,
// lane_reader.cpp, io_token.hpp.
#include "model/litmus.hpp"

namespace zlink::model {
namespace {

// lane_writer::publish within a span: octets, then where the visible part ends.
TEST(lane_publication_test, shows_the_octets_of_a_message)
{
    const auto publishing = [](std::memory_order publish, std::memory_order look) {
        return program{[=](thread& t) {
                           t.store("octets", 1, relaxed);
                           t.store("published", 1, publish);
                           t.store("more octets", 1, relaxed);
                           t.store("published", 2, publish);
                       },
                       [=](thread& t) {
                           const value seen = t.load("published", look);
                           t.tell("wrong", (seen >= 1 && t.load("octets", relaxed) == 0) ||
                                               (seen == 2 && t.load("more octets", relaxed) == 0));
                       }};
    };
    const auto wrong = [](const ending& e) { return e["wrong"] == 1; };
    EXPECT_TRUE(holds(publishing(release, acquire), wrong));
    EXPECT_TRUE(breaks(publishing(relaxed, acquire), wrong));
    EXPECT_TRUE(breaks(publishing(release, relaxed), wrong));
}

// A message over two spans (span_chain::show): the second span's part is stored first, the first's last, and
// lane_reader::advance goes by way of the first. All of it is visible at once.
TEST(lane_publication_test, shows_all_spans_of_a_message_at_once)
{
    const auto chain = [](bool first_comes_last, std::memory_order publish) {
        return program{[=](thread& t) {
                           t.store("end of first", 1, release);  // ended
                           t.store("octets of second", 1, relaxed);
                           t.store("next", 1, release);
                           if (first_comes_last) t.store("second published", 1, relaxed);
                           t.store("first published", 1, publish);
                           if (!first_comes_last) t.store("second published", 1, relaxed);
                       },
                       [](thread& t) {
                           if (t.load("first published", acquire) == 0) return;
                           const bool ended = t.load("end of first", acquire) == 1 && t.load("next", acquire) == 1;
                           const bool whole = ended && t.load("second published", acquire) == 1 &&
                                              t.load("octets of second", relaxed) == 1;
                           t.tell("cut", !whole);
                       }};
    };
    const auto cut = [](const ending& e) { return e["cut"] == 1; };
    EXPECT_TRUE(holds(chain(true, release), cut));
    EXPECT_TRUE(breaks(chain(false, release), cut));
    EXPECT_TRUE(breaks(chain(true, relaxed), cut));
}

// lane_writer::end_span: a reader that counts by spans takes the number of messages from a span whose end it has seen.
TEST(lane_publication_test, shows_how_many_messages_an_ended_span_has)
{
    const auto span_end = [](std::memory_order end) {
        return program{[=](thread& t) {
                           t.store("messages", 1, relaxed);
                           t.store("end", 1, end);
                       },
                       [](thread& t) {
                           if (t.load("end", acquire) == 1) t.tell("wrong", t.load("messages", relaxed) == 0);
                       }};
    };
    const auto wrong = [](const ending& e) { return e["wrong"] == 1; };
    EXPECT_TRUE(holds(span_end(release), wrong));
    EXPECT_TRUE(breaks(span_end(relaxed), wrong));
}

// A conflation: each side exchanges what is in the slot, and the end comes behind it (take() looks for the end first).
TEST(lane_publication_test, shows_the_newest_message_before_the_end)
{
    const auto conflating = [](bool end_first) {
        return program{[](thread& t) {
                           t.store("octets", 1, relaxed);
                           (void)t.exchange("newest", 1, acq_rel);
                           t.store("ended", 1, release);
                       },
                       [=](thread& t) {
                           value ended = end_first ? t.load("ended", acquire) : 0;
                           const value newest = t.load("newest", relaxed) == 1 ? t.exchange("newest", 0, acq_rel) : 0;
                           if (!end_first) ended = t.load("ended", acquire);
                           t.tell("lost", newest == 0 && ended == 1);
                           t.tell("wrong", newest == 1 && t.load("octets", relaxed) == 0);
                       }};
    };
    const auto bad = [](const ending& e) { return e["lost"] == 1 || e["wrong"] == 1; };
    EXPECT_TRUE(holds(conflating(true), bad));
    EXPECT_TRUE(breaks(conflating(false), bad));
}

// io_token: what a holder did is seen by the next one, and the I/O thread that asks is told.
// Values: 1: application, 2: wanted, 3: I/O thread, 0: free.
TEST(io_token_test, shows_the_next_holder_what_was_done_and_forgets_nobody_who_asks)
{
    const auto handing = [](std::memory_order give) {
        return program{[=](thread& t) {
                           if (!t.compare_exchange("token", 0, 1, acquire)) return;
                           t.store("done", 1, relaxed);
                           if (t.compare_exchange("token", 1, 0, give)) return;
                           t.store("token", 3, release);
                           t.store("told", 1, release);
                       },
                       [](thread& t) {
                           if (t.compare_exchange("token", 0, 3, acquire)) {
                               t.tell("first", 1);
                           } else if (t.compare_exchange("token", 1, 2, acq_rel)) {
                               t.await("told", [](value v) { return v == 1; });
                           } else if (!t.compare_exchange("token", 0, 3, acquire)) {
                               return t.tell("in between", 1);  // take_or_ask() goes round once more
                           }
                           t.tell("holds", 1);
                           t.tell("done", t.load("done", relaxed));
                           t.tell("token", t.load("token", relaxed));
                       }};
    };
    const auto bad = [](const ending& e) {
        const bool stale = e["=done"] == 1 && e["holds"] == 1 && e["first"] == 0 && e["done"] == 0;
        return stale || (e["holds"] == 1 && e["=token"] != 3) || (e["holds"] == 0 && e["in between"] == 0);
    };
    EXPECT_TRUE(holds(handing(acq_rel), bad));
    EXPECT_TRUE(breaks(handing(relaxed), bad));
}

}  // namespace
}  // namespace zlink::model
