// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Memory of a queue at its high-water mark. A PUSH sends messages of SIZE octets to a PULL that receives none until no
// more are taken. Then all of them must come. What the kernel keeps of them is not counted.
#include "harness/clock.hpp"
#include "harness/fail.hpp"
#include "harness/report.hpp"
#include "harness/rig.hpp"
#include "harness/zmq_ends.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr const char* pattern = "SCALE_QUEUE";
constexpr long full_after_ms = 300;  // without room for a message

[[nodiscard]] bool has_room(void* push)
{
    zmq_pollitem_t item{push, 0, ZMQ_POLLOUT, 0};
    const int ready = zmq_poll(&item, 1, full_after_ms);
    if (ready < 0 && zmq_errno() != EINTR) bench::fail_call("zmq_poll");
    return ready != 0;
}

// Each message holds its number, as far as there is room for it.
void number(std::vector<char>& message, std::size_t count)
{
    std::memcpy(message.data(), &count, std::min(message.size(), sizeof count));
}

void measure(bench::rig& with, bench::zmq_context& context, const bench::settings& of)
{
    bench::shared_state& state = with.state();
    bench::zmq_handle pull(context, ZMQ_PULL, of);
    bench::zmq_handle push(context, ZMQ_PUSH, of);
    push.connect(pull.bind(of.transport));
    std::vector<char> message(of.size, 'x');
    std::vector<char> received(of.size);
    bench::send_frame(push.get(), message.data(), of.size);
    (void)bench::receive_frame(pull.get(), received.data(), of.size);
    bench::sleep_ns(100'000'000);  // the library may have something left to do for the connection

    const double before = bench::resident_octets();
    std::size_t count = 0;
    do {
        number(message, count);
        while (zmq_send(push.get(), message.data(), of.size, ZMQ_DONTWAIT) >= 0) {
            number(message, ++count);
            state.sent.store(count);
        }
        if (zmq_errno() != EAGAIN && zmq_errno() != EINTR) bench::fail_call("zmq_send");
    } while (has_room(push.get()));
    const double taken = bench::resident_octets() - before;
    bench::print_result(of, pattern, "queued_messages", static_cast<double>(count));
    bench::print_result(of, pattern, "rss_kb_of_queue", taken / 1024);
    bench::print_result(of, pattern, "rss_octets_per_message", taken / static_cast<double>(count));

    for (std::size_t i = 0; i < count; ++i) {
        number(message, i);
        if (bench::receive_frame(pull.get(), received.data(), of.size) != of.size || received != message) {
            bench::fail(bench::exit_status::failed, "message %zu of %zu came with another size or content", i, count);
        }
        state.received.store(i + 1);
    }
}

}  // namespace

int main(int argc, char** argv)
{
    bench::set_program_name(argv[0]);
    const bench::settings of = bench::parse_settings(argc, argv);
    if (of.hwm == 0) bench::fail(bench::exit_status::usage, "BENCH_HWM=0: a queue without a limit is never full");
    bench::zmq_context::introduce(of);
    bench::print_settings(of);
    bench::rig with(of);
    with.run_alone<bench::zmq_context>([&](bench::zmq_context& context) { measure(with, context, of); });
    return 0;
}
