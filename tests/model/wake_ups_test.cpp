// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Every pair of stores and loads in src/ by which two threads make sure that they do not miss each other. Each is a
// small program. What the code relies on holds; with one of its orders weakened (the control) it does not.
#include "model/litmus.hpp"

namespace zlink::model {
namespace {

// --- lanes: pipe/lane.hpp
// ---------------------------------------------------------------------------------------------

enum class fence_kind { none, full, heavy };

void run_fence(thread& t, fence_kind which)
{
    if (which == fence_kind::full) t.fence();
    if (which == fence_kind::heavy) t.heavy_fence();
}

// lane_writer::publish, reader_sleeps, take_wake; lane_reader::go_dormant, has_news, wake_up.
program dormant_lane(fence_kind writers, fence_kind readers)
{
    return {[=](thread& t) {
                t.store("published", 1, release);
                run_fence(t, writers);
                if (t.load("dormant", relaxed) == 1) t.tell("told", t.exchange("dormant", 0, acq_rel));
            },
            [=](thread& t) {
                t.store("dormant", 1, seq_cst);
                run_fence(t, readers);
                t.tell("seen", t.load("published", acquire));
            }};
}

bool message_missed(const ending& e)
{
    return e["told"] == 0 && e["seen"] == 0;
}

TEST(lane_wake_up_test, is_not_missed_with_full_fences_on_both_sides)
{
    EXPECT_TRUE(holds(dormant_lane(fence_kind::full, fence_kind::full), message_missed));
    EXPECT_TRUE(breaks(dormant_lane(fence_kind::none, fence_kind::full), message_missed));
    EXPECT_TRUE(breaks(dormant_lane(fence_kind::full, fence_kind::none), message_missed));
}

TEST(lane_wake_up_test, is_not_missed_with_a_heavy_fence_on_the_sleepers_side)
{
    EXPECT_TRUE(holds(dormant_lane(fence_kind::none, fence_kind::heavy), message_missed));
    EXPECT_TRUE(holds(dormant_lane(fence_kind::full, fence_kind::heavy), message_missed));
    EXPECT_TRUE(breaks(dormant_lane(fence_kind::none, fence_kind::none), message_missed));
}

// drop_queue: the number of messages is what a reader without the lock looks at. Both sides change it under the lock,
// whose chain of exchanges this is; the end comes behind it as behind a conflation's slot.
TEST(lane_wake_up_test, is_not_missed_behind_a_queue_that_drops)
{
    const auto relay = [](fence_kind writers) {
        return program{[=](thread& t) {
                           t.store("octets", 1, relaxed);
                           (void)t.exchange("waiting", 1, acq_rel);
                           run_fence(t, writers);
                           if (t.load("dormant", relaxed) == 1) t.tell("told", t.exchange("dormant", 0, acq_rel));
                       },
                       [](thread& t) {
                           t.store("dormant", 1, seq_cst);
                           t.fence();
                           if (t.load("waiting", acquire) == 0) return;
                           t.tell("seen", t.exchange("waiting", 0, acq_rel));
                           t.tell("wrong", t.load("octets", relaxed) == 0);
                       }};
    };
    const auto bad = [](const ending& e) { return message_missed(e) || e["wrong"] == 1; };
    EXPECT_TRUE(holds(relay(fence_kind::full), bad));
    EXPECT_TRUE(breaks(relay(fence_kind::none), bad));
}

// queue_cap: a writer that finds no room, and another pipe's reader that lets the sum fall (or a limit that is raised).
// The list and its lock are the exchange of "waiting".
TEST(queue_cap_wake_up_test, is_not_missed_when_the_sum_falls)
{
    const auto cap = [](bool sequential) {
        const auto change = sequential ? seq_cst : acq_rel;
        const auto look = sequential ? seq_cst : acquire;
        return program{[=](thread& t) {
                           (void)t.exchange("waiting", 1, change);
                           t.tell("room", t.load("sum_fell", look));
                       },
                       [=](thread& t) {
                           (void)t.exchange("sum_fell", 1, change);
                           t.tell("told", t.load("waiting", look));
                       }};
    };
    const auto missed = [](const ending& e) { return e["room"] == 0 && e["told"] == 0; };
    EXPECT_TRUE(holds(cap(true), missed));
    EXPECT_TRUE(breaks(cap(false), missed));
}

// lane_charge: the writer, and its own reader that empties the queue. Both take the charge's lock, whose chain of
// exchanges this is: 1 the writer had it last, 2 the reader.
TEST(queue_cap_wake_up_test, is_not_missed_when_its_own_queue_becomes_empty)
{
    const auto charge = [](std::memory_order lock) {
        return program{[=](thread& t) {
                           (void)t.exchange("waiting", 1, relaxed);
                           t.tell("room", t.exchange("lock", 1, lock) == 2);
                       },
                       [=](thread& t) {
                           (void)t.exchange("lock", 2, lock);
                           t.tell("told", t.load("waiting", relaxed));
                       }};
    };
    const auto missed = [](const ending& e) { return e["room"] == 0 && e["told"] == 0; };
    EXPECT_TRUE(holds(charge(acq_rel), missed));
    EXPECT_TRUE(breaks(charge(relaxed), missed));
}

// lane_reader::learn_fences: the first sleep behind the switch still has a heavy fence, later ones a full one.
TEST(lane_wake_up_test, is_not_missed_while_the_lane_goes_over_to_fences)
{
    const auto switching = [](fence_kind first) {
        return program{[](thread& t) {
                           t.store("published", 1, release);
                           if (t.load("fenced", relaxed) == 1) t.fence();
                           if (t.load("dormant", relaxed) == 1) t.tell("told", t.exchange("dormant", 0, acq_rel));
                       },
                       [=](thread& t) {
                           t.store("fenced", 1, seq_cst);
                           t.store("dormant", 1, seq_cst);
                           run_fence(t, first);
                           if (t.load("published", acquire) == 1) return t.tell("seen", 1);
                           if (t.exchange("dormant", 0, acq_rel) == 0) return;  // the writer tells
                           t.store("dormant", 1, seq_cst);
                           t.fence();
                           t.tell("seen", t.load("published", acquire));
                       }};
    };
    EXPECT_TRUE(holds(switching(fence_kind::heavy), message_missed));
    EXPECT_TRUE(breaks(switching(fence_kind::full), message_missed));
}

// io_worker::make_dormant against pipe_end::write_or_tell: the thread that finds the lane dormant writes by itself if
// it gets the token.
TEST(lane_wake_up_test, is_not_missed_where_the_sender_may_write_by_itself)
{
    const auto inline_writing = [](fence_kind readers) {
        return program{[](thread& t) {
                           t.store("published", 1, release);
                           if (t.load("dormant", relaxed) == 0) return;
                           if (t.compare_exchange("token", 0, 1, acquire)) {
                               t.tell("seen", t.load("published", acquire));
                               t.store("token", 0, release);
                           } else {
                               t.tell("told", t.exchange("dormant", 0, acq_rel));
                           }
                       },
                       [=](thread& t) {
                           if (!t.compare_exchange("token", 0, 2, acquire)) return t.tell("told", 1);  // by event_token
                           t.store("dormant", 1, seq_cst);
                           run_fence(t, readers);
                           if (t.load("published", acquire) == 1) t.tell("seen", 1);
                           t.store("token", 0, release);
                       }};
    };
    EXPECT_TRUE(holds(inline_writing(fence_kind::heavy), message_missed));
    EXPECT_TRUE(breaks(inline_writing(fence_kind::none), message_missed));
}

// lane_writer::wait_for_credit, lane_reader::give_credit.
TEST(lane_credit_test, is_not_missed)
{
    const auto waiting = [](bool writers_fence, bool readers_fence) {
        return program{[=](thread& t) {
                           t.store("waiting", 1, relaxed);
                           if (writers_fence) t.fence();
                           t.tell("seen", t.load("credited", acquire));
                       },
                       [=](thread& t) {
                           t.store("credited", 1, release);
                           if (readers_fence) t.fence();
                           if (t.load("waiting", relaxed) == 1) t.tell("told", t.exchange("waiting", 0, acq_rel));
                       }};
    };
    EXPECT_TRUE(holds(waiting(true, true), message_missed));
    EXPECT_TRUE(breaks(waiting(false, true), message_missed));
    EXPECT_TRUE(breaks(waiting(true, false), message_missed));
}

// The same, with two threads that share the writer's socket: one has found no room and sleeps, then the other looks. If
// the second takes the flag down because it finds room, nobody tells the first.
TEST(lane_credit_test, is_not_missed_by_a_thread_that_sleeps_while_another_finds_room)
{
    const auto sharing = [](bool takes_flag_down) {
        return program{[=](thread& t) {
                           t.store("waiting", 1, relaxed);
                           t.fence();
                           t.tell("seen", t.load("credited", acquire));
                           t.store("waiting", 1, relaxed);
                           t.fence();
                           if (t.load("credited", acquire) == 1 && takes_flag_down) t.store("waiting", 0, relaxed);
                       },
                       [](thread& t) {
                           t.store("credited", 1, release);
                           t.fence();
                           if (t.load("waiting", relaxed) == 1) t.tell("told", t.exchange("waiting", 0, acq_rel));
                       }};
    };
    EXPECT_TRUE(holds(sharing(false), message_missed));
    EXPECT_TRUE(breaks(sharing(true), message_missed));
}

// lane_reader::give_credit, lane_writer::look_for_credit: octets alone, as in the middle of a span, where the count of
// messages stays.
TEST(lane_credit_test, of_octets_is_not_missed)
{
    const auto waiting = [](bool writers_fence, bool readers_fence) {
        return program{[=](thread& t) {
                           t.store("waiting", 1, relaxed);
                           if (writers_fence) t.fence();
                           (void)t.load("credited", acquire);
                           t.tell("seen", t.load("octets", relaxed));
                       },
                       [=](thread& t) {
                           t.store("octets", 1, relaxed);
                           t.store("credited", 0, release);
                           if (readers_fence) t.fence();
                           if (t.load("waiting", relaxed) == 1) t.tell("told", t.exchange("waiting", 0, acq_rel));
                       }};
    };
    EXPECT_TRUE(holds(waiting(true, true), message_missed));
    EXPECT_TRUE(breaks(waiting(false, true), message_missed));
    EXPECT_TRUE(breaks(waiting(true, false), message_missed));
}

TEST(lane_credit_test, tells_the_octets_of_its_messages)
{
    const auto credit = [](std::memory_order stored) {
        return program{[](thread& t) {
                           if (t.load("credited", acquire) == 1) t.tell("wrong", t.load("octets", relaxed) == 0);
                       },
                       [=](thread& t) {
                           t.store("octets", 1, relaxed);
                           t.store("credited", 1, stored);
                       }};
    };
    const auto wrong = [](const ending& e) { return e["wrong"] == 1; };
    EXPECT_TRUE(holds(credit(release), wrong));
    EXPECT_TRUE(breaks(credit(relaxed), wrong));
}

// --- the socket's mailbox: socket/mailbox.cpp
// -------------------------------------------------------------------------

// mailbox::wake; set_sleeper, sleeper_fence, pending. The waiter's state is a futex: waiter::wake, prepare, sleep.
program sleeping_owner(bool fence)
{
    return {[](thread& t) {
                t.store("attention", 1, seq_cst);
                if (t.load("sleeper", seq_cst) == 1) (void)t.exchange("state", 2, seq_cst);
            },
            [=](thread& t) {
                t.store("state", 0, seq_cst);
                t.store("sleeper", 1, seq_cst);
                if (fence) t.fence();
                if (t.load("attention", relaxed) == 1) return t.tell("awake", 1);
                if (!t.compare_exchange("state", 0, 1, seq_cst)) return t.tell("awake", 1);
                t.await("state", [](value v) { return v != 1; });
                t.tell("awake", 1);
            }};
}

TEST(mailbox_wake_up_test, reaches_a_sleeping_owner)
{
    const auto sleeps_on = [](const ending& e) { return e["awake"] == 0; };
    EXPECT_TRUE(holds(sleeping_owner(true), sleeps_on));
    EXPECT_TRUE(breaks(sleeping_owner(false), sleeps_on));
}

// waiter::sleep, which goes on in ppoll after some time on the futex.
TEST(mailbox_wake_up_test, reaches_an_owner_that_goes_from_one_sleep_to_another)
{
    const auto changing = [](bool by_compare) {
        return program{[](thread& t) {
                           t.store("attention", 1, seq_cst);
                           if (t.load("sleeper", seq_cst) == 1) (void)t.exchange("state", 2, seq_cst);
                       },
                       [=](thread& t) {
                           t.store("state", 0, seq_cst);
                           t.store("sleeper", 1, seq_cst);
                           t.fence();
                           if (t.load("attention", relaxed) == 1) return t.tell("awake", 1);
                           if (!t.compare_exchange("state", 0, 1, seq_cst)) return t.tell("awake", 1);
                           if (!by_compare) {
                               t.store("state", 0, seq_cst);
                           } else if (!t.compare_exchange("state", 1, 0, seq_cst)) {
                               return t.tell("awake", 1);
                           }
                           if (!t.compare_exchange("state", 0, 3, seq_cst)) return t.tell("awake", 1);
                           t.await("state", [](value v) { return v != 3; });
                           t.tell("awake", 1);
                       }};
    };
    const auto sleeps_on = [](const ending& e) { return e["awake"] == 0; };
    EXPECT_TRUE(holds(changing(true), sleeps_on));
    EXPECT_TRUE(breaks(changing(false), sleeps_on));
}

// A wake-up that waiter::prepare() forgets was meant for an earlier sleep on the same socket: what it told of is seen.
TEST(mailbox_wake_up_test, that_is_forgotten_before_a_sleep_has_left_its_flag)
{
    const auto again = [](std::memory_order order, bool fence) {
        return program{[](thread& t) {
                           t.store("attention", 1, seq_cst);
                           (void)t.exchange("state", 2, seq_cst);  // found the sleeper of the sleep before
                       },
                       [=](thread& t) {
                           t.store("state", 0, order);
                           if (fence) t.fence();
                           t.tell("seen", t.load("attention", relaxed));
                       }};
    };
    const auto forgotten = [](const ending& e) { return e["=state"] == 0 && e["seen"] == 0; };
    EXPECT_TRUE(holds(again(seq_cst, true), forgotten));
    EXPECT_TRUE(breaks(again(relaxed, false), forgotten));
}

// activation_queue::push and mailbox::wake by two threads; mailbox::acknowledge and take_all. Also post() and stop(),
// whose lists and flag take the place of the queue.
program acknowledging(bool by_exchange)
{
    const auto push = [](int item) {
        return [=](thread& t) {
            (void)t.fetch_or("queue", item, seq_cst);
            t.store("attention", 1, seq_cst);
        };
    };
    return {push(1), push(2), [=](thread& t) {
                if (by_exchange) {
                    (void)t.exchange("attention", 0, seq_cst);
                } else {
                    t.store("attention", 0, seq_cst);
                }
                if (t.load("queue", relaxed) != 0) (void)t.exchange("queue", 0, seq_cst);
            }};
}

TEST(mailbox_flag_test, stays_up_for_what_was_not_taken)
{
    const auto left_behind = [](const ending& e) { return e["=attention"] == 0 && e["=queue"] != 0; };
    EXPECT_TRUE(holds(acknowledging(true), left_behind));
    EXPECT_TRUE(breaks(acknowledging(false), left_behind));
}

// An event loop that is told of each change of the descriptor once: it looks at ZMQ_EVENTS, sleeps, and looks once
// more. The descriptor is 1 from the write to the reading.
void look_at_events(thread& t)
{
    if (t.load("attention", relaxed) == 0) return;
    (void)t.exchange("attention", 0, seq_cst);
    if (t.load("signalled", seq_cst) == 1) {
        if (t.exchange("descriptor", 0, acq_rel) == 1) {
            (void)t.exchange("signalled", 0, seq_cst);
        } else {
            t.store("attention", 1, relaxed);
        }
    }
    if (t.load("item", relaxed) == 1) t.tell("taken", 1);
}

program edge_triggered_loop(bool flag_before_write)
{
    return {[=](thread& t) {
                t.store("item", 1, seq_cst);
                t.store("attention", 1, seq_cst);
                if (t.exchange("signalled", 1, seq_cst) == 1) return;
                if (flag_before_write) t.store("attention", 1, seq_cst);
                (void)t.exchange("descriptor", 1, acq_rel);
                if (!flag_before_write) t.store("attention", 1, seq_cst);
            },
            [](thread& t) {
                // Because of something else at first; that may take the flag down before there is anything to find.
                if (t.load("attention", relaxed) == 1) (void)t.exchange("attention", 0, seq_cst);
                if (t.load("signalled", seq_cst) == 1) t.store("attention", 1, relaxed);
                t.await("descriptor", [](value v) { return v == 1; });
                look_at_events(t);
            }};
}

TEST(mailbox_descriptor_test, tells_an_edge_triggered_loop_while_the_flag_is_up)
{
    const auto stands_still = [](const ending& e) { return e["taken"] == 0; };
    EXPECT_TRUE(holds(edge_triggered_loop(true), stands_still));
    EXPECT_TRUE(breaks(edge_triggered_loop(false), stands_still));
}

// mailbox::descriptor against wake: either the waker finds the new descriptor, or its flag is seen.
TEST(mailbox_descriptor_test, that_is_new_tells_of_what_is_pending)
{
    const auto made = [](bool fence) {
        return program{[](thread& t) {
                           t.store("attention", 1, seq_cst);
                           t.tell("told", t.load("descriptor is there", seq_cst));
                       },
                       [=](thread& t) {
                           t.store("descriptor is there", 1, seq_cst);
                           if (fence) t.fence();
                           t.tell("seen", t.load("attention", relaxed));
                       }};
    };
    EXPECT_TRUE(holds(made(true), message_missed));
    EXPECT_TRUE(breaks(made(false), message_missed));
}

// ZLINK_FD: wake() and raise_level() against socket::announce_for_descriptor, which has found nothing. "up" is the
// eventfd from the write to the reading. The lane is not dormant while the owner lowers: only the mailbox tells.
program lowering_level(bool looks_after, bool lowers_first)
{
    return {[](thread& t) {
                t.store("item", 1, release);
                t.store("attention", 1, seq_cst);
                if (t.exchange("raised", 1, seq_cst) == 0) (void)t.exchange("up", 1, acq_rel);
            },
            [=](thread& t) {
                const auto raise = [&] {
                    if (t.exchange("raised", 1, seq_cst) == 0) (void)t.exchange("up", 1, acq_rel);
                };
                const auto look = [&] {
                    if (t.load("attention", relaxed) == 1) raise();
                };
                raise();  // for news that were taken in
                if (looks_after && !lowers_first) look();
                if (t.load("raised", seq_cst) == 1 && t.exchange("up", 0, acq_rel) == 1)
                    (void)t.exchange("raised", 0, seq_cst);
                if (looks_after && lowers_first) look();
            }};
}

TEST(mailbox_level_test, is_up_for_news_that_nobody_has_taken_in)
{
    const auto lost = [](const ending& e) { return e["=item"] == 1 && e["=up"] == 0; };
    EXPECT_TRUE(holds(lowering_level(true, true), lost));
    EXPECT_TRUE(breaks(lowering_level(false, true), lost));
    EXPECT_TRUE(breaks(lowering_level(true, false), lost));
}

// --- ends of pipes and tasks ----------------------------------------------------------------------------------------

// pipe_end::notify by two threads, take_events: the thread that does not put the end into the queue relies on the one
// that takes it out.
TEST(pipe_events_test, show_what_they_tell_of)
{
    const auto telling = [](std::memory_order order) {
        const auto notify = [=](const char* what, int bit) {
            return [=](thread& t) {
                t.store(what, 1, relaxed);
                if (t.fetch_or("events", bit, order) == 0) t.store("queued", 1, release);
            };
        };
        return program{notify("first", 1), notify("second", 2), [=](thread& t) {
                           if (t.load("queued", acquire) == 0) return;
                           const value events = t.fetch_and("events", 0, order);
                           t.tell("missed", (events & 1 && t.load("first", relaxed) == 0) ||
                                                (events & 2 && t.load("second", relaxed) == 0));
                       }};
    };
    const auto missed = [](const ending& e) { return e["missed"] == 1; };
    EXPECT_TRUE(holds(telling(seq_cst), missed));
    EXPECT_TRUE(breaks(telling(relaxed), missed));
}

// runtime::call_on::take_up and run: a call that is queued already is not queued again, and does what was asked last.
TEST(task_test, that_is_queued_already_sees_what_was_asked_since)
{
    const auto asked_again = [](bool by_exchange) {
        return program{[](thread& t) {
                           t.store("asked", 1, relaxed);
                           t.tell("queued again", t.exchange("free", 0, acq_rel));
                       },
                       [=](thread& t) {
                           if (by_exchange) {
                               (void)t.exchange("free", 1, acq_rel);
                           } else {
                               t.store("free", 1, release);
                           }
                           t.tell("seen", t.load("asked", relaxed));
                       }};
    };
    const auto forgotten = [](const ending& e) { return e["queued again"] == 0 && e["seen"] == 0; };
    EXPECT_TRUE(holds(asked_again(true), forgotten));
    EXPECT_TRUE(breaks(asked_again(false), forgotten));
}

// --- I/O threads: runtime/interrupter.hpp, task_queue.hpp and readings.hpp, engine/io_worker.cpp -------------------

// interrupter::wake behind a push, a posted task, or stop(). interrupter::fall_asleep, then
// task_queue::posted_before_sleep and io_worker::prepare_to_sleep.
program sleeping_loop(std::memory_order look, bool fence)
{
    return {[](thread& t) {
                (void)t.exchange("work", 1, seq_cst);
                if (t.load("asleep", seq_cst) == 1) t.tell("told", t.exchange("asleep", 0, seq_cst));
            },
            [=](thread& t) {
                t.store("asleep", 1, seq_cst);
                if (fence) t.fence();
                t.tell("seen", t.load("work", look));
            }};
}

TEST(io_thread_test, is_woken_for_what_it_has_not_seen)
{
    EXPECT_TRUE(holds(sleeping_loop(relaxed, true), message_missed)) << "the queue, behind prepare_to_sleep()'s fence";
    EXPECT_TRUE(holds(sleeping_loop(seq_cst, false), message_missed)) << "tasks and the end";
    EXPECT_TRUE(breaks(sleeping_loop(relaxed, false), message_missed));
}

// readings::begin and end against awaited_input::nothing_there: input that was taken out of the set counts until it
// was dealt with.
TEST(io_thread_test, does_not_seem_to_have_nothing_awaited_while_it_deals_with_it)
{
    const auto reading = [](std::memory_order begin, bool counts) {
        return program{[](thread& t) {
                           (void)t.exchange("set", 1, acq_rel);
                           const value before = t.load("readings", seq_cst);
                           const value ready = t.load("set", acquire);
                           const value after = t.load("readings", seq_cst);
                           t.tell("nothing", before % 2 == 0 && ready == 0 && before == after);
                           t.tell("dealt with", t.load("dealt with", relaxed));
                       },
                       [=](thread& t) {
                           if (counts) t.store("readings", 1, begin);
                           const value found = t.exchange("set", 0, acq_rel);
                           if (found == 1) t.store("dealt with", 1, relaxed);
                           if (counts) t.store("readings", 2, release);
                       }};
    };
    const auto wrong = [](const ending& e) { return e["nothing"] == 1 && e["dealt with"] == 0; };
    EXPECT_TRUE(holds(reading(seq_cst, true), wrong));
    EXPECT_TRUE(breaks(reading(seq_cst, false), wrong));
}

// activity_watch::note against end() and resumed(): a parked token or held messages are taken, or somebody is told to
// watch.
TEST(activity_watch_test, leaves_nothing_to_nobody)
{
    const auto with_flag = [](std::memory_order order) {
        return program{[=](thread& t) {
                           t.store("left", 1, release);
                           (void)t.exchange("count", 1, order);
                           t.tell("told", t.load("not watched", order));
                       },
                       [=](thread& t) {
                           t.store("not watched", 1, order);
                           t.tell("taken", t.load("left", acquire));
                           t.tell("goes on", t.load("count", order));
                       }};
    };
    const auto lost = [](const ending& e) { return e["told"] == 0 && e["taken"] == 0 && e["goes on"] == 0; };
    EXPECT_TRUE(holds(with_flag(seq_cst), lost));
    EXPECT_TRUE(breaks(with_flag(relaxed), lost));
}

}  // namespace
}  // namespace zlink::model
