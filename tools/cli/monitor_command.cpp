// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink monitor: what happens to the connections of an endpoint, as sentences with cause and cure.
#include "cli/command.hpp"
#include "cli/command_socket.hpp"

#include "pure/connection_cure.hpp"
#include "pure/connection_dialog.hpp"
#include "support/failure.hpp"
#include "support/failure_notes.hpp"
#include "support/precise_sleep.hpp"
#include "support/stop_signal.hpp"
#include "support/text.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <zlink.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

using clock = std::chrono::steady_clock;

struct monitor_options {
    socket_wishes wishes;
    std::string endpoint;
    std::string type = "dealer";
    std::string timeout;
    bool once = false;
};

std::string name_of_mechanism(int mechanism)
{
    return mechanism == ZMQ_CURVE ? "CURVE" : mechanism == ZMQ_PLAIN ? "PLAIN" : "NULL";
}

std::string from(const std::string& local)
{
    return local.empty() || local.ends_with("://") ? "" : " from " + local;
}

// ZMQ_HANDSHAKE_IVL is over.
bool is_late(const connection_event& event)
{
    return event.kind == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL && event.value == EAGAIN;
}

// The lines on standard output. A line that would be the same as one shortly before is counted instead.
class story {
public:
    void take(const connection_event& event, peer_kind kind, const own_side& self, const std::string& note)
    {
        const std::string line = sentence(event, kind, self, note);
        if (line.empty()) {
            return;
        }
        const bool attempt = event.kind == ZMQ_EVENT_CONNECTED;
        if (failing_ && (attempt || line == trouble_)) {
            repeated_ += attempt ? 0 : 1;  // the same again
            return;
        }
        tell(line);
    }

    bool works() const noexcept { return working_ > 0; }
    bool ever_worked() const noexcept { return ever_worked_; }
    bool failing() const noexcept { return failing_; }
    // What the peer says isn't ZMTP, or of a version that is refused.
    bool foreign() const noexcept { return foreign_; }
    // Since when a peer that was connected to has owed its first words.
    const std::optional<clock::time_point>& silent_since() const noexcept { return silent_since_; }

    void print(const std::string& line) const
    {
        const std::chrono::duration<double> since = clock::now() - start_;
        fmt::print("[{:.3f} s] {}\n", since.count(), without_controls(line, ""));
        std::fflush(stdout);
    }

    void end()
    {
        if (repeated_ > 0) {
            print(fmt::format("the same {} more", repeated_ == 1 ? "once" : grouped(repeated_) + " times"));
            repeated_ = 0;
        }
    }

private:
    std::string sentence(const connection_event& event, peer_kind kind, const own_side& self, const std::string& note)
    {
        const std::string& where = event.remote.empty() ? event.local : event.remote;
        if (is_refusal(event, kind)) {
            foreign_ = event.kind == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL &&
                       event.value == ZMQ_PROTOCOL_ERROR_ZMTP_UNSPECIFIED && kind != peer_kind::visitor;
            silent_since_ = is_late(event) ? silent_since_ : std::nullopt;
            const std::string words(words_of(note));
            const std::string cure = cure_of_connect(where, words);
            return fail(explain_refusal(event, kind, self, words) + (cure.empty() ? "" : "; " + cure));
        }
        switch (event.kind) {
        case ZMQ_EVENT_CONNECTED:
            silent_since_ = silent_since_.value_or(clock::now());
            return fmt::format("{}: connected{}; the handshake begins", where, from(event.local));
        case ZMQ_EVENT_ACCEPTED: return fmt::format("{}: came in; the handshake begins", where);
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
            end();
            ++working_;
            ever_worked_ = true;
            failing_ = false;
            silent_since_.reset();
            return fmt::format("{}: handshake done, the connection works", where);
        case ZMQ_EVENT_PEER_PROPERTIES: return describe_peer(event, name_of_mechanism(self.mechanism));
        case ZMQ_EVENT_DISCONNECTED:
            if (working_ == 0) {
                return "";  // what went before has told why
            }
            --working_;
            return fmt::format("{}: the connection is over; the peer closed it, or the network did", where);
        case ZMQ_EVENT_CLOSED:
        case ZMQ_EVENT_CONNECT_RETRIED: return obstacle(where, note);
        case ZMQ_EVENT_LISTENING: return fmt::format("{}: listening", where);
        case ZMQ_EVENT_CONNECT_DELAYED:
        case ZMQ_EVENT_MONITOR_STOPPED:
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: return "";
        default: return describe(event);
        }
    }

    // Why it could not be connected to. One of the two events of a failed connect has the words.
    std::string obstacle(const std::string& where, const std::string& note)
    {
        if (note.empty()) {
            return "";
        }
        const std::string cure = cure_of_connect(where, words_of(note));
        return fail(note + (cure.empty() ? "" : "; " + cure));
    }

    std::string fail(std::string line)
    {
        if (line != trouble_) {
            end();
            failing_ = false;
        }
        pending_trouble_ = line;
        return line;
    }

    void tell(const std::string& line)
    {
        print(line);
        failing_ = line == pending_trouble_;
        trouble_ = failing_ ? line : trouble_;
    }

    clock::time_point start_ = clock::now();
    std::string trouble_;          // printed last
    std::string pending_trouble_;  // about to be
    std::uint64_t repeated_ = 0;
    bool failing_ = false;
    bool foreign_ = false;
    std::optional<clock::time_point> silent_since_;
    int working_ = 0;  // connections through the handshake
    bool ever_worked_ = false;
};

// Says these octets, and tells what the answer is; empty: nothing comes.
std::string look_at_answer(const context& owner, const std::string& endpoint, const std::string& saying)
{
    constexpr std::chrono::seconds patience{1};
    std::string told;
    connection_dialog dialog([&](int, const std::string& sentence) { told += (told.empty() ? "" : "; ") + sentence; });
    socket raw(owner, ZMQ_STREAM);
    raw.set(ZMQ_LINGER, 0);
    raw.connect(endpoint);
    const auto end = clock::now() + patience;
    bool said = false;
    message frames;
    while (told.empty() && clock::now() < end && !stop_signal::requested()) {
        if (!raw.receive(frames, ZMQ_DONTWAIT)) {
            sleep_until({{raw.handle(), ZMQ_POLLIN}}, end);
        } else if (!said) {  // an empty message says that the connection is there
            said = true;
            (void)raw.offer({frames[0], saying}, ZMQ_DONTWAIT);
        } else if (frames.size() == 2) {
            frames[1].empty() ? dialog.end(0) : dialog.take(0, frames[1]);
        }
    }
    return told;
}

exit_status run_monitor(monitor_options& options)
{
    auto& wishes = options.wishes;
    const auto type = socket_type(options.type);
    if (!type || *type == ZMQ_STREAM || *type == ZMQ_DGRAM || *type == ZMQ_RADIO || *type == ZMQ_DISH) {
        throw usage_failure(
            fmt::format("--type '{}' is not a socket type with a handshake; use one like dealer, sub, pull "
                        "or req",
                        options.type));
    }
    if (wishes.bind.empty() == options.endpoint.empty()) {
        throw usage_failure(wishes.bind.empty()
                                ? "monitor needs an endpoint, like tcp://127.0.0.1:5555; or --bind ENDPOINT to listen"
                                : "give an endpoint to connect to or --bind, not both");
    }
    const bool limited = !options.timeout.empty();
    const auto limit = duration_of("--timeout", limited ? options.timeout : "0");
    if (!options.endpoint.empty()) {
        wishes.connect = {options.endpoint};
    }
    story told;
    command_socket link(wishes, *type, [&](const auto& event, auto kind, const auto& self, const auto& note) {
        told.take(event, kind, self, note);
    });
    link.open();
    const auto end = clock::now() + limit;
    // A peer may have come and gone in one read.
    const auto decided = [&] { return options.once && (told.ever_worked() || told.failing()); };
    constexpr std::chrono::seconds patience{1};  // with a peer that does not answer
    bool may_doubt = options.endpoint.starts_with("tcp://");
    while (!stop_signal::requested() && !link.watch().hopeless() && !decided() && (!limited || clock::now() < end)) {
        const auto doubt =
            may_doubt && told.silent_since() ? std::optional(*told.silent_since() + patience) : std::nullopt;
        const auto limit_at = limited ? std::optional(end) : std::nullopt;
        sleep_until({{link.watch().handle(), ZMQ_POLLIN}}, doubt && limited ? std::min(doubt, limit_at)
                                                           : doubt          ? doubt
                                                                            : limit_at);
        link.watch().read();
        if (doubt && clock::now() >= *doubt && told.silent_since()) {
            may_doubt = false;
            const std::string answer = look_at_answer(link.owner(), options.endpoint, "HEAD / HTTP/1.0\r\n\r\n");
            told.print(fmt::format("{}: no answer to the greeting of ZMTP; to a request of HTTP: {}", options.endpoint,
                                   answer.empty() ? "nothing either" : answer));
        }
    }
    // What is known of the peer comes just after the handshake.
    if (told.works()) {
        sleep_until({{link.watch().handle(), ZMQ_POLLIN}}, clock::now() + std::chrono::milliseconds(100));
        link.watch().read();
    }
    told.end();
    if (told.foreign() && options.endpoint.starts_with("tcp://")) {
        std::string greeting("\xff\0\0\0\0\0\0\0\1\x7f\3\1NULL", 16);  // as a socket does
        greeting.resize(64);
        const std::string answer = look_at_answer(link.owner(), options.endpoint, greeting);
        told.print(fmt::format("{}: what it says: {}", options.endpoint,
                               answer.empty() ? "nothing that can be told apart" : answer));
    }
    return told.ever_worked() && !link.watch().hopeless() ? exit_status::success : exit_status::failed;
}

}  // namespace

void add_monitor_command(command_line& line)
{
    auto* command = add_command(line, "monitor", "Tell what happens to a connection, with cause and cure");
    auto options = std::make_shared<monitor_options>();
    command->add_option("ENDPOINT", options->endpoint, "Connect here and see")->type_name("");
    command->add_option("-b,--bind", options->wishes.bind, "Listen here and see who comes (repeatable)")
        ->allow_extra_args(false)
        ->type_name("ENDPOINT");
    command->add_flag("--force", options->wishes.force, "Take over an ipc:// path that another socket listens on");
    command->add_option("--type", options->type, "Be a socket of this type: it has to fit the peer's")
        ->type_name("TYPE")
        ->capture_default_str();
    command->add_flag("--once", options->once, "End when it is known whether the connection works");
    command->add_option("-t,--timeout", options->timeout, "End after so long (ms, or 2s, 1m)")->type_name("TIME");
    add_socket_options(*command, options->wishes);
    command->footer("Examples:\n"
                    "  zlink monitor tcp://server:5555\n"
                    "  zlink monitor tcp://server:5556 --type sub --once\n"
                    "  zlink monitor tls://server:5604 --tls-ca ca.pem --once\n"
                    "  zlink monitor --bind tcp://*:5555 --type router\n"
                    "No message is sent. A pull or gather would take messages away from others.\n"
                    "The exit status is 0 if a connection worked at some time, and 1 if none did.");
    command->callback([options, &line] { line.chosen = [options] { return run_monitor(*options); }; });
}

}  // namespace zlink::tool
