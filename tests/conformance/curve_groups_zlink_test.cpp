// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// RADIO and DISH under CURVE: commands of groups are sealed like messages.
#include "conformance/draft_fixture.hpp"
#include "support/curve_keys.hpp"

namespace zlink::test {
namespace {

class curve_groups_test : public draft_test {
protected:
    socket open_side(int type, bool server)
    {
        socket s = open(type);
        server ? be_curve_server(s, server_keys_) : be_curve_client(s, client_keys_, server_keys_.open);
        return s;
    }

    const curve_keys server_keys_;
    const curve_keys client_keys_;
};

TEST_P(curve_groups_test, are_joined_and_left)
{
    for (const bool radio_binds : {true, false}) {
        socket radio = open_side(ZMQ_RADIO, radio_binds), dish = open_side(ZMQ_DISH, !radio_binds);
        EXPECT_EQ(0, zmq_join(dish, "early"));
        socket& binds = radio_binds ? radio : dish;
        (radio_binds ? dish : radio).connect(binds.bind(anywhere()));
        await_member(radio, dish, "early");
        EXPECT_EQ(0, zmq_join(dish, "late"));
        await_member(radio, dish, "late");
        EXPECT_EQ(0, zmq_leave(dish, "early"));
        EXPECT_EQ(0, send_message(radio, {"no", 0, "early"}));
        EXPECT_EQ(0, send_message(radio, {std::string(100'000, 'x'), 0, "late"}));
        EXPECT_EQ((draft_message{std::string(100'000, 'x'), 0, "late"}), receive_message(dish));
    }
}

INSTANTIATE_TEST_SUITE_P(over, curve_groups_test, ::testing::Values("tcp://127.0.0.1:*", "ws://127.0.0.1:*/zmq"),
                         scheme_of<const char*>);

}  // namespace
}  // namespace zlink::test
