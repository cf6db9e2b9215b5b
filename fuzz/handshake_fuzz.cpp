// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A whole handshake against arbitrary octets. It ends or waits, keeps little, says why it failed, and does not depend
// on how reads and writes are split.
#include "zmtp/handshake.hpp"

#include "fuzz_input.hpp"
#include "zmtp/metadata.hpp"

using namespace zlink;
using zmtp::handshake;

namespace {

zmtp::local_peer local(std::uint8_t choice)
{
    zmtp::local_peer peer;
    peer.type = zmtp::socket_type(choice % 11);
    if (choice & 0x10) peer.routing_id = {std::byte{'i'}, std::byte{'d'}};
    if (choice & 0x20) peer.routing_id.resize(255, std::byte{'x'});
    if (choice & 0x40) peer.app_properties = {{"X-Fuzz", "value"}};
    return peer;
}

/// Runs a handshake over the stream; returns the octets it took and, in `written`, what it sent.
std::size_t run(handshake& h, std::span<const std::byte> stream, std::uint8_t seed, std::vector<std::byte>& written)
{
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
    const zmtp::local_peer peer = local(in.choice());
    const std::uint8_t seed = in.choice();

    handshake whole(peer);
    handshake split(peer);
    std::vector<std::byte> written_by_whole, written_by_split;
    const std::size_t taken = run(whole, in.rest(), 0, written_by_whole);
    fuzz::require(run(split, in.rest(), seed, written_by_split) == taken);
    fuzz::require(whole.current() == split.current() && whole.error() == split.error());
    fuzz::require(written_by_whole == written_by_split);
    fuzz::require(written_by_whole.size() < 2048);

    if (whole.current() == handshake::state::failed) {
        fuzz::require(whole.error() != zmtp::handshake_error::none && !whole.error_text().empty());
    } else {
        fuzz::require(whole.error() == zmtp::handshake_error::none);
    }
    if (whole.current() == handshake::state::done) {
        fuzz::require(whole.remote().routing_id.size() <= zmtp::max_routing_id_size);
        fuzz::require(whole.remote().routing_id == split.remote().routing_id);
        fuzz::require(whole.remote().properties == split.remote().properties);
        for (const zmtp::property& p : whole.remote().properties) fuzz::require(!zmtp::is_reserved_property(p.first));
        const auto type = zmtp::socket_type_from_name(whole.remote().socket_type);
        fuzz::require(whole.remote().socket_type.empty() || (type && zmtp::compatible(peer.type, *type)));
    }
    return 0;
}
