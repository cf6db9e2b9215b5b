// pub, sub, push, pull, req, rep, dealer, router and pair: their options, and one socket fed to the traffic loop.
#include "cli/command.hpp"
#include "cli/lingering.hpp"
#include "cli/traffic_loop.hpp"
#include "cli/traffic_options.hpp"

#include "support/status_line.hpp"
#include "support/stop_signal.hpp"
#include "support/text.hpp"

#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

constexpr std::chrono::milliseconds publisher_delay{200};

// The options as typed; checked and turned into traffic_options once parsing is over.
struct typed_options {
    traffic_options plain;
    std::string separator;
    std::string timeout;
    std::string delay;
    std::string linger;
    std::string reply;
    std::vector<std::string> settings;
};

struct command_text {
    const char* name;
    int type;
    const char* purpose;
    const char* count;
    const char* examples;
};

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
     "  zlink sub --connect tcp://127.0.0.1:5556 --subscribe weather --subscribe news --count 10"},
    {"push", ZMQ_PUSH, "Send each message to one of the pullers", count_sent,
     "Examples:\n"
     "  zlink push --connect tcp://127.0.0.1:5555 hello world\n"
     "  zlink push --bind tcp://*:5555 --file jobs.txt --rate 100\n"
     "  zlink push --connect tcp://127.0.0.1:5555 --hex --multipart , 00ff,68656c6c6f"},
    {"pull", ZMQ_PULL, "Receive from pushers, in turn", count_received,
     "Examples:\n"
     "  zlink pull --bind tcp://*:5555\n"
     "  zlink pull --bind tcp://*:5555 --count 2 --timeout 5s --hex --multipart ,"},
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
};

std::chrono::milliseconds duration(const char* option, const std::string& text)
{
    const auto value = parse_duration(text);
    if (!value) {
        throw usage_failure(fmt::format("{} takes a time like 500, 500ms, 2s or 1m, not '{}'", option, text));
    }
    return *value;
}

void check_endpoints(const traffic_options& options, const char* command)
{
    if (options.bind.empty() && options.connect.empty()) {
        throw usage_failure(fmt::format("{} needs an endpoint: --connect or --bind, for example --connect "
                                        "tcp://127.0.0.1:5555",
                                        command));
    }
    for (const auto* list : {&options.bind, &options.connect}) {
        for (const auto& endpoint : *list) {
            if (endpoint.find("://") == std::string::npos) {
                throw usage_failure(
                    fmt::format("'{}' is no endpoint; write it like tcp://127.0.0.1:5555 or ipc:///tmp/x", endpoint));
            }
            if (endpoint.starts_with("inproc://")) {
                throw usage_failure(
                    fmt::format("{} reaches sockets of the same process only; use ipc:// or tcp://", endpoint));
            }
        }
    }
}

traffic_options checked(typed_options& typed, const command_text& text, std::vector<std::string> messages)
{
    traffic_options options = std::move(typed.plain);
    options.type = text.type;
    options.messages = std::move(messages);
    check_endpoints(options, text.name);
    if (!options.messages.empty() && (!can_send(text.type) || text.type == ZMQ_REP)) {
        throw usage_failure(fmt::format("{} takes no messages ('{}'){}", text.name, options.messages[0],
                                        text.type == ZMQ_REP ? "; --reply sets the answer" : "; it only receives"));
    }
    if (!options.messages.empty() && !options.file.empty()) {
        throw usage_failure("give messages as arguments or by --file, not both");
    }
    if (options.echo && !typed.reply.empty()) {
        throw usage_failure("give --echo or --reply, not both");
    }
    if (!typed.separator.empty()) {
        const auto separator = unescape(typed.separator);
        if (!separator) {
            throw usage_failure(fmt::format("--multipart '{}': only \\t \\n \\r \\0 \\\\ and \\xHH are known escapes",
                                            typed.separator));
        }
        options.separator = *separator;
    }
    options.output_separator = options.separator.empty() ? "\t" : options.separator;
    if (!typed.timeout.empty()) {
        options.timeout = duration("--timeout", typed.timeout);
    }
    if (!typed.delay.empty()) {
        options.delay = duration("--delay", typed.delay);
    }
    if (!typed.linger.empty() && typed.linger != "-1") {
        options.linger = duration("--linger", typed.linger);
    }
    for (const auto& setting : typed.settings) {
        options.settings.push_back(parse_setting(setting));
    }
    return options;
}

exit_status exchange(const traffic_options& options)
{
    lingering_context owner(options);
    for (const auto& setting : options.settings) {
        if (setting.of_context) {
            apply(setting, owner.get());
        }
    }
    socket peer(owner.get(), options.type);
    peer.set(ZMQ_LINGER, options.linger ? static_cast<int>(options.linger->count()) : -1);
    if (!options.identity.empty()) {
        peer.set(ZMQ_ROUTING_ID, options.identity);
    }
    if (options.type == ZMQ_ROUTER && !options.echo && !options.reply) {
        peer.set(ZMQ_ROUTER_MANDATORY, 1);
    }
    for (const auto& setting : options.settings) {
        if (!setting.of_context) {
            apply(setting, peer);
        }
    }
    if (options.type == ZMQ_SUB) {
        for (const auto& topic : options.topics.empty() ? std::vector<std::string>{""} : options.topics) {
            peer.set(ZMQ_SUBSCRIBE, std::string_view(topic));
        }
    }
    for (const auto& endpoint : options.bind) {
        peer.bind(endpoint);
        if (!options.quiet && endpoint.find('*') != std::string::npos) {
            say("listening on {}\n", peer.last_endpoint());
        }
    }
    for (const auto& endpoint : options.connect) {
        peer.connect(endpoint);
    }
    const auto delay = options.delay.value_or(options.type == ZMQ_PUB ? publisher_delay : std::chrono::milliseconds{0});
    stop_signal::wait_for(static_cast<int>(delay.count()));
    try {
        const exit_status status = traffic_loop(options, peer).run();
        owner.finish(peer);
        return status;
    } catch (...) {
        owner.abandon(peer);
        throw;
    }
}

// CLI11's own check would quote the largest number there is. Empty: it is one.
std::string no_positive_number(const std::string& text)
{
    double value = 0;
    const bool is_one = CLI::detail::lexical_cast(text, value) && value > 0 && std::isfinite(value);
    return is_one ? "" : fmt::format("'{}' is no number above 0", text);
}

void add_options(CLI::App& command, const command_text& text, typed_options& typed)
{
    auto& plain = typed.plain;
    const auto single = [](CLI::Option* option, const char* label) {
        option->allow_extra_args(false)->type_name(label);
    };
    single(command.add_option("-c,--connect", plain.connect, "Connect to this endpoint (repeatable)"), "ENDPOINT");
    single(command.add_option("-b,--bind", plain.bind, "Listen on this endpoint (repeatable)"), "ENDPOINT");
    if (can_send(text.type) && text.type != ZMQ_REP) {
        accept_messages(command);
        command
            .add_option("-f,--file", plain.file, "Send this file's lines (default without messages: standard input)")
            ->type_name("FILE");
        command.add_flag("-w,--whole", plain.whole, "Send the file or standard input as one message");
        command.add_option("-r,--rate", plain.rate, "Send at most this many messages a second")
            ->check(CLI::Validator(no_positive_number, ""))
            ->type_name("N");
    }
    if (text.type == ZMQ_SUB) {
        single(command.add_option("-s,--subscribe", plain.topics,
                                  "Receive messages that begin so (repeatable; default: all)"),
               "TOPIC");
    }
    if (text.type == ZMQ_REP || text.type == ZMQ_ROUTER) {
        command.add_option("--reply", typed.reply, "Answer each message with this")->type_name("TEXT");
        command.add_flag("--echo", plain.echo,
                         text.type == ZMQ_REP ? "Answer with the request itself (the default)"
                                              : "Send each message back");
    }
    command.add_option("-n,--count", plain.count, text.count)->type_name("N");
    command.add_flag("-x,--hex", plain.hex, "Messages are hex digits, in and out");
    command
        .add_option("-m,--multipart", typed.separator,
                    "Text between the frames of a message, in and out; printed as a "
                    "tab by default")
        ->type_name("SEP");
    command.add_option("-t,--timeout", typed.timeout, "Give up when nothing moves for so long (ms, or 2s, 1m)")
        ->type_name("TIME");
    command
        .add_option("-d,--delay", typed.delay,
                    text.type == ZMQ_PUB ? "Wait so long for peers before sending (default: 200ms)"
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
    command.footer(text.examples);
}

}  // namespace

void add_traffic_commands(command_line& line)
{
    for (const auto& text : commands) {
        auto* command = add_command(line, text.name, text.purpose);
        auto typed = std::make_shared<typed_options>();
        add_options(*command, text, *typed);
        command->callback([command, typed, &text, &line] {
            line.chosen = [command, typed, &text, &line] {
                if (const auto* reply = command->get_option_no_throw("--reply");
                    reply != nullptr && reply->count() > 0) {
                    typed->plain.reply = typed->reply;
                }
                return exchange(checked(*typed, text, free_arguments(*command, line)));
            };
        });
    }
}

}  // namespace zlink::tool
