// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The server of CURVE. It refuses in silence, as libzmq does, but tells a client the ZAP handler's reason.
#include "zmtp/mechanism/curve_server.hpp"

#include "zmtp/command.hpp"
#include "zmtp/mechanism/common.hpp"
#include "zmtp/mechanism/curve_sealing.hpp"

#include <algorithm>

namespace zlink::zmtp::curve {

namespace {

constexpr std::uint64_t number_of_ready = 1;

bool all_zero(std::span<const std::byte> octets) noexcept
{
    return std::ranges::all_of(octets, [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

bool server::next_command(std::vector<std::byte>& out)
{
    if (to_say_.empty()) return false;
    out.insert(out.end(), to_say_.begin(), to_say_.end());
    to_say_.clear();
    return true;
}

mechanism_state server::process_command(std::span<const std::byte> body, remote_peer& peer)
{
    if (state() == mechanism_state::failed) return mechanism_state::failed;
    if (!parse_command(body)) return refuse(handshake_error::zmtp_malformed_command_unspecified);
    if (step_ == step::awaits_hello && begins_with(body, hello_name)) return process_hello(body);
    if (step_ == step::awaits_initiate && begins_with(body, initiate_name)) return process_initiate(body, peer);
    return refuse(handshake_error::zmtp_unexpected_command);
}

mechanism_state server::process_hello(std::span<const std::byte> body)
{
    if (body.size() != hello_size) return refuse(handshake_error::zmtp_malformed_command_hello);
    field_reader fields(body);
    fields.take(hello_name.size());
    const auto version = fields.take(version_size);
    const auto padding = fields.take(padding_size);
    if (version[0] != std::byte{1} || version[1] != std::byte{0} || !all_zero(padding)) {
        return refuse(handshake_error::zmtp_malformed_command_hello);
    }
    const crypto::public_key client = fields.take_key();
    peer_number_ = fields.take_number();

    const auto& own = local_->security_or_default().curve.own;
    if (!own) return refuse(handshake_error::zmtp_cryptographic);
    const crypto::secret_key hello_key = crypto::agree(client, own->secret.octets());
    std::byte signature[signature_size];
    if (!hello_key || !crypto::open_box(hello_key, short_nonce(hello_prefix, peer_number_), fields.rest(), signature)) {
        return refuse(handshake_error::zmtp_cryptographic);
    }
    if (!all_zero(signature)) return refuse(handshake_error::zmtp_malformed_command_hello);
    say_welcome(client, hello_key);
    step_ = step::awaits_initiate;
    return state();
}

/// S' is made here. Its secret half goes only into the cookie.
void server::say_welcome(const crypto::public_key& client, const crypto::secret_key& hello_key)
{
    const crypto::key_pair transient = crypto::make_key_pair(*random_);
    crypto::wiped_octets<cookie_text> cookie;
    field_writer in_cookie(cookie.data());
    in_cookie.put(client);
    in_cookie.put(transient.secret.octets());

    cookie_key_ = crypto::secret_key::random(*random_);
    std::array<std::byte, long_nonce_size> random;
    const crypto::nonce cookie_nonce = new_long_nonce(cookie_prefix, *random_, random);
    crypto::wiped_octets<welcome_text> text;
    field_writer in_box(text.data());
    in_box.put(transient.open);
    in_box.put(random);
    in_box.put_box(cookie_key_, cookie_nonce, cookie);

    const crypto::nonce nonce = new_long_nonce(welcome_prefix, *random_, random);
    to_say_.resize(welcome_size);
    field_writer out(to_say_.data());
    out.put(welcome_name);
    out.put(random);
    out.put_box(hello_key, nonce, text);
}

mechanism_state server::process_initiate(std::span<const std::byte> body, remote_peer& peer)
{
    if (body.size() < min_initiate_size) return refuse(handshake_error::zmtp_malformed_command_initiate);
    field_reader fields(body);
    fields.take(initiate_name.size());

    // No other cookie can be opened by this key, so C' is the one of HELLO. It is opened once, whatever the result.
    const crypto::secret_key cookie_key = std::move(cookie_key_);
    const crypto::nonce cookie_nonce = long_nonce(cookie_prefix, fields.take(long_nonce_size));
    crypto::wiped_octets<cookie_text> cookie;
    if (!crypto::open_box(cookie_key, cookie_nonce, fields.take(boxed(cookie_text)), cookie.data())) {
        return refuse(handshake_error::zmtp_cryptographic);
    }
    field_reader in_cookie(cookie);
    const crypto::public_key client = in_cookie.take_key();
    const crypto::key_view transient(in_cookie.take(crypto::key_size));

    const std::uint64_t number = fields.take_number();
    shared_key_ = crypto::agree(client, transient);
    std::vector<std::byte> text(fields.rest().size() - crypto::box_overhead);
    if (!shared_key_ ||
        !crypto::open_box(shared_key_, short_nonce(initiate_prefix, number), fields.rest(), text.data())) {
        return refuse(handshake_error::zmtp_cryptographic);
    }
    if (number <= peer_number_) return refuse(handshake_error::zmtp_invalid_sequence);
    peer_number_ = number;

    field_reader in_box(text);
    const crypto::public_key permanent = in_box.take_key();
    const crypto::nonce vouch_nonce = long_nonce(vouch_prefix, in_box.take(long_nonce_size));
    const crypto::secret_key vouch_key = crypto::agree(permanent, transient);
    std::array<std::byte, vouch_text> vouch;
    if (!vouch_key || !crypto::open_box(vouch_key, vouch_nonce, in_box.take(boxed(vouch_text)), vouch.data())) {
        return refuse(handshake_error::zmtp_cryptographic);
    }
    const security_settings& security = local_->security_or_default();
    const auto vouched = std::span<const std::byte>(vouch);
    if (!crypto::same_octets(vouched.first(crypto::key_size), client) ||
        !crypto::same_octets(vouched.last(crypto::key_size), security.curve.own->open)) {
        return refuse(handshake_error::zmtp_key_exchange);
    }
    const std::string_view fault = take_metadata(in_box.rest(), *local_, peer);
    if (!fault.empty()) return fail({handshake_error::zmtp_invalid_metadata, std::string(fault), 0}, false);

    // If only peers of a domain are to be checked, and no domain is set, the ZAP handler is not asked.
    if (security.zap_domain.empty() && security.zap_enforce_domain) return admit();
    zap_request question{mechanism_name, {}};
    question.credentials.emplace_back(permanent.begin(), permanent.end());
    zap_.ask(std::move(question));
    step_ = step::awaits_answer;
    return state();
}

mechanism_state server::resume(const mechanism_event& event, remote_peer& peer)
{
    if (step_ != step::awaits_answer) return state();
    const bool unchecked = !local_->security_or_default().zap_enforce_domain;
    const mechanism_failure failure = zap_.take(event, unchecked, peer);
    return failure.error == handshake_error::none ? admit() : fail(failure, is_told(failure));
}

mechanism_state server::admit()
{
    std::vector<std::byte> metadata;
    append_own_metadata(metadata, *local_);
    to_say_.resize(ready_name.size() + number_size + boxed(metadata.size()));
    field_writer out(to_say_.data());
    out.put(ready_name);
    out.put_number(number_of_ready);
    out.put_box(shared_key_, short_nonce(ready_prefix, number_of_ready), metadata);

    sealing_ = make_server_sealing(shared_key_, number_of_ready, peer_number_);
    shared_key_.forget();
    step_ = step::ready;
    return state();
}

mechanism_state server::state() const noexcept
{
    if (step_ == step::failed) return mechanism_state::failed;
    // READY must have been handed out first.
    return step_ == step::ready && to_say_.empty() ? mechanism_state::ready : mechanism_state::in_progress;
}

mechanism_state server::refuse(handshake_error error)
{
    return fail(failure_of(error), false);
}

mechanism_state server::fail(mechanism_failure failure, bool tell_peer)
{
    failure_ = std::move(failure);
    cookie_key_.forget();
    shared_key_.forget();
    to_say_.clear();
    if (tell_peer) append_error(to_say_, failure_.text);
    step_ = step::failed;
    return mechanism_state::failed;
}

}  // namespace zlink::zmtp::curve
