// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// N DEALERs (BENCH_PEERS) keep W messages each (BENCH_WINDOW) in flight to one ROUTER that sends every one back. One
// thread polls the DEALERs, another serves the ROUTER. What is counted, and timed, is a message there and back.
#include "harness/latency.hpp"
#include "harness/own_process.hpp"
#include "harness/throughput.hpp"
#include "harness/zmq_ends.hpp"
#include "many_dealers.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace {

struct conversation_pattern : bench::pattern_defaults {
    static constexpr const char* name = "CONVERSATION";
    using context = bench::zmq_context;
    using sender = bench::dealers;
    using receiver = bench::crowd_router;
};

// Every so many messages of a DEALER one is timed: that is costly where a message takes 100 ns. Prime, so that it is
// not always the same one of a batch.
constexpr std::uint64_t timed_every = 13;

class talk {
public:
    talk(bench::rig& with, bench::zmq_context& context, const bench::settings& of)
        : with_(with),
          settings_(of),
          dealers_(context, of),
          quota_(of),
          marks_(with.state().sender_marks, quota_, 1),
          out_(of.size),
          in_(of.size),
          lanes_(of.peers)
    {
        bench::join<conversation_pattern>(with, dealers_, true);
        bench::greet<conversation_pattern>(with, of, dealers_, in_);
        for (unsigned i = 0; i < of.peers; ++i) {
            items_.push_back({dealers_.socket(i).get(), 0, ZMQ_POLLIN, 0});
            lanes_[i].stamps.resize(of.window);
        }
    }

    void run()
    {
        with_.state().samples.warm_up();
        if (!quota_.limited) timed_from_ = bench::now_ns() + bench::latency_span(settings_, 1).warm_up;
        for (unsigned turn = 0; turn < settings_.window; ++turn) {
            for (unsigned i = 0; i < lanes_.size() && !done(); ++i) send(i);
        }
        while (received_ < sent_) {
            bench::poll_all(items_);
            for (unsigned i = 0; i < lanes_.size(); ++i) {
                if (items_[i].revents != 0) answer_all(i);
            }
        }
        bench::finish<conversation_pattern>(with_, dealers_, settings_.size);
    }

private:
    struct lane {
        std::uint64_t sent = 0;
        std::uint64_t received = 0;
        std::vector<std::uint64_t> stamps;  // when message i was sent, at i % W, for those that are timed
    };

    [[nodiscard]] bool done() const
    {
        return with_.state().stop.load(std::memory_order_relaxed) || sent_ == quota_.total;
    }

    void send(unsigned number)
    {
        lane& of = lanes_[number];
        out_.number(of.sent);
        if (of.sent % timed_every == 0) of.stamps[of.sent % settings_.window] = bench::now_ns();
        bench::send(dealers_.socket(number), out_.data(), settings_.size);
        ++of.sent;
        with_.state().sent.store(++sent_, std::memory_order_relaxed);
        marks_.passed(sent_);
    }

    // Takes what has come for a DEALER, at most what was in flight, so that the others get their turn; each is
    // answered.
    void answer_all(unsigned number)
    {
        lane& of = lanes_[number];
        for (unsigned left = settings_.window; left > 0; --left) {
            const std::optional<std::size_t> got = bench::try_receive(dealers_.socket(number), in_);
            if (!got) return;
            if (*got != settings_.size) [[unlikely]]
                bench::fail_size(*got, settings_.size);
            if (!in_.holds(of.received)) [[unlikely]]
                bench::fail_message(in_, *got, of.received);
            if (of.received % timed_every == 0) log(of.stamps[of.received % settings_.window]);
            ++of.received;
            with_.state().received.store(++received_, std::memory_order_relaxed);
            if (!done()) send(number);
        }
    }

    void log(std::uint64_t stamp)
    {
        if (full_ || stamp < timed_from_) return;
        full_ = !with_.state().samples.add(bench::now_ns() - stamp);
    }

    bench::rig& with_;
    const bench::settings& settings_;
    bench::dealers dealers_;
    bench::message_quota quota_;
    bench::marker marks_;
    bench::payload out_;
    bench::inbox in_;
    std::vector<lane> lanes_;
    std::vector<zmq_pollitem_t> items_;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
    std::uint64_t timed_from_ = 0;
    bool full_ = false;
};

// Sends back what comes; the DEALERs' side checks it.
void serve(bench::rig& with, bench::zmq_context& context, const bench::settings& of)
{
    bench::crowd_router router(context, of);
    bench::inbox in(of.size);
    bench::join<conversation_pattern>(with, router, false);
    bench::await_hellos<conversation_pattern>(with, router, of.size, in);
    bench::marker marks(with.state().receiver_marks, bench::message_quota(of), 1);
    std::uint64_t served = 0;
    for (unsigned ends = 0; ends < router.lanes();) {
        const std::size_t got = router.receive(in);
        if (got == of.size) [[likely]] {
            router.send(in.message(), got);
            marks.passed(++served);
        } else if (bench::is_end(router, got, of.size)) {
            ++ends;
        }
    }
}

void observe(bench::rig& with, const bench::settings& of)
{
    const bench::stream_window seen = bench::checked_stream<conversation_pattern>(with, of);
    if (of.throughput) bench::print_stream<conversation_pattern>(with, of, seen);
    const std::vector<std::uint32_t> trips = with.state().samples.sorted();
    if (of.latency && trips.empty()) {
        bench::fail(bench::exit_status::failed, "too few messages came to tell a latency: measure for longer");
    }
    if (of.latency) bench::print_latencies(of, conversation_pattern::name, trips);
}

}  // namespace

int main(int argc, char** argv)
{
    bench::set_program_name(argv[0]);
    const bench::settings of = bench::parse_settings(argc, argv, {.peers = 16, .window = 32});
    constexpr std::uint64_t per_peer = 5;  // two ends of a connection, two wake-up descriptors, one to spare
    bench::allow_descriptors(200 + per_peer * of.peers);
    bench::zmq_context::introduce(of);
    bench::print_settings(of);
    bench::rig with(of);
    with.run<bench::zmq_context>([&](bench::zmq_context& context) { talk(with, context, of).run(); },
                                 [&](bench::zmq_context& context) { serve(with, context, of); },
                                 [&] { observe(with, of); });
    return 0;
}
