// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Two sides in conversation, where messages that are sent may wait for others and where the thread that waits reads.
// Here is what the tests of load have in common.
#pragma once

#include "support/raw_peer.hpp"
#include "support/zmq_fixture.hpp"

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace zlink::test {

/// How a program waits for its messages.
enum class way { blocking, poll, dontwait };

/// The next message, waited for in this way; a failure is reported and yields what came before it.
inline parts take(socket& s, way how, const place& where = place::current())
{
    if (how == way::poll && !s.wait(ZMQ_POLLIN)) {
        ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line())) << "nothing to receive";
        return {};
    }
    if (how == way::dontwait) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
        std::optional<std::string> first;
        while (!(first = s.recv_frame(ZMQ_DONTWAIT))) {
            if (zmq_errno() != EAGAIN || std::chrono::steady_clock::now() > end) {
                fail_at(where, "zmq_msg_recv");
                return {};
            }
            std::this_thread::yield();
        }
        parts frames{std::move(*first)};
        while (s.more()) frames.push_back(s.recv(where));
        return frames;
    }
    return s.recv_parts(where);
}

/// Has the thread busy with other things until `done`; false if that takes too long.
inline bool compute_until(const std::atomic<bool>& done)
{
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
    while (!done.load(std::memory_order_acquire)) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::yield();
    }
    return true;
}

/// Looks without receiving until there is something to receive.
inline bool has_unread(socket& s)
{
    return eventually([&] { return (s.get_int(ZMQ_EVENTS) & ZMQ_POLLIN) != 0; });
}

/// Each test over tcp and ipc, with each way of waiting.
class load_fixture : public zmq_test, public testing::WithParamInterface<std::tuple<const char*, way>> {
protected:
    [[nodiscard]] static std::string endpoint() { return std::get<0>(GetParam()); }
    [[nodiscard]] static way how() { return std::get<1>(GetParam()); }

    struct joined {
        socket near, far;
    };
    /// `near` is bound, `far` connected; both without limits.
    [[nodiscard]] joined join(int near_type, int far_type)
    {
        joined j{ctx_.open(near_type), ctx_.open(far_type)};
        for (socket* s : {&j.near, &j.far}) {
            s->set(ZMQ_SNDHWM, 0);
            s->set(ZMQ_RCVHWM, 0);
        }
        j.far.connect(j.near.bind(endpoint()));
        return j;
    }
};

inline std::string load_case(const testing::TestParamInfo<std::tuple<const char*, way>>& test)
{
    static constexpr const char* ways[] = {"blocking", "poll", "dontwait"};
    const std::string where = std::get<0>(test.param);
    return where.substr(0, where.find(':')) + "_" + ways[int(std::get<1>(test.param))];
}

inline auto all_load_cases()
{
    return testing::Combine(testing::Values("tcp://127.0.0.1:*", "ipc://*"),
                            testing::Values(way::blocking, way::poll, way::dontwait));
}

}  // namespace zlink::test
