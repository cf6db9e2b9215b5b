// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Helpers for tests over the public C API: owning wrappers for contexts and sockets, message exchange, endpoints,
// monitor events, and a plain TCP peer.
//
// Every helper reports a failure at the line of its caller and returns; none throws. Sockets start with timeouts and
// without linger, so that a test that fails ends soon instead of hanging. Test files open the namespace
// zlink::test (a using directive would make `socket` ambiguous with the system call).
#pragma once

#include "support/monitor.hpp"
#include "support/tcp_peer.hpp"
#include "support/zmq_socket.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace zlink::test {

// A fixture with a context of its own for each test.
class zmq_test : public ::testing::Test {
protected:
    context ctx_;
};

// Names a test after the transport of the endpoint that is its parameter.
template <class Endpoint>
std::string scheme_of(const testing::TestParamInfo<Endpoint>& test)
{
    const std::string endpoint = test.param;
    return endpoint.substr(0, endpoint.find(':'));
}

// A directory of its own for a test's ipc paths, short enough for a socket address; removed at the end.
class temp_directory {
public:
    temp_directory()
    {
        char name[] = "/tmp/zlink-test-XXXXXX";
        EXPECT_NE(nullptr, mkdtemp(name));
        path_ = name;
    }
    temp_directory(const temp_directory&) = delete;
    temp_directory& operator=(const temp_directory&) = delete;

    ~temp_directory()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

private:
    std::string path_;
};

// Expects that nothing can be received at this moment. Right only where no message can be under way; elsewhere use
// expect_only() or expect_no_message_for().
inline void expect_no_message(socket& receiver, const place& where = place::current())
{
    if (auto body = receiver.recv_frame(ZMQ_DONTWAIT)) {
        ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line())) << "unexpected message: " << *body;
    } else if (zmq_errno() != EAGAIN) {
        fail_at(where, "zmq_msg_recv");
    }
}

// Expects that nothing arrives for a while. Where a marker can follow what must not come, prefer expect_only().
inline void expect_no_message_for(socket& receiver, int ms = 150, const place& where = place::current())
{
    receiver.wait(ZMQ_POLLIN, ms);
    expect_no_message(receiver, where);
}

// Sends `marker` the same way as the messages that must not have come and expects that it is the next one to arrive.
inline void expect_only(socket& sender, socket& receiver, const parts& marker, const place& where = place::current())
{
    sender.send_parts(marker, 0, where);
    const parts got = receiver.recv_parts(where);
    if (got != marker) {
        ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line()))
            << "expected nothing before the marker, got " << ::testing::PrintToString(got);
    }
}

// Publishes until the subscription of `subscriber`, which must cover `topic`, has taken effect;
// leaves no message behind.
inline void sync_subscription(socket& publisher, socket& subscriber, const std::string& topic = "sync",
                              const place& where = place::current())
{
    std::string last;
    for (int sent = 0; sent < patience_ms / 10; ++sent) {
        last = topic + "#" + std::to_string(sent);
        publisher.send(last, 0, where);
        if (!subscriber.wait(ZMQ_POLLIN, 10)) {
            continue;
        }
        while (subscriber.recv(where) != last) {
            if (::testing::Test::HasFailure()) {
                return;
            }
        }
        return;
    }
    ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line())) << "the subscription never took effect";
}

}  // namespace zlink::test
