// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "cli/traffic_check.hpp"

#include "cli/endpoint_check.hpp"
#include "cli/security_use.hpp"

#include "support/failure.hpp"
#include "support/text.hpp"

#include <initializer_list>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

std::chrono::milliseconds duration(const char* option, const std::string& text)
{
    const auto value = parse_duration(text);
    if (!value) {
        throw usage_failure(fmt::format("{} takes a time like 500, 500ms, 2s or 1m, not '{}'", option, text));
    }
    return *value;
}

std::optional<std::chrono::milliseconds> optional_duration(const char* option, const std::string& text)
{
    return text.empty() ? std::nullopt : std::optional(duration(option, text));
}

struct named_flag {
    const char* name;
    bool given;
};

// At most one of them.
void check_exclusive(std::initializer_list<named_flag> flags)
{
    const char* first = nullptr;
    for (const auto& flag : flags) {
        if (flag.given && first != nullptr) {
            throw usage_failure(fmt::format("give {} or {}, not both", first, flag.name));
        }
        first = flag.given ? flag.name : first;
    }
}

void check_choices(const typed_options& typed, const command_text& text, const traffic_options& options)
{
    if (!options.messages.empty() && (!can_send(text.type) || text.type == ZMQ_REP)) {
        throw usage_failure(fmt::format("{} takes no messages ('{}'){}", text.name, options.messages[0],
                                        text.type == ZMQ_REP ? "; --reply sets the answer" : "; it only receives"));
    }
    check_exclusive({{"messages as arguments", !options.messages.empty()}, {"--file", !options.file.empty()}});
    check_exclusive({{"messages as arguments", !options.messages.empty()}, {"--whole", options.whole}});
    check_exclusive({{"messages as arguments", !options.messages.empty()}, {"--chunk", !typed.chunk.empty()}});
    check_exclusive({{"--echo", options.echo}, {"--reply", options.reply.has_value()}});
    check_exclusive({{"--whole", options.whole}, {"--chunk", !typed.chunk.empty()}});
    check_exclusive({{"--raw", options.raw}, {"--null", options.null}});
    check_exclusive({{"--raw", options.raw}, {"--hex", options.hex}});
    check_exclusive({{"--quiet", options.quiet}, {"--verbose", options.verbose}});
    const bool answers = options.echo || options.reply.has_value();
    check_exclusive({{"messages as arguments", !options.messages.empty()}, {"--echo or --reply", answers}});
    check_exclusive({{"--file", !options.file.empty()}, {"--echo or --reply", answers}});
}

// STREAM's peer is whom it connected to; with several, or with those that connect, each message needs an id.
void check_stream(const traffic_options& options)
{
    if (options.connect.size() + options.bind.size() > 1 && !options.connect.empty()) {
        throw usage_failure("stream talks to one --connect endpoint, or to those that come to --bind endpoints");
    }
    for (const auto* list : {&options.bind, &options.connect}) {
        for (const auto& endpoint : *list) {
            if (!endpoint.starts_with("tcp://") && !endpoint.starts_with("tls://")) {
                throw usage_failure(fmt::format("stream works over tcp:// and tls:// only, not {}", endpoint));
            }
        }
    }
}

// A number is of one connection; with several, or with those that connect, each message needs one.
void check_peer(const traffic_options& options)
{
    if (options.connect.size() + options.bind.size() > 1 && !options.connect.empty()) {
        throw usage_failure("peer talks to one --connect endpoint, or to those that come to --bind endpoints");
    }
}

void check_groups(const traffic_options& options)
{
    if (options.type == ZMQ_DISH && options.groups.empty()) {
        throw usage_failure("dish receives what is sent to groups, and there is none; give --group NAME");
    }
    if (options.type == ZMQ_RADIO && options.groups.size() > 1) {
        throw usage_failure("radio sends a message to one group; for several, leave --group out and write "
                            "--multipart '|' 'NAME|text'");
    }
}

// Datagrams go without a handshake.
void check_datagrams(const traffic_options& options)
{
    const std::string option = handshake_option(options.security);
    if (option.empty()) {
        return;
    }
    for (const auto* list : {&options.bind, &options.connect}) {
        for (const auto& endpoint : *list) {
            if (endpoint.starts_with("udp://")) {
                throw usage_failure(fmt::format(
                    "{} is for the handshake of ZMTP, which {} goes without; leave one of them out", option, endpoint));
            }
        }
    }
}

// What carries raw octets has no handshake, so that nothing of CURVE and PLAIN would be used.
void check_security(const traffic_options& options)
{
    const endpoint_lists endpoints{options.bind, options.connect};
    check_security_is_used(options.security, endpoints);
    check_datagrams(options);
    const bool raw = options.type == ZMQ_STREAM || setting_of(options.settings, ZMQ_ROUTER_RAW).value_or("0") != "0";
    check_settings_are_used(options.settings, endpoints, raw);
    if (const std::string option = handshake_option(options.security); raw && !option.empty()) {
        throw usage_failure(fmt::format("{} is for the handshake of ZMTP, which --opt ROUTER_RAW=1 does without; leave "
                                        "one of them out",
                                        option));
    }
}

}  // namespace

traffic_options checked(const typed_options& typed, const command_text& text, std::vector<std::string> messages)
{
    traffic_options options = typed.plain;
    options.type = text.type;
    options.messages = std::move(messages);
    if (options.bind.empty() && options.connect.empty()) {
        throw usage_failure(fmt::format("{} needs an endpoint: --connect or --bind, for example --connect "
                                        "tcp://127.0.0.1:5555",
                                        text.name));
    }
    check_endpoints(options.bind);
    check_endpoints(options.connect);
    check_choices(typed, text, options);
    if (text.type == ZMQ_STREAM) {
        check_stream(options);
    }
    if (text.type == ZMQ_PEER) {
        check_peer(options);
    }
    check_groups(options);
    if (!typed.separator.empty()) {
        const auto separator = unescape(typed.separator);
        if (!separator) {
            throw usage_failure(fmt::format("--multipart '{}': only \\t \\n \\r \\0 \\\\ and \\xHH are known escapes",
                                            typed.separator));
        }
        options.separator = *separator;
    }
    options.output_separator = options.separator.empty() ? "\t" : options.separator;
    if (!typed.chunk.empty()) {
        const auto size = parse_size(typed.chunk);
        if (!size) {
            throw usage_failure(fmt::format("--chunk takes a size like 500, 64k or 1M, not '{}'", typed.chunk));
        }
        options.chunk = *size;
    }
    options.timeout = optional_duration("--timeout", typed.timeout);
    options.delay = optional_duration("--delay", typed.delay);
    for (const auto& setting : typed.settings) {
        options.settings.push_back(parse_setting(setting));
    }
    check_security(options);
    const std::string linger =
        typed.linger.empty() ? setting_of(options.settings, ZMQ_LINGER).value_or("-1") : typed.linger;
    if (linger != "-1") {
        options.linger = duration("--linger", linger);
    }
    const bool subscribes = text.type == ZMQ_SUB || text.type == ZMQ_XSUB;
    if (subscribes && options.topics.empty()) {
        options.topics.emplace_back();  // everything
    }
    return options;
}

}  // namespace zlink::tool
