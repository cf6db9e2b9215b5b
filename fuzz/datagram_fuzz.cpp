// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Datagrams of any content: what the system hands over is divided into sound messages and malformed ones, and none is
// lost. What is sent is what was given. Addresses in text are read back as they were written.
#include "fuzz_input.hpp"
#include "transport/udp/address_text.hpp"
#include "transport/udp/group_form.hpp"
#include "transport/udp/receive_slots.hpp"
#include "transport/udp/send_batch.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <netinet/udp.h>

using namespace zlink;
using namespace zlink::transport;
using namespace zlink::transport::udp;

namespace {

const auto somebody = *ip::ip_address::from_literal("127.0.0.1", 5555);

std::string text_of(std::span<const std::byte> octets)
{
    return {reinterpret_cast<const char*>(octets.data()), octets.size()};
}

void check_group_form(std::span<const std::byte> octets)
{
    const auto found = decode_group_form(octets);
    if (!found) return;
    fuzz::require(found->head.size() + found->body.size() + 1 == octets.size());
    std::array<std::byte, 1 + longest_group> front;
    const std::size_t size = encode_group_form(found->head, front.data());
    fuzz::require(text_of(std::span(front).first(size)) + text_of(found->body) == text_of(octets));
}

void check_address(std::span<const std::byte> octets)
{
    const auto address = read_address(octets);
    if (!address) return;
    char text[longest_address_text];
    const std::size_t size = write_address(address->data(), address->size(), text);
    fuzz::require(size != 0 && size <= longest_address_text && text[size - 1] == '\0');
    const auto again = read_address(std::as_bytes(std::span(text, size)));
    fuzz::require(again && *again == address->to_unmapped());
}

// Plays the system: fills a slot for each part of the input, some of them merged.
std::size_t fill(receive_slots& slots, fuzz::input& in)
{
    const auto headers = slots.prepare();
    std::size_t datagrams = 0;
    std::size_t filled = 0;
    while (!in.rest().empty() && filled < headers.size()) {
        const int merged = in.choice();
        const auto octets = in.take(in.choice());
        mmsghdr& header = headers[filled++];
        std::copy(octets.begin(), octets.end(), static_cast<std::byte*>(header.msg_hdr.msg_iov->iov_base));
        header.msg_len = unsigned(octets.size());
        if (header.msg_hdr.msg_name) {
            std::memcpy(header.msg_hdr.msg_name, somebody.data(), somebody.size());
            header.msg_hdr.msg_namelen = somebody.size();
        }
        cmsghdr* const c = CMSG_FIRSTHDR(&header.msg_hdr);
        c->cmsg_level = SOL_UDP;
        c->cmsg_type = UDP_GRO;
        c->cmsg_len = CMSG_LEN(sizeof merged);
        std::memcpy(CMSG_DATA(c), &merged, sizeof merged);
        datagrams += merged == 0 || octets.empty() ? 1 : (octets.size() + merged - 1) / std::size_t(merged);
    }
    slots.fill(filled);
    return datagrams;
}

std::vector<std::pair<std::string, std::string>> take_all(receive_slots& slots, std::size_t at_once, std::size_t& bad)
{
    std::vector<std::pair<std::string, std::string>> all;
    std::vector<datagram> room(at_once);
    while (slots.any()) {
        const auto taken = slots.take(room);
        bad += taken.malformed;
        fuzz::require(taken.count <= room.size());
        for (std::size_t i = 0; i < taken.count; ++i) all.emplace_back(text_of(room[i].head), text_of(room[i].body));
    }
    return all;
}

// Sends what came: the octets are those of each message, in order.
void check_sending(const std::vector<std::pair<std::string, std::string>>& all, bool merges)
{
    static send_batch batch(somebody);
    std::vector<datagram> some;
    for (const auto& [head, body] : all)
        some.push_back({std::as_bytes(std::span(head)), std::as_bytes(std::span(body))});
    std::size_t done = 0;
    while (done < some.size()) {
        const std::size_t ready = batch.prepare(std::span(some).subspan(done), merges);
        fuzz::require(ready != 0);
        std::string expected;
        for (std::size_t i = done; i < done + ready; ++i)
            expected += char(all[i].first.size()) + all[i].first + all[i].second;
        std::string sent;
        std::size_t counted = 0;
        for (std::size_t m = 0; m < batch.from(0).size(); ++m) {
            const msghdr& header = batch.from(m)[0].msg_hdr;
            for (std::size_t i = 0; i < std::size_t(header.msg_iovlen); ++i)
                sent.append(static_cast<const char*>(header.msg_iov[i].iov_base), header.msg_iov[i].iov_len);
            counted += batch.datagrams_in(m);
        }
        fuzz::require(sent == expected && counted == ready);
        done += ready;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::input in(data, size);
    check_group_form(in.rest());
    check_address(in.rest());
    const std::uint8_t how = in.choice();
    static receive_slots groups(datagram_head::group);
    static receive_slots addresses(datagram_head::address);
    const bool by_group = (how & 1) != 0;
    receive_slots& slots = by_group ? groups : addresses;
    const std::size_t datagrams = fill(slots, in);
    std::size_t malformed = 0;
    const auto all = take_all(slots, 1 + how / 4, malformed);
    fuzz::require(all.size() + malformed == datagrams);
    fuzz::require(by_group || malformed == 0);
    if (by_group) check_sending(all, (how & 2) != 0);
    return 0;
}
