// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A question to the ZAP handler and its answer, over a pipe of their own. The tests have the frames of RFC 27, and all
// that can come in place of an answer.
#include "engine/connection/zap_dialog.hpp"

#include "path_fixture.hpp"
#include "unit/engine/engine_fixture.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace zlink::engine::test {
namespace {

using asked = zap_dialog::asked;

class stream_from_afar final : public scripted_stream {
public:
    void add_properties(std::vector<std::pair<std::string, std::string>>& to) const override
    {
        to.emplace_back("Peer-Address", "10.0.0.7");
    }
};

/// A socket of a context that has a ZAP handler, or none.
class host_with_handler final : public session_host {
public:
    result<pipe::pipe_end*> handler = nullptr;
    std::atomic<int> left{0};

    [[nodiscard]] result<pipe::pipe_end*> reach_zap_handler() noexcept override { return handler; }
    void leave_zap_handler(pipe::pipe_end& end) noexcept override
    {
        (void)end.close();
        ++left;
    }

    [[nodiscard]] errc attach(pipe::pipe_end&, peer_attachment, std::uint64_t) noexcept override
    {
        return errc::terminated;
    }
    [[nodiscard]] bool identified(pipe::pipe_end&, peer_attachment, bool) noexcept override { return true; }
    void disconnected(pipe::pipe_end&) noexcept override {}
    void ended(std::uint64_t) noexcept override {}
    void report(monitor_event, std::uint64_t, const endpoint_pair&, std::string_view) noexcept override {}
    void report_peer(const message::metadata&, const endpoint_pair&) noexcept override {}
    void count(session_count, std::uint64_t) noexcept override {}
    void note_error(std::string_view, const endpoint_pair&) noexcept override {}
    void add_ref() noexcept override {}
    void release() noexcept override {}
};

class zap_dialog_test : public engine_fixture, private zap_dialog_owner {
protected:
    zap_dialog_test()
    {
        zmtp::security_settings security;
        security.zap_domain = "global";
        options_.security = std::make_shared<const zmtp::security_settings>(security);
    }
    void TearDown() override
    {
        end_dialog();
        engine_fixture::TearDown();
    }

    asked ask()
    {
        auto outcome = asked::no_memory;
        on_worker([&] {
            dialog_.emplace(worker_, static_cast<zap_dialog_owner&>(*this));
            const zmtp::zap_request question{"PLAIN", {octets("joe"), octets("secret")}};
            outcome = dialog_->ask(zap_, question, options_, stream_);
        });
        return outcome;
    }
    /// A question that has come to the handler, whose end of the pipe this is.
    pipe::pipe_end& ask_handler()
    {
        pipe::pipe* const p = pipe::pipe::create({0, 0, 8192});
        host_.adopt(p->second());
        zap_.handler = &p->first();
        EXPECT_EQ(asked::yes, ask());
        EXPECT_TRUE(host_.receive(p->second()));
        return p->second();
    }
    void end_dialog()
    {
        on_worker([this] { dialog_.reset(); });
    }
    /// Whether the owner is told.
    bool told() { return answer_.wait_for(patience) == std::future_status::ready; }

    static std::vector<std::byte> octets(const std::string& text)
    {
        const auto all = std::as_bytes(std::span(text));
        return {all.begin(), all.end()};
    }
    static parts reply(const std::string& status) { return {"", "1.0", "1", status, "text", "joe", ""}; }

    host_with_handler zap_;
    stream_from_afar stream_;
    std::optional<zap_dialog> dialog_;
    std::atomic<int> answers_{0};
    // Of the answer
    bool gone_ = false;
    zmtp::handshake_error error_ = zmtp::handshake_error::none;
    zmtp::zap_answer said_;

private:
    void on_zap_answer(const zmtp::mechanism_event& answer) noexcept override
    {
        gone_ = std::holds_alternative<zmtp::zap_gone>(answer);
        if (const auto* const come = std::get_if<zmtp::zap_reply>(&answer)) error_ = parse_zap_reply(*come, said_);
        if (++answers_ == 1) told_.set_value();
    }

    std::promise<void> told_;
    std::future<void> answer_ = told_.get_future();
};

TEST_F(zap_dialog_test, without_a_handler_nobody_is_asked)
{
    EXPECT_EQ(asked::nobody, ask());
    EXPECT_EQ(0, zap_.left);
}

TEST_F(zap_dialog_test, without_a_pipe_the_question_is_not_asked)
{
    zap_.handler = errc::out_of_memory;
    EXPECT_EQ(asked::no_memory, ask());
    EXPECT_EQ(0, zap_.left);
}

TEST_F(zap_dialog_test, a_question_has_the_frames_of_a_request)
{
    pipe::pipe* const p = pipe::pipe::create({0, 0, 8192});
    host_.adopt(p->second());
    zap_.handler = &p->first();
    ASSERT_EQ(asked::yes, ask());
    EXPECT_EQ((parts{"", "1.0", "1", "global", "10.0.0.7", "here", "PLAIN", "joe", "secret"}),
              host_.receive(p->second()));
}

TEST_F(zap_dialog_test, the_owner_is_told_the_reply_and_the_pipe_is_left)
{
    recording_host::send(ask_handler(), reply("200"));
    ASSERT_TRUE(told());
    EXPECT_FALSE(gone_);
    EXPECT_EQ(zmtp::handshake_error::none, error_);
    EXPECT_EQ(200, said_.status);
    EXPECT_EQ("joe", said_.user_id);
    EXPECT_EQ(1, zap_.left);
}

TEST_F(zap_dialog_test, the_owner_is_told_that_the_handler_has_gone)
{
    host_.close(ask_handler());
    ASSERT_TRUE(told());
    EXPECT_TRUE(gone_);
    EXPECT_EQ(1, zap_.left);
}

TEST_F(zap_dialog_test, a_reply_of_too_many_frames_is_none)
{
    parts long_reply = reply("200");
    long_reply.emplace_back("one more");
    recording_host::send(ask_handler(), long_reply);
    ASSERT_TRUE(told());
    EXPECT_FALSE(gone_);
    EXPECT_NE(zmtp::handshake_error::none, error_);
}

TEST_F(zap_dialog_test, a_reply_that_is_larger_than_any_may_be_is_none)
{
    parts large_reply = reply("200");
    large_reply.back() = std::string(zmtp::max_handshake_frame, 'x');
    recording_host::send(ask_handler(), large_reply);
    ASSERT_TRUE(told());
    EXPECT_FALSE(gone_);
    EXPECT_NE(zmtp::handshake_error::none, error_);
}

TEST_F(zap_dialog_test, an_owner_that_ends_the_dialog_is_told_nothing)
{
    pipe::pipe_end& handler = ask_handler();
    end_dialog();
    EXPECT_EQ(1, zap_.left);
    recording_host::send(handler, reply("200"));
    EXPECT_TRUE(host_.wait_for_close(handler));
    let_a_round_pass();
    EXPECT_EQ(0, answers_);
}

}  // namespace
}  // namespace zlink::engine::test
