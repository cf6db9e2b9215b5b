// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A ZAP handler whose requests are answered by the test itself, one after the other, and what it takes to see the
// outcome.
#pragma once

#include "support/received.hpp"
#include "support/zmq_fixture.hpp"

#include <string>
#include <utility>
#include <vector>

namespace zlink::test {

inline constexpr int failed_handshake =
    ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
inline constexpr int any_handshake = failed_handshake | ZMQ_EVENT_HANDSHAKE_SUCCEEDED;

/// The frames of a reply behind the delimiter.
inline parts zap_reply(const std::string& status, const std::string& user = {}, const std::string& metadata = {})
{
    return {"1.0", "1", status, "text", user, metadata};
}

/// The parts of a request, behind the delimiter.
struct zap_request {
    std::string version, id, domain, address, identity, mechanism;
    parts credentials;
};

/// Socket at inproc://zeromq.zap.01. What it takes is noted in `from` (a ROUTER's envelope) and returned.
class zap_handler {
public:
    explicit zap_handler(context& ctx, int type = ZMQ_REP) : socket_(ctx, type), routes_(type == ZMQ_ROUTER)
    {
        socket_.bind("inproc://zeromq.zap.01");
    }

    zap_request take(const place& where = place::current())
    {
        parts frames = socket_.recv_parts(where);
        envelope_.clear();
        if (routes_ && !frames.empty()) {
            envelope_ = {frames[0], ""};
            EXPECT_TRUE(frames.size() > 1 && frames[1].empty());
            frames.erase(frames.begin(), frames.begin() + 2);
        }
        if (frames.size() < 6) {
            ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line())) << "no request of ZAP";
            return {};
        }
        return {frames[0], frames[1], frames[2], frames[3], frames[4], frames[5], {frames.begin() + 6, frames.end()}};
    }

    void reply(const parts& frames, const place& where = place::current())
    {
        parts all = envelope_;
        all.insert(all.end(), frames.begin(), frames.end());
        socket_.send_parts(all, 0, where);
    }

    /// Takes a request and answers it.
    zap_request answer(const parts& frames, const place& where = place::current())
    {
        zap_request asked = take(where);
        reply(frames, where);
        return asked;
    }
    zap_request answer(const std::string& status, const place& where = place::current())
    {
        return answer(zap_reply(status), where);
    }

    [[nodiscard]] bool is_asked() { return socket_.readable(); }
    [[nodiscard]] parts& envelope() { return envelope_; }
    void close() { socket_.close(); }
    socket& raw() { return socket_; }

private:
    socket socket_;
    bool routes_;
    parts envelope_;
};

}  // namespace zlink::test
