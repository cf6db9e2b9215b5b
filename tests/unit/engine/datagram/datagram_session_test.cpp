// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A session of datagrams on a worker, between a pipe and a real port on the loopback interface.
#include "engine/datagram/datagram_session.hpp"
#include "transport/udp/udp_transport.hpp"
#include "unit/engine/engine_fixture.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace zlink::engine::test {
namespace {

using transport::datagram_head;

class datagram_session_test : public engine_fixture {
protected:
    struct served {
        std::shared_ptr<datagram_session> session;
        pipe::pipe_end* end;  ///< the socket's
    };

    transport::datagram_transport::bound bind(datagram_head heads = datagram_head::group)
    {
        const auto& udp = transport::udp::the_transport();
        auto made = udp.bind(**udp.parse_bind("127.0.0.1:*"), heads, options_.stream);
        EXPECT_TRUE(made);
        return made ? std::move(*made) : transport::datagram_transport::bound{};
    }
    std::unique_ptr<transport::datagram_port> connect(const std::string& endpoint)
    {
        const auto& udp = transport::udp::the_transport();
        auto made = udp.connect(**udp.parse_connect(std::string_view(endpoint).substr(6)), options_.stream);
        EXPECT_TRUE(made);
        return made ? std::move(*made) : nullptr;
    }

    served serve(std::unique_ptr<transport::datagram_port> port, std::uint64_t hwm = 1000)
    {
        pipe::pipe* const p = pipe::pipe::create({hwm, hwm, 8192});
        host_.adopt(p->first());
        auto s = std::make_shared<datagram_session>(worker_, host_ref(host_), alive_, std::move(port), p->second(),
                                                    options_.endpoint_id);
        all_.push_back(s);
        s->start();
        return {s, &p->first()};
    }

    void TearDown() override
    {
        for (const auto& s : all_) s->stop(std::chrono::milliseconds(0));
        all_.clear();
        engine_fixture::TearDown();
    }

    std::vector<std::shared_ptr<datagram_session>> all_;
};

TEST_F(datagram_session_test, carries_messages_from_pipe_to_pipe)
{
    auto bound = bind();
    const std::string endpoint = bound.text;
    const served dish = serve(std::move(bound.port));
    const served radio = serve(connect(endpoint));
    for (int i = 0; i < 100; ++i) {
        recording_host::send(*radio.end, {"g", std::to_string(i)});
        EXPECT_EQ((parts{"g", std::to_string(i)}), host_.receive(*dish.end));
    }
}

TEST_F(datagram_session_test, answers_what_came)
{
    auto one = bind(datagram_head::address), two = bind(datagram_head::address);
    const std::string to = two.text.substr(6);
    const served first = serve(std::move(one.port)), second = serve(std::move(two.port));
    recording_host::send(*first.end, {to, "question"});
    const auto question = host_.receive(*second.end);
    ASSERT_TRUE(question);
    recording_host::send(*second.end, {question->front(), "answer"});
    EXPECT_EQ((parts{to + std::string(1, '\0'), "answer"}), host_.receive(*first.end));
}

TEST_F(datagram_session_test, goes_on_when_a_full_pipe_has_room_again)
{
    auto bound = bind();
    const std::string endpoint = bound.text;
    const served dish = serve(std::move(bound.port), 4);
    const served radio = serve(connect(endpoint));
    for (int i = 0; i < 100; ++i) recording_host::send(*radio.end, {"g", std::to_string(i)});
    for (int i = 0; i < 100; ++i) EXPECT_EQ((parts{"g", std::to_string(i)}), host_.receive(*dish.end));
}

TEST_F(datagram_session_test, sends_what_is_queued_when_the_socket_closes)
{
    auto bound = bind();
    const std::string endpoint = bound.text;
    const served dish = serve(std::move(bound.port));
    const served radio = serve(connect(endpoint));
    recording_host::send(*radio.end, {"g", "last"});
    radio.end->parent().linger.store(-1);
    host_.close(*radio.end);
    EXPECT_EQ((parts{"g", "last"}), host_.receive(*dish.end));
    EXPECT_TRUE(host_.wait_for_ended(options_.endpoint_id));
}

TEST_F(datagram_session_test, ends_when_it_is_stopped_and_closes_its_pipe)
{
    const served dish = serve(bind().port);
    dish.session->stop(std::chrono::milliseconds(-1));
    dish.session->stop(std::chrono::milliseconds(0));
    EXPECT_TRUE(host_.wait_for_close(*dish.end));
}

TEST_F(datagram_session_test, may_be_stopped_before_it_has_begun)
{
    pipe::pipe* const p = pipe::pipe::create({0, 0, 8192});
    host_.adopt(p->first());
    const auto s = std::make_shared<datagram_session>(worker_, host_ref(host_), alive_, bind().port, p->second(), 7);
    s->stop(std::chrono::milliseconds(0));
    s->start();
    EXPECT_TRUE(host_.wait_for_close(p->first()));
}

TEST_F(datagram_session_test, drops_what_a_receiver_is_given_to_send)
{
    auto bound = bind();
    const std::string endpoint = bound.text;
    const served dish = serve(std::move(bound.port), 2);
    for (int i = 0; i < 100; ++i) recording_host::send(*dish.end, {"\1subscription"});
    const served radio = serve(connect(endpoint));
    recording_host::send(*radio.end, {"g", "x"});
    EXPECT_EQ((parts{"g", "x"}), host_.receive(*dish.end));
}

}  // namespace
}  // namespace zlink::engine::test
