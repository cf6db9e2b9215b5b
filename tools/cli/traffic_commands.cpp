// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// pub, sub, push, pull and so on: their options on the command line.
#include "cli/command.hpp"
#include "cli/exchange.hpp"
#include "cli/message_format.hpp"
#include "cli/traffic_check.hpp"

#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

// CLI11's own check would quote the largest number there is. Empty: it is one.
std::string no_positive_number(const std::string& text)
{
    double value = 0;
    const bool is_one = CLI::detail::lexical_cast(text, value) && value > 0 && std::isfinite(value);
    return is_one ? "" : fmt::format("'{}' is not a number above 0", text);
}

void single(CLI::Option* option, const char* label)
{
    option->allow_extra_args(false)->type_name(label);
}

void add_sending(CLI::App& command, typed_options& typed)
{
    auto& plain = typed.plain;
    accept_messages(command);
    command.add_option("-f,--file", plain.file, "Send this file's lines (default without messages: standard input)")
        ->type_name("FILE");
    command.add_flag("-w,--whole", plain.whole, "Send the file or standard input as one message");
    command
        .add_option("--chunk", typed.chunk, "Send the file or standard input in messages of so many octets (64k, 1M)")
        ->type_name("SIZE");
    command.add_option("-r,--rate", plain.rate, "Send at most this many messages a second")
        ->check(CLI::Validator(no_positive_number, ""))
        ->type_name("N");
}

void add_receiving(CLI::App& command, typed_options& typed)
{
    auto& plain = typed.plain;
    command.add_option("--to", plain.to, "Write messages to this file instead of standard output")->type_name("FILE");
    command.add_flag("--raw", plain.raw, "Write nothing but the octets of messages, not even line breaks");
    command
        .add_option("--format", plain.format,
                    "How a message is printed: text with {time}, {topic}, ... as listed below")
        ->type_name("TEXT");
}

void add_answering(CLI::App& command, typed_options& typed, int type)
{
    auto& plain = typed.plain;
    command.add_option("--reply", plain.reply, "Answer each message with this")->type_name("TEXT");
    command.add_flag("--echo", plain.echo,
                     type == ZMQ_REP ? "Answer with the request itself (the default)" : "Send each message back");
}

void add_common(CLI::App& command, const command_text& text, typed_options& typed)
{
    auto& plain = typed.plain;
    command.add_option("-n,--count", plain.count, text.count)->check(whole_number())->type_name("N");
    command.add_flag("-x,--hex", plain.hex, "Messages are hex digits, in and out");
    command.add_flag("-0,--null", plain.null, "Messages end in a NUL instead of a line break, in and out");
    command
        .add_option("-m,--multipart", typed.separator,
                    "Text between the frames of a message, in and out; printed as a tab by default")
        ->type_name("SEP");
    command.add_option("-t,--timeout", typed.timeout, "Give up when nothing moves for so long (ms, or 2s, 1m)")
        ->type_name("TIME");
    const bool waits = publishes(text.type);
    command
        .add_option("-d,--delay", typed.delay,
                    waits ? "Wait so long for peers before sending (default: 200ms)"
                          : "Wait so long for peers before starting")
        ->type_name("TIME");
    command
        .add_option("-l,--linger", typed.linger, "At the end, give unsent messages so long (default -1: until sent)")
        ->type_name("TIME");
    command.add_option("-i,--identity", plain.identity, "Routing id by which ROUTER peers know this socket")
        ->type_name("ID");
    single(command.add_option("-o,--opt", typed.settings,
                              "Set a socket or context option, for example SNDHWM=10 (repeatable; "
                              "names: zlink env)"),
           "NAME=VALUE");
    command.add_flag("-q,--quiet", plain.quiet, "Say nothing but errors on stderr");
    command.add_flag("-v,--verbose", plain.verbose, "Say on stderr what happens to connections");
}

void add_options(CLI::App& command, const command_text& text, typed_options& typed)
{
    auto& plain = typed.plain;
    single(command.add_option("-c,--connect", plain.connect, "Connect to this endpoint (repeatable)"), "ENDPOINT");
    single(command.add_option("-b,--bind", plain.bind, "Listen on this endpoint (repeatable)"), "ENDPOINT");
    command.add_flag("--force", plain.force, "Take over an ipc:// path that another socket listens on");
    if (can_send(text.type) && text.type != ZMQ_REP) {
        add_sending(command, typed);
    }
    if (text.type == ZMQ_SUB || text.type == ZMQ_XSUB) {
        single(command.add_option("-s,--subscribe", plain.topics,
                                  "Receive messages that begin so (repeatable; default: all)"),
               "TOPIC");
    }
    if (text.type == ZMQ_DISH) {
        single(command.add_option("-g,--group", plain.groups, "Receive what is sent to this group (repeatable)"),
               "NAME");
    }
    if (text.type == ZMQ_RADIO) {
        single(command.add_option("-g,--group", plain.groups,
                                  "Send messages to this group (default: the first frame is the group)"),
               "NAME");
    }
    if (text.type == ZMQ_REP || addresses(text.type)) {
        add_answering(command, typed, text.type);
    }
    if (can_receive(text.type)) {
        add_receiving(command, typed);
    }
    add_common(command, text, typed);
    if (text.type == ZMQ_STREAM) {
        add_stream_security_options(command, plain.security);
    } else if (text.type != ZMQ_DGRAM) {
        add_security_options(command, plain.security);
    }
    const std::string fields =
        can_receive(text.type) ? "Fields of --format:\n" + message_format::field_list() + "\n" : "";
    command.footer(fields + text.examples);
}

}  // namespace

void add_traffic_commands(command_line& line)
{
    for (const auto& text : traffic_texts()) {
        auto* command = add_command(line, text.name, text.purpose);
        auto typed = std::make_shared<typed_options>();
        add_options(*command, text, *typed);
        command->callback([command, typed, &text, &line] {
            line.chosen = [command, typed, &text, &line] {
                return exchange(checked(*typed, text, free_arguments(*command, line)));
            };
        });
    }
}

}  // namespace zlink::tool
