// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frames of a question: version, request id, domain, address, routing id, mechanism, credentials. Of an answer:
// version, request id, status, text, user id, metadata.
#include "cli/auth_service.hpp"

#include "support/failure.hpp"
#include "support/status_line.hpp"
#include "support/text.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

constexpr const char* handler_endpoint = "inproc://zeromq.zap.01";
constexpr const char* zap_version = "1.0";
constexpr std::size_t frames_before_credentials = 6;
constexpr const char* internal_error = "500";
constexpr int success = 200;
constexpr std::size_t most_said = 1000;  // refused peers that are remembered, so that each is said once

std::string place(const std::string& address)
{
    if (const auto local = parse_local_peer(address)) {
        return fmt::format("process {} of user {}", local->process, local->user);
    }
    return address.empty() ? "this machine" : printable(address);
}

}  // namespace

auth_service::auth_service(std::string path, bool quiet, bool verbose)
    : file_(std::move(path), quiet),
      quiet_(quiet),
      verbose_(verbose)
{}

void auth_service::answer_all(socket& asked)
{
    message question;
    while (asked.receive(question, ZMQ_DONTWAIT)) {
        asked.send(answer(question), ZMQ_DONTWAIT);
        for (auto& frame : question) {
            wipe(frame);  // a password may have been among them
        }
    }
}

message auth_service::answer(const message& question)
{
    if (question.size() < frames_before_credentials || question[0] != zap_version) {
        const std::string id = question.size() > 1 ? question[1] : "";
        say("zlink: a question about a peer isn't of ZAP 1.0; answered by status {}\n", internal_error);
        return {zap_version, id, internal_error, "not a question of ZAP 1.0", "", ""};
    }
    const auto credentials = question.begin() + frames_before_credentials;
    peer_question asked{question[3], question[5], {credentials, question.end()}};
    const peer_answer given = file_.rules().answer(asked);
    for (auto& credential : asked.credentials) {
        wipe(credential);
    }
    say_what_became(given, question[3]);
    return {zap_version, question[1], std::to_string(given.status), given.text, given.who, ""};
}

void auth_service::say_what_became(const peer_answer& given, const std::string& address)
{
    const bool let_in = given.status == success;
    if (let_in && verbose_) {
        say("let in {} from {}\n", given.peer, place(address));
    } else if (!let_in && !quiet_) {
        if (said_.size() >= most_said) {
            said_.clear();
        }
        if (said_.insert(given.peer + address + given.text).second || verbose_) {
            say("refused {} from {}: {}\n", given.peer, place(address), given.text);
        }
    }
}

auth_handler::auth_handler(const context& owner, const std::string& path, bool quiet, bool verbose)
    : service_(path, quiet, verbose),
      allows_null_(service_.rules().allows_null()),
      knows_certificates_(service_.rules().knows_certificates()),
      asked_(owner, ZMQ_REP),
      stop_(eventfd(0, EFD_CLOEXEC))
{
    if (stop_ < 0) {
        throw failure(fmt::format("eventfd failed: {}", std::strerror(errno)));
    }
    asked_.set(ZMQ_LINGER, 0);
    asked_.bind(handler_endpoint);
    // Signals are for the main thread, whose waits they interrupt.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { serve(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

auth_handler::~auth_handler()
{
    const std::uint64_t one = 1;
    (void)!::write(stop_, &one, sizeof one);
    thread_.join();
    ::close(stop_);
}

void auth_handler::serve()
{
    std::array<zmq_pollitem_t, 2> items{{{nullptr, stop_, ZMQ_POLLIN, 0}, {asked_.handle(), 0, ZMQ_POLLIN, 0}}};
    try {
        for (;;) {
            zmq_poll(items.data(), static_cast<int>(items.size()), -1);
            if (items[0].revents != 0) {
                return;
            }
            service_.answer_all(asked_);
        }
    } catch (const std::exception& problem) {
        say("zlink: the list of allowed peers is no longer asked: {}; nobody is let in any more\n", problem.what());
        asked_.close();
    }
}

}  // namespace zlink::tool
