// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Every mechanism in every role against arbitrary commands and answers. It ends or waits, says why it failed, sends
// nothing after its end except one ERROR, and what it took from the peer fits.
#include "conversation.hpp"
#include "fuzz_input.hpp"

#include <iterator>

using namespace zlink;
using zmtp::mechanism_state;

namespace {

std::span<const std::byte> take(fuzz::input& in)
{
    const std::size_t size = in.choice();
    return in.take(size == 255 ? in.rest().size() : size);
}

/// An answer of seven frames, or of fewer; or nobody answers.
void answer(zmtp::mechanism& m, fuzz::input& in, zmtp::remote_peer& peer)
{
    const std::uint8_t kind = in.choice();
    if (kind == 0) {
        m.resume(zmtp::zap_absent{}, peer);
        return;
    }
    std::vector<zmtp::zap_frame> frames;
    for (std::size_t i = kind % 9; i > 0; --i) frames.push_back(take(in));
    m.resume(zmtp::zap_reply{frames, "1"}, peer);
}

/// What it has to say now.
std::size_t hear(zmtp::mechanism& m)
{
    std::size_t commands = 0;
    std::vector<std::byte> body;
    while (m.next_command(body)) {
        fuzz::require(!body.empty() && body.size() <= zmtp::max_handshake_frame);
        body.clear();
        fuzz::require(++commands <= 2);
    }
    return commands;
}

void check(const zmtp::mechanism& m, const zmtp::local_peer& local, const zmtp::remote_peer& peer)
{
    const bool failed = m.state() == mechanism_state::failed;
    fuzz::require(failed == (m.failure().error != zmtp::handshake_error::none));
    if (failed) fuzz::require(!m.failure().text.empty() || m.failure().error == zmtp::handshake_error::no_detail);
    fuzz::require(peer.routing_id.size() <= zmtp::max_routing_id_size);
    const auto type = zmtp::socket_type_from_name(peer.socket_type);
    fuzz::require(peer.socket_type.empty() || (type && zmtp::compatible(local.type, *type)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const std::vector<fuzz::pairing> pairs = fuzz::pairings();
    fuzz::input in(data, size);
    const fuzz::pairing& pair = pairs[in.choice() % pairs.size()];
    const zmtp::local_peer& local = in.choice() & 1 ? pair.bound : pair.connecting;
    const auto m = zmtp::find_mechanism(pair.mechanism)->make(local);
    zmtp::remote_peer peer;

    hear(*m);
    while (!in.rest().empty()) {
        const bool over = m->state() != mechanism_state::in_progress;
        const bool failed = m->state() == mechanism_state::failed;
        if (m->question() && in.choice() & 1) {
            answer(*m, in, peer);
        } else if (over) {
            break;
        } else {
            m->process_command(take(in), peer);
        }
        fuzz::require(hear(*m) <= (m->state() == mechanism_state::failed ? 1u : 2u));
        fuzz::require(!failed || m->state() == mechanism_state::failed);
        check(*m, local, peer);
    }
    return 0;
}
