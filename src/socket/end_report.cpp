// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/end_report.hpp"

#include "runtime/brief_wait.hpp"
#include "runtime/clock.hpp"
#include "runtime/task.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <string_view>

namespace zlink::socket {

namespace {

constexpr std::size_t most_named = 8;

/// A question to one I/O thread, and its answer.
class question final : public std::enable_shared_from_this<question> {
public:
    explicit question(engine::io_worker& worker) noexcept : worker_(worker) {}

    void ask() { worker_.loop().post(answer_, shared_from_this()); }
    [[nodiscard]] bool answered() const noexcept { return answered_.load(std::memory_order_acquire); }
    /// Once it is answered.
    [[nodiscard]] const std::vector<engine::unwritten>& answer() const noexcept { return found_; }

private:
    void find() noexcept
    {
        try {
            worker_.residents().for_each([this](engine::resident& r) { r.describe(found_); });
        } catch (const std::exception&) {
            found_.clear();
        }
        answered_.store(true, std::memory_order_release);  // partner: answered()
    }

    engine::io_worker& worker_;
    runtime::call_on<question> answer_{&question::find};
    std::vector<engine::unwritten> found_;
    std::atomic<bool> answered_{false};
};

std::string_view name_of(socket_type type)
{
    if (type == socket_type::stream) return "STREAM";
    return type == socket_type::dgram ? "DGRAM" : traits(type).wire_name;
}

std::string a(socket_type type)
{
    const std::string_view name = name_of(type);
    return (name.starts_with('X') ? "an " : "a ") + std::string(name);
}

std::string some(std::size_t count, std::string_view what)
{
    return std::to_string(count) + ' ' + std::string(what) + (count == 1 ? "" : "s");
}

/// " with 17 messages for tcp://10.0.0.1:5555, linger -1"; with the word that joins it to what was said before.
void add_messages(std::string& to, const engine::unwritten& left, bool first)
{
    to += first ? " with " : " and ";
    if (left.at_most) to += "up to ";
    to += some(left.messages, "message") + " for " + (left.endpoint.empty() ? "a peer" : left.endpoint);
    if (left.lingers) to += ", linger " + std::to_string(left.linger);
}

void add_socket(std::string& to, socket_type type, const engine::session_host* host,
                std::span<const engine::unwritten> left)
{
    to += a(type);
    std::size_t named = 0;
    for (const engine::unwritten& each : left) {
        if (each.host == host && each.messages != 0 && named < most_named) add_messages(to, each, named++ == 0);
    }
}

/// The sockets of `left` that are not open.
std::vector<unclosed_socket> closed_ones(std::span<const unclosed_socket> open, std::span<const engine::unwritten> left)
{
    std::vector<unclosed_socket> closed;
    for (const engine::unwritten& each : left) {
        const auto is_it = [&](const unclosed_socket& s) { return s.host == each.host; };
        if (std::any_of(open.begin(), open.end(), is_it) || std::any_of(closed.begin(), closed.end(), is_it)) continue;
        closed.push_back({each.type, each.host});
    }
    return closed;
}

void add_sockets(std::string& to, std::span<const unclosed_socket> sockets, std::span<const engine::unwritten> left)
{
    const std::size_t named = std::min(sockets.size(), most_named);
    for (std::size_t i = 0; i < named; ++i) {
        to += i == 0 ? ": " : "; ";
        add_socket(to, sockets[i].type, sockets[i].host, left);
    }
    if (sockets.size() > named) to += "; and " + std::to_string(sockets.size() - named) + " more";
}

}  // namespace

std::vector<engine::unwritten> ask_workers(std::span<const std::unique_ptr<engine::io_worker>> workers)
{
    std::vector<std::shared_ptr<question>> questions;
    for (const auto& w : workers) {
        questions.push_back(std::make_shared<question>(*w));
        questions.back()->ask();
    }
    const auto done = [&] {
        return std::all_of(questions.begin(), questions.end(), [](auto& q) { return q->answered(); });
    };
    (void)runtime::brief_wait(runtime::clock::now() + runtime::longest_for_a_core, done);
    std::vector<engine::unwritten> all;
    for (const auto& q : questions) {
        if (q->answered()) all.insert(all.end(), q->answer().begin(), q->answer().end());
    }
    return all;
}

std::string words_of_delay(std::span<const unclosed_socket> open, std::span<const engine::unwritten> left)
{
    const auto closed = closed_ones(open, left);
    std::string words;
    if (!open.empty()) {
        words = some(open.size(), "socket") + " open";
        add_sockets(words, open, left);
    }
    if (!closed.empty()) {
        words += (words.empty() ? "" : ", and ") + some(closed.size(), "closed socket") + " not done";
        add_sockets(words, closed, left);
    }
    return words.empty() ? "its last connections are about to end" : words;
}

}  // namespace zlink::socket
