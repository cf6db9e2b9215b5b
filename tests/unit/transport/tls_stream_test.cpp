// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// tls over streams in memory that cut, refuse, hold back and end: octets come out as they went in, and nothing waits
// for ever.
#include "base/process_generation.hpp"
#include "support/memory_transport/memory_stream.hpp"
#include "support/tls_certificates.hpp"
#include "transport/tls/credentials.hpp"
#include "transport/tls/tls_stream.hpp"
#include "unit/failures.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace zlink::transport::tls {
namespace {

using status = io_outcome::status;
using test::authority;

/// Counts what goes through.
class counting_stream final : public wrapping_stream {
public:
    counting_stream(std::unique_ptr<stream> below, std::size_t& come)
        : wrapping_stream(std::move(below), {"count", {}}),
          come_(come)
    {}
    [[nodiscard]] io_outcome read(const iovec* to, int count) noexcept override
    {
        const io_outcome got = below().read(to, count);
        come_ += got.octets;
        return got;
    }
    [[nodiscard]] io_outcome write(const iovec* from, int count) noexcept override
    {
        return below().write(from, count);
    }
    [[nodiscard]] bool has_unread_octets() const noexcept override { return below().has_unread_octets(); }
    [[nodiscard]] bool pending() const noexcept override { return below().pending(); }
    [[nodiscard]] bool has_pending_output() const noexcept override { return below().has_pending_output(); }

private:
    std::size_t& come_;
};

/// Breaks after some octets, when the peer has read all that has gone.
class breaking_stream final : public wrapping_stream {
public:
    explicit breaking_stream(std::unique_ptr<stream> below) : wrapping_stream(std::move(below), {"break", {}}) {}

    void break_after(std::size_t octets, std::function<void()> peer_reads)
    {
        left_ = octets;
        peer_reads_ = std::move(peer_reads);
    }
    [[nodiscard]] io_outcome read(const iovec* to, int count) noexcept override
    {
        return left_ == 0 ? broken : below().read(to, count);
    }
    [[nodiscard]] io_outcome write(const iovec* from, int count) noexcept override
    {
        if (count == 0) return below().write(from, count);
        if (left_ == 0) {
            if (peer_reads_) std::exchange(peer_reads_, nullptr)();
            return broken;
        }
        const iovec first{from->iov_base, std::min(from->iov_len, left_)};
        const io_outcome went = below().write(&first, 1);
        left_ -= went.octets;
        return went;
    }
    [[nodiscard]] bool has_unread_octets() const noexcept override { return below().has_unread_octets(); }
    [[nodiscard]] bool pending() const noexcept override { return below().pending(); }
    [[nodiscard]] bool has_pending_output() const noexcept override { return below().has_pending_output(); }

private:
    static constexpr io_outcome broken{status::failed, 0, errc::connection_reset};
    std::size_t left_ = std::numeric_limits<std::size_t>::max();
    std::function<void()> peer_reads_;
};

/// One end, driven as the engine does: what is to be written is offered until it is taken, and all that comes is read.
class party {
public:
    explicit party(std::unique_ptr<stream> end) : end_(std::move(end)) {}

    void offer(std::string octets) { out_ += octets; }
    [[nodiscard]] std::size_t taken() const { return taken_; }

    /// False: it has ended or failed.
    bool step(std::size_t piece)
    {
        if (over_) return false;
        write(piece);
        std::string room(piece, '\0');
        // In two pieces, of which the first may be empty.
        iovec to[2] = {{room.data(), piece / 3}, {room.data() + piece / 3, piece - piece / 3}};
        for (auto is = status::more; is == status::more && !over_;) {
            const io_outcome got = end_->read(to, 2);
            is = got.state;
            in_.append(room, 0, got.octets);
            over_ = is == status::closed || is == status::failed;
            if (over_) ending_ = is;
        }
        return !over_;
    }

    [[nodiscard]] const std::string& come() const { return in_; }
    [[nodiscard]] bool all_taken() const { return out_.empty() && !end_->has_pending_output(); }
    [[nodiscard]] status ending() const { return ending_; }
    [[nodiscard]] const stream& end() const { return *end_; }
    void leave() { end_.reset(); }

private:
    void write(std::size_t piece)
    {
        while (!out_.empty()) {
            const std::size_t size = std::min(out_.size(), 3 * piece);
            iovec from[2] = {{out_.data(), size / 2}, {out_.data() + size / 2, size - size / 2}};
            const io_outcome taken = end_->write(from, 2);
            out_.erase(0, taken.octets);
            taken_ += taken.octets;
            if (taken.state != status::more) return;
        }
        if (end_->has_pending_output()) (void)end_->write(nullptr, 0);
    }

    std::unique_ptr<stream> end_;
    std::string out_, in_;
    std::size_t taken_ = 0;
    bool over_ = false;
    status ending_ = status::more;
};

class tls_stream_test : public testing::Test {
protected:
    static tls_options server_options()
    {
        tls_options options;
        options.cert_file = authority::shared_certificate().file;
        options.key_file = authority::shared_certificate().key;
        return options;
    }
    static tls_options client_options()
    {
        tls_options options;
        options.ca_file = authority::of_this_process().file();
        return options;
    }

    /// A connection whose ends do that to their octets.
    void connect(const std::string& script)
    {
        auto ends = memory::make_streams(*memory::parse_script(script), *memory::parse_script(script));
        const auto server = server_keys_.get(server_options()), client = client_keys_.get(client_options());
        ASSERT_TRUE(server && client) << test::last_failure();
        come_to_client_ = 0;
        server_ =
            std::make_unique<party>(std::make_unique<tls_stream>(std::move(ends.first), *server, role::server, "tls"));
        auto breaks = std::make_unique<breaking_stream>(
            std::make_unique<counting_stream>(std::move(ends.second), come_to_client_));
        below_client_ = breaks.get();
        client_ =
            std::make_unique<party>(std::make_unique<tls_stream>(std::move(breaks), *client, role::client, "tls"));
    }

    bool exchange(std::size_t piece, const std::string& to_server, const std::string& to_client)
    {
        client_->offer(to_server);
        server_->offer(to_client);
        for (int i = 0; i < 2'000'000; ++i) {
            const bool client_goes_on = client_->step(piece), server_goes_on = server_->step(piece);
            if (client_->come() == to_client && server_->come() == to_server) return true;
            if (!client_goes_on && !server_goes_on) return false;
        }
        return false;
    }

    static std::string octets(std::size_t size)
    {
        std::string made(size, '\0');
        for (std::size_t i = 0; i < size; ++i) made[i] = char(i * 7 + i / 251);
        return made;
    }

    credentials server_keys_{role::server, "", 0, {"zmtp/3.1", "tcp"}};
    credentials client_keys_{role::client, "127.0.0.1", 1, {"zmtp/3.1", "tcp"}};
    std::size_t come_to_client_ = 0;
    std::unique_ptr<party> server_, client_;
    breaking_stream* below_client_ = nullptr;  ///< what the client's octets go through; goes with the client
};

class tls_cut_test : public tls_stream_test, public testing::WithParamInterface<const char*> {};

TEST_P(tls_cut_test, octets_come_out_as_they_went_in)
{
    for (const std::size_t size : {1u, 16'385u, 40'000u}) {
        for (const std::size_t piece : {50u, 200'000u}) {
            SCOPED_TRACE(std::to_string(size) + " in " + std::to_string(piece));
            ASSERT_NO_FATAL_FAILURE(connect(GetParam()));
            EXPECT_TRUE(exchange(piece, octets(size), octets(size / 2 + 1))) << test::last_failure();
            for (int i = 0; i < 100'000 && !(client_->all_taken() && server_->all_taken()); ++i) {
                (void)client_->step(piece);
                (void)server_->step(piece);
            }
            EXPECT_FALSE(client_->end().write_waits_for_input());
            EXPECT_FALSE(client_->end().pending());
        }
    }
}

INSTANTIATE_TEST_SUITE_P(streams, tls_cut_test,
                         testing::Values("read=100000", "read=1&write=1", "read=700&write=500&again=3&hold=900",
                                         "room=300&again=2", "ack=200&read=50"));

TEST_F(tls_stream_test, an_end_at_any_octet_is_an_end_for_both_sides)
{
    for (const char* fault : {"fail", "close"}) {
        for (std::size_t at = 0; at < 3000; at += 13) {
            SCOPED_TRACE(std::string(fault) + " after " + std::to_string(at));
            ASSERT_NO_FATAL_FAILURE(connect(std::string(fault) + "=" + std::to_string(at)));
            EXPECT_FALSE(exchange(1000, octets(5000), octets(5000)));
            EXPECT_NE(status::more, client_->ending());
            // What did come is right, and whole records of it.
            EXPECT_EQ(octets(5000).substr(0, client_->come().size()), client_->come());
            EXPECT_EQ(octets(5000).substr(0, server_->come().size()), server_->come());
        }
    }
}

TEST_F(tls_stream_test, what_the_peer_reads_before_a_reset_counts_as_taken)
{
    const std::string sent = octets(300'000);
    std::size_t most_come = 0;
    for (std::size_t at = 1; at < 300'000; at += 4999) {
        SCOPED_TRACE("reset after " + std::to_string(at));
        ASSERT_NO_FATAL_FAILURE(connect("room=1000000"));
        ASSERT_TRUE(exchange(1000, "to", "fro"));
        below_client_->break_after(at, [&] { (void)server_->step(100'000); });
        client_->offer(sent);
        while (client_->step(100'000)) {
        }
        (void)server_->step(100'000);
        EXPECT_EQ(status::failed, client_->ending());
        // No more is counted than what can be read, as the rest is sent on the next connection.
        EXPECT_EQ(server_->come().size(), client_->taken());
        most_come = std::max(most_come, server_->come().size());
    }
    EXPECT_LT(250'000u, most_come);
}

TEST_F(tls_stream_test, who_leaves_in_good_order_says_so_and_what_it_sent_before_is_read)
{
    ASSERT_NO_FATAL_FAILURE(connect("room=1000000"));
    ASSERT_TRUE(exchange(1000, "to", "fro"));
    client_->offer(octets(50'000));
    (void)client_->step(100'000);
    client_->leave();
    while (server_->step(1000)) {
    }
    EXPECT_EQ(status::closed, server_->ending());
    EXPECT_EQ("to" + octets(50'000), server_->come());
}

TEST_F(tls_stream_test, a_child_of_fork_sends_no_close_notify)
{
    watch_forks();  // contexts do
    ASSERT_NO_FATAL_FAILURE(connect("read=100000"));
    ASSERT_TRUE(exchange(1000, "to", "fro"));
    (void)client_->step(1000);
    const std::size_t before = come_to_client_;
    // Octets that come of the server's leaving.
    const auto farewell = [&] {
        server_->leave();
        while (client_->step(1000)) {
        }
        return come_to_client_ - before;
    };
    const pid_t child = ::fork();
    if (child == 0) ::_exit(farewell() == 0 ? 0 : 1);
    int ended = -1;
    ASSERT_EQ(child, ::waitpid(child, &ended, 0));
    EXPECT_EQ(0, ended);
    EXPECT_NE(0u, farewell());
}

TEST_F(tls_stream_test, who_comes_back_resumes_without_certificates)
{
    ASSERT_NO_FATAL_FAILURE(connect("read=100000"));
    ASSERT_TRUE(exchange(1000, "to", "fro"));
    const std::size_t full = come_to_client_;
    ASSERT_NO_FATAL_FAILURE(connect("read=100000"));
    ASSERT_TRUE(exchange(1000, "to", "fro"));
    EXPECT_LT(come_to_client_ + 300, full);
}

class tls_hello_test : public tls_stream_test, public testing::WithParamInterface<std::size_t> {};

// What a server of these options says of a first message that announces so many octets.
TEST_P(tls_hello_test, a_first_message_may_announce_16_kb_and_no_more)
{
    static_assert(largest_client_hello == 16 * 1024);
    const std::size_t size = GetParam();
    auto ends = memory::make_streams(*memory::parse_script("read=100000"), *memory::parse_script("read=100000"));
    const auto keys = server_keys_.get(server_options());
    ASSERT_TRUE(keys) << test::last_failure();
    party server(std::make_unique<tls_stream>(std::move(ends.first), *keys, role::server, "tls"));
    std::string hello{22, 3, 1, 0, 20, 1, char(size >> 16), char(size >> 8), char(size), 3, 3};
    hello.resize(25);
    const iovec piece{hello.data(), hello.size()};
    ASSERT_EQ(hello.size(), ends.second->write(&piece, 1).octets);
    EXPECT_EQ(size <= largest_client_hello, server.step(1000)) << test::last_failure();
    if (size > largest_client_hello) {
        EXPECT_NE(std::string::npos, test::last_failure().find("ClientHello")) << test::last_failure();
    }
}

TEST_F(tls_stream_test, nothing_before_a_first_message_hides_its_length)
{
    auto ends = memory::make_streams(*memory::parse_script("read=100000"), *memory::parse_script("read=100000"));
    const auto keys = server_keys_.get(server_options());
    ASSERT_TRUE(keys) << test::last_failure();
    party server(std::make_unique<tls_stream>(std::move(ends.first), *keys, role::server, "tls"));
    std::string octets{22, 3, 1, 0, 0, 22, 3, 1, 0, 20, 1, 1, '\xff', '\xb8', 3, 3};
    octets.resize(30);
    const iovec piece{octets.data(), octets.size()};
    ASSERT_EQ(octets.size(), ends.second->write(&piece, 1).octets);
    EXPECT_FALSE(server.step(1000));
    EXPECT_NE(std::string::npos, test::last_failure().find("ClientHello")) << test::last_failure();
}

INSTANTIATE_TEST_SUITE_P(of, tls_hello_test,
                         testing::Values(largest_client_hello, largest_client_hello + 1, std::size_t(131'000)));

TEST_F(tls_stream_test, nothing_starts_on_the_accepting_side_before_a_whole_record_is_there)
{
    ASSERT_NO_FATAL_FAILURE(connect("read=100000"));
    EXPECT_FALSE(server_->end().has_pending_output());
    EXPECT_TRUE(client_->end().has_pending_output());
    EXPECT_TRUE(client_->end().write_waits_for_input());
    server_->offer("early");
    EXPECT_TRUE(server_->step(100));
    EXPECT_TRUE(server_->end().write_waits_for_input());
    EXPECT_EQ("", client_->come());
}

}  // namespace
}  // namespace zlink::transport::tls
