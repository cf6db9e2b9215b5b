// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The server of the PLAIN mechanism. A client is not told of its mistakes, as in libzmq: an ERROR would be final.
#include "zmtp/mechanism/plain_server.hpp"

#include "zmtp/command.hpp"
#include "zmtp/mechanism/common.hpp"
#include "zmtp/mechanism/plain.hpp"

#include <optional>

namespace zlink::zmtp {

namespace {

/// A length octet and as many octets, taken from the front of `data`; none: some of them are missing.
std::optional<std::vector<std::byte>> take_short(std::span<const std::byte>& data)
{
    if (data.empty() || std::size_t(data[0]) > data.size() - 1) return {};
    const auto octets = data.subspan(1, std::size_t(data[0]));
    data = data.subspan(1 + octets.size());
    return std::vector(octets.begin(), octets.end());
}

}  // namespace

std::size_t plain_server::longest_command() const noexcept
{
    return step_ == step::awaits_initiate ? max_handshake_frame : longest_unauthenticated;
}

bool plain_server::next_command(std::vector<std::byte>& out)
{
    switch (step_) {
    case step::sends_welcome:
        append_command_name(out, welcome_name);
        step_ = step::awaits_initiate;
        return true;
    case step::sends_ready:
        append_command_name(out, ready_name);
        append_own_metadata(out, *local_);
        step_ = step::ready;
        return true;
    case step::sends_error:
        append_error(out, failure_.text);
        step_ = step::failed;
        return true;
    default: return false;
    }
}

mechanism_state plain_server::process_command(std::span<const std::byte> body, remote_peer& peer)
{
    if (state() == mechanism_state::failed) return mechanism_state::failed;
    const result<command> parsed = parse_command(body);
    if (!parsed) return refuse(handshake_error::zmtp_malformed_command_unspecified, "Malformed command");

    switch (step_) {
    case step::awaits_hello:
        if (parsed->name == hello_name) return process_hello(parsed->data);
        break;
    case step::awaits_initiate:
        if (parsed->name == initiate_name) return process_initiate(parsed->data, peer);
        break;
    default: return refuse(handshake_error::zmtp_unspecified, "Command out of turn");
    }
    return refuse(handshake_error::zmtp_unexpected_command, "Unexpected command");
}

mechanism_state plain_server::process_hello(std::span<const std::byte> data)
{
    auto username = take_short(data);
    auto password = username ? take_short(data) : std::nullopt;
    if (!password || !data.empty()) return refuse(handshake_error::zmtp_malformed_command_hello, "Malformed HELLO");

    zap_request question{plain_name, {}};
    question.credentials.push_back(std::move(*username));
    question.credentials.push_back(std::move(*password));
    zap_.ask(std::move(question));
    step_ = step::awaits_answer;
    return state();
}

mechanism_state plain_server::process_initiate(std::span<const std::byte> metadata, remote_peer& peer)
{
    const std::string_view fault = take_metadata(metadata, *local_, peer);
    if (!fault.empty()) return refuse(handshake_error::zmtp_invalid_metadata, fault);
    step_ = step::sends_ready;
    return state();
}

mechanism_state plain_server::resume(const mechanism_event& event, remote_peer& peer)
{
    if (step_ != step::awaits_answer) return state();
    constexpr bool unchecked = false;
    const mechanism_failure failure = zap_.take(event, unchecked, peer);
    if (failure.error != handshake_error::none) return fail(failure, is_told(failure));
    step_ = step::sends_welcome;
    return state();
}

mechanism_state plain_server::state() const noexcept
{
    if (failure_.error != handshake_error::none) return mechanism_state::failed;
    return step_ == step::ready ? mechanism_state::ready : mechanism_state::in_progress;
}

/// For a mistake of the peer.
mechanism_state plain_server::refuse(handshake_error error, std::string_view text)
{
    return fail({error, std::string(text), 0}, false);
}

mechanism_state plain_server::fail(mechanism_failure failure, bool tell_peer)
{
    failure_ = std::move(failure);
    step_ = tell_peer ? step::sends_error : step::failed;
    return mechanism_state::failed;
}

}  // namespace zlink::zmtp
