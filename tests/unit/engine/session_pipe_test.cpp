// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The pipe that a session serves: where it comes from, what its host is told, and what outlives a connection. No
// thread.
#include "engine/session_pipe.hpp"

#include "engine/peer_properties.hpp"
#include "recording_host.hpp"
#include "stream_fixture.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace zlink::engine::test {
namespace {

using namespace std::chrono_literals;

zmtp::remote_peer peer_named(std::string_view routing_id)
{
    zmtp::remote_peer peer;
    const auto octets = octets_of(routing_id);
    peer.routing_id.assign(octets.begin(), octets.end());
    peer.properties.emplace_back("Socket-Type", "DEALER");
    return peer;
}

/// Refuses every pipe: its socket is closed, or memory is short.
class refusing_host final : public session_host {
public:
    explicit refusing_host(errc why) noexcept : why_(why) {}
    [[nodiscard]] errc attach(pipe::pipe_end&, peer_attachment, std::uint64_t) noexcept override { return why_; }
    [[nodiscard]] bool identified(pipe::pipe_end&, peer_attachment, bool) noexcept override
    {
        return why_ != errc::out_of_memory;
    }
    void disconnected(pipe::pipe_end&) noexcept override {}
    void ended(std::uint64_t) noexcept override {}
    [[nodiscard]] result<pipe::pipe_end*> reach_zap_handler() noexcept override { return nullptr; }
    void leave_zap_handler(pipe::pipe_end&) noexcept override {}
    void report(monitor_event, std::uint64_t, const endpoint_pair&, std::string_view) noexcept override {}
    void report_peer(const message::metadata&, const endpoint_pair&) noexcept override {}
    void count(session_count, std::uint64_t) noexcept override {}
    void note_error(std::string_view, const endpoint_pair&) noexcept override {}
    void add_ref() noexcept override {}
    void release() noexcept override {}

private:
    errc why_;
};

class session_pipe_test : public ::testing::Test, private pipe::pipe_client {
protected:
    session_pipe_test()
    {
        options_.type = zmtp::socket_type::dealer;
        options_.endpoint_id = 7;
    }
    ~session_pipe_test() override
    {
        host_.close_all();
        for (pipe::pipe_end* end = worker_.activations().take_all(); end;) {
            pipe::pipe_end* const after = end->next_in_queue;
            (void)end->take_events();
            if (end->closed()) end->discard();
            end = after;
        }
    }

    [[nodiscard]] pipe::pipe& make_pipe()
    {
        pipe::pipe* p = pipe::pipe::create({1000, 1000, options_.data_path.writev_threshold});
        host_.adopt(p->first());
        return *p;
    }
    [[nodiscard]] session_pipe served_by(session_host& host, pipe::pipe_end* end)
    {
        return session_pipe(worker_, host, options_, *this, end);
    }
    [[nodiscard]] result<pipe::pipe_end*> serve(session_pipe& pipe, std::string_view routing_id)
    {
        return pipe.serve(peer_named(routing_id), stream_.stream(), {"local", "remote", false});
    }

    session_options options_;
    recording_host host_;
    stream_pair stream_;

private:
    void on_pipe_events(std::uint32_t) noexcept override {}

    io_worker worker_{false};  // whose thread is not started
};

TEST_F(session_pipe_test, is_made_with_the_first_handshake)
{
    session_pipe served = served_by(host_, nullptr);
    served.begin();
    EXPECT_FALSE(served);
    EXPECT_FALSE(served.has_messages());
    const auto end = serve(served, "there");
    ASSERT_TRUE(end);
    EXPECT_TRUE(served);
    const auto attached = host_.wait_for_pipe();
    ASSERT_TRUE(attached);
    EXPECT_EQ(&(*end)->peer(), attached->end);
    EXPECT_EQ("there", attached->routing_id);
    EXPECT_EQ(7u, attached->endpoint_id);
    served.close();
    served.close();
    EXPECT_FALSE(served);
}

TEST_F(session_pipe_test, of_a_closed_socket_is_not_made)
{
    refusing_host closed(errc::terminated);
    session_pipe served = served_by(closed, nullptr);
    const auto end = serve(served, "there");
    EXPECT_EQ(errc::terminated, end.error());
    EXPECT_FALSE(served);
}

// The connection is lost then, and another one may fare better.
TEST_F(session_pipe_test, that_a_socket_without_memory_was_not_told_of_serves_nobody)
{
    refusing_host poor(errc::out_of_memory);
    session_pipe made_late = served_by(poor, nullptr);
    EXPECT_EQ(errc::out_of_memory, serve(made_late, "there").error());
    EXPECT_FALSE(made_late);

    pipe::pipe& p = make_pipe();
    session_pipe there_before = served_by(poor, &p.second());
    there_before.begin();
    EXPECT_EQ(errc::out_of_memory, serve(there_before, "there").error());
    EXPECT_TRUE(there_before) << "its messages wait for the next connection";
    there_before.close();
}

TEST_F(session_pipe_test, outlives_its_connections)
{
    pipe::pipe& p = make_pipe();
    session_pipe served = served_by(host_, &p.second());
    served.begin();
    EXPECT_EQ(&p.second(), *serve(served, "first"));
    served.lost_connection();
    EXPECT_TRUE(host_.wait_for_disconnections(1));
    EXPECT_EQ(&p.second(), *serve(served, "second"));
    const auto first = host_.wait_for_identification(1);
    const auto second = host_.wait_for_identification(2);
    ASSERT_TRUE(first && second);
    EXPECT_EQ("first", first->routing_id);
    EXPECT_FALSE(first->again);
    EXPECT_EQ("second", second->routing_id);
    EXPECT_TRUE(second->again);
    served.close();
}

TEST_F(session_pipe_test, knows_whether_messages_wait_and_for_how_long_they_may)
{
    pipe::pipe& p = make_pipe();
    session_pipe served = served_by(host_, &p.second());
    served.begin();
    EXPECT_FALSE(served.has_messages());
    host_.send(p.first(), {"late"});
    EXPECT_TRUE(served.has_messages());
    EXPECT_TRUE(served.has_messages()) << "a look takes nothing";
    p.linger.store(30, std::memory_order_relaxed);
    EXPECT_EQ(30ms, served.linger());
    served.close();
}

TEST_F(session_pipe_test, tells_of_a_hiccup_where_the_option_is_set)
{
    pipe::pipe& p = make_pipe();
    session_pipe served = served_by(host_, &p.second());
    served.begin();
    served.write_hiccup();
    EXPECT_FALSE(p.first().reader.has_news());
    options_.connection.hiccup_message = "lost";
    served.write_hiccup();
    EXPECT_EQ(parts{"lost"}, host_.receive(p.first()));
    served.close();
}

TEST_F(session_pipe_test, properties_are_those_of_the_stream_and_of_the_peer)
{
    message::metadata* const all = properties_of(peer_named("there"), stream_.stream());
    ASSERT_TRUE(all);
    EXPECT_STREQ("there", all->find("Routing-Id"));
    EXPECT_STREQ("DEALER", all->find("Socket-Type"));
    EXPECT_EQ(std::to_string(stream_.stream().descriptor()), all->find("__fd"));
    all->release();
    message::metadata* const unnamed = properties_of(peer_named(""), stream_.stream());
    ASSERT_TRUE(unnamed);
    EXPECT_EQ(nullptr, unnamed->find("Routing-Id"));
    unnamed->release();
}

}  // namespace
}  // namespace zlink::engine::test
