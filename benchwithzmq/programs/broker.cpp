// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The classic broker: REQ clients (BENCH_PEERS), zmq_proxy of a ROUTER and a DEALER, REP workers (BENCH_WORKERS), a
// thread each. With BENCH_TWO_PROCESS=1 clients, broker and workers have a process each. What is counted and timed is a
// request with its reply.
#include "harness/latency.hpp"
#include "harness/small_thread.hpp"
#include "harness/throughput.hpp"
#include "harness/zmq_ends.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace {

struct broker_pattern : bench::pattern_defaults {
    static constexpr const char* name = "BROKER";
};

constexpr std::size_t frontend = 0;
constexpr std::size_t backend = 1;
constexpr std::uint64_t look_again_ns = 20'000'000;  // seldom, for it is CPU time, too

class crowd {
public:
    crowd(bench::rig& with, bench::zmq_context& context, const bench::settings& of)
        : with_(with),
          context_(context),
          settings_(of),
          endpoint_(with.await_endpoint(frontend)),
          greeted_by_(of.peers)
    {}

    void run()
    {
        with_.state().samples.warm_up();
        std::vector<std::unique_ptr<bench::small_thread>> threads;
        for (unsigned i = 0; i < settings_.peers; ++i) {
            threads.push_back(std::make_unique<bench::small_thread>([this, i] { be_client(i); }));
        }
        threads.clear();
        with_.state().receiver_finished = true;
    }

private:
    void be_client(std::uint64_t number)
    {
        bench::plain_end socket(context_, settings_, ZMQ_REQ);
        bench::payload out(settings_.size);
        bench::inbox in(settings_.size);
        socket.connect(endpoint_);
        meet(socket, out, in);

        bench::shared_state& state = with_.state();
        const std::uint64_t timed_from = met_at_ + bench::latency_span(settings_, 1).warm_up;
        std::vector<std::uint64_t> samples;
        std::uint64_t time = bench::now_ns();
        // No reply may go to another client.
        for (std::uint64_t sequence = number << 40; !state.stop.load(std::memory_order_relaxed); ++sequence) {
            state.sent.fetch_add(1, std::memory_order_relaxed);
            out.number(sequence);
            socket.send(out.data(), settings_.size);
            const std::size_t got = socket.receive(in);
            if (got != settings_.size) [[unlikely]]
                bench::fail_size(got, settings_.size);
            if (!in.holds(sequence)) [[unlikely]]
                bench::fail_message(in, got, sequence);
            state.received.fetch_add(1, std::memory_order_relaxed);
            const std::uint64_t now = bench::now_ns();
            if (time >= timed_from) samples.push_back(now - time);
            time = now;
        }
        log(samples);
    }

    // Asks once, and waits for the others to have done so.
    void meet(bench::plain_end& socket, const bench::payload& out, bench::inbox& in)
    {
        socket.send(out.data(), bench::hello_size(settings_.size));
        const std::size_t got = socket.receive(in);
        if (got != bench::hello_size(settings_.size)) bench::fail_size(got, bench::hello_size(settings_.size));
        with_.state().steps.fetch_add(1);
        if (greeted_by_.fetch_sub(1) == 1) {
            met_at_ = bench::now_ns();
            with_.state().met = true;
            greeted_by_.notify_all();
        } else {
            for (unsigned left = greeted_by_.load(); left > 0; left = greeted_by_.load()) greeted_by_.wait(left);
        }
    }

    void log(const std::vector<std::uint64_t>& samples)
    {
        const std::lock_guard lock(mutex_);
        for (const std::uint64_t sample : samples) {
            if (full_) return;
            full_ = !with_.state().samples.add(sample);
        }
    }

    bench::rig& with_;
    bench::zmq_context& context_;
    const bench::settings& settings_;
    std::string endpoint_;
    std::atomic<unsigned>
        greeted_by_;  // clients that have not met the workers yet; the last one releases the others, see met_at_
    std::uint64_t met_at_ = 0;  // written before the last decrement is seen
    std::mutex mutex_;
    bool full_ = false;
};

// Until the clients are done. A context that is shut down ends zmq_proxy and zmq_recv with ETERM.
void wait_for_clients(bench::rig& with, bench::zmq_context& context)
{
    with.wait_for([&] { return with.state().sender_finished.load(); }, look_again_ns);
    context.shut_down();
}

void be_broker(bench::rig& with, bench::zmq_context& context, const bench::settings& of)
{
    bench::zmq_handle front(context, ZMQ_ROUTER, of);
    bench::zmq_handle back(context, ZMQ_DEALER, of);
    with.tell_endpoint(back.bind(of.transport), backend);
    with.tell_endpoint(front.bind(of.transport), frontend);
    bench::small_thread proxy([&] { bench::run_proxy(front, back); });
    wait_for_clients(with, context);
}

void be_worker(bench::zmq_context& context, const bench::settings& of, const std::string& endpoint)
{
    bench::plain_end socket(context, of, ZMQ_REP);
    bench::inbox in(of.size);
    socket.connect(endpoint);
    while (const std::optional<std::size_t> got = socket.receive_until_term(in)) {
        socket.send(in.message(), *got);
    }
}

void be_workers(bench::rig& with, bench::zmq_context& context, const bench::settings& of)
{
    const std::string endpoint = with.await_endpoint(backend);
    std::vector<std::unique_ptr<bench::small_thread>> threads;
    for (unsigned i = 0; i < of.workers; ++i) {
        threads.push_back(std::make_unique<bench::small_thread>([&] { be_worker(context, of, endpoint); }));
    }
    wait_for_clients(with, context);
}

void observe(bench::rig& with, const bench::settings& of)
{
    const bench::stream_window seen = bench::checked_stream<broker_pattern>(with, of);
    if (of.throughput) bench::print_stream<broker_pattern>(with, of, seen);
    const std::vector<std::uint32_t> times = with.state().samples.sorted();
    if (of.latency && times.empty()) {
        bench::fail(bench::exit_status::failed, "too few replies came to tell a latency: measure for longer");
    }
    if (of.latency) bench::print_latencies(of, broker_pattern::name, times);
}

}  // namespace

int main(int argc, char** argv)
{
    bench::set_program_name(argv[0]);
    const bench::settings of = bench::parse_settings(argc, argv);
    if (of.msg_count > 0) {
        bench::fail(bench::exit_status::usage,
                    "BENCH_MSG_COUNT is not for clients: BENCH_SECONDS says how long to measure");
    }
    constexpr std::uint64_t per_peer = 5;  // two ends of a connection, two wake-up descriptors, one to spare
    bench::allow_descriptors(200 + per_peer * (of.peers + of.workers));
    bench::zmq_context::introduce(of);
    bench::print_settings(of);
    bench::rig with(of);
    with.run_ends<bench::zmq_context>([&](bench::zmq_context& context) { crowd(with, context, of).run(); },
                                      [&] { observe(with, of); },
                                      [&](bench::zmq_context& context) { be_broker(with, context, of); },
                                      [&](bench::zmq_context& context) { be_workers(with, context, of); });
    return 0;
}
