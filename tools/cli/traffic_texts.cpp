// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "cli/traffic_texts.hpp"

#include <zmq.h>

namespace zlink::tool {
namespace {

constexpr const char* count_sent = "Send N messages and end; messages given as arguments are repeated";
constexpr const char* count_received = "Receive N messages and end";

constexpr command_text commands[] = {
    {"pub", ZMQ_PUB, "Publish messages to all subscribers", count_sent,
     "Examples:\n"
     "  zlink pub --bind tcp://*:5556 'weather sunny'\n"
     "  tail -f log.txt | zlink pub --bind tcp://*:5556\n"
     "  zlink pub --bind tcp://*:5556 --count 100 --rate 10 tick"},
    {"sub", ZMQ_SUB, "Subscribe and print what is published", count_received,
     "Examples:\n"
     "  zlink sub --connect tcp://127.0.0.1:5556\n"
     "  zlink sub --connect tcp://127.0.0.1:5556 --subscribe weather --subscribe news --count 10\n"
     "  zlink sub --connect tcp://127.0.0.1:5556 --format '{time} {topic} {size}'"},
    {"xpub", ZMQ_XPUB, "Publish, and print the subscriptions that arrive",
     "Send N messages and end; messages given as arguments are repeated",
     "Examples:\n"
     "  zlink xpub --bind tcp://*:5556                   shows who subscribes to what\n"
     "  zlink xpub --bind tcp://*:5556 --count 100 --rate 10 'weather sunny'"},
    {"xsub", ZMQ_XSUB, "Subscribe and print; messages go to the publishers", count_received,
     "Examples:\n"
     "  zlink xsub --connect tcp://127.0.0.1:5556 --subscribe weather\n"
     "  zlink xsub --connect tcp://127.0.0.1:5556 --count 5 'to every XPUB'"},
    {"push", ZMQ_PUSH, "Send each message to one of the pullers", count_sent,
     "Examples:\n"
     "  zlink push --connect tcp://127.0.0.1:5555 hello world\n"
     "  zlink push --bind tcp://*:5555 --file jobs.txt --rate 100\n"
     "  zlink push --connect tcp://127.0.0.1:5555 --hex --multipart , 00ff,68656c6c6f\n"
     "  zlink push --connect tcp://127.0.0.1:5555 --chunk 64k --file movie.mkv"},
    {"pull", ZMQ_PULL, "Receive from pushers, in turn", count_received,
     "Examples:\n"
     "  zlink pull --bind tcp://*:5555\n"
     "  zlink pull --bind tcp://*:5555 --count 2 --timeout 5s --hex --multipart ,\n"
     "  zlink pull --bind tcp://*:5555 --raw --to movie.mkv --timeout 5s\n"
     "  zlink pull --bind tcp://*:5555 --format '{time} {size} {hex}'"},
    {"req", ZMQ_REQ, "Send requests, print each reply", "Send N requests and end; arguments are repeated",
     "Examples:\n"
     "  zlink req --connect tcp://127.0.0.1:5557 'what time is it'\n"
     "  zlink req --connect tcp://127.0.0.1:5557 --timeout 2s --count 10 --rate 1 ping"},
    {"rep", ZMQ_REP, "Print requests and reply: the same again, or --reply TEXT", "Serve N requests and end",
     "Examples:\n"
     "  zlink rep --bind tcp://*:5557\n"
     "  zlink rep --bind tcp://*:5557 --reply 'it is late'"},
    {"dealer", ZMQ_DEALER, "Send to the peers in turn and print what comes back",
     "End after N received (else as many as were sent; 0: don't wait)",
     "Examples:\n"
     "  zlink dealer --connect tcp://127.0.0.1:5558 --identity worker-1 hello\n"
     "  zlink dealer --connect tcp://127.0.0.1:5558 --count 0 'no answer wanted'"},
    {"router", ZMQ_ROUTER, "Receive with the sender's id, send to the id in a message's first frame",
     "End after N received",
     "Examples:\n"
     "  zlink router --bind tcp://*:5558 --echo\n"
     "  zlink router --bind tcp://*:5558 --delay 1s --multipart '|' --count 0 'worker-1|hello'\n"
     "Ids that aren't text are printed, and may be given, as 0x and hex digits."},
    {"pair", ZMQ_PAIR, "Talk to exactly one peer, both ways", "End after N received (0: don't wait)",
     "Examples:\n"
     "  zlink pair --bind ipc:///tmp/talk     in one terminal, and in another:\n"
     "  zlink pair --connect ipc:///tmp/talk"},
    {"stream", ZMQ_STREAM, "Talk to plain TCP or TLS programs: octets instead of messages", count_received,
     "Examples:\n"
     "  zlink stream --connect tcp://127.0.0.1:8080 --raw $'GET / HTTP/1.0\\r\\n\\r\\n'\n"
     "  zlink stream --connect tls://example.org:443 --raw $'GET / HTTP/1.0\\r\\n\\r\\n'\n"
     "  zlink stream --bind tcp://*:7777 --echo\n"
     "It ends when the peer that it connected to closes the connection."},
    {"scatter", ZMQ_SCATTER, "Send each message to one of the gatherers", count_sent,
     "Examples:\n"
     "  zlink scatter --connect tcp://127.0.0.1:5565 hello world"},
    {"gather", ZMQ_GATHER, "Receive from scatterers, in turn", count_received,
     "Examples:\n"
     "  zlink gather --bind tcp://*:5565"},
    {"client", ZMQ_CLIENT, "Send to a server and print what comes back",
     "End after N received (else as many as were sent; 0: don't wait)",
     "Examples:\n"
     "  zlink client --connect tcp://127.0.0.1:5566 hello\n"
     "  zlink client --connect tcp://127.0.0.1:5566 --count 0 'no answer wanted'"},
    {"server", ZMQ_SERVER, "Receive with the client's number, send to the number in a message's first frame",
     "End after N received",
     "Examples:\n"
     "  zlink server --bind tcp://*:5566 --echo\n"
     "  zlink server --bind tcp://*:5566 --reply 'it is late'"},
    {"peer", ZMQ_PEER, "Talk to equals: to the one it connects to, or to each by its number", "End after N received",
     "Examples:\n"
     "  zlink peer --bind tcp://*:5567 --echo\n"
     "  zlink peer --connect tcp://127.0.0.1:5567 --count 1 hello"},
    {"channel", ZMQ_CHANNEL, "Talk to exactly one peer, both ways", "End after N received (0: don't wait)",
     "Examples:\n"
     "  zlink channel --bind ipc:///tmp/talk     in one terminal, and in another:\n"
     "  zlink channel --connect ipc:///tmp/talk"},
    {"radio", ZMQ_RADIO, "Send messages to groups", count_sent,
     "Examples:\n"
     "  zlink radio --bind tcp://*:5568 --group weather sunny\n"
     "  zlink radio --connect udp://239.1.2.3:5568 --multipart '|' 'weather|sunny' 'news|none'"},
    {"dish", ZMQ_DISH, "Join groups and print what is sent to them", count_received,
     "Examples:\n"
     "  zlink dish --connect tcp://127.0.0.1:5568 --group weather --group news\n"
     "  zlink dish --bind udp://239.1.2.3:5568 --group weather --format '{time} {topic} {text}'"},
    {"dgram", ZMQ_DGRAM, "Talk to programs over UDP: to the address in a message's first frame", "End after N received",
     "Examples:\n"
     "  zlink dgram --bind udp://*:5569 --echo\n"
     "  zlink dgram --bind udp://*:5570 --count 0 --multipart '|' '127.0.0.1:5569|hello'"},
};

}  // namespace

std::span<const command_text> traffic_texts()
{
    return commands;
}

}  // namespace zlink::tool
