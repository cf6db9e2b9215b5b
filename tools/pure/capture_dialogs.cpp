// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A new SYN between two ends that are known begins another connection.
#include "pure/capture_dialogs.hpp"

#include "pure/octet_text.hpp"

namespace zlink::tool {
namespace {

constexpr const char* not_from_the_start =
    "the capture begins within the connection: without its first octets it cannot be decoded";

// A stream whose SYN isn't there may have been captured from its first octet on all the same.
bool may_be_a_start(std::string_view octets)
{
    return octets.starts_with('\xff') || zws_dialog::begins_as_http(octets) || tls_dialog::begins_as_tls(octets);
}

}  // namespace

std::unique_ptr<capture_dialogs::connection> capture_dialogs::start(const tcp_segment& segment)
{
    auto added = std::make_unique<connection>();
    connection& one = *added;
    one.number = ++numbered_;
    one.client = segment.syn && segment.ack ? segment.to : segment.from;
    const tcp_address& server = one.client == segment.from ? segment.to : segment.from;
    one.dialog = std::make_unique<connection_dialog>(
        [this, number = one.number](int side, const std::string& sentence) { told_(now_, number, side, sentence); },
        wanted_.shown);
    for (const int side : {0, 1}) {
        one.streams[side] = std::make_unique<tcp_stream>([&one, side](std::string_view octets) {
            if (!one.opened[side]) {
                one.opened[side] = true;
                if (!one.streams[side]->begun() && !may_be_a_start(octets)) {
                    one.dialog->lose(side, not_from_the_start);
                }
            }
            one.dialog->take(side, octets);
        });
    }
    told_(now_, one.number, 0, text_of(one.client) + " connects to " + text_of(server));
    return added;
}

capture_dialogs::connection& capture_dialogs::find(const tcp_segment& segment)
{
    const auto ends =
        segment.from < segment.to ? std::pair(segment.from, segment.to) : std::pair(segment.to, segment.from);
    auto& place = open_[ends];
    const bool again = place && segment.syn && !segment.ack &&
                       (place->streams[0]->started() || place->streams[1]->started()) &&
                       (place->ended[0] || place->ended[1]);
    if (again) {
        finish(*place);
        place.reset();
    }
    if (!place) {
        place = start(segment);
    }
    return *place;
}

void capture_dialogs::take(const captured_packet& packet)
{
    ++packets_;
    now_ = packet.at_ns;
    if (!knows_link(packet.link)) {
        ++unknown_links_;
        return;
    }
    const auto segment = find_tcp(packet.link, packet.octets, packet.whole_size);
    if (!segment || (wanted_.port && segment->from.port != *wanted_.port && segment->to.port != *wanted_.port)) {
        return;
    }
    ++segments_;
    const bool empty = segment->payload.empty() && segment->missing == 0;
    if (empty && !segment->syn && !segment->fin && !segment->rst) {
        return;  // an acknowledgement
    }
    connection& one = find(*segment);
    const int side = segment->from == one.client ? 0 : 1;
    tcp_stream& stream = *one.streams[side];
    if (one.ended[side] && !segment->rst) {
        return;
    }
    stream.add(segment->sequence, segment->payload, segment->syn, segment->fin);
    if (segment->missing > 0 && !one.ended[side]) {
        one.ended[side] = true;
        one.dialog->lose(
            side, octets_text(segment->missing) +
                      " of a packet were not captured: the rest is not decoded (tcpdump -s 0 keeps whole packets)");
    }
    if (stream.overflowed() || stream.complete()) {
        finish(one, side);
    }
    if (segment->rst) {
        const bool any = !one.ended[0] || !one.ended[1];
        finish(one);
        if (any) {
            told_(now_, one.number, side, "breaks the connection off (RST)");
        }
    }
}

void capture_dialogs::finish(connection& one, int side)
{
    if (one.ended[side]) {
        return;
    }
    one.ended[side] = true;
    const tcp_stream& stream = *one.streams[side];
    if (stream.has_gap()) {
        one.dialog->lose(side, "octets are missing in the capture: the rest is not decoded");
    } else {
        one.dialog->end(side);
    }
    if (stream.complete()) {
        told_(now_, one.number, side, "ends the connection");
    }
}

void capture_dialogs::finish(connection& one)
{
    finish(one, 0);
    finish(one, 1);
}

void capture_dialogs::end()
{
    for (const auto& [ends, one] : open_) {
        finish(*one);
    }
    open_.clear();
}

}  // namespace zlink::tool
