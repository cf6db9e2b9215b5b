// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Actors that ask and get answers: in windows, or in time. A lane is a socket, or a peer of a ROUTER.
#include "explore/actors.hpp"
#include "explore/line.hpp"
#include "explore/waiter.hpp"
#include "harness/clock.hpp"

#include <sys/prctl.h>

#include <algorithm>

namespace explore {

namespace {

using bench::now_ns;

// A thread that asks in time never has more octets on the way, nor messages: what is due beyond them is late.
constexpr std::uint64_t most_octets_under_way = 32 << 20;
constexpr std::uint64_t most_under_way = 20'000;

class asker {
public:
    asker(const workload& of, board& with, const post& at)
        : of_(of),
          with_(with),
          at_(at),
          mine_(with.front[at.thread]),
          in_(of),
          out_(of, at.thread),
          waits_(of, at.sockets, at.guest, true),
          lanes_(of.addressed() ? of.backs : at.sockets.size())
    {
        const int mark = std::min(known(of.send_mark), known(of.receive_mark));
        flags_ = of.load == load_kind::open || static_cast<int>(of.window) > mark ? ZMQ_DONTWAIT : 0;
        most_ = std::min(most_under_way,
                         std::max<std::uint64_t>(most_octets_under_way / of.largest() / of.front_threads, 4));
    }

    void run()
    {
        if (!meet()) return;
        await_start(with_);
        if (of_.load == load_kind::open)
            keep_time();
        else
            converse();
    }

private:
    struct lane {
        unsigned under_way = 0;
        unsigned owed = 0;  // sends for which there was no room
        bool greeted = false;
        bool answered = false;
    };

    static int known(int mark)
    {
        constexpr int unlimited = 1 << 30;
        if (mark < 0) return 1000;
        return mark == 0 ? unlimited : mark;
    }

    [[nodiscard]] unsigned socket_of(std::size_t number) const
    {
        return of_.addressed() ? 0 : static_cast<unsigned>(number);
    }

    [[nodiscard]] bool send(std::size_t number, std::uint64_t due, int flags)
    {
        const unsigned socket = socket_of(number);
        const bool sent = out_.send(at_.sockets[socket], static_cast<unsigned>(number), 0, due, flags);
        waits_.sent_to(socket);
        return sent;
    }

    // The lane of the answer that was taken from this socket.
    [[nodiscard]] std::size_t lane_of(unsigned socket) const
    {
        return of_.addressed() ? number_of(in_.first(), in_.first_size()) : socket;
    }

    // Each lane has one greeting answered. False if the context ends.
    bool meet()
    {
        std::size_t left = lanes_.size();
        while (left > 0) {
            for (std::size_t i = 0; i < lanes_.size(); ++i) {
                if (!lanes_[i].greeted) lanes_[i].greeted = send(i, 1, ZMQ_DONTWAIT);
            }
            if (!waits_.wait(2)) return false;
            for (unsigned socket = 0; socket < at_.sockets.size(); ++socket) {
                while (in_.take(at_.sockets[socket], ZMQ_DONTWAIT)) {
                    lane& answered = lanes_[lane_of(socket)];
                    if (!answered.answered) --left;
                    answered.answered = true;
                }
            }
        }
        with_.met.fetch_add(1);
        return true;
    }

    // ---- windows

    void send_or_owe(std::size_t number)
    {
        lane& of = lanes_[number];
        if (of.owed == 0 && send(number, now_ns(), flags_)) {
            ++of.under_way;
            ++under_way_;
            tally::add(mine_.sent, 1);
            return;
        }
        ++of.owed;
        waits_.want_room(socket_of(number), true);
    }

    void pay(std::size_t number)
    {
        lane& of = lanes_[number];
        if (with_.stopping()) of.owed = 0;
        while (of.owed > 0 && send(number, now_ns(), flags_)) {
            --of.owed;
            ++of.under_way;
            ++under_way_;
            tally::add(mine_.sent, 1);
        }
        if (of.owed == 0) waits_.want_room(socket_of(number), false);
    }

    std::size_t note_answer(unsigned socket)
    {
        const std::size_t number = lane_of(socket);
        const std::uint64_t due = in_.due();
        if (due != 0 && with_.measured(due)) mine_.latencies.add(now_ns() - due);
        --lanes_[number].under_way;
        --under_way_;
        tally::add(mine_.received, 1);
        return number;
    }

    void go_on(unsigned socket)
    {
        const std::size_t number = note_answer(socket);
        if (with_.stopping()) return;
        if (of_.think_us > 0) compute(of_.think_us, mine_);
        send_or_owe(number);
    }

    void converse()
    {
        for (unsigned turn = 0; turn < of_.window; ++turn) {
            for (std::size_t i = 0; i < lanes_.size(); ++i) send_or_owe(i);
        }
        const bool waits_in_receive = of_.wait == wait_kind::receive;
        while (!with_.stopping() || under_way_ > 0) {
            if (waits_in_receive) {
                if (!in_.take(at_.sockets[0], 0)) return;
                go_on(0);
                continue;
            }
            if (!waits_.wait(-1)) return;
            for (const unsigned socket : waits_.ready()) {
                for (unsigned left = of_.take; left > 0 && in_.take(at_.sockets[socket], ZMQ_DONTWAIT); --left)
                    go_on(socket);
                if (!of_.addressed() && lanes_[socket].owed > 0) pay(socket);
            }
        }
    }

    // ---- in time

    // A lane that may send: the next in turn; of REQs one that has its answer.
    bool find_lane()
    {
        if (under_way_ >= most_) return false;
        if (of_.front != ZMQ_REQ) return true;
        for (std::size_t tried = 0; tried < lanes_.size(); ++tried) {
            if (lanes_[lane_].under_way == 0) return true;
            lane_ = (lane_ + 1) % lanes_.size();
        }
        return false;
    }

    // Nothing more is to be sent.
    [[nodiscard]] bool ended(const timetable& times) const
    {
        return with_.stopping() || times.due(next_) >= with_.until_ns.load(std::memory_order_relaxed);
    }

    // Sends what is due, a share at a time. True if it stopped for want of room or of a lane: answers go first.
    bool send_due(const timetable& times)
    {
        for (unsigned left = 64; left > 0 && !ended(times) && times.due(next_) <= now_ns(); --left) {
            if (!find_lane()) return true;
            if (!send(lane_, times.due(next_), ZMQ_DONTWAIT)) {
                waits_.want_room(socket_of(lane_), true);
                wanting_ = true;
                return true;
            }
            tally::add(mine_.sent, 1);
            ++lanes_[lane_].under_way;
            ++under_way_;
            lane_ = (lane_ + 1) % lanes_.size();
            next_ += of_.front_threads;
            if (of_.think_us > 0) compute(of_.think_us, mine_);
        }
        return false;
    }

    void keep_time()
    {
        const timetable times(of_, with_.start_ns);
        next_ = at_.thread;
        std::uint64_t timer = 0;
        while (!ended(times) || under_way_ > 0) {
            const bool held_up = send_due(times);
            const std::uint64_t now = now_ns();
            const bool more = !held_up && !ended(times) && times.due(next_) <= now;
            if (!more && !held_up && timer <= now && !ended(times)) {
                timer = std::max(times.due(next_), now + shortest_turn_ns / 2);
                waits_.set_timer(timer);
            }
            constexpr int look_for_stop_ms = 100;
            if (!waits_.wait(more ? 0 : look_for_stop_ms)) return;
            for (const unsigned socket : waits_.ready()) {
                for (unsigned left = of_.take; left > 0 && in_.take(at_.sockets[socket], ZMQ_DONTWAIT); --left) {
                    (void)note_answer(socket);
                }
            }
            if (wanting_) {
                for (unsigned i = 0; i < at_.sockets.size(); ++i) waits_.want_room(i, false);
                wanting_ = false;
            }
        }
    }

    const workload& of_;
    board& with_;
    const post& at_;
    tally& mine_;
    inbox in_;
    outbox out_;
    waiter waits_;
    std::vector<lane> lanes_;
    int flags_ = 0;
    std::uint64_t most_ = 0;
    std::uint64_t under_way_ = 0;
    std::size_t lane_ = 0;
    std::uint64_t next_ = 0;
    bool wanting_ = false;
};

}  // namespace

void ask(const workload& of, board& with, const post& at)
{
    ::prctl(PR_SET_TIMERSLACK, 1);
    asker(of, with, at).run();
    with.finished.fetch_add(1);
}

}  // namespace explore
