// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The client of CURVE. It does not report errors to the server (RFC 26: a client SHALL NOT send ERROR).
#include "zmtp/mechanism/curve_client.hpp"

#include "zmtp/command.hpp"
#include "zmtp/mechanism/common.hpp"
#include "zmtp/mechanism/curve_sealing.hpp"

#include <algorithm>

namespace zlink::zmtp::curve {

namespace {

constexpr std::uint64_t number_of_hello = 1;
constexpr std::uint64_t number_of_initiate = 2;
constexpr std::byte version[version_size] = {std::byte{1}, std::byte{0}};

}  // namespace

bool client::next_command(std::vector<std::byte>& out)
{
    if (step_ == step::says_hello) return say_hello(out);
    if (step_ == step::says_initiate) return say_initiate(out);
    return false;
}

/// False: with such keys HELLO cannot be sent.
bool client::say_hello(std::vector<std::byte>& out)
{
    const curve_settings& keys = local_->security_or_default().curve;
    transient_ = crypto::make_key_pair(*random_);
    hello_key_ = crypto::agree(keys.server_key, transient_.secret.octets());
    if (!hello_key_ || !keys.own) {
        refuse(handshake_error::zmtp_cryptographic);
        return false;
    }
    constexpr std::byte zeros[padding_size]{};
    out.resize(out.size() + hello_size);
    field_writer fields(out.data() + out.size() - hello_size);
    fields.put(hello_name);
    fields.put(version);
    fields.put(zeros);
    fields.put(transient_.open);
    fields.put_number(number_of_hello);
    fields.put_box(hello_key_, short_nonce(hello_prefix, number_of_hello), std::span(zeros).first(signature_size));
    step_ = step::awaits_welcome;
    return true;
}

// Once its WELCOME opens, the peer is known to be the server.
std::size_t client::longest_command() const noexcept
{
    return step_ == step::awaits_ready ? max_handshake_frame : longest_unauthenticated;
}

mechanism_state client::process_command(std::span<const std::byte> body, remote_peer& peer)
{
    if (state() == mechanism_state::failed) return mechanism_state::failed;
    const bool awaits = step_ == step::awaits_welcome || step_ == step::awaits_ready;
    if (awaits && begins_with(body, error_name)) return fail(failure_told(body.subspan(error_name.size())));
    if (step_ == step::awaits_welcome && begins_with(body, welcome_name)) return process_welcome(body);
    if (step_ == step::awaits_ready && begins_with(body, ready_name)) return process_ready(body, peer);
    return refuse(handshake_error::zmtp_unexpected_command);
}

/// A WELCOME of the wrong size counts as one that does not open, as in libzmq.
mechanism_state client::process_welcome(std::span<const std::byte> body)
{
    if (body.size() != welcome_size) return refuse(handshake_error::zmtp_cryptographic);
    field_reader fields(body);
    fields.take(welcome_name.size());
    const crypto::nonce nonce = long_nonce(welcome_prefix, fields.take(long_nonce_size));
    crypto::wiped_octets<welcome_text> text;
    if (!crypto::open_box(hello_key_, nonce, fields.rest(), text.data())) {
        return refuse(handshake_error::zmtp_cryptographic);
    }
    field_reader in_box(text);
    server_ = in_box.take_key();
    std::ranges::copy(in_box.take(cookie_size), cookie_.begin());
    hello_key_.forget();
    shared_key_ = crypto::agree(server_, transient_.secret.octets());
    transient_.secret.forget();
    if (!shared_key_) return refuse(handshake_error::zmtp_cryptographic);
    step_ = step::says_initiate;
    return state();
}

/// False: the server's keys cannot be used.
bool client::say_initiate(std::vector<std::byte>& out)
{
    const curve_settings& keys = local_->security_or_default().curve;
    const crypto::secret_key vouch_key = crypto::agree(server_, keys.own->secret.octets());
    if (!vouch_key) {
        refuse(handshake_error::zmtp_cryptographic);
        return false;
    }
    std::array<std::byte, vouch_text> vouch;
    field_writer in_vouch(vouch.data());
    in_vouch.put(transient_.open);
    in_vouch.put(keys.server_key);

    std::array<std::byte, long_nonce_size> random;
    const crypto::nonce vouch_nonce = new_long_nonce(vouch_prefix, *random_, random);
    std::vector<std::byte> text(initiate_text);
    field_writer in_box(text.data());
    in_box.put(keys.public_key);
    in_box.put(random);
    in_box.put_box(vouch_key, vouch_nonce, vouch);
    append_own_metadata(text, *local_);

    const std::size_t size = initiate_name.size() + cookie_size + number_size + boxed(text.size());
    out.resize(out.size() + size);
    field_writer fields(out.data() + out.size() - size);
    fields.put(initiate_name);
    fields.put(cookie_);
    fields.put_number(number_of_initiate);
    fields.put_box(shared_key_, short_nonce(initiate_prefix, number_of_initiate), text);
    step_ = step::awaits_ready;
    return true;
}

mechanism_state client::process_ready(std::span<const std::byte> body, remote_peer& peer)
{
    if (body.size() < min_ready_size) return refuse(handshake_error::zmtp_malformed_command_ready);
    field_reader fields(body);
    fields.take(ready_name.size());
    const std::uint64_t number = fields.take_number();
    std::vector<std::byte> metadata(fields.rest().size() - crypto::box_overhead);
    if (!crypto::open_box(shared_key_, short_nonce(ready_prefix, number), fields.rest(), metadata.data())) {
        return refuse(handshake_error::zmtp_cryptographic);
    }
    const std::string_view fault = take_metadata(metadata, *local_, peer);
    if (!fault.empty()) return fail({handshake_error::zmtp_invalid_metadata, std::string(fault), 0});
    sealing_ = make_client_sealing(shared_key_, number_of_initiate, number);
    forget_keys();
    step_ = step::ready;
    return state();
}

mechanism_state client::state() const noexcept
{
    if (step_ == step::failed) return mechanism_state::failed;
    return step_ == step::ready ? mechanism_state::ready : mechanism_state::in_progress;
}

mechanism_state client::refuse(handshake_error error)
{
    return fail(failure_of(error));
}

mechanism_state client::fail(mechanism_failure failure)
{
    failure_ = std::move(failure);
    forget_keys();
    step_ = step::failed;
    return mechanism_state::failed;
}

void client::forget_keys() noexcept
{
    transient_.secret.forget();
    hello_key_.forget();
    shared_key_.forget();
}

}  // namespace zlink::zmtp::curve
