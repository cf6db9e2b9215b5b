// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The table of patterns and the order of the experiments.
#include "demo/cell.hpp"

#include "support/text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool::demo {
namespace {

constexpr std::array patterns{
    pattern_traits{pattern::pair, "PAIR", ZMQ_PAIR, ZMQ_PAIR, false, true, 64},
    pattern_traits{pattern::pub_sub, "PUB/SUB", ZMQ_PUB, ZMQ_SUB, true, false, 0},
    pattern_traits{pattern::xpub_xsub, "XPUB/XSUB", ZMQ_XPUB, ZMQ_XSUB, true, false, 0},
    pattern_traits{pattern::req_rep, "REQ/REP", ZMQ_REQ, ZMQ_REP, false, true, 1},
    pattern_traits{pattern::dealer_router, "DEALER/ROUTER", ZMQ_DEALER, ZMQ_ROUTER, false, true, 64},
    pattern_traits{pattern::router_router, "ROUTER/ROUTER", ZMQ_ROUTER, ZMQ_ROUTER, false, true, 64},
    pattern_traits{pattern::push_pull, "PUSH/PULL", ZMQ_PUSH, ZMQ_PULL, false, false, 0},
    pattern_traits{pattern::stream, "STREAM", ZMQ_STREAM, ZMQ_STREAM, false, true, 16},
};

// "PUB/SUB", "pub-sub" and "pubsub" are the same word.
std::string letters(std::string_view text)
{
    std::string result = lower(text);
    std::erase_if(result, [](char c) { return c == '/' || c == '-' || c == '_'; });
    return result;
}

}  // namespace

const pattern_traits& traits_of(pattern value)
{
    return patterns[static_cast<std::size_t>(value)];
}

std::string name_of(pattern value)
{
    return traits_of(value).name;
}

std::string name_of(transport value)
{
    return value == transport::tcp ? "tcp" : value == transport::ipc ? "ipc" : "inproc";
}

std::string name_of(library value)
{
    return value == library::zlink ? "zlink" : value == library::libzmq ? "libzmq" : "raw";
}

std::optional<pattern> find_pattern(std::string_view name)
{
    const auto found = std::find_if(patterns.begin(), patterns.end(),
                                    [&](const pattern_traits& entry) { return letters(entry.name) == letters(name); });
    return found == patterns.end() ? std::nullopt : std::optional(found->value);
}

std::optional<transport> find_transport(std::string_view name)
{
    for (const auto value : all_transports()) {
        if (lower(name) == name_of(value)) {
            return value;
        }
    }
    return std::nullopt;
}

const std::vector<pattern>& all_patterns()
{
    static const std::vector<pattern> all{pattern::pair,      pattern::pub_sub,       pattern::xpub_xsub,
                                          pattern::req_rep,   pattern::dealer_router, pattern::router_router,
                                          pattern::push_pull, pattern::stream};
    return all;
}

const std::vector<transport>& all_transports()
{
    static const std::vector<transport> all{transport::tcp, transport::ipc, transport::inproc};
    return all;
}

std::string title(const cell& experiment)
{
    return fmt::format("{} {} {} > {}", name_of(experiment.pattern), name_of(experiment.transport),
                       name_of(experiment.sender), name_of(experiment.receiver));
}

std::vector<cell> plan(const std::vector<pattern>& wanted, const std::vector<transport>& transports, bool with_libzmq)
{
    std::vector<cell> cells;
    for (const auto carrier : transports) {
        for (const auto value : wanted) {
            if (value == pattern::stream && carrier != transport::tcp) {
                continue;  // STREAM speaks plain tcp only
            }
            cells.push_back({value, carrier, library::zlink, library::zlink});
            if (carrier == transport::inproc) {
                continue;  // one process, hence one library
            }
            if (with_libzmq) {
                cells.push_back({value, carrier, library::zlink, library::libzmq});
                cells.push_back({value, carrier, library::libzmq, library::zlink});
            }
            if (value == pattern::stream) {
                cells.push_back({value, carrier, library::raw, library::zlink});
            }
        }
    }
    return cells;
}

}  // namespace zlink::tool::demo
