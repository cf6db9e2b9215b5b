// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// ws over streams in memory: nothing of the caller goes before the upgrade, and everything as it is behind it.
#include "transport/ws/ws_stream.hpp"

#include "support/memory_transport/memory_stream.hpp"
#include "transport/negotiation.hpp"
#include "transport/stream_wrapping.hpp"
#include "unit/failures.hpp"
#include "zws/accept_key.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace zlink::transport::ws {
namespace {

using status = io_outcome::status;
using terms = negotiation::state;

class ws_stream_test : public testing::Test {
protected:
    static std::unique_ptr<stream> wrap(std::unique_ptr<stream> below, zws::upgrade how)
    {
        return std::make_unique<ws_stream>(std::move(below), wrapped_name{"ws", "/path"}, std::move(how));
    }
    static zws::upgrade client_of(std::string protocol)
    {
        return zws::upgrade(zws::upgrade::client_side{"host:80", "/path", {std::move(protocol)}, zws::new_key()});
    }
    static zws::upgrade server_of(std::string protocol)
    {
        return zws::upgrade(zws::upgrade::server_side{"/path", {std::move(protocol)}, {}});
    }

    void connect(const std::string& script, const std::string& client = "ZWS2.0/NULL",
                 const std::string& server = "ZWS2.0/NULL")
    {
        auto ends = memory::make_streams(*memory::parse_script(script), *memory::parse_script(script));
        client_ = wrap(std::move(ends.first), client_of(client));
        server_ = wrap(std::move(ends.second), server_of(server));
    }
    static status say(stream& from, std::string octets)
    {
        const iovec piece{octets.data(), octets.size()};
        return from.write(&piece, 1).state;
    }
    /// What is there.
    static std::string hear(stream& from, status& how)
    {
        std::string all, room(64, '\0');
        const iovec piece{room.data(), room.size()};
        for (int i = 0; i < 1000; ++i) {
            const io_outcome got = from.read(&piece, 1);
            all.append(room, 0, got.octets);
            how = got.state;
            if (how != status::more) break;
        }
        return all;
    }
    static std::string hear(stream& from)
    {
        status how{};
        return hear(from, how);
    }
    static terms now(const stream& of) { return of.negotiates()->now; }
    /// Until the terms are settled on both sides.
    void upgrade()
    {
        for (int i = 0; i < 10'000 && (now(*client_) == terms::in_progress || now(*server_) == terms::in_progress);
             ++i) {
            for (stream* const end : {client_.get(), server_.get()}) {
                if (end->has_pending_output()) (void)end->write(nullptr, 0);
                if (now(*end) == terms::in_progress) (void)hear(*end);
            }
        }
    }

    std::unique_ptr<stream> client_, server_;
};

TEST_F(ws_stream_test, begins_with_the_request_of_the_client)
{
    connect("");
    EXPECT_TRUE(client_->has_pending_output());
    EXPECT_FALSE(server_->has_pending_output());
    EXPECT_TRUE(server_->write_waits_for_input());
    EXPECT_FALSE(client_->supports_inline_io());
    EXPECT_EQ(status::blocked, say(*server_, "too early"));
    EXPECT_EQ(terms::in_progress, now(*client_));
    EXPECT_EQ(terms::in_progress, now(*server_));
}

TEST_F(ws_stream_test, both_sides_agree_however_the_octets_come)
{
    for (const char* script : {"", "read=1&write=1", "read=7&write=5&again=3"}) {
        connect(script);
        upgrade();
        for (const auto& [end, client] : {std::pair{client_.get(), true}, {server_.get(), false}}) {
            EXPECT_EQ(terms::agreed, now(*end)) << script;
            EXPECT_EQ(client, end->negotiates()->client) << script;
            EXPECT_TRUE(end->negotiates()->mechanism) << script;
        }
    }
}

/// A stream with a handshake of its own, of which a part is still to be written: as tls, if the kernel had no room.
class half_written_stream final : public wrapping_stream {
public:
    explicit half_written_stream(std::unique_ptr<stream> below) : wrapping_stream(std::move(below), {"half", ""}) {}

    io_outcome read(const iovec* to, int count) noexcept override { return below().read(to, count); }
    io_outcome write(const iovec* from, int count) noexcept override
    {
        if (count != 0) return below().write(from, count);
        if (left_ != 0) --left_;
        return {status::blocked};
    }
    bool write_waits_for_input() const noexcept override { return left_ == 0; }
    bool has_pending_output() const noexcept override { return left_ != 0; }
    bool pending() const noexcept override { return below().pending(); }
    bool has_unread_octets() const noexcept override { return below().has_unread_octets(); }

private:
    int left_ = 2;
};

// Otherwise each end waits for the other, until the handshake has taken too long.
TEST_F(ws_stream_test, a_handshake_below_is_written_to_its_end_while_the_request_has_not_come)
{
    auto ends = memory::make_streams(*memory::parse_script(""), *memory::parse_script(""));
    server_ = wrap(std::make_unique<half_written_stream>(std::move(ends.first)), server_of("ZWS2.0/NULL"));
    for (int left = 2; left != 0; --left) {
        EXPECT_TRUE(server_->has_pending_output());
        EXPECT_FALSE(server_->write_waits_for_input());
        EXPECT_EQ(status::blocked, say(*server_, "too early"));
    }
    EXPECT_FALSE(server_->has_pending_output());
    EXPECT_TRUE(server_->write_waits_for_input());
}

TEST_F(ws_stream_test, the_bare_protocol_has_no_mechanism)
{
    connect("", "ZWS2.0", "ZWS2.0");
    upgrade();
    ASSERT_EQ(terms::agreed, now(*client_));
    EXPECT_FALSE(client_->negotiates()->mechanism);
    EXPECT_FALSE(server_->negotiates()->mechanism);
}

TEST_F(ws_stream_test, octets_behind_the_upgrade_go_as_they_are)
{
    connect("");
    upgrade();
    EXPECT_EQ(status::more, say(*client_, "to"));
    EXPECT_EQ(status::more, say(*server_, "fro"));
    EXPECT_EQ("to", hear(*server_));
    EXPECT_EQ("fro", hear(*client_));
}

TEST_F(ws_stream_test, octets_that_come_with_the_end_of_the_upgrade_are_read_first)
{
    connect("");
    (void)client_->write(nullptr, 0);
    (void)hear(*server_);
    (void)server_->write(nullptr, 0);
    EXPECT_EQ(status::more, say(*server_, "early"));
    iovec nothing{nullptr, 0};
    (void)client_->read(&nothing, 1);  // the answer, and what is behind it
    EXPECT_EQ(terms::agreed, now(*client_));
    EXPECT_TRUE(client_->pending());
    EXPECT_TRUE(client_->has_unread_octets());
    EXPECT_FALSE(client_->supports_inline_io());
    EXPECT_EQ(status::more, say(*server_, "+late"));
    EXPECT_EQ("early+late", hear(*client_));
    EXPECT_FALSE(client_->pending());
}

TEST_F(ws_stream_test, without_a_common_protocol_both_sides_fail)
{
    connect("", "ZWS2.0/PLAIN", "ZWS2.0/CURVE");
    upgrade();
    EXPECT_EQ(terms::failed, now(*server_));
    EXPECT_EQ(terms::failed, now(*client_));
    EXPECT_NE("", test::last_failure());
}

TEST_F(ws_stream_test, an_end_before_the_upgrade_is_told)
{
    connect("");
    client_.reset();
    status how{};
    EXPECT_EQ("", hear(*server_, how));
    EXPECT_EQ(status::closed, how);
    EXPECT_NE(std::string::npos, test::last_failure().find("during the upgrade to WebSocket"));
}

TEST_F(ws_stream_test, a_close_frame_goes_out_only_behind_the_upgrade)
{
    const std::string last = "last";
    connect("");
    server_->end_with(std::as_bytes(std::span(last)));
    upgrade();
    EXPECT_EQ("", hear(*client_)) << "no frame may go out before";
    connect("");
    upgrade();
    server_->end_with(std::as_bytes(std::span(last)));
    EXPECT_EQ("last", hear(*client_));
}

}  // namespace
}  // namespace zlink::transport::ws
