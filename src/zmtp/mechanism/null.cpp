// The NULL mechanism.
#include "zmtp/mechanism/null.hpp"

#include "zmtp/command.hpp"
#include "zmtp/metadata.hpp"
#include "zmtp/socket_types.hpp"

namespace zlink::zmtp {

namespace {

/// The status in an ERROR that stems from a refused ZAP request: 300, 400 or 500; otherwise 0.
int zap_status(std::string_view reason) noexcept
{
    if (reason == "300") return 300;
    if (reason == "400") return 400;
    if (reason == "500") return 500;
    return 0;
}

/// A peer's words, fit for a log line.
std::string printable(std::string_view text)
{
    std::string out(text);
    for (char& c : out) {
        if (c < 0x20 || c > 0x7e) c = '?';
    }
    return out;
}

}  // namespace

bool null_mechanism::next_command(std::vector<std::byte>& out)
{
    if (error_to_send_) {
        append_error(out, failure_.text);
        error_to_send_ = false;
        return true;
    }
    if (ready_sent_ || failure_.error != handshake_error::none) return false;

    out.resize(out.size() + ready_prefix_size);
    encode_ready_prefix(out.data() + out.size() - ready_prefix_size);
    (void)append_property(out, socket_type_property, socket_type_name(local_->type));
    if (announces_identity(local_->type)) (void)append_property(out, identity_property, std::span(local_->routing_id));
    // A property that cannot be encoded is left out; whoever accepts properties from a user refuses such ones.
    for (const property& p : local_->app_properties) (void)append_property(out, p.first, std::string_view(p.second));
    ready_sent_ = true;
    return true;
}

mechanism_state null_mechanism::process_command(std::span<const std::byte> body, remote_peer& peer)
{
    if (state() == mechanism_state::failed) return mechanism_state::failed;
    const result<command> parsed = parse_command(body);
    if (!parsed) return fail(handshake_error::zmtp_malformed_command_unspecified, "Malformed command");
    if (ready_received_) return fail(handshake_error::zmtp_unexpected_command, "Unexpected command");

    if (parsed->kind == command_kind::ready) return process_ready(parsed->data, peer);
    if (parsed->kind == command_kind::error) return process_error(parsed->data);
    return fail(handshake_error::zmtp_unexpected_command, "Unexpected command");
}

mechanism_state null_mechanism::process_ready(std::span<const std::byte> metadata, remote_peer& peer)
{
    result<std::vector<property>> properties = parse_metadata(metadata);
    if (!properties) return fail(handshake_error::zmtp_invalid_metadata, "Malformed metadata");

    // A peer need not tell its type (RFC 37: SHOULD); one that does has to fit.
    if (const property* type = find_property(*properties, socket_type_property)) {
        const auto known = socket_type_from_name(type->second);
        if (!known || !compatible(local_->type, *known)) {
            return fail(handshake_error::zmtp_invalid_metadata, "Invalid socket type");
        }
        peer.socket_type = type->second;
    }
    if (const property* identity = find_property(*properties, identity_property)) {
        if (identity->second.size() > max_routing_id_size) {
            return fail(handshake_error::zmtp_invalid_metadata, "Identity too long");
        }
        const auto octets = std::as_bytes(std::span(identity->second));
        peer.routing_id.assign(octets.begin(), octets.end());
    }
    peer.properties = std::move(*properties);
    ready_received_ = true;
    return state();
}

mechanism_state null_mechanism::process_error(std::span<const std::byte> data)
{
    const result<std::string_view> reason = parse_error_reason(data);
    if (!reason) return fail(handshake_error::zmtp_malformed_command_error, "Malformed ERROR", false);

    failure_.auth_status = zap_status(*reason);
    const bool refused = failure_.auth_status != 0;
    return fail(refused ? handshake_error::auth : handshake_error::no_detail, printable(*reason), false);
}

mechanism_state null_mechanism::state() const noexcept
{
    if (failure_.error != handshake_error::none) return mechanism_state::failed;
    return ready_sent_ && ready_received_ ? mechanism_state::ready : mechanism_state::in_progress;
}

mechanism_state null_mechanism::fail(handshake_error error, std::string_view text, bool tell_peer)
{
    failure_.error = error;
    failure_.text = text;
    error_to_send_ = tell_peer;
    return mechanism_state::failed;
}

}  // namespace zlink::zmtp
