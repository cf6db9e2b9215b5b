// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/udp/receive_slots.hpp"

#include "transport/control_messages.hpp"
#include "transport/udp/group_form.hpp"

#include <algorithm>
#include <cstring>

#include <netinet/udp.h>

namespace zlink::transport::udp {

namespace {

// The size of the datagrams that the system has merged; 0: it has not.
std::size_t merged_size(msghdr& header) noexcept
{
    for (cmsghdr* c = CMSG_FIRSTHDR(&header); c; c = next_control_message(header, c)) {
        if (c->cmsg_level != SOL_UDP || c->cmsg_type != UDP_GRO) continue;
        int size = 0;
        std::memcpy(&size, CMSG_DATA(c), sizeof size);
        return size > 0 ? std::size_t(size) : 0;
    }
    return 0;
}

}  // namespace

receive_slots::receive_slots(datagram_head form)
    : form_(form),
      octets_(std::make_unique_for_overwrite<std::byte[]>(count * from_slot_to_slot))
{
    for (std::size_t i = 0; i < count; ++i) {
        pieces_[i] = {octets_.get() + i * from_slot_to_slot, slot_size};
        msghdr& header = headers_[i].msg_hdr;
        header.msg_iov = &pieces_[i];
        header.msg_iovlen = 1;
    }
}

std::span<mmsghdr, receive_slots::count> receive_slots::prepare() noexcept
{
    for (std::size_t i = 0; i < count; ++i) {
        msghdr& header = headers_[i].msg_hdr;
        header.msg_control = beside_[i].control;
        header.msg_controllen = sizeof beside_[i].control;
        if (form_ == datagram_head::group) continue;
        header.msg_name = &beside_[i].from;
        header.msg_namelen = sizeof beside_[i].from;
    }
    filled_ = slot_ = 0;
    entered_ = false;
    return headers_;
}

receive_slots::taken receive_slots::take(std::span<datagram> to) noexcept
{
    taken result;
    while (result.count < to.size() && any()) {
        if (!entered_) enter_slot();
        const bool sound = decode(next_octets(), to[result.count]);
        ++(sound ? result.count : result.malformed);
        if (offset_ < headers_[slot_].msg_len) continue;
        ++slot_;
        entered_ = false;
    }
    return result;
}

void receive_slots::enter_slot() noexcept
{
    mmsghdr& header = headers_[slot_];
    const std::size_t merged = merged_size(header.msg_hdr);
    entered_ = true;
    offset_ = 0;
    segment_ = merged ? merged : header.msg_len;
    if (form_ == datagram_head::group) return;
    beside& its = beside_[slot_];
    text_size_ = write_address(reinterpret_cast<const sockaddr*>(&its.from), header.msg_hdr.msg_namelen, its.text);
}

std::span<const std::byte> receive_slots::next_octets() noexcept
{
    const std::size_t size = headers_[slot_].msg_len;
    const std::size_t length = std::min(segment_, size - offset_);
    const std::byte* const at = static_cast<const std::byte*>(pieces_[slot_].iov_base) + offset_;
    offset_ += length;
    return {at, length};
}

bool receive_slots::decode(std::span<const std::byte> octets, datagram& to) const noexcept
{
    if (headers_[slot_].msg_hdr.msg_flags & MSG_TRUNC) return false;
    if (form_ == datagram_head::group) {
        const auto found = decode_group_form(octets);
        if (found) to = *found;
        return found.has_value();
    }
    to = {std::as_bytes(std::span(beside_[slot_].text)).first(text_size_), octets};
    return text_size_ != 0;
}

}  // namespace zlink::transport::udp
