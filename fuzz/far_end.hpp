// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The peer of a whole socket: it shakes hands or does not, says what the input has, and reads what the socket says. All
// of that has to be frames of the protocol.
#pragma once

#include "fuzz_input.hpp"
#include "message/frame_header.hpp"
#include "transport/stream.hpp"
#include "wire/zws_handshake.hpp"
#include "zmtp/command.hpp"
#include "zmtp/handshake.hpp"
#include "zws/frame.hpp"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zlink::fuzz {

using message_parts = std::vector<std::string>;

inline std::span<const std::byte> octets_in(std::string_view text)
{
    return std::as_bytes(std::span(text));
}

class far_end {
public:
    /// `step`: the socket's I/O goes on.
    far_end(std::unique_ptr<transport::stream> stream, std::function<void()> step)
        : stream_(std::move(stream)),
          step_(std::move(step))
    {}

    /// What a good peer of that kind says first. From then on, frames are sealed if the mechanism seals.
    void shake_hands(const zmtp::local_peer& who)
    {
        if (!agree()) return;
        const transport::negotiation* const terms = stream_->negotiates();
        using beginning = zmtp::handshake::beginning;
        zmtp::handshake plain(who, terms ? beginning::elsewhere : beginning::greeting);
        if (terms) plain.begin(terms->mechanism);
        std::optional<wire::zws_handshake> framed;
        if (terms) framed.emplace(plain, terms->client);
        if (terms) speaks_ = terms->client ? form::zws_masked : form::zws;
        auto now = zmtp::handshake::state::in_progress;
        for (int i = 0; i < patience && now != zmtp::handshake::state::failed; ++i) {
            const auto out = framed ? framed->output() : plain.output();
            const std::vector<std::byte> said(out.begin(), out.end());
            framed ? framed->consume_output(said.size()) : plain.consume_output(said.size());
            send(said);
            if (now == zmtp::handshake::state::done) break;
            hear_octets();
            const auto took = framed ? framed->advance(octets_in(heard_)) : plain.advance(octets_in(heard_));
            heard_.erase(0, framed ? heard_.size() : took.consumed);
            now = took.state;
            if (plain.question()) now = plain.resume(zmtp::zap_absent{});
        }
        if (now != zmtp::handshake::state::done) return;
        if (framed) {
            const auto rest = framed->unread();
            heard_.assign(reinterpret_cast<const char*>(rest.data()), rest.size());
        }
        sealing_ = plain.take_sealing();
        established_ = true;
        hear();
    }

    [[nodiscard]] bool established() const { return established_; }
    /// The socket has ended the connection.
    [[nodiscard]] bool over() const { return over_; }
    /// Whole messages, apart from subscriptions of the socket's.
    [[nodiscard]] const std::vector<message_parts>& messages() const { return messages_; }

    void send(std::span<const std::byte> octets)
    {
        for (int idle = 0; idle < patience && !over_;) {
            const iovec piece{const_cast<std::byte*>(octets.data()), octets.size()};
            const auto went = stream_->write(octets.empty() ? nullptr : &piece, octets.empty() ? 0 : 1);
            if (went.state == transport::io_outcome::status::failed) over_ = true;
            octets = octets.subspan(went.octets);
            if (octets.empty() && !stream_->has_pending_output()) return;
            idle = went.octets != 0 ? 0 : idle + 1;
            hear_octets();
        }
    }

    /// After shake_hands(). `split`: in two messages of WebSocket, the second of which continues the first.
    void send_frame(std::uint8_t flags, std::span<const std::byte> body, bool split = false)
    {
        std::vector<std::byte> sealed;
        if (sealing_.out) {
            sealed.resize(body.size() + sealing_.out->overhead());
            const zmtp::frame_to_seal one{flags, body, sealed.data()};
            sealing_.out->seal({&one, 1});
            body = sealed;
            flags = 0;
        }
        std::vector<std::byte> frame;
        if (speaks_ == form::zmtp) {
            std::array<std::byte, message::long_header_size> header{};
            const std::size_t n = message::encode_header(header.data(), flags, body.size());
            frame.assign(header.begin(), header.begin() + std::ptrdiff_t(n));
            frame.insert(frame.end(), body.begin(), body.end());
        } else {
            std::vector<std::byte> payload{
                std::byte((flags & message::flag_command) != 0 ? zws::flag_command : flags & message::flag_more)};
            payload.insert(payload.end(), body.begin(), body.end());
            const std::span<std::byte> whole(payload);
            const std::size_t first = split ? whole.size() / 2 : whole.size();
            append_zws(frame, zws::opcode::binary, whole.first(first), !split);
            if (split) append_zws(frame, zws::opcode::continuation, whole.subspan(first), true);
        }
        send(frame);
    }

    /// Reads what is there.
    void hear()
    {
        hear_octets();
        while (established_ && (speaks_ == form::zmtp ? take_frame() : take_zws_frame())) {
        }
    }
    /// Octets that shake_hands() has not taken.
    [[nodiscard]] const std::string& heard() const { return heard_; }

private:
    static constexpr int patience = 60;

    // The stream's own handshake: of tls, the upgrade to WebSocket.
    bool agree()
    {
        for (int i = 0; i < patience && !over_; ++i) {
            send({});
            hear_octets();
            const transport::negotiation* const terms = stream_->negotiates();
            if (terms && terms->now == transport::negotiation::state::failed) return false;
            const bool agreed = !terms || terms->now == transport::negotiation::state::agreed;
            if (agreed && !stream_->handshake_in_progress()) return true;
        }
        return false;
    }

    void hear_octets()
    {
        step_();
        std::array<char, 4096> room;
        for (int i = 0; i < 1000 && !over_; ++i) {
            const iovec piece{room.data(), room.size()};
            const auto came = stream_->read(&piece, 1);
            heard_.append(room.data(), came.octets);
            using status = transport::io_outcome::status;
            over_ = came.state == status::closed || came.state == status::failed;
            if (came.state == status::blocked && !stream_->pending()) break;
        }
        if (!over_ && stream_->has_pending_output()) (void)stream_->write(nullptr, 0);
    }

    void append_zws(std::vector<std::byte>& to, zws::opcode what, std::span<std::byte> payload, bool last) const
    {
        constexpr zws::mask key = 0x5ac30f96;
        const bool masked = speaks_ == form::zws_masked;
        std::array<std::byte, zws::longest_header> header{};
        const std::size_t n = zws::encode_header(header.data(), what, payload.size(), masked ? &key : nullptr);
        if (!last) header[0] &= std::byte{0x7f};
        to.insert(to.end(), header.begin(), header.begin() + std::ptrdiff_t(n));
        zws::copy_masked(payload.data(), payload.data(), payload.size(), masked ? key : 0);
        to.insert(to.end(), payload.begin(), payload.end());
    }

    bool take_frame()
    {
        if (heard_.size() < message::short_header_size) return false;
        const auto* const at = reinterpret_cast<const std::byte*>(heard_.data());
        const auto flags = std::uint8_t(at[0]);
        require((flags & message::flags_reserved) == 0);
        if ((flags & message::flag_long) != 0 && heard_.size() < message::long_header_size) return false;
        const auto h = message::decode_header(at);
        require(((h.flags & message::flag_long) != 0) == (h.body_size > message::max_short_body));
        if (heard_.size() - h.size < h.body_size) return false;
        take_body(h.flags & (message::flag_more | message::flag_command), heard_.substr(h.size, h.body_size));
        heard_.erase(0, h.size + h.body_size);
        return true;
    }

    bool take_zws_frame()
    {
        zws::frame_header h{};
        const auto state = zws::decode_header(reinterpret_cast<const std::byte*>(heard_.data()), heard_.size(), h);
        require(state != zws::header_state::bad);
        if (state == zws::header_state::partial || heard_.size() - h.size < h.payload) return false;
        require(h.final && h.masked == (speaks_ == form::zws));
        std::string payload = heard_.substr(h.size, h.payload);
        auto* const octets = reinterpret_cast<std::byte*>(payload.data());
        zws::copy_masked(octets, octets, payload.size(), h.masked ? h.key : 0);
        heard_.erase(0, h.size + h.payload);
        if (h.what == zws::opcode::close) require(zws::is_close_payload(octets, payload.size()));
        if (h.is_control()) return true;
        require(h.what == zws::opcode::binary && !payload.empty() && std::uint8_t(payload[0]) <= zws::flag_command);
        const bool command = payload[0] == zws::flag_command;
        take_body(command ? std::uint8_t(message::flag_command) : std::uint8_t(payload[0]), payload.substr(1));
        return true;
    }

    void take_body(std::uint8_t flags, std::string body)
    {
        if (sealing_.in) {
            require(flags == 0);
            std::string opened(body.size(), '\0');
            zmtp::frame_to_open one{octets_in(body), reinterpret_cast<std::byte*>(opened.data())};
            require(sealing_.in->open({&one, 1}).opened == 1);
            opened.resize(one.size);
            body = std::move(opened);
            flags = one.flags;
        }
        if (flags & message::flag_command) {
            require(flags == message::flag_command);
            const auto command = zmtp::parse_command(octets_in(body));
            require(command && command->kind != zmtp::command_kind::unknown &&
                    command->kind != zmtp::command_kind::ready);
            return;
        }
        message_.push_back(std::move(body));
        if ((flags & message::flag_more) == 0) messages_.push_back(std::exchange(message_, {}));
    }

    std::unique_ptr<transport::stream> stream_;
    std::function<void()> step_;
    zmtp::sealing sealing_;
    std::string heard_;
    message_parts message_;  ///< the parts of one that is not whole
    std::vector<message_parts> messages_;
    enum class form : std::uint8_t { zmtp, zws, zws_masked } speaks_ = form::zmtp;
    bool established_ = false;
    bool over_ = false;
};

}  // namespace zlink::fuzz
