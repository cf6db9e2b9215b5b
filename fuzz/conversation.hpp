// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Handshakes between two of our own, piece by piece, so that any piece can be spoilt. Used by fuzz targets and tests.
#pragma once

#ifdef ZLINK_CURVE
#include "curve_peer.hpp"
#endif
#include "message/frame_header.hpp"
#include "zmtp/handshake.hpp"
#include "zmtp/mechanism/table.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zlink::fuzz {

/// Two sides that come to terms with each other. At least one for each row of the table of mechanisms.
struct pairing {
    std::string name;
    zmtp::mechanism_kind mechanism;
    zmtp::local_peer connecting, bound;
    bool sealed;  ///< an altered octet in a command is noticed in any case
};

inline zmtp::local_peer side(zmtp::socket_type type, zmtp::security_settings security)
{
    zmtp::local_peer peer;
    peer.type = type;
    peer.routing_id = {std::byte{'i'}, std::byte{'d'}};
    peer.app_properties = {{"X-Test", "value"}};
    peer.security = std::make_shared<const zmtp::security_settings>(std::move(security));
    return peer;
}

inline std::vector<pairing> pairings()
{
    using zmtp::socket_type;
    std::vector<pairing> all;
    zmtp::security_settings plain_talk;
    all.push_back({"null", zmtp::mechanism_kind::null, side(socket_type::dealer, plain_talk),
                   side(socket_type::router, plain_talk), false});
    zmtp::security_settings domain;
    domain.zap_domain = "test";
    all.push_back({"null_with_zap", zmtp::mechanism_kind::null, side(socket_type::push, plain_talk),
                   side(socket_type::pull, domain), false});
    zmtp::security_settings plain_client, plain_server;
    plain_client.mechanism = plain_server.mechanism = zmtp::mechanism_kind::plain;
    plain_client.plain_username = "joe";
    plain_client.plain_password = "secret";
    plain_server.as_server = true;
    all.push_back({"plain", zmtp::mechanism_kind::plain, side(socket_type::push, plain_client),
                   side(socket_type::pull, plain_server), false});
#ifdef ZLINK_CURVE
    all.push_back({"curve", zmtp::mechanism_kind::curve, side(socket_type::dealer, curve_client_settings()),
                   side(socket_type::router, curve_server_settings()), true});
    zmtp::security_settings unchecked = curve_server_settings();
    unchecked.zap_enforce_domain = true;
    all.push_back({"curve_without_zap", zmtp::mechanism_kind::curve, side(socket_type::sub, curve_client_settings()),
                   side(socket_type::pub, unchecked), true});
#endif
    return all;
}

class conversation {
public:
    /// May change a piece before it is received. Returns false to end the connection behind it.
    using spoiler = std::function<bool(std::size_t number, std::vector<std::byte>& piece)>;

    explicit conversation(const pairing& p) : sides_{handshake{p.connecting}, handshake{p.bound}} {}

    /// Lets them talk until nobody has anything to say. A ZAP handler admits everybody.
    void run(const spoiler& spoil = {})
    {
        for (bool moved = true; moved;) {
            moved = pass(0, spoil);
            if (!cut_) moved = pass(1, spoil) || moved;
            if (cut_) return;
        }
    }

    /// The side that received the piece of that number.
    [[nodiscard]] zmtp::handshake& receiver(std::size_t number) { return sides_[1 - senders_.at(number)]; }
    [[nodiscard]] zmtp::handshake& connecting() { return sides_[0]; }
    [[nodiscard]] zmtp::handshake& bound() { return sides_[1]; }
    /// As they were said, before anybody spoilt them.
    [[nodiscard]] const std::vector<std::vector<std::byte>>& pieces() const { return pieces_; }
    /// Commands come after the greeting, one at a time.
    [[nodiscard]] bool is_command(std::size_t number) const { return header_size(pieces_.at(number)) > 0; }
    /// Of a command frame, 0 for parts of the greeting.
    [[nodiscard]] static std::size_t header_size(std::span<const std::byte> piece)
    {
        if (piece[0] == std::byte{message::flag_command}) return message::short_header_size;
        return piece[0] == std::byte{message::flag_command | message::flag_long} ? message::long_header_size : 0;
    }

private:
    using handshake = zmtp::handshake;

    bool pass(std::size_t from, const spoiler& spoil)
    {
        handshake& sender = sides_[from];
        answer(sender);
        if (sender.output().empty()) return false;
        std::vector<std::byte> piece(sender.output().begin(), sender.output().end());
        sender.consume_output(piece.size());
        pieces_.push_back(piece);
        senders_.push_back(from);
        if (spoil) cut_ = !spoil(pieces_.size() - 1, piece);
        (void)sides_[1 - from].advance(piece);
        return true;
    }

    static void answer(handshake& asking)
    {
        if (!asking.question()) return;
        const std::array<std::string_view, 7> text{"", "1.0", "1", "200", "OK", "joe", ""};
        std::array<zmtp::zap_frame, 7> frames;
        for (std::size_t i = 0; i < text.size(); ++i) frames[i] = std::as_bytes(std::span(text[i]));
        (void)asking.resume(zmtp::zap_reply{frames, "1"});
    }

    std::array<handshake, 2> sides_;
    std::vector<std::vector<std::byte>> pieces_;
    std::vector<std::size_t> senders_;
    bool cut_ = false;
};

}  // namespace zlink::fuzz
