// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// CURVE as RFC 26 tells it, written once more on nothing but crypto_box. Peers whose commands can be wrong in any place
// while their boxes are right. Used by fuzz targets and tests.
#pragma once

#include "crypto/keys.hpp"
#include "zmtp/security.hpp"

#include <sodium.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::fuzz {

using curve_octets = std::vector<std::byte>;
using curve_key = std::array<std::byte, 32>;

/// Octets that can be foretold: 1, 2, 3, ...
class counting_random final : public crypto::random_source {
public:
    explicit counting_random(std::uint8_t first) : next_(first) {}

    void fill(std::span<std::byte> octets) noexcept override
    {
        for (std::byte& b : octets) b = std::byte(next_++);
    }

private:
    std::uint8_t next_;
};

inline const unsigned char* raw(const std::byte* at)
{
    return reinterpret_cast<const unsigned char*>(at);
}

inline unsigned char* raw(std::byte* at)
{
    return reinterpret_cast<unsigned char*>(at);
}

struct curve_pair {
    curve_key open{}, secret{};

    /// Its secret key is this octet 32 times.
    explicit curve_pair(std::uint8_t octet)
    {
        secret.fill(std::byte(octet));
        (void)crypto_scalarmult_base(raw(open.data()), raw(secret.data()));
    }
};

/// The permanent keys of all peers here.
inline const curve_pair& client_keys()
{
    static const curve_pair pair(0x11);
    return pair;
}

inline const curve_pair& server_keys()
{
    static const curve_pair pair(0x22);
    return pair;
}

inline zmtp::security_settings curve_client_settings()
{
    zmtp::security_settings settings;
    settings.mechanism = zmtp::mechanism_kind::curve;
    settings.curve.own = std::make_shared<const crypto::key_pair>(crypto::key_pair_of(client_keys().secret));
    settings.curve.public_key = client_keys().open;
    settings.curve.server_key = server_keys().open;
    return settings;
}

inline zmtp::security_settings curve_server_settings()
{
    zmtp::security_settings settings;
    settings.mechanism = zmtp::mechanism_kind::curve;
    settings.as_server = true;
    settings.curve.own = std::make_shared<const crypto::key_pair>(crypto::key_pair_of(server_keys().secret));
    return settings;
}

inline curve_octets octets_of(std::string_view text)
{
    const auto octets = std::as_bytes(std::span(text));
    return {octets.begin(), octets.end()};
}

inline curve_octets octets_of(std::uint64_t number)
{
    curve_octets out;
    for (int shift = 56; shift >= 0; shift -= 8) out.push_back(std::byte(number >> shift & 0xff));
    return out;
}

inline curve_octets joined(std::initializer_list<std::span<const std::byte>> parts)
{
    curve_octets out;
    for (const auto part : parts) out.insert(out.end(), part.begin(), part.end());
    return out;
}

inline std::uint64_t number_of(std::span<const std::byte> octets)
{
    std::uint64_t number = 0;
    for (const std::byte b : octets.first(8)) number = number << 8 | std::uint64_t(b);
    return number;
}

inline curve_key key_of(std::span<const std::byte> octets)
{
    curve_key key;
    std::memcpy(key.data(), octets.data(), key.size());
    return key;
}

/// Box [text](secret -> open), with a nonce of 24 octets. Empty if there is no such box.
inline curve_octets box(std::span<const std::byte> text, const curve_octets& nonce, const curve_key& open,
                        const curve_key& secret)
{
    curve_octets out(text.size() + crypto_box_MACBYTES);
    const int status = crypto_box_easy(raw(out.data()), raw(text.data()), text.size(), raw(nonce.data()),
                                       raw(open.data()), raw(secret.data()));
    if (status != 0) out.clear();
    return out;
}

inline std::optional<curve_octets> unbox(std::span<const std::byte> boxed, const curve_octets& nonce,
                                         const curve_key& open, const curve_key& secret)
{
    if (boxed.size() < crypto_box_MACBYTES) return {};
    curve_octets out(boxed.size() - crypto_box_MACBYTES);
    if (crypto_box_open_easy(raw(out.data()), raw(boxed.data()), boxed.size(), raw(nonce.data()), raw(open.data()),
                             raw(secret.data())) != 0) {
        return {};
    }
    return out;
}

inline bool is_named(std::span<const std::byte> body, std::string_view name)
{
    return body.size() > name.size() && std::size_t(body[0]) == name.size() &&
           std::memcmp(body.data() + 1, name.data(), name.size()) == 0;
}

/// What both roles say once they have each other's transient keys.
class curve_speaker {
public:
    curve_octets message(std::uint64_t number, std::uint8_t flags, std::span<const std::byte> body) const
    {
        const std::byte first{flags};
        const curve_octets digits = octets_of(number);
        const curve_octets nonce = joined({octets_of(message_prefix_), digits});
        const curve_octets boxed = box(joined({{&first, 1}, body}), nonce, theirs, transient.secret);
        return joined({octets_of("\x07MESSAGE"), digits, boxed});
    }

    /// Flags and body.
    std::optional<curve_octets> open_message(std::span<const std::byte> body) const
    {
        if (!is_named(body, "MESSAGE") || body.size() < 16) return {};
        const curve_octets nonce = joined({octets_of(peer_message_prefix_), body.subspan(8, 8)});
        return unbox(body.subspan(16), nonce, theirs, transient.secret);
    }

    curve_pair transient;
    curve_key theirs{};  ///< the peer's transient key

protected:
    curve_speaker(std::uint8_t secret, std::string_view own, std::string_view peer)
        : transient(secret),
          message_prefix_(own),
          peer_message_prefix_(peer)
    {}

private:
    std::string_view message_prefix_, peer_message_prefix_;
};

class curve_client_peer : public curve_speaker {
public:
    curve_client_peer() : curve_speaker(0x33, "CurveZMQMESSAGEC", "CurveZMQMESSAGES") {}

    struct hello_fields {
        curve_octets version{std::byte{1}, std::byte{0}};
        curve_octets padding = curve_octets(72);
        std::uint64_t number = 1;
        curve_octets text = curve_octets(64);
        curve_key server = server_keys().open;
    };
    curve_octets hello(const hello_fields& fields) const
    {
        const curve_octets digits = octets_of(fields.number);
        const curve_octets nonce = joined({octets_of("CurveZMQHELLO---"), digits});
        return joined({octets_of("\x05HELLO"), fields.version, fields.padding, transient.open, digits,
                       box(fields.text, nonce, fields.server, transient.secret)});
    }
    curve_octets hello() const { return hello(hello_fields{}); }

    bool take_welcome(std::span<const std::byte> body)
    {
        if (!is_named(body, "WELCOME") || body.size() != 168) return false;
        const curve_octets nonce = joined({octets_of("WELCOME-"), body.subspan(8, 16)});
        const auto text = unbox(body.subspan(24), nonce, server_keys().open, transient.secret);
        if (!text) return false;
        theirs = key_of(*text);
        cookie.assign(text->begin() + 32, text->end());
        return true;
    }

    struct initiate_fields {
        std::uint64_t number = 2;
        curve_octets metadata;
        curve_pair permanent = client_keys();
        curve_key vouched_client;  ///< C'
        curve_key vouched_server = server_keys().open;
        curve_octets vouch_nonce = curve_octets(16);
    };
    [[nodiscard]] initiate_fields good_initiate() const
    {
        return {2, {}, client_keys(), transient.open, server_keys().open, curve_octets(16)};
    }
    curve_octets initiate(const initiate_fields& fields) const
    {
        const curve_octets vouch =
            box(joined({fields.vouched_client, fields.vouched_server}),
                joined({octets_of("VOUCH---"), fields.vouch_nonce}), theirs, fields.permanent.secret);
        return initiate(fields.number, joined({fields.permanent.open, fields.vouch_nonce, vouch, fields.metadata}));
    }
    /// With any plain text.
    curve_octets initiate(std::uint64_t number, std::span<const std::byte> text) const
    {
        const curve_octets digits = octets_of(number);
        const curve_octets nonce = joined({octets_of("CurveZMQINITIATE"), digits});
        return joined({octets_of("\x08INITIATE"), cookie, digits, box(text, nonce, theirs, transient.secret)});
    }

    /// The metadata.
    std::optional<curve_octets> open_ready(std::span<const std::byte> body) const
    {
        if (!is_named(body, "READY") || body.size() < 14) return {};
        const curve_octets nonce = joined({octets_of("CurveZMQREADY---"), body.subspan(6, 8)});
        return unbox(body.subspan(14), nonce, theirs, transient.secret);
    }

    curve_octets cookie;
};

class curve_server_peer : public curve_speaker {
public:
    curve_server_peer() : curve_speaker(0x44, "CurveZMQMESSAGES", "CurveZMQMESSAGEC") {}

    bool take_hello(std::span<const std::byte> body)
    {
        if (!is_named(body, "HELLO") || body.size() != 200) return false;
        theirs = key_of(body.subspan(80));
        const curve_octets nonce = joined({octets_of("CurveZMQHELLO---"), body.subspan(112, 8)});
        return unbox(body.subspan(120), nonce, theirs, server_keys().secret) == curve_octets(64);
    }

    /// With any plain text.
    curve_octets welcome(std::span<const std::byte> text) const
    {
        const curve_octets random(16, std::byte{0x5a});
        const curve_octets nonce = joined({octets_of("WELCOME-"), random});
        return joined({octets_of("\x07WELCOME"), random, box(text, nonce, theirs, server_keys().secret)});
    }
    curve_octets welcome() const { return welcome(joined({transient.open, cookie})); }

    struct initiate {
        curve_key client;
        std::optional<curve_octets> vouch;
        curve_octets metadata;
    };
    std::optional<initiate> open_initiate(std::span<const std::byte> body) const
    {
        if (!is_named(body, "INITIATE") || body.size() < 257) return {};
        if (joined({body.subspan(9, 96)}) != cookie) return {};
        const curve_octets nonce = joined({octets_of("CurveZMQINITIATE"), body.subspan(105, 8)});
        const auto text = unbox(body.subspan(113), nonce, theirs, transient.secret);
        if (!text || text->size() < 128) return {};
        const std::span<const std::byte> rest(*text);
        initiate found{key_of(rest), {}, joined({rest.subspan(128)})};
        found.vouch = unbox(rest.subspan(48, 80), joined({octets_of("VOUCH---"), rest.subspan(32, 16)}), found.client,
                            transient.secret);
        return found;
    }

    curve_octets ready(std::uint64_t number, std::span<const std::byte> metadata) const
    {
        const curve_octets digits = octets_of(number);
        const curve_octets nonce = joined({octets_of("CurveZMQREADY---"), digits});
        return joined({octets_of("\x05READY"), digits, box(metadata, nonce, theirs, transient.secret)});
    }

    curve_octets cookie = curve_octets(96, std::byte{0xc0});
};

}  // namespace zlink::fuzz
