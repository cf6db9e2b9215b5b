// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a peer can make a tls stream keep: bounds, with machines that do as told in place of OpenSSL.
#include "transport/tls/tls_stream.hpp"
#include "unit/failures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace zlink::transport::tls {
namespace {

using status = io_outcome::status;

/// What a machine does with each record that comes.
struct habits {
    std::size_t answer = 0;        ///< octets that go out for it
    int handshake_records = 1;     ///< so many are the handshake
    std::size_t most_at_once = 0;  ///< noted: input of a call
    int calls = 0;                 ///< noted
    bool seals = true;             ///< false: wants input first
};

class obedient_machine final : public machine {
public:
    explicit obedient_machine(habits& of) noexcept : habits_(of) {}

    step handshake(exchange& through) noexcept override
    {
        if (through.in.empty()) return {state::wants_input};
        take(through);
        return {++shaken_ >= habits_.handshake_records ? state::done : state::wants_input};
    }
    step open(exchange& through, std::byte*, std::size_t) noexcept override
    {
        take(through);
        return {state::wants_input};
    }
    step seal(exchange&, const std::byte*, std::size_t size) noexcept override
    {
        if (!habits_.seals) return {state::wants_input};
        return {state::done, size};
    }
    [[nodiscard]] std::size_t opened() const noexcept override { return 0; }
    void close(exchange&) noexcept override {}
    [[nodiscard]] errc failure() const noexcept override { return errc::protocol_error; }
    void tell_failure(text_sink& to) const noexcept override { to.put("no"); }
    void tell_properties(property_sink&) const override {}
    [[nodiscard]] bool tell_certificate(text_sink&) const noexcept override { return true; }

private:
    void take(exchange& through) noexcept
    {
        habits_.most_at_once = std::max(habits_.most_at_once, through.in.size());
        ++habits_.calls;
        through.in = {};
        const std::size_t size = std::min(habits_.answer, through.out.size());
        std::memset(through.out.data(), 'a', size);
        through.out = through.out.subspan(size);
    }

    habits& habits_;
    int shaken_ = 0;
};

class obedient_context final : public context {
public:
    explicit obedient_context(habits& of) noexcept : habits_(of) {}
    [[nodiscard]] machine* make_machine() noexcept override { return new obedient_machine(habits_); }

private:
    habits& habits_;
};

/// A peer that sends what it is given and reads as much as it likes.
class greedy_peer final : public stream {
public:
    struct script {
        std::string octets;     ///< that come
        std::size_t reads = 0;  ///< octets that it takes of what goes out
        std::size_t taken = 0;
    };
    explicit greedy_peer(script& of) noexcept : script_(of) {}

    [[nodiscard]] io_outcome read(const iovec* to, int) noexcept override
    {
        const std::size_t size = std::min(to->iov_len, script_.octets.size());
        std::memcpy(to->iov_base, script_.octets.data(), size);
        script_.octets.erase(0, size);
        return {script_.octets.empty() ? status::blocked : status::more, size};
    }
    [[nodiscard]] io_outcome write(const iovec* from, int) noexcept override
    {
        const std::size_t size = std::min(from->iov_len, script_.reads - script_.taken);
        script_.taken += size;
        return {size == from->iov_len ? status::more : status::blocked, size};
    }
    [[nodiscard]] bool has_unread_octets() const noexcept override { return !script_.octets.empty(); }
    [[nodiscard]] int descriptor() const noexcept override { return -1; }
    [[nodiscard]] std::string local_endpoint() const override { return "greedy://here"; }
    [[nodiscard]] std::string peer_endpoint() const override { return "greedy://there"; }
    void add_properties(std::vector<std::pair<std::string, std::string>>&) const override {}

private:
    script& script_;
};

std::string record(std::size_t body, char type = 23)
{
    return std::string{type, 3, 3, char(body >> 8), char(body & 0xff)} + std::string(body, 'x');
}

class tls_bounds_test : public testing::Test {
protected:
    std::unique_ptr<tls_stream> accepted()
    {
        return std::make_unique<tls_stream>(std::make_unique<greedy_peer>(peer_),
                                            std::make_shared<obedient_context>(habits_), role::server, "tls");
    }
    static io_outcome read_all(tls_stream& from)
    {
        char room[1000];
        const iovec to{room, sizeof room};
        io_outcome come{status::more};
        while (come.state == status::more) come = from.read(&to, 1);
        return come;
    }

    habits habits_;
    greedy_peer::script peer_;
};

TEST_F(tls_bounds_test, who_does_not_read_answers_may_have_64_kb_of_them_waiting_and_no_more)
{
    static_assert(most_unasked_octets == 64 * 1024);
    habits_.answer = 64;
    const auto stream = accepted();
    peer_.octets = record(1, 22);
    EXPECT_EQ(status::blocked, read_all(*stream).state);
    // One after the other, as a read finds them: that of the handshake waits, too.
    for (std::size_t waiting = habits_.answer; waiting + habits_.answer <= most_unasked_octets;
         waiting += habits_.answer) {
        peer_.octets = record(1);
        ASSERT_EQ(status::blocked, read_all(*stream).state) << waiting;
    }
    peer_.octets = record(1);
    const io_outcome over = read_all(*stream);
    EXPECT_EQ(status::failed, over.state);
    EXPECT_EQ(errc::no_buffer_space, over.error);
    EXPECT_NE(std::string::npos, test::last_failure().find("does not read"));
    EXPECT_EQ(0u, peer_.taken);
}

TEST_F(tls_bounds_test, a_flood_of_what_is_to_be_answered_in_one_read_ends_it_as_well)
{
    habits_.answer = 100;
    const auto stream = accepted();
    peer_.octets = record(1, 22);
    for (int i = 0; i < 100'000; ++i) peer_.octets += record(1);
    EXPECT_EQ(status::failed, read_all(*stream).state);
    // What is answered in one turn of reading has a bound of its own: the memory that all streams of a thread share.
    EXPECT_LT(habits_.calls, 100'000);
}

TEST_F(tls_bounds_test, a_flood_of_what_holds_nothing_leaves_others_their_turn)
{
    constexpr int flood = 100'000;
    const auto stream = accepted();
    peer_.octets = record(1, 22);
    for (int i = 0; i < flood; ++i) peer_.octets += record(1);
    char room[1000];
    const iovec to{room, sizeof room};
    const io_outcome first = stream->read(&to, 1);
    EXPECT_EQ(status::more, first.state);
    EXPECT_EQ(0u, first.octets);
    EXPECT_LT(habits_.calls, flood / 2);
    EXPECT_EQ(status::blocked, read_all(*stream).state);
    EXPECT_EQ(1 + flood, habits_.calls);
}

TEST_F(tls_bounds_test, who_reads_the_answers_may_go_on_for_ever)
{
    habits_.answer = 64;
    const auto stream = accepted();
    peer_.reads = std::size_t(-1);
    peer_.octets = record(1, 22);
    for (int i = 0; i < 10'000; ++i) {
        EXPECT_EQ(status::blocked, read_all(*stream).state);
        peer_.octets = record(1);
    }
    EXPECT_EQ(10'000 * habits_.answer, peer_.taken);
}

TEST_F(tls_bounds_test, records_of_a_handshake_are_taken_one_by_one_and_never_a_part_of_one)
{
    habits_.handshake_records = 1000;
    const auto stream = accepted();
    const std::string one = record(largest_record - record_header, 22);
    for (int i = 0; i < 10; ++i) {
        for (const std::size_t part : {std::size_t(1), std::size_t(4), one.size() / 2}) {
            peer_.octets = one.substr(0, part);
            EXPECT_EQ(status::blocked, read_all(*stream).state);
            EXPECT_EQ(i, habits_.calls);
            peer_.octets = one.substr(part);
            EXPECT_EQ(status::blocked, read_all(*stream).state);
            EXPECT_EQ(++i, habits_.calls);
        }
        --i;
    }
    EXPECT_EQ(largest_record, habits_.most_at_once);
}

TEST_F(tls_bounds_test, a_part_of_a_record_is_life_for_as_long_as_it_grows)
{
    const auto stream = accepted();
    peer_.octets = record(1, 22) + record(1000).substr(0, 3);
    EXPECT_EQ(status::blocked, read_all(*stream).state);
    EXPECT_TRUE(stream->has_unread_octets());
    EXPECT_FALSE(stream->has_unread_octets()) << "nothing more has come";
    peer_.octets = record(1000).substr(3, 500);
    EXPECT_EQ(status::blocked, read_all(*stream).state);
    EXPECT_TRUE(stream->has_unread_octets());
    EXPECT_FALSE(stream->has_unread_octets());
}

TEST_F(tls_bounds_test, what_cannot_be_sealed_before_more_has_come_is_not_lost)
{
    const auto stream = accepted();
    peer_.octets = record(1, 22);
    EXPECT_EQ(status::blocked, read_all(*stream).state);
    habits_.seals = false;
    char data[100] = {};
    const iovec from{data, sizeof data};
    io_outcome wrote = stream->write(&from, 1);
    EXPECT_EQ(status::blocked, wrote.state);
    EXPECT_EQ(0u, wrote.octets);
    EXPECT_TRUE(stream->write_waits_for_input());
    habits_.seals = true;
    wrote = stream->write(&from, 1);
    EXPECT_EQ(status::more, wrote.state);
    EXPECT_EQ(sizeof data, wrote.octets);
    EXPECT_FALSE(stream->write_waits_for_input());
}

TEST_F(tls_bounds_test, a_length_beyond_the_largest_record_is_not_waited_for)
{
    const auto stream = accepted();
    peer_.octets = std::string("\x16\x03\x01\x48\x01", 5);  // one octet too many
    EXPECT_EQ(status::blocked, read_all(*stream).state);
    EXPECT_EQ(1, habits_.calls) << "the machine is to judge what it is";
}

}  // namespace
}  // namespace zlink::transport::tls
