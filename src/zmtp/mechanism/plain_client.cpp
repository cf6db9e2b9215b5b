// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The client of the PLAIN mechanism. It does not report errors to the server: RFC 24 has no command for that.
#include "zmtp/mechanism/plain_client.hpp"

#include "zmtp/command.hpp"
#include "zmtp/mechanism/common.hpp"
#include "zmtp/mechanism/plain.hpp"

namespace zlink::zmtp {

namespace {

/// Reads libzmq's own ERROR as an ERROR. Its first octet would be the length of a name that is not there.
result<command> parse_server_command(std::span<const std::byte> body) noexcept
{
    const std::string_view text{reinterpret_cast<const char*>(body.data()), body.size()};
    if (!text.starts_with(libzmq_error_prefix)) return parse_command(body);
    return command{command_kind::error, libzmq_error_prefix, body.subspan(libzmq_error_prefix.size())};
}

}  // namespace

bool plain_client::next_command(std::vector<std::byte>& out)
{
    if (state() == mechanism_state::failed) return false;
    if (step_ == step::sends_hello) {
        const security_settings& security = local_->security_or_default();
        append_command_name(out, hello_name);
        append_short(out, security.plain_username);
        append_short(out, security.plain_password);
        step_ = step::awaits_welcome;
        return true;
    }
    if (step_ == step::sends_initiate) {
        append_command_name(out, initiate_name);
        append_own_metadata(out, *local_);
        step_ = step::awaits_ready;
        return true;
    }
    return false;
}

// A client never learns which server it talks to.
std::size_t plain_client::longest_command() const noexcept
{
    return step_ == step::awaits_ready ? longest_unauthenticated_metadata : longest_unauthenticated;
}

mechanism_state plain_client::process_command(std::span<const std::byte> body, remote_peer& peer)
{
    if (state() == mechanism_state::failed) return mechanism_state::failed;
    const result<command> parsed = parse_server_command(body);
    const bool awaits = step_ == step::awaits_welcome || step_ == step::awaits_ready;
    if (parsed && awaits) {
        if (parsed->kind == command_kind::error) return fail(failure_told(parsed->data));
        if (step_ == step::awaits_welcome && parsed->name == welcome_name) return process_welcome(parsed->data);
        if (step_ == step::awaits_ready && parsed->kind == command_kind::ready)
            return process_ready(parsed->data, peer);
    }
    return fail({handshake_error::zmtp_unexpected_command, "Unexpected command", 0});
}

mechanism_state plain_client::process_welcome(std::span<const std::byte> data)
{
    if (!data.empty()) return fail({handshake_error::zmtp_malformed_command_welcome, "Malformed WELCOME", 0});
    step_ = step::sends_initiate;
    return state();
}

mechanism_state plain_client::process_ready(std::span<const std::byte> metadata, remote_peer& peer)
{
    const std::string_view fault = take_metadata(metadata, *local_, peer);
    if (!fault.empty()) return fail({handshake_error::zmtp_invalid_metadata, std::string(fault), 0});
    step_ = step::ready;
    return state();
}

mechanism_state plain_client::state() const noexcept
{
    if (failure_.error != handshake_error::none) return mechanism_state::failed;
    return step_ == step::ready ? mechanism_state::ready : mechanism_state::in_progress;
}

mechanism_state plain_client::fail(mechanism_failure failure)
{
    failure_ = std::move(failure);
    return mechanism_state::failed;
}

}  // namespace zlink::zmtp
