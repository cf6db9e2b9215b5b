// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A whole handshake against arbitrary octets. It ends or waits, keeps little, says why it failed, and does not depend
// on how reads and writes are split.
#include "zmtp/handshake.hpp"

#include "fuzz_input.hpp"
#include "zmtp/metadata.hpp"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

using namespace zlink;
using zmtp::handshake;

namespace {

/// What the socket wants of its peers, and what a ZAP handler says.
struct wishes {
    std::uint8_t wanted = 0;

    [[nodiscard]] bool certificate() const { return (wanted & 4) != 0; }
    [[nodiscard]] zmtp::security_settings security() const
    {
        zmtp::security_settings all;
        if (wanted & 1) all.oldest_zmtp = 2 + (wanted >> 1 & 1);
        if (wanted & 8) all.zap_domain = "domain";
        all.zap_enforce_domain = (wanted & 16) != 0;
        return all;
    }
    void answer(handshake& h) const
    {
        static constexpr std::string_view statuses[] = {"200", "300", "400", "500", "600"};
        const std::uint8_t kind = wanted >> 5;
        if (kind == 6) return (void)h.resume(zmtp::zap_absent{});
        if (kind == 7) return (void)h.resume(zmtp::zap_gone{});
        const std::string_view text[] = {"", "1.0", "1", statuses[kind % 5], "text", "user", ""};
        std::vector<zmtp::zap_frame> frames;
        for (const std::string_view each : text) frames.push_back(std::as_bytes(std::span(each)));
        (void)h.resume(zmtp::zap_reply{frames, "1"});
    }
};

zmtp::local_peer local(std::uint8_t choice, const wishes& what)
{
    zmtp::local_peer peer;
    peer.type = zmtp::socket_type(choice % 11);
    if (choice & 0x10) peer.routing_id = {std::byte{'i'}, std::byte{'d'}};
    if (choice & 0x20) peer.routing_id.resize(255, std::byte{'x'});
    if (choice & 0x40) peer.app_properties = {{"X-Fuzz", "value"}};
    if (choice & 0x80) peer.security = std::make_shared<const zmtp::security_settings>(what.security());
    return peer;
}

/// Runs a handshake over the stream; returns the octets it took and, in `written`, what it sent. A question is answered
/// at the end.
std::size_t run(handshake& h, std::span<const std::byte> stream, std::uint8_t seed, const wishes& what,
                std::vector<std::byte>& written)
{
    if (what.certificate()) h.ask_about_certificate("TLS", {std::byte{1}, std::byte{2}});
    std::size_t taken = 0;
    for (fuzz::parts parts(stream, seed); !parts.empty();) {
        const auto part = parts.next();
        const auto step = h.advance(part);
        fuzz::require(step.consumed <= part.size() && step.state == h.current());
        fuzz::require(step.state != handshake::state::in_progress || step.consumed == part.size());
        taken += step.consumed;
        const auto out = h.output().first(std::min<std::size_t>(h.output().size(), seed));
        written.insert(written.end(), out.begin(), out.end());
        h.consume_output(out.size());
    }
    if (h.question()) what.answer(h);
    if (h.current() == handshake::state::done) fuzz::require(h.begun_traffic().size() <= stream.size());
    while (!h.output().empty()) {
        written.insert(written.end(), h.output().begin(), h.output().end());
        h.consume_output(h.output().size());
    }
    return taken;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::input in(data, size);
    const std::uint8_t choice = in.choice();
    const std::uint8_t seed = in.choice();
    const wishes what{choice & 0x80 ? in.choice() : std::uint8_t{0}};
    const zmtp::local_peer peer = local(choice, what);

    handshake whole(peer);
    handshake split(peer);
    std::vector<std::byte> written_by_whole, written_by_split;
    const std::size_t taken = run(whole, in.rest(), 0, what, written_by_whole);
    fuzz::require(run(split, in.rest(), seed, what, written_by_split) == taken);
    fuzz::require(whole.current() == split.current() && whole.error() == split.error());
    fuzz::require(written_by_whole == written_by_split);
    fuzz::require(written_by_whole.size() < 2048);

    if (whole.current() == handshake::state::failed) {
        fuzz::require(whole.error() != zmtp::handshake_error::none && !whole.error_text().empty());
        fuzz::require(!zmtp::to_text(whole.error()).empty() && whole.auth_status() == split.auth_status());
    } else {
        fuzz::require(whole.error() == zmtp::handshake_error::none);
    }
    if (whole.current() == handshake::state::done) {
        fuzz::require(whole.remote().routing_id.size() <= zmtp::max_routing_id_size);
        fuzz::require(whole.remote().routing_id == split.remote().routing_id);
        fuzz::require(whole.remote().properties == split.remote().properties);
        // The ZAP handler of wishes::answer() names the user; the peer cannot.
        const bool asked = (what.wanted & 28) != 0;  // a certificate, or a domain
        for (const zmtp::property& p : whole.remote().properties) {
            const bool of_handler = asked && p.first == zmtp::user_id_property && p.second == "user";
            fuzz::require(of_handler || !zmtp::is_reserved_property(p.first));
        }
        const auto type = zmtp::socket_type_from_name(whole.remote().socket_type);
        fuzz::require(whole.remote().socket_type.empty() || (type && zmtp::compatible(peer.type, *type)));
    }
    return 0;
}
