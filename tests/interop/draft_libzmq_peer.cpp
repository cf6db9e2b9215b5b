// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A foreign peer on a libzmq with drafts, for the socket types of the draft API; peer_program.hpp describes most of it.
// All its commands work with messages that have an address (addressed_messages.hpp): an envelope names the peer or the
// group.
//
//   join|leave GROUP
//   connect_peer ENDPOINT                answers the routing id
#include "addressed_messages.hpp"
#include "peer_program.hpp"

#include <map>

namespace zlink::test {
namespace {

int type_named(const std::string& name)
{
    static const std::map<std::string, int> types{
        {"CLIENT", ZMQ_CLIENT},   {"SERVER", ZMQ_SERVER}, {"RADIO", ZMQ_RADIO},   {"DISH", ZMQ_DISH},
        {"SCATTER", ZMQ_SCATTER}, {"GATHER", ZMQ_GATHER}, {"PEER", ZMQ_PEER},     {"CHANNEL", ZMQ_CHANNEL},
        {"DGRAM", ZMQ_DGRAM},     {"DEALER", ZMQ_DEALER}, {"ROUTER", ZMQ_ROUTER}, {"XPUB", ZMQ_XPUB},
        {"XSUB", ZMQ_XSUB},
    };
    return types.at(name);
}

class draft_peer final : public peer {
public:
    using peer::peer;

    std::string obey(const std::string& verb, std::istringstream& words) override
    {
        if (verb == "join") {
            check(zmq_join(handle(), next<std::string>(words).c_str()) == 0, "zmq_join");
        } else if (verb == "leave") {
            check(zmq_leave(handle(), next<std::string>(words).c_str()) == 0, "zmq_leave");
        } else if (verb == "connect_peer") {
            const std::uint32_t id = zmq_connect_peer(handle(), next<std::string>(words).c_str());
            check(id != 0, "zmq_connect_peer");
            return std::to_string(id);
        } else if (verb == "library") {
            return peer::obey(verb, words) + (zmq_has("draft") != 0 ? " with drafts" : " without drafts");
        } else {
            return peer::obey(verb, words);
        }
        return "";
    }

private:
    bool send(const parts& frames, int flags) override
    {
        if (address_of(handle()) == address::none) {
            return peer::send(frames, flags);
        }
        const bool sent = send_addressed(handle(), frames, flags);
        check(sent || ((flags & ZMQ_DONTWAIT) != 0 && zmq_errno() == EAGAIN), "zmq_msg_send");
        return sent;
    }

    parts recv() override
    {
        if (address_of(handle()) == address::none) {
            return peer::recv();
        }
        const std::optional<parts> frames = recv_addressed(handle());
        check(frames.has_value(), "zmq_msg_recv");
        return *frames;
    }
};

}  // namespace
}  // namespace zlink::test

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::cerr << "usage: draft_libzmq_peer SOCKET-TYPE < commands\n";
        return 2;
    }
    zlink::test::draft_peer peer(zlink::test::type_named(argv[1]));
    return serve(peer);
}
