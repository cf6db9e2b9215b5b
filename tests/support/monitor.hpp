// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Reads the events of a socket.
#pragma once

#include "support/zmq_socket.hpp"

#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

namespace zlink::test {

struct monitor_event {
    int event = 0;
    std::uint32_t value = 0;
    std::string endpoint;
};

// Reads the events of one socket (first version of the format). Stops the monitoring when it goes; declare it after the
// socket, and do not close the socket first.
class monitor {
public:
    monitor(context& ctx, socket& watched, int events = ZMQ_EVENT_ALL, const place& where = place::current())
        : watched_(watched),
          reader_(ctx, ZMQ_PAIR)
    {
        const std::string endpoint = unique_inproc();
        if (zmq_socket_monitor(watched_, endpoint.c_str(), events) != 0) {
            fail_at(where, "zmq_socket_monitor");
        }
        reader_.connect(endpoint);
    }
    monitor(const monitor&) = delete;
    monitor& operator=(const monitor&) = delete;

    ~monitor()
    {
        if (watched_ != nullptr) {
            zmq_socket_monitor(watched_, nullptr, 0);
        }
    }

    // Closes the reading end alone, for a test that closes the watched socket itself.
    void detach()
    {
        watched_ = nullptr;
        reader_.close();
    }

    // The next event, or none within the time.
    std::optional<monitor_event> next(int timeout_ms = patience_ms)
    {
        if (!reader_.wait(ZMQ_POLLIN, timeout_ms)) {
            return std::nullopt;
        }
        const parts frames = reader_.recv_parts();
        if (frames.size() != 2 || frames[0].size() != 6) {
            ADD_FAILURE() << "malformed monitor event: " << ::testing::PrintToString(frames);
            return std::nullopt;
        }
        std::uint16_t event = 0;
        monitor_event result;
        std::memcpy(&event, frames[0].data(), sizeof event);
        std::memcpy(&result.value, frames[0].data() + sizeof event, sizeof result.value);
        result.event = event;
        result.endpoint = frames[1];
        return result;
    }

    // Reads on until one of the events in `mask` comes; others are passed over. Reports a failure if none comes.
    monitor_event await(int mask, const place& where = place::current())
    {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
        while (true) {
            const auto left =
                std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
            auto event = left.count() > 0 ? next(static_cast<int>(left.count())) : std::nullopt;
            if (!event) {
                ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line()))
                    << "no monitor event of mask " << mask;
                return {};
            }
            if ((event->event & mask) != 0) {
                return *event;
            }
        }
    }

private:
    void* watched_;
    socket reader_;
};

}  // namespace zlink::test
