// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "cli/proxy_loop.hpp"

#include "cli/farewell.hpp"
#include "cli/traffic_options.hpp"

#include "support/status_line.hpp"
#include "support/stop_signal.hpp"
#include "support/text.hpp"

#include <array>

#include <fmt/format.h>
#include <unistd.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

constexpr std::chrono::milliseconds time_to_leave{1000};

}  // namespace

proxy_side::proxy_side(const context& owner, int wanted_type, connection_watch::settings wanted)
    : type(wanted_type),
      own(owner, wanted_type),
      watch(owner, own, std::move(wanted))
{
    own.set(ZMQ_LINGER, 0);
    if (type == ZMQ_SUB) {
        own.set(ZMQ_SUBSCRIBE, std::string_view(""));
    }
}

proxy_loop::proxy_loop(proxy_side& frontend, proxy_side& backend, proxy_side* capture, bool quiet)
    : frontend_(frontend),
      backend_(backend),
      capture_(capture),
      quiet_(quiet),
      live_(!quiet && isatty(STDERR_FILENO) == 1)
{
    if (capture_ != nullptr) {
        copies_.emplace(capture_->own, capture_->type, true);
    }
    message_sender* const copies = copies_ ? &*copies_ : nullptr;
    if (can_receive(frontend_.type) && can_send(backend_.type)) {
        forth_.emplace(frontend_.own, backend_.own, copies);
    }
    if (can_receive(backend_.type) && can_send(frontend_.type)) {
        back_.emplace(backend_.own, frontend_.own, copies);
    }
    if (!forth_ && !back_) {
        throw usage_failure(fmt::format("nothing can pass from {} to {}: one has to receive, the other to send",
                                        socket_type_name(frontend_.type), socket_type_name(backend_.type)));
    }
}

std::vector<proxy_side*> proxy_loop::sides()
{
    std::vector<proxy_side*> all{&frontend_, &backend_};
    if (capture_ != nullptr) {
        all.push_back(capture_);
    }
    return all;
}

exit_status proxy_loop::run()
{
    if (!quiet_) {
        say("forwarding between {} {} and {} {}\n", socket_type_name(frontend_.type), frontend_.own.last_endpoint(),
            socket_type_name(backend_.type), backend_.own.last_endpoint());
    }
    while (!stop_signal::requested()) {
        for (auto* each : sides()) {
            each->watch.read();
        }
        const bool forth = forth_ && forth_->run();
        const bool back = back_ && back_->run();
        tick();
        if (!forth && !back) {
            if (hopeless()) {
                break;
            }
            sleep();
        }
    }
    return finish();
}

// A side that nobody will come to any more makes the proxy useless.
bool proxy_loop::hopeless()
{
    return frontend_.watch.hopeless() || backend_.watch.hopeless();
}

void proxy_loop::sleep()
{
    std::array<short, 3> events{};  // of frontend, backend and capture
    const auto want = [&](const std::optional<forwarding>& way, std::size_t from, std::size_t to) {
        if (way) {
            const auto waiting = way->waiting();
            const bool in = waiting == forwarding::waits_for::arrival;
            const std::size_t where = in ? from : waiting == forwarding::waits_for::target ? to : 2;
            events[where] = static_cast<short>(events[where] | (in ? ZMQ_POLLIN : ZMQ_POLLOUT));
        }
    };
    want(forth_, 0, 1);
    want(back_, 1, 0);
    std::vector<zmq_pollitem_t> items{{nullptr, stop_signal::descriptor(), ZMQ_POLLIN, 0}};
    std::size_t at = 0;
    for (const auto* each : sides()) {
        items.push_back({each->own.handle(), 0, events[at++], 0});
        items.push_back({each->watch.handle(), 0, ZMQ_POLLIN, 0});
    }
    zmq_poll(items.data(), static_cast<int>(items.size()), live_ ? 1000 : -1);
}

std::uint64_t proxy_loop::forwarded() const
{
    return (forth_ ? forth_->messages() : 0) + (back_ ? back_->messages() : 0);
}

std::uint64_t proxy_loop::bytes() const
{
    return (forth_ ? forth_->bytes() : 0) + (back_ ? back_->bytes() : 0);
}

void proxy_loop::tick()
{
    if (!live_) {
        return;
    }
    const auto now = clock::now();
    const std::chrono::duration<double> passed = now - shown_;
    if (passed.count() >= 1) {
        say_live("{}/s, {}/s, {} forwarded", short_count(double(forwarded() - shown_messages_) / passed.count()),
                 byte_count(double(bytes() - shown_bytes_) / passed.count()), grouped(forwarded()));
        shown_ = now;
        shown_messages_ = forwarded();
        shown_bytes_ = bytes();
    }
}

exit_status proxy_loop::finish()
{
    std::vector<leaving_socket> leaving;
    for (auto* each : sides()) {
        leaving.push_back({&each->own, &each->watch, can_send(each->type)});
    }
    std::uint64_t kept = 0;
    for (const auto* way : {&forth_, &back_}) {
        kept += *way && (*way)->waiting() != forwarding::waits_for::arrival ? 1 : 0;
    }
    const farewell end = say_farewell(leaving, time_to_leave, quiet_);
    if (!quiet_) {
        say("stopped: forwarded {} ({})\n", messages(forwarded()), byte_count(double(bytes())));
    }
    bool lost = false;
    for (const auto* each : sides()) {
        lost = lost || each->watch.refused();
        if (each->watch.hopeless()) {
            say("zlink: {}\n", each->watch.verdict());
        }
    }
    const std::uint64_t unsent = kept + (end.how == farewell::end::sent ? 0 : end.queued);
    if (unsent > 0) {
        lost = true;
        say("zlink: up to {} unsent: no peer took them within {} ms after the stop\n", messages(unsent),
            time_to_leave.count());
    }
    if (end.unread > 0) {
        lost = true;
        say("zlink: {} had arrived and were not passed on before the stop\n", messages(end.unread));
    }
    for (const auto& [way, type] : {std::pair{&forth_, backend_.type}, {&back_, frontend_.type}}) {
        if (*way) {
            say_losses((*way)->lost(), (*way)->messages(), publishes(type));
            lost = lost || (*way)->lost().all() > 0;
        }
    }
    if (copies_ && copies_->lost().all() > 0) {
        lost = true;
        say("zlink: {} of them went without a copy to --capture, which took them too slowly\n",
            messages(copies_->lost().all()));
    }
    const exit_status status = lost ? exit_status::failed : exit_status::success;
    if (end.how != farewell::end::sent) {
        leave(static_cast<int>(status));
    }
    return status;
}

}  // namespace zlink::tool
