// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Many datagrams for one system call, and out of one: without a socket.
#include "transport/udp/receive_slots.hpp"
#include "transport/udp/send_batch.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <netinet/udp.h>

namespace zlink::transport::udp {
namespace {

using namespace std::string_view_literals;
using strings = std::vector<std::string>;

std::span<const std::byte> octets_of(std::string_view text)
{
    return std::as_bytes(std::span(text));
}

std::string text_of(std::span<const std::byte> octets)
{
    return {reinterpret_cast<const char*>(octets.data()), octets.size()};
}

datagram make(std::string_view head, std::string_view body)
{
    return {octets_of(head), octets_of(body)};
}

const auto target = *ip::ip_address::from_literal("127.0.0.1", 5555);

std::string content(const msghdr& header)
{
    std::string all;
    for (std::size_t i = 0; i < std::size_t(header.msg_iovlen); ++i)
        all.append(static_cast<const char*>(header.msg_iov[i].iov_base), header.msg_iov[i].iov_len);
    return all;
}

/// The size of the pieces that the system is asked to cut; 0: none.
std::size_t cut_size(msghdr& header)
{
    const cmsghdr* const c = CMSG_FIRSTHDR(&header);
    if (!c) return 0;
    EXPECT_EQ(SOL_UDP, c->cmsg_level);
    EXPECT_EQ(UDP_SEGMENT, c->cmsg_type);
    std::uint16_t size = 0;
    std::memcpy(&size, CMSG_DATA(c), sizeof size);
    return size;
}

std::string destination(const msghdr& header)
{
    const auto to = ip::ip_address::from_sockaddr(static_cast<const sockaddr*>(header.msg_name), header.msg_namelen);
    return to ? to->text() : "none";
}

TEST(send_batch_test, gives_each_datagram_its_form_and_destination)
{
    send_batch batch(target);
    const std::string large(5000, 'x');
    const datagram some[] = {make("ab", "body"), make("", ""), make("large", large)};
    ASSERT_EQ(3u, batch.prepare(some, false));
    const auto messages = batch.from(0);
    ASSERT_EQ(3u, messages.size());
    EXPECT_EQ("\x02"
              "abbody",
              content(messages[0].msg_hdr));
    EXPECT_EQ("\0"sv, content(messages[1].msg_hdr));
    EXPECT_EQ("\x05large" + large, content(messages[2].msg_hdr));
    for (const auto& m : messages) EXPECT_EQ("127.0.0.1:5555", destination(m.msg_hdr));
    EXPECT_EQ(large.data(), messages[2].msg_hdr.msg_iov[1].iov_base) << "large bodies are not copied";
}

TEST(send_batch_test, merges_neighbours_of_one_size)
{
    send_batch batch(target);
    const datagram some[] = {make("g", "1"), make("g", "2"), make("g", "33"), make("g", "44"), make("g", "5")};
    ASSERT_EQ(5u, batch.prepare(some, true));
    const auto messages = batch.from(0);
    ASSERT_EQ(3u, messages.size());
    EXPECT_EQ("\x01g1\x01g2", content(messages[0].msg_hdr));
    EXPECT_EQ(3u, cut_size(messages[0].msg_hdr));
    EXPECT_EQ(2u, batch.datagrams_in(0));
    EXPECT_EQ("\x01g33\x01g44", content(messages[1].msg_hdr));
    EXPECT_EQ(4u, cut_size(messages[1].msg_hdr));
    EXPECT_EQ("\x01g5", content(messages[2].msg_hdr));
    EXPECT_EQ(0u, cut_size(messages[2].msg_hdr));
    EXPECT_EQ(1u, batch.datagrams_in(2));
}

TEST(send_batch_test, merges_no_more_than_a_message_may_have)
{
    send_batch batch(target);
    const std::string thousand(1000, 'x');
    for (const auto body : {std::string_view("x"), std::string_view(thousand)}) {
        const std::vector<datagram> some(send_batch::most, make("g", body));
        const std::size_t ready = batch.prepare(some, true);
        ASSERT_GT(ready, send_batch::most_segments - 1);
        std::size_t counted = 0;
        for (std::size_t i = 0; i < batch.from(0).size(); ++i) {
            EXPECT_LE(batch.datagrams_in(i), send_batch::most_segments);
            EXPECT_LE(content(batch.from(i)[0].msg_hdr).size(), 65507u);
            counted += batch.datagrams_in(i);
        }
        EXPECT_EQ(ready, counted);
    }
}

TEST(send_batch_test, never_merges_large_or_empty_datagrams)
{
    send_batch groups(target);
    const std::string large(send_batch::largest_copied, 'x');
    const datagram same[] = {make("g", large), make("g", large)};
    ASSERT_EQ(2u, groups.prepare(same, true));
    EXPECT_EQ(2u, groups.from(0).size());
    send_batch addresses(AF_INET);
    const datagram empty[] = {make("127.0.0.1:1", ""), make("127.0.0.1:1", "")};
    ASSERT_EQ(2u, addresses.prepare(empty, true));
    EXPECT_EQ(2u, addresses.from(0).size());
}

TEST(send_batch_test, merges_only_to_one_destination)
{
    send_batch batch(AF_INET);
    const datagram some[] = {make("127.0.0.1:1", "a"), make("127.0.0.1:2", "b"), make("127.0.0.1:2", "c")};
    ASSERT_EQ(3u, batch.prepare(some, true));
    ASSERT_EQ(2u, batch.from(0).size());
    EXPECT_EQ("127.0.0.1:1", destination(batch.from(0)[0].msg_hdr));
    EXPECT_EQ("127.0.0.1:2", destination(batch.from(1)[0].msg_hdr));
    EXPECT_EQ("bc", content(batch.from(1)[0].msg_hdr));
}

TEST(send_batch_test, stops_at_a_head_without_a_meaning)
{
    send_batch groups(target);
    const std::string too_long(256, 'g');
    const datagram some[] = {make("g", "1"), make(too_long, "2"), make("g", "3")};
    EXPECT_EQ(1u, groups.prepare(some, true));
    EXPECT_EQ(0u, groups.prepare(std::span(some).subspan(1), true));
    send_batch addresses(AF_INET);
    EXPECT_EQ(0u, addresses.prepare(std::vector{make("nonsense", "x")}, true));
    EXPECT_EQ(0u, addresses.prepare(std::vector{make("[::1]:1", "x")}, true)) << "of the other family";
    send_batch both(AF_INET6);
    ASSERT_EQ(1u, both.prepare(std::vector{make("127.0.0.1:1", "x")}, true));
    EXPECT_EQ("[::ffff:127.0.0.1]:1", destination(both.from(0)[0].msg_hdr));
}

/// Plays the system: fills the next slot.
class filled_slots {
public:
    explicit filled_slots(datagram_head form) : slots(form), headers_(slots.prepare()) {}

    void add(std::string_view octets, int merged = 0, int flags = 0)
    {
        mmsghdr& header = headers_[count_++];
        std::memcpy(header.msg_hdr.msg_iov->iov_base, octets.data(), octets.size());
        header.msg_len = unsigned(octets.size());
        header.msg_hdr.msg_flags = flags;
        add_control(header.msg_hdr, merged);
        if (header.msg_hdr.msg_name) add_sender(header.msg_hdr);
        slots.fill(count_);
    }

    strings take(std::size_t most = 1000)
    {
        std::vector<datagram> room(most);
        const auto taken = slots.take(room);
        malformed += taken.malformed;
        strings all;
        for (std::size_t i = 0; i < taken.count; ++i)
            all.push_back(text_of(room[i].head) + "|" + text_of(room[i].body));
        return all;
    }

    receive_slots slots;
    std::size_t malformed = 0;

private:
    static void add_control(msghdr& header, int merged)
    {
        if (!merged) {
            header.msg_controllen = 0;
            return;
        }
        cmsghdr* const c = CMSG_FIRSTHDR(&header);
        c->cmsg_level = SOL_UDP;
        c->cmsg_type = UDP_GRO;
        c->cmsg_len = CMSG_LEN(sizeof merged);
        std::memcpy(CMSG_DATA(c), &merged, sizeof merged);
    }
    static void add_sender(msghdr& header)
    {
        std::memcpy(header.msg_name, target.data(), target.size());
        header.msg_namelen = target.size();
    }

    std::span<mmsghdr, receive_slots::count> headers_;
    std::size_t count_ = 0;
};

TEST(receive_slots_test, take_datagrams_in_order)
{
    filled_slots they(datagram_head::group);
    they.add("\x01g1");
    they.add("\x01h2");
    EXPECT_TRUE(they.slots.any());
    EXPECT_EQ((strings{"g|1", "h|2"}), they.take());
    EXPECT_FALSE(they.slots.any());
    EXPECT_EQ(strings{}, they.take());
}

TEST(receive_slots_test, divide_what_the_system_has_merged)
{
    filled_slots they(datagram_head::group);
    they.add("\x01g1\x01g2\x01g3\x01g", 3);
    they.add("\x01h");
    EXPECT_EQ((strings{"g|1", "g|2"}), they.take(2));
    EXPECT_TRUE(they.slots.any());
    EXPECT_EQ((strings{"g|3", "g|", "h|"}), they.take());
    EXPECT_EQ(0u, they.malformed);
}

TEST(receive_slots_test, pass_over_malformed_datagrams)
{
    filled_slots they(datagram_head::group);
    they.add("");
    they.add("\x80zz");
    they.add("\x01g1");
    they.add("\x02g\x01g2", 2);
    they.add("\x01g3", 0, MSG_TRUNC);
    EXPECT_EQ((strings{"g|1"}), they.take(1));
    EXPECT_EQ(strings{"g|"}, they.take());
    EXPECT_EQ(5u, they.malformed);
    EXPECT_FALSE(they.slots.any());
}

TEST(receive_slots_test, tell_the_sender)
{
    filled_slots they(datagram_head::address);
    they.add("");
    they.add("abcd", 2);
    const std::string from("127.0.0.1:5555\0"sv);
    EXPECT_EQ((strings{from + "|", from + "|ab", from + "|cd"}), they.take());
    EXPECT_EQ(0u, they.malformed);
}

TEST(receive_slots_test, forget_a_cut_size_of_nonsense)
{
    filled_slots they(datagram_head::group);
    they.add("\x01g1", -5);
    they.add("\x01g2", 60000);
    EXPECT_EQ((strings{"g|1", "g|2"}), they.take());
}

}  // namespace
}  // namespace zlink::transport::udp
