// zlink proxy: joins two sets of peers through zmq_proxy_steerable, which runs in a thread of its own so that this one
// can watch for Ctrl-C and show the rates.
#include "cli/command.hpp"

#include "support/socket.hpp"
#include "support/status_line.hpp"
#include "support/stop_signal.hpp"
#include "support/text.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <future>
#include <memory>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

struct side {
    std::string type;
    std::vector<std::string> bind;
    std::vector<std::string> connect;

    bool used() const { return !bind.empty() || !connect.empty(); }
};

struct proxy_options {
    std::string kind = "queue";
    side frontend;
    side backend;
    side capture;
    bool quiet = false;
};

constexpr const char* control_endpoint = "inproc://zlink-proxy-control";

std::unique_ptr<socket> open_side(const context& owner, const char* name, const side& wanted)
{
    const auto type = socket_type(wanted.type);
    if (!type) {
        throw usage_failure(fmt::format("--{}-type '{}' is no socket type; use one of {}", name, wanted.type,
                                        lower(fmt::format("{}", fmt::join(socket_type_names(), ", ")))));
    }
    if (!wanted.used()) {
        throw usage_failure(fmt::format("proxy needs --{} ENDPOINT (listens) or --{}-connect ENDPOINT", name, name));
    }
    auto result = std::make_unique<socket>(owner, *type);
    result->set(ZMQ_LINGER, 1000);
    if (*type == ZMQ_SUB) {
        result->set(ZMQ_SUBSCRIBE, std::string_view(""));
    }
    for (const auto& endpoint : wanted.bind) {
        result->bind(endpoint);
    }
    for (const auto& endpoint : wanted.connect) {
        result->connect(endpoint);
    }
    return result;
}

struct traffic {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

// What the proxy forwarded so far, both directions together.
std::optional<traffic> ask_statistics(socket& control)
{
    // eight numbers: frontend messages and bytes in and out, then the backend's
    message reply;
    if (!control.send({"STATISTICS"}, 0) || !control.receive(reply, 0) || reply.size() != 8) {
        return std::nullopt;
    }
    const auto number = [&](std::size_t at) {
        std::uint64_t value = 0;
        std::memcpy(&value, reply[at].data(), std::min(sizeof value, reply[at].size()));
        return value;
    };
    return traffic{number(0) + number(4), number(1) + number(5)};
}

void watch(socket& control, bool live)
{
    traffic before;
    while (!stop_signal::wait_for(1000)) {
        const auto now = live ? ask_statistics(control) : std::nullopt;
        if (now) {
            say("\r\033[K{}/s, {}/s, {} forwarded", short_count(double(now->messages - before.messages)),
                byte_count(double(now->bytes - before.bytes)), grouped(now->messages));
            std::fflush(stderr);
            before = *now;
        }
    }
    if (live) {
        say("\r\033[K");
    }
}

exit_status run_proxy(proxy_options& options)
{
    static const std::array<std::array<const char*, 3>, 3> kinds{
        {{"queue", "router", "dealer"}, {"forwarder", "xsub", "xpub"}, {"streamer", "pull", "push"}}};
    for (const auto& [kind, frontend, backend] : kinds) {
        if (options.kind == kind) {
            options.frontend.type = options.frontend.type.empty() ? frontend : options.frontend.type;
            options.backend.type = options.backend.type.empty() ? backend : options.backend.type;
        }
    }
    context owner;
    auto frontend = open_side(owner, "frontend", options.frontend);
    auto backend = open_side(owner, "backend", options.backend);
    auto capture = options.capture.used() ? open_side(owner, "capture", options.capture) : nullptr;
    socket control(owner, ZMQ_PAIR);
    socket remote(owner, ZMQ_PAIR);
    control.set(ZMQ_RCVTIMEO, 1000);
    control.set(ZMQ_SNDTIMEO, 1000);
    control.set(ZMQ_LINGER, 0);
    control.bind(control_endpoint);
    remote.connect(control_endpoint);

    int error = 0;
    std::promise<void> ended;
    std::thread worker([&] {
        const int result = zmq_proxy_steerable(frontend->handle(), backend->handle(),
                                               capture ? capture->handle() : nullptr, remote.handle());
        error = result == 0 ? 0 : zmq_errno();
        ended.set_value();
        stop_signal::request();  // it never ends by itself but for an error
    });
    if (!options.quiet) {
        say("forwarding between {} {} and {} {}\n", upper(options.frontend.type), frontend->last_endpoint(),
            upper(options.backend.type), backend->last_endpoint());
    }
    watch(control, !options.quiet && isatty(STDERR_FILENO) == 1);
    const auto end = ended.get_future();
    const bool runs = end.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
    const auto total = runs && !options.quiet ? ask_statistics(control) : std::nullopt;
    if (runs) {
        control.send({"TERMINATE"}, 0);
    }
    if (end.wait_for(std::chrono::seconds(1)) != std::future_status::ready) {
        zmq_ctx_shutdown(owner.handle());  // it is held up by a peer that takes no messages
    }
    worker.join();
    if (error != 0 && error != ETERM) {
        throw failure(fmt::format("the proxy ended: {}", zmq_strerror(error)));
    }
    if (total) {
        say("stopped: forwarded {} messages ({})\n", grouped(total->messages), byte_count(double(total->bytes)));
    }
    return exit_status::success;
}

void add_side(CLI::App& command, const std::string& name, side& target, const char* types)
{
    command.add_option("--" + name, target.bind, "Listen here (repeatable)")
        ->allow_extra_args(false)
        ->type_name("ENDPOINT");
    command.add_option("--" + name + "-connect", target.connect, "Connect there (repeatable)")
        ->allow_extra_args(false)
        ->type_name("ENDPOINT");
    command.add_option("--" + name + "-type", target.type, types)->type_name("TYPE");
}

}  // namespace

void add_proxy_command(command_line& line)
{
    auto* command = add_command(line, "proxy", "Forward messages between two sets of peers");
    auto options = std::make_shared<proxy_options>();
    command
        ->add_option("-k,--kind", options->kind,
                     "queue (router, dealer), forwarder (xsub, xpub) or streamer (pull, push)")
        ->check(unnamed(CLI::IsMember({"queue", "forwarder", "streamer"})))
        ->type_name("KIND")
        ->capture_default_str();
    add_side(*command, "frontend", options->frontend, "Socket type instead of the kind's: where requests come from");
    add_side(*command, "backend", options->backend, "Socket type instead of the kind's: where they go to");
    options->capture.type = "pub";
    add_side(*command, "capture", options->capture, "Socket type that gets a copy of everything (default: pub)");
    command->add_flag("-q,--quiet", options->quiet, "Say nothing but errors on stderr");
    command->footer(
        "Examples:\n"
        "  zlink proxy --frontend tcp://*:5559 --backend tcp://*:5560\n"
        "  zlink proxy --kind forwarder --frontend tcp://*:5561 --backend tcp://*:5562\n"
        "  zlink proxy --kind streamer --frontend tcp://*:5563 --backend-connect tcp://sink:5564 "
        "--capture ipc:///tmp/tap\n"
        "  zlink proxy --frontend tcp://*:5565 --frontend-type pull --backend tcp://*:5566 --backend-type pub\n"
        "Ctrl-C ends it.");
    command->callback([options, &line] { line.chosen = [options] { return run_proxy(*options); }; });
}

}  // namespace zlink::tool
