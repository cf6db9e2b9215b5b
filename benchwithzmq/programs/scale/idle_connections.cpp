// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Memory of idle tcp connections: a ROUTER with SIZE peers, which are in a process of their own. What the kernel keeps
// for them is not counted.
#include "harness/clock.hpp"
#include "harness/fail.hpp"
#include "harness/own_process.hpp"
#include "harness/report.hpp"
#include "harness/rig.hpp"
#include "harness/zmq_ends.hpp"
#include "scale/raw_peers.hpp"

#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr const char* pattern = "SCALE_IDLE_CONNECTIONS";
constexpr std::size_t body_size = 64;

// The two processes take turns; each waits for an octet from the other.
struct baton {
    int descriptor;

    void pass() const { check(::send(descriptor, "!", 1, MSG_NOSIGNAL) == 1); }
    void await() const
    {
        char octet;
        check(::recv(descriptor, &octet, 1, 0) == 1);
    }
    static void check(bool good)
    {
        if (!good) bench::fail(bench::exit_status::failed, "the other process is gone");
    }
};

[[noreturn]] void be_peers(const baton& turn, const bench::settings& of, bench::shared_state& state)
{
    turn.await();
    const std::string endpoint = state.endpoint[0];
    const int port = std::atoi(endpoint.substr(endpoint.rfind(':') + 1).c_str());
    std::vector<bench::raw_peer> peers;
    for (std::size_t i = 0; i < of.size; ++i) {
        peers.emplace_back(static_cast<std::uint16_t>(port));
        state.sent.store(i + 1);
    }
    turn.pass();
    turn.await();
    for (bench::raw_peer& peer : peers) peer.send_message(std::string(body_size, 'x'));
    turn.await();  // until the end
    ::_exit(0);
}

void measure(bench::rig& with, bench::zmq_context& context, const bench::settings& of, const baton& turn)
{
    bench::shared_state& state = with.state();
    bench::zmq_handle router(context, ZMQ_ROUTER, of);
    router.set(ZMQ_BACKLOG, 4096);
    with.tell_endpoint(router.bind(of.transport));
    bench::sleep_ns(100'000'000);
    const double before = bench::resident_octets();
    const auto count = static_cast<double>(of.size);
    const auto per_connection = [&] { return (bench::resident_octets() - before) / 1024 / count; };

    turn.pass();
    turn.await();
    bench::sleep_ns(500'000'000);  // the library may have something left to do for the last ones
    bench::print_result(of, pattern, "rss_kb_per_connection", per_connection());

    turn.pass();
    char id[256];
    char body[body_size];
    for (std::size_t i = 0; i < of.size; ++i) {
        (void)bench::receive_frame(router.get(), id, sizeof id);
        if (bench::receive_frame(router.get(), body, sizeof body) != sizeof body) {
            bench::fail(bench::exit_status::failed, "a message came with another size");
        }
        state.received.store(i + 1);
    }
    bench::print_result(of, pattern, "rss_kb_per_used_connection", per_connection());
}

}  // namespace

int main(int argc, char** argv)
{
    bench::set_program_name(argv[0]);
    const bench::settings of = bench::parse_settings(
        argc, argv, {.transports = "tcp", .size = "number of connections", .largest_size = 25'000});
    bench::allow_descriptors(of.size + 100);
    bench::zmq_context::introduce(of);
    bench::print_settings(of);

    int ends[2];
    baton::check(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    bench::rig with(of);
    const pid_t peers = bench::fork_bound();
    ::close(ends[peers == 0 ? 0 : 1]);
    if (peers == 0) be_peers({ends[1]}, of, with.state());
    const baton turn{ends[0]};
    with.run_alone<bench::zmq_context>([&](bench::zmq_context& context) { measure(with, context, of, turn); });
    turn.pass();
    bench::await_child(peers);
    return 0;
}
