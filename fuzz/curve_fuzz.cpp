// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// CURVE behind its boxes: commands and MESSAGEs whose boxes are right and whose contents are anything. (Commands that
// are anything altogether: mechanism_fuzz, conversation_fuzz.) It ends or waits, says why it failed, and a peer that is
// admitted is the one that vouched. Of the traffic nothing comes through except what was sealed, once and in order.
#include "curve_peer.hpp"
#include "fuzz_input.hpp"
#include "message/frame_header.hpp"
#include "zmtp/handshake_frame.hpp"
#include "zmtp/mechanism/curve_client.hpp"
#include "zmtp/mechanism/curve_sealing.hpp"
#include "zmtp/mechanism/curve_server.hpp"

using namespace zlink;
using fuzz::curve_octets;
using zmtp::handshake_error;
using zmtp::mechanism_state;

namespace {

zmtp::local_peer side(zmtp::security_settings settings)
{
    zmtp::local_peer peer;
    peer.type = zmtp::socket_type::dealer;
    peer.routing_id = {std::byte{'i'}, std::byte{'d'}};
    peer.security = std::make_shared<const zmtp::security_settings>(std::move(settings));
    return peer;
}

curve_octets some(fuzz::input& in, std::size_t most = 255)
{
    const auto taken = in.take(std::min<std::size_t>(in.choice(), most));
    return {taken.begin(), taken.end()};
}

/// The octets, some of them altered.
curve_octets altered(curve_octets octets, fuzz::input& in)
{
    for (std::size_t count = in.choice() % 4; count > 0 && !octets.empty(); --count) {
        const std::size_t at = std::size_t(in.choice()) << 8 | in.choice();
        octets[at % octets.size()] ^= std::byte(in.choice());
    }
    return octets;
}

/// The one command it has to say now, or none.
curve_octets hear(zmtp::mechanism& m)
{
    curve_octets said, none;
    if (!m.next_command(said)) return {};
    fuzz::require(!said.empty() && said.size() <= zmtp::max_handshake_frame);
    fuzz::require(!m.next_command(none));
    return said;
}

void check(zmtp::mechanism& m)
{
    const bool failed = m.state() == mechanism_state::failed;
    fuzz::require(failed == (m.failure().error != handshake_error::none));
    if (failed) fuzz::require(!m.question() && !m.take_sealing().in);
}

/// MESSAGEs of the peer, at times altered, replayed or out of order, into one span; and one of ours.
void talk(zmtp::sealing traffic, const fuzz::curve_speaker& peer, std::uint64_t last, fuzz::input& in)
{
    fuzz::require(traffic.in && traffic.out);
    std::vector<curve_octets> bodies, sealed;
    std::size_t good = 0;  // so many have to come through
    bool sound = true;
    while (!in.rest().empty() && sealed.size() < 40) {
        const std::uint8_t how = in.choice();
        const std::uint64_t number = how & 0x40 ? last + in.choice() : last - in.choice();
        curve_octets body = some(in);
        const curve_octets message = peer.message(number, how & 3, body);
        sealed.push_back(how & 0x80 ? altered(message, in) : message);
        sound = sound && sealed.back() == message && number > last;
        if (sound) {
            ++good;
            last = number;
        }
        bodies.push_back(std::move(body));
    }

    curve_octets chunk;
    for (const curve_octets& s : sealed) chunk.insert(chunk.end(), s.begin(), s.end());
    std::vector<zmtp::frame_to_open> frames;
    std::byte* to = chunk.data();
    for (std::size_t at = 0; const curve_octets& s : sealed) {
        frames.push_back({std::span(chunk).subspan(at, s.size()), to});
        at += s.size();
        if (s.size() >= zmtp::curve::message_overhead) to += s.size() - zmtp::curve::message_overhead;
    }
    const auto outcome = traffic.in->open(frames);
    fuzz::require(outcome.opened == good);
    fuzz::require((outcome.error == handshake_error::none) == (good == sealed.size()));
    for (std::size_t i = 0; i < good; ++i) {
        fuzz::require(frames[i].size == bodies[i].size());
        fuzz::require(std::equal(bodies[i].begin(), bodies[i].end(), frames[i].to));
    }

    const curve_octets ours = sealed.empty() ? curve_octets(7) : bodies.front();
    curve_octets out(ours.size() + traffic.out->overhead());
    const zmtp::frame_to_seal frame{message::flag_more, ours, out.data()};
    traffic.out->seal({&frame, 1});
    const auto there = peer.open_message(out);
    fuzz::require(there && there->front() == std::byte{1} && std::equal(ours.begin(), ours.end(), there->begin() + 1));
}

void fuzz_server(fuzz::input& in)
{
    static const zmtp::local_peer local = side(fuzz::curve_server_settings());
    fuzz::counting_random random(in.choice());
    zmtp::curve::server m(local, random);
    fuzz::curve_client_peer peer;
    zmtp::remote_peer remote;

    const std::uint8_t how = in.choice();
    fuzz::curve_client_peer::hello_fields fields;
    if (how & 1) fields.number = fuzz::number_of(fuzz::joined({in.take(8), curve_octets(8)}));
    if (how & 2) fields.text = altered(std::move(fields.text), in);
    if (how & 4) fields.version = altered(std::move(fields.version), in);
    m.process_command(how & 8 ? altered(peer.hello(fields), in) : peer.hello(fields), remote);
    check(m);
    if (!peer.take_welcome(hear(m))) return;

    auto initiate = peer.good_initiate();
    if (how & 16) initiate.number = fuzz::number_of(fuzz::joined({in.take(8), curve_octets(8)}));
    initiate.metadata = some(in);
    curve_octets body = peer.initiate(initiate);
    // Any text in the box, or the right one with some octets altered.
    if (how & 32) body = peer.initiate(initiate.number, altered(fuzz::joined({in.take(in.choice())}), in));
    if (how & 64) body = altered(std::move(body), in);
    m.process_command(body, remote);
    check(m);
    if (!m.question()) return;
    // Only a peer that vouches for itself comes so far.
    fuzz::require(m.question()->credentials.size() == 1);
    fuzz::require(std::ranges::equal(m.question()->credentials[0], fuzz::client_keys().open));

    m.resume(zmtp::zap_absent{}, remote);
    const curve_octets ready = hear(m);
    fuzz::require(m.state() == mechanism_state::ready && peer.open_ready(ready));
    talk(m.take_sealing(), peer, initiate.number, in);
}

void fuzz_client(fuzz::input& in)
{
    static const zmtp::local_peer local = side(fuzz::curve_client_settings());
    fuzz::counting_random random(in.choice());
    zmtp::curve::client m(local, random);
    fuzz::curve_server_peer peer;
    zmtp::remote_peer remote;

    const std::uint8_t how = in.choice();
    fuzz::require(peer.take_hello(hear(m)));
    curve_octets body = how & 1 ? peer.welcome(some(in)) : peer.welcome();
    if (how & 2) {
        // Another S', perhaps one that is no good, and another cookie.
        body = peer.welcome(altered(fuzz::joined({peer.transient.open, peer.cookie}), in));
    }
    if (how & 4) body = altered(std::move(body), in);
    if (how & 8) body = some(in);
    m.process_command(body, remote);
    check(m);
    const auto initiate = peer.open_initiate(hear(m));
    if (!initiate) return;
    fuzz::require(initiate->vouch == fuzz::joined({peer.theirs, fuzz::server_keys().open}));

    const std::uint64_t number = how & 16 ? fuzz::number_of(fuzz::joined({in.take(8), curve_octets(8)})) : 1;
    body = peer.ready(number, some(in));
    if (how & 32) body = altered(std::move(body), in);
    if (how & 64) body = some(in);
    m.process_command(body, remote);
    check(m);
    fuzz::require(hear(m).empty());
    if (m.state() == mechanism_state::ready) talk(m.take_sealing(), peer, number, in);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::input in(data, size);
    if (in.choice() & 1) {
        fuzz_client(in);
    } else {
        fuzz_server(in);
    }
    return 0;
}
