// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The NULL mechanism.
#include "zmtp/mechanism/null.hpp"

#include "zmtp/command.hpp"
#include "zmtp/mechanism/common.hpp"

namespace zlink::zmtp {

std::unique_ptr<mechanism> make_null(const local_peer& local)
{
    return std::make_unique<null_mechanism>(local);
}

null_mechanism::null_mechanism(const local_peer& local) : local_(&local)
{
    if (!local.security_or_default().zap_domain.empty()) zap_.ask({"NULL", {}});
}

bool null_mechanism::next_command(std::vector<std::byte>& out)
{
    if (error_to_send_) {
        append_error(out, failure_.text);
        error_to_send_ = false;
        return true;
    }
    if (ready_sent_ || zap_.waiting() || failure_.error != handshake_error::none) return false;

    out.resize(out.size() + ready_prefix_size);
    encode_ready_prefix(out.data() + out.size() - ready_prefix_size);
    append_own_metadata(out, *local_);
    ready_sent_ = true;
    return true;
}

mechanism_state null_mechanism::process_command(std::span<const std::byte> body, remote_peer& peer)
{
    if (state() == mechanism_state::failed) return mechanism_state::failed;
    const result<command> parsed = parse_command(body);
    if (!parsed) return refuse(handshake_error::zmtp_malformed_command_unspecified, "Malformed command");
    if (ready_received_) return refuse(handshake_error::zmtp_unexpected_command, "Unexpected command");

    if (parsed->kind == command_kind::ready) return process_ready(parsed->data, peer);
    if (parsed->kind == command_kind::error) return fail(failure_told(parsed->data), false);
    return refuse(handshake_error::zmtp_unexpected_command, "Unexpected command");
}

mechanism_state null_mechanism::process_ready(std::span<const std::byte> metadata, remote_peer& peer)
{
    const std::string_view fault = take_metadata(metadata, *local_, peer);
    if (!fault.empty()) return refuse(handshake_error::zmtp_invalid_metadata, fault);
    ready_received_ = true;
    return state();
}

mechanism_state null_mechanism::resume(const mechanism_event& event, remote_peer& peer)
{
    if (!zap_.waiting() || state() == mechanism_state::failed) return state();
    const mechanism_failure failure = zap_.take(event, !local_->security_or_default().zap_enforce_domain, peer);
    return failure.error == handshake_error::none ? state() : fail(failure, is_told(failure));
}

mechanism_state null_mechanism::state() const noexcept
{
    if (failure_.error != handshake_error::none) return mechanism_state::failed;
    return ready_sent_ && ready_received_ ? mechanism_state::ready : mechanism_state::in_progress;
}

/// For a mistake of the peer; the peer is told.
mechanism_state null_mechanism::refuse(handshake_error error, std::string_view text)
{
    return fail({error, std::string(text), 0}, true);
}

mechanism_state null_mechanism::fail(mechanism_failure failure, bool tell_peer)
{
    failure_ = std::move(failure);
    error_to_send_ = tell_peer;
    return mechanism_state::failed;
}

}  // namespace zlink::zmtp
