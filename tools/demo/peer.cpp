// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Arguments in, one role or two run, events out. The same file serves zlink and the peer on the distribution's libzmq.
#include "demo/peer.hpp"

#include "demo/role.hpp"

#include "support/failure.hpp"
#include "support/loaded_library.hpp"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <sys/prctl.h>

namespace zlink::tool::demo {
namespace {

using arguments_map = std::map<std::string, std::string>;

arguments_map parse(int count, char** arguments)
{
    arguments_map values;
    for (int at = 1; at < count; ++at) {
        const std::string argument = arguments[at];
        const auto equals = argument.find('=');
        if (equals == std::string::npos) {
            throw usage_failure("demo-peer is started by 'zlink demo' only");
        }
        values[argument.substr(0, equals)] = argument.substr(equals + 1);
    }
    for (const char* name : {"role", "pattern", "endpoint", "corpus"}) {
        if (!values.contains(name)) {
            throw usage_failure("demo-peer is started by 'zlink demo' only");
        }
    }
    return values;
}

role_options options_of(arguments_map& values, bool sender)
{
    role_options options;
    const auto pattern = find_pattern(values["pattern"]);
    if (!pattern) {
        throw usage_failure(fmt::format("demo-peer: unknown pattern {}", values["pattern"]));
    }
    options.pattern = *pattern;
    options.sender = sender;
    options.binds = traits_of(*pattern).sender_binds == sender;
    options.raw = values["raw"] == "1";
    options.endpoint = values["endpoint"];
    options.paced = std::strtoull(values["paced"].c_str(), nullptr, 10);
    options.burst = std::strtoull(values["burst"].c_str(), nullptr, 10);
    options.burst_seconds = std::strtod(values["seconds"].c_str(), nullptr);
    options.stall_ms = std::atoi(values["stall"].c_str());
    return options;
}

// False when the role failed; the demo has been told why.
bool run_and_tell(const role_options& options, const context& owner, const corpus& source)
{
    control line(options.sender);
    line.say("library", fmt::format("{} {}", zlink_library_version().value_or(api_version()), library_path()));
    try {
        const tally result = run_role(options, owner, source, line);
        line.say("done", result.to_line());
        return true;
    } catch (const std::exception& problem) {
        line.say("error", problem.what());
        return false;
    }
}

}  // namespace

int run_peer(int count, char** arguments)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // never outlives the demo
    arguments_map values = parse(count, arguments);
    const corpus source(values["corpus"]);
    const context owner;
    const bool both = values["role"] == "both";
    const role_options own_role = options_of(values, both || values["role"] == "sender");
    const role_options other_role = options_of(values, false);
    bool receiver_fine = true;
    std::thread receiver;
    if (both) {
        receiver = std::thread([&] { receiver_fine = run_and_tell(other_role, owner, source); });
    }
    const bool fine = run_and_tell(own_role, owner, source);
    if (both) {
        receiver.join();
    }
    return fine && receiver_fine ? 0 : 1;
}

}  // namespace zlink::tool::demo
