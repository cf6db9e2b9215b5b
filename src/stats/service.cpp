// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "stats/service.hpp"

#include "base/cancellation.hpp"
#include "base/fork_safe_mutex.hpp"
#include "runtime/clock.hpp"
#include "runtime/closed_by_fork.hpp"
#include "runtime/poll_sleep.hpp"
#include "runtime/signal_descriptor.hpp"
#include "runtime/standard_error.hpp"
#include "runtime/thread.hpp"
#include "runtime/thread_settings.hpp"
#include "socket/knobs.hpp"
#include "stats/labels.hpp"
#include "stats/look.hpp"
#include "stats/pages.hpp"
#include "transport/local_service/question_server.hpp"
#include "transport/local_service/service_listener.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace zlink::stats {

namespace {

namespace local_service = transport::local_service;

// A report of so many peers is about as long as an answer may be.
constexpr std::size_t most_peers = 20'000;

class stats_server {
public:
    explicit stats_server(local_service::service_listener listener)
        : listener_(std::move(listener)),
          guarded_(listener_.place().type != local_service::service_place::kind::file)
    {}

    /// False: no thread or descriptor can be had.
    [[nodiscard]] bool start()
    {
        if (!end_.open()) return false;
        (void)runtime::closed_by_fork::keep(end_.get());
        return bool(thread_.start([this] { run(); }));
    }

    /// The thread has ended, and the place is free.
    void stop() noexcept
    {
        const cancellation_held_off hold;
        ends_.store(true, std::memory_order_relaxed);  // the descriptor tells; this cuts a long look short
        end_.raise();
        if (thread_.joinable()) thread_.join();
        runtime::closed_by_fork::forget(end_.get());
        listener_.close();
    }

    void remove_file() noexcept { listener_.remove_file(); }

private:
    void run() noexcept
    {
        runtime::apply_to_this_thread({}, "stats", 0);
        try {
            serve();
        } catch (...) {  // memory is short: the place stays taken, and answers no more
        }
    }

    void serve()
    {
        const page_source source = [this](const page_request& asked) { return answer_to(asked); };
        const auto check = guarded_ ? &local_service::is_loopback_host : nullptr;
        local_service::question_server server(listener_, [&] { return make_question(check, source); });
        std::vector<pollfd> fds;
        while (!ends_.load(std::memory_order_relaxed)) {
            const auto now = runtime::clock::now();
            fds.assign(1, {end_.get(), POLLIN, 0});
            server.await(fds, now);
            // The thread has all signals blocked: no sleep of it has to heed them.
            (void)runtime::sleep_in_poll({fds.data(), unsigned(fds.size())}, server.next_step(now),
                                         runtime::pace::hurried);
            if (fds[0].revents & POLLNVAL) return;  // the program has closed what is not its own
            server.step(fds.data() + 1, fds.size() - 1, runtime::clock::now());
        }
    }

    [[nodiscard]] std::string answer_to(const page_request& asked)
    {
        auto report = look_at_process(asked.peers && asked.what != page::words, most_peers, ends_);
        if (!report) return http_refusal(503);
        labels_.assign(*report);
        return answer_with(asked.what, *report);
    }

    local_service::service_listener listener_;
    const bool guarded_;
    runtime::signal_descriptor end_;
    std::atomic<bool> ends_{false};
    socket_labels labels_;
    runtime::thread thread_;
};

struct service {
    fork_safe_mutex lock;
    std::uint32_t process = 0;  ///< that the others are of
    std::size_t contexts = 0;
    stats_server* server = nullptr;  ///< a child leaves its parent's alone
    bool has_complained = false;

    /// Under the lock.
    void enter() noexcept
    {
        const std::uint32_t mine = fork_safe_mutex::of_this_process();
        if (process == mine) return;
        has_complained = false;
        contexts = 0;
        server = nullptr;
        process = mine;
    }
};

// Never destroyed: the thread works on while the process ends.
constinit service the_service;

/// A program that ends without ending its contexts leaves no file behind.
struct file_removal {
    ~file_removal()
    {
        const std::lock_guard held(the_service.lock);
        the_service.enter();
        if (the_service.server) the_service.server->remove_file();
    }
};

void complain(const std::string& value, const std::string& cause)
{
    if (std::exchange(the_service.has_complained, true)) return;
    runtime::tell_standard_error("zlink: ZLINK_STATS=" + value + ": " + cause +
                                 ". The program goes on without serving statistics.\n");
}

/// With all that the knob's value says; a text: the cause and the cure.
std::variant<local_service::service_place, std::string> place_of(const std::string& value)
{
    const auto expanded = local_service::with_process(value, local_service::this_process());
    if (!expanded) return "%p stands for the process, and %% for %; no other sign may follow a %";
    auto place = local_service::parse_place(*expanded);
    if (const auto* const found = std::get_if<local_service::service_place>(&place);
        found && found->type != local_service::service_place::kind::file && found->port == 0)
        return "port 0 would be known to nobody; use a port from 1 to 65535";
    return place;
}

void begin(const std::string& value)
{
    const auto place = place_of(value);
    if (const auto* const cause = std::get_if<std::string>(&place)) return complain(value, *cause);
    auto opened = local_service::service_opening::at(std::get<local_service::service_place>(place));
    if (!opened.failure.empty()) {
        // Children of one program that share a place: the parent has it, and there is nothing to say.
        const bool is_child = fork_safe_mutex::of_this_process() != 1;
        if (!opened.in_use || !is_child) complain(value, opened.failure);
        return;
    }
    auto made = std::make_unique<stats_server>(std::move(opened.listener));
    if (!made->start()) {
        made->stop();
        return complain(value, "no thread or descriptor could be had for it");
    }
    the_service.server = made.release();
    [[maybe_unused]] static const file_removal at_exit;
}

}  // namespace

void context_begun() noexcept
{
    try {
        const std::string& value = socket::process_knobs().stats_place();
        if (value.empty()) return;
        const cancellation_held_off hold;
        const std::lock_guard held(the_service.lock);
        the_service.enter();
        if (the_service.contexts++ == 0) begin(value);
    } catch (...) {  // memory is short: the program goes on
    }
}

void context_ended() noexcept
{
    try {
        if (socket::process_knobs().stats_place().empty()) return;
    } catch (...) {  // it was made with the first context
        return;
    }
    const cancellation_held_off hold;
    const std::lock_guard held(the_service.lock);
    the_service.enter();
    if (the_service.contexts == 0 || --the_service.contexts != 0) return;
    if (const std::unique_ptr<stats_server> last{std::exchange(the_service.server, nullptr)}) last->stop();
}

}  // namespace zlink::stats
