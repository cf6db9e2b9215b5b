// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "wire/frame_encoder.hpp"

#include "message/frame_header.hpp"
#include "message/group_key.hpp"
#include "zmtp/command.hpp"
#include "zmtp/membership.hpp"
#include "zmtp/subscription.hpp"
#include "zmtp/v1_framing.hpp"

namespace zlink::wire {

namespace {

void append(std::vector<std::byte>& to, std::span<const std::byte> octets)
{
    to.insert(to.end(), octets.begin(), octets.end());
}

class raw_encoder final : public frame_encoder {
public:
    void encode(const frame& what, std::vector<std::byte>& to) override { append(to, what.body); }
};

class zmtp1_encoder final : public frame_encoder {
public:
    void encode(const frame& what, std::vector<std::byte>& to) override
    {
        std::byte header[zmtp::v1_max_header_size];
        append(to, {header, zmtp::encode_v1_header(header, what.more, what.body.size())});
        append(to, what.body);
    }
};

void append_plain(std::vector<std::byte>& to, const frame& what)
{
    std::byte header[message::long_header_size];
    append(to, {header, message::encode_header(header, what.more ? message::flag_more : 0, what.body.size())});
    append(to, what.body);
}

class subscription_encoder final : public frame_encoder {
public:
    void encode(const frame& what, std::vector<std::byte>& to) override
    {
        if (what.first && !what.more) {
            if (const auto s = zmtp::subscription_from_message(what.body)) {
                std::byte prefix[zmtp::max_subscription_prefix];
                append(to, {prefix, zmtp::encode_subscription_prefix(prefix, s->subscribe, s->topic.size(),
                                                                     zmtp::protocol_version::zmtp_3_1)});
                return append(to, s->topic);
            }
        }
        append_plain(to, what);
    }
};

class group_encoder final : public frame_encoder {
public:
    void encode(const frame& what, std::vector<std::byte>& to) override
    {
        if (const auto body = membership_command(what)) return zmtp::append_command_frame(to, *body);
        append_plain(to, what);
    }
};

}  // namespace

std::unique_ptr<frame_encoder> make_raw_encoder()
{
    return std::make_unique<raw_encoder>();
}

std::unique_ptr<frame_encoder> make_zmtp1_encoder()
{
    return std::make_unique<zmtp1_encoder>();
}

std::unique_ptr<frame_encoder> make_subscription_encoder()
{
    return std::make_unique<subscription_encoder>();
}

std::unique_ptr<frame_encoder> make_group_encoder()
{
    return std::make_unique<group_encoder>();
}

std::optional<std::vector<std::byte>> membership_command(const frame& what)
{
    if (!what.first || what.more) return std::nullopt;
    const auto s = zmtp::subscription_from_message(what.body);
    const auto group = s ? message::group_of_key(s->topic) : std::nullopt;
    if (!group) return std::nullopt;
    std::vector<std::byte> body(zmtp::max_membership_prefix);
    body.resize(zmtp::encode_membership_prefix(body.data(), s->subscribe));
    append(body, *group);
    return body;
}

}  // namespace zlink::wire
