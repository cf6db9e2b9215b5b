// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A foreign peer on the distribution's libzmq; peer_program.hpp describes it.
#include "peer_program.hpp"

#include <map>

namespace {

int type_named(const std::string& name)
{
    static const std::map<std::string, int> types{{"PAIR", ZMQ_PAIR}, {"PUB", ZMQ_PUB},       {"SUB", ZMQ_SUB},
                                                  {"REQ", ZMQ_REQ},   {"REP", ZMQ_REP},       {"XPUB", ZMQ_XPUB},
                                                  {"XSUB", ZMQ_XSUB}, {"DEALER", ZMQ_DEALER}, {"PUSH", ZMQ_PUSH},
                                                  {"PULL", ZMQ_PULL}, {"STREAM", ZMQ_STREAM}, {"ROUTER", ZMQ_ROUTER}};
    return types.at(name);
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::cerr << "usage: libzmq_peer SOCKET-TYPE < commands\n";
        return 2;
    }
    zlink::test::peer peer(type_named(argv[1]));
    return serve(peer);
}
