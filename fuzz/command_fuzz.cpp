// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Command bodies: views stay inside the body, and what parses can be written again with the same octets.
#include "message/group_key.hpp"
#include "wire/frame_encoder.hpp"
#include "zmtp/command.hpp"
#include "zmtp/heartbeat.hpp"
#include "zmtp/membership.hpp"
#include "zmtp/metadata.hpp"
#include "zmtp/subscription.hpp"

#include "fuzz_input.hpp"

#include <vector>

using namespace zlink;
using octets = std::vector<std::byte>;

namespace {

bool inside(std::span<const std::byte> part, std::span<const std::byte> whole)
{
    return part.empty() || (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void check_metadata(std::span<const std::byte> data)
{
    const auto properties = zmtp::parse_metadata(data);
    if (!properties) return;
    octets again;
    for (const zmtp::property& p : *properties) {
        fuzz::require(bool(zmtp::append_property(again, p.first, std::string_view(p.second))));
    }
    fuzz::require(std::ranges::equal(again, data));
    (void)zmtp::find_property(*properties, zmtp::identity_property);
}

void check_ping(std::span<const std::byte> data)
{
    const auto ping = zmtp::parse_ping(data);
    if (!ping) return;
    fuzz::require(inside(ping->context, data) && ping->context.size() <= zmtp::max_ping_context);
    const zmtp::heartbeat::time_point now{std::chrono::hours(1)};
    zmtp::heartbeat beat({}, now);
    const zmtp::pong_frame pong = beat.on_ping(ping->ttl, ping->context, now);
    const auto answer = zmtp::parse_command(pong.bytes().subspan(2));
    fuzz::require(answer && answer->kind == zmtp::command_kind::pong);
    fuzz::require(std::ranges::equal(answer->data, ping->context));
    fuzz::require(beat.next_deadline().has_value() == (ping->ttl > 0));
}

void check_subscription(const zmtp::subscription& s, std::span<const std::byte> body)
{
    fuzz::require(inside(s.topic, body));
    octets frame;
    zmtp::append_subscription(frame, s, zmtp::protocol_version::zmtp_3_1);
    const std::size_t header = frame[0] == std::byte{4} ? 2 : 9;
    const auto parsed = zmtp::parse_command(std::span(frame).subspan(header));
    fuzz::require(bool(parsed));
    const auto again = zmtp::subscription_from_command(*parsed);
    fuzz::require(again && again->subscribe == s.subscribe && std::ranges::equal(again->topic, s.topic));
}

void check_membership(const zmtp::membership& m, std::span<const std::byte> body)
{
    fuzz::require(inside(m.group, body) && m.group.size() <= message::max_group_size);
    const message::group_key key(m.group);
    octets subscription{std::byte(m.join ? 1 : 0)};
    subscription.insert(subscription.end(), key.octets().begin(), key.octets().end());
    const auto again = wire::membership_command({subscription});
    fuzz::require(again && std::ranges::equal(*again, body));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto body = std::as_bytes(std::span(data, size));
    if (const auto s = zmtp::subscription_from_message(body)) check_subscription(*s, body);

    if (const auto sent = wire::membership_command({body})) {
        const auto command = zmtp::parse_command(*sent);
        fuzz::require(command && zmtp::membership_from_command(*command));
    }

    const auto command = zmtp::parse_command(body);
    if (!command) return 0;
    fuzz::require(inside(command->data, body) && !command->name.empty());
    fuzz::require(1 + command->name.size() + command->data.size() == body.size());

    if (const auto s = zmtp::subscription_from_command(*command)) check_subscription(*s, body);
    if (const auto m = zmtp::membership_from_command(*command)) check_membership(*m, body);
    if (const auto reason = zmtp::parse_error_reason(command->data)) {
        octets again;
        zmtp::append_error(again, *reason);
        const auto parsed = zmtp::parse_command(again);
        fuzz::require(parsed && parsed->kind == zmtp::command_kind::error);
        fuzz::require(*zmtp::parse_error_reason(parsed->data) == *reason);
    }
    check_ping(command->data);
    check_metadata(command->data);
    return 0;
}
