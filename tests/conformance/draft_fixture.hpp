// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the tests of the draft socket types share: the transports that carry them, and messages with a number or a
// group.
#pragma once

#include "support/zmq_fixture.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::test {

struct draft_message {
    std::string body;
    std::uint32_t number = 0;
    std::string group = {};

    bool operator==(const draft_message&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const draft_message& m)
{
    return out << '"' << m.body << "\" of " << m.number << " in \"" << m.group << '"';
}

/// 0, or the errno.
inline int send_message(socket& to, const draft_message& what, int flags = 0)
{
    zmq_msg_t msg;
    zmq_msg_init_buffer(&msg, what.body.data(), what.body.size());
    if (what.number != 0) zmq_msg_set_routing_id(&msg, what.number);
    EXPECT_EQ(0, zmq_msg_set_group(&msg, what.group.c_str()));
    const int error = zmq_msg_send(&msg, to, flags) == -1 ? zmq_errno() : 0;
    if (error == 0) {  // nothing of it is left
        EXPECT_EQ(0u, zmq_msg_size(&msg));
        EXPECT_EQ(0u, zmq_msg_routing_id(&msg));
        EXPECT_STREQ("", zmq_msg_group(&msg));
    }
    zmq_msg_close(&msg);
    return error;
}

inline draft_message receive_message(socket& from, const place& where = place::current())
{
    zmq_msg_t msg;
    zmq_msg_init(&msg);
    if (zmq_msg_recv(&msg, from, 0) == -1) {
        fail_at(where, "zmq_msg_recv");
        zmq_msg_close(&msg);
        return {};
    }
    EXPECT_EQ(0, zmq_msg_more(&msg));
    EXPECT_FALSE(from.more());
    draft_message got{{static_cast<const char*>(zmq_msg_data(&msg)), zmq_msg_size(&msg)},
                      zmq_msg_routing_id(&msg),
                      zmq_msg_group(&msg)};
    zmq_msg_close(&msg);
    return got;
}

/// Sends to a group until a member has received; leaves no message behind.
inline void await_member(socket& radio, socket& dish, const std::string& group, const place& where = place::current())
{
    for (int sent = 0; sent < patience_ms / 10; ++sent) {
        const draft_message last{std::to_string(sent), 0, group};
        if (send_message(radio, last) != 0) return fail_at(where, "zmq_msg_send");
        if (!dish.wait(ZMQ_POLLIN, 10)) continue;
        while (!(receive_message(dish, where) == last)) {
            if (::testing::Test::HasFailure()) return;
        }
        return;
    }
    ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line())) << "nobody has joined";
}

inline std::vector<const char*> draft_transports()
{
    std::vector<const char*> all{"tcp://127.0.0.1:*", "ipc://*", "inproc://*", "ws://127.0.0.1:*/zmq"};
    if (zmq_has("tls")) all.insert(all.end(), {"tls://127.0.0.1:*", "wss://127.0.0.1:*/zmq"});
    return all;
}

/// Sockets of the draft types over one transport.
class draft_test : public ::testing::TestWithParam<const char*> {
protected:
    socket open(int type)
    {
        socket opened = ctx_.open(type);
        opened.set(ZMQ_RECONNECT_IVL, 10);
        if (zmq_has("tls")) know_certificates(opened);
        return opened;
    }

    static std::string anywhere()
    {
        const std::string endpoint = GetParam();
        return endpoint.starts_with("inproc") ? unique_inproc() : endpoint;
    }
    static bool is_inproc() { return std::string_view(GetParam()).starts_with("inproc"); }

    context ctx_;
};

}  // namespace zlink::test
