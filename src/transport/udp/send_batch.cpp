// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/udp/send_batch.hpp"

#include "transport/udp/address_text.hpp"
#include "transport/udp/group_form.hpp"

#include <cstring>

namespace zlink::transport::udp {

namespace {

using ip::ip_address;

// A whole batch of small datagrams, or half of one of the largest that are copied. What does not fit is the next batch.
constexpr std::size_t room_for_copies = 64 * 1024;

// What IP carries in one packet, with room for the headers of either version: a merged message obeys it as well.
constexpr std::size_t largest_message = 65'000;

}  // namespace

send_batch::send_batch(const ip_address& target)
    : family_(target.family()),
      target_(target),
      copies_(std::make_unique_for_overwrite<std::byte[]>(room_for_copies))
{}

send_batch::send_batch(int family)
    : family_(family),
      copies_(std::make_unique_for_overwrite<std::byte[]>(room_for_copies))
{}

std::size_t send_batch::prepare(std::span<const datagram> some, bool merges) noexcept
{
    copied_ = count_ = 0;
    std::size_t done = 0;
    while (done < some.size() && done < most && add(some[done], merges)) ++done;
    return done;
}

std::optional<ip_address> send_batch::destination(const datagram& d) const noexcept
{
    if (target_) return d.head.size() <= longest_group ? target_ : std::nullopt;
    auto to = read_address(d.head);
    if (to) to = family_ == AF_INET6 ? to->to_mapped() : to->to_unmapped();
    return to && to->family() == family_ ? to : std::nullopt;
}

// False: its head has no meaning here, or the memory for copies is full, which it is not for the first one.
bool send_batch::add(const datagram& d, bool merges) noexcept
{
    const auto to = destination(d);
    if (!to) return false;
    const std::size_t head = target_ ? 1 + d.head.size() : 0;
    const bool small = head + d.body.size() <= largest_copied;
    const std::size_t size = small ? head + d.body.size() : head;
    if (size > room_for_copies - copied_) return false;
    std::byte* const at = copies_.get() + copied_;
    if (target_) encode_group_form(d.head, at);
    if (small && !d.body.empty()) std::memcpy(at + head, d.body.data(), d.body.size());
    copied_ += size;
    if (small && merges && extend_last(*to, size)) return true;
    begin_message(*to, {at, size}, small ? std::span<const std::byte>{} : d.body);
    return true;
}

// The copies of the last message end where this one begins.
bool send_batch::extend_last(const ip_address& to, std::size_t size) noexcept
{
    if (count_ == 0) return false;
    prepared& last = messages_[count_ - 1];
    const bool fits = last.datagrams < most_segments && last.pieces[0].iov_len + size <= largest_message;
    if (size == 0 || last.size != size || !fits || !(last.to == to)) return false;
    last.pieces[0].iov_len += size;
    if (++last.datagrams == 2) cut(headers_[count_ - 1].msg_hdr, last);
    return true;
}

void send_batch::begin_message(const ip_address& to, iovec front, std::span<const std::byte> rest) noexcept
{
    prepared& next = messages_[count_];
    next.to = to;
    next.pieces[0] = front;
    next.pieces[1] = {const_cast<std::byte*>(rest.data()), rest.size()};
    next.datagrams = 1;
    next.size = rest.empty() ? front.iov_len : 0;
    msghdr& header = headers_[count_++].msg_hdr;
    header = {};
    header.msg_name = const_cast<sockaddr*>(next.to.data());
    header.msg_namelen = next.to.size();
    header.msg_iov = next.pieces;
    header.msg_iovlen = rest.empty() ? 1 : 2;
}

// The system makes datagrams of one size of the message.
void send_batch::cut(msghdr& of, prepared& what) noexcept
{
    of.msg_control = what.control;
    of.msg_controllen = sizeof what.control;
    cmsghdr* const c = CMSG_FIRSTHDR(&of);
    c->cmsg_level = SOL_UDP;
    c->cmsg_type = UDP_SEGMENT;
    c->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
    const auto size = std::uint16_t(what.size);
    std::memcpy(CMSG_DATA(c), &size, sizeof size);
}

}  // namespace zlink::transport::udp
