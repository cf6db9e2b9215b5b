// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "wire/frame_encoder.hpp"

#include "message/frame_header.hpp"
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
        std::byte header[message::long_header_size];
        append(to, {header, message::encode_header(header, what.more ? message::flag_more : 0, what.body.size())});
        append(to, what.body);
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

}  // namespace zlink::wire
