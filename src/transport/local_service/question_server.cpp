// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/local_service/question_server.hpp"

#include "runtime/closed_by_fork.hpp"
#include "transport/stream_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <sys/socket.h>

namespace zlink::transport::local_service {

struct question_server::reader {
    enum class state : std::uint8_t { asking, reading, leaving, gone };

    reader(unique_fd connected, std::unique_ptr<question> its, time_point end)
        : fd(std::move(connected)),
          asked(std::move(its)),
          until(end)
    {
        (void)runtime::closed_by_fork::keep(fd.get());
    }
    ~reader() { runtime::closed_by_fork::forget(fd.get()); }
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;

    [[nodiscard]] std::size_t waits() const noexcept { return now == state::reading ? told.text.size() : 0; }

    unique_fd fd;
    std::unique_ptr<question> asked;
    time_point until;
    state now = state::asking;
    answer told;
    std::size_t written = 0;
    std::size_t discarded = 0;
};

question_server::question_server(const service_listener& listener, question_maker maker, const service_limits& limits)
    : listener_(listener),
      maker_(std::move(maker)),
      limits_(limits),
      tokens_(limits.burst)
{}

question_server::~question_server() = default;

void question_server::refill(time_point now) noexcept
{
    if (refilled_ == time_point{}) refilled_ = now;
    const auto more = std::size_t((now - refilled_) / limits_.between);
    if (more >= limits_.burst - tokens_) {
        tokens_ = limits_.burst;
        refilled_ = now;
    } else {
        tokens_ += more;
        refilled_ += more * limits_.between;
    }
}

bool question_server::may_accept(time_point now) const noexcept
{
    return tokens_ > 0 && now >= rests_until_;
}

void question_server::await(std::vector<pollfd>& fds, time_point now)
{
    refill(now);
    listens_ = may_accept(now);
    fds.reserve(fds.size() + readers_.size() + 1);
    if (listens_) fds.push_back({listener_.get(), POLLIN, 0});
    for (const auto& one : readers_) {
        fds.push_back({one->fd.get(), short(one->now == reader::state::reading ? POLLOUT : POLLIN), 0});
    }
}

std::optional<question_server::time_point> question_server::next_step(time_point now) const noexcept
{
    std::optional<time_point> next;
    for (const auto& one : readers_) {
        if (!next || one->until < *next) next = one->until;
    }
    if (!may_accept(now)) {
        const time_point again = std::max(tokens_ > 0 ? now : refilled_ + limits_.between, rests_until_);
        if (!next || again < *next) next = again;
    }
    return next;
}

std::size_t question_server::octets_that_wait() const noexcept
{
    std::size_t all = 0;
    for (const auto& one : readers_) all += one->waits();
    return all;
}

void question_server::step(const pollfd* fds, std::size_t count, time_point now) noexcept
{
    const std::size_t first = listens_ ? 1 : 0;
    for (std::size_t i = first; i < count && i - first < readers_.size(); ++i) {
        reader& one = *readers_[i - first];
        if (fds[i].revents == 0 || one.now == reader::state::gone) continue;
        try {
            if (!serve(one)) one.now = reader::state::gone;
        } catch (...) {  // memory is short
            one.now = reader::state::gone;
        }
    }
    std::erase_if(readers_, [now](const auto& one) { return one->now == reader::state::gone || now >= one->until; });
    if (!listens_ || count == 0 || fds[0].revents == 0) return;
    try {
        accept_some(now);
    } catch (...) {
        rests_until_ = now + limits_.shortage;
    }
}

void question_server::accept_some(time_point now)
{
    while (may_accept(now)) {
        result<unique_fd> accepted = accept_stream(listener_.get());
        if (!accepted) {
            if (accepted.error() != errc::again) rests_until_ = now + limits_.shortage;
            return;
        }
        --tokens_;
        if (readers_.size() >= limits_.readers) readers_.erase(readers_.begin());
        readers_.push_back(std::make_unique<reader>(std::move(*accepted), maker_(), now + limits_.time));
    }
}

bool question_server::serve(reader& one)
{
    switch (one.now) {
    case reader::state::asking: return listen_to(one);
    case reader::state::reading: return tell(one);
    case reader::state::leaving: return let_go(one);
    case reader::state::gone: break;
    }
    return false;
}

bool question_server::listen_to(reader& one)
{
    char octets[4096];
    const ssize_t size = ::recv(one.fd.get(), octets, sizeof octets, MSG_DONTWAIT);
    if (size < 0) return errno == EAGAIN || errno == EINTR;
    if (size == 0) return false;
    const auto begun = runtime::clock::now();
    auto made = one.asked->take({octets, std::size_t(size)});
    if (!made) return true;
    // Those that ask next wait for their turn in the listener's backlog.
    const auto done = runtime::clock::now();
    rests_until_ = std::max(rests_until_, done + (done - begun) * (limits_.share - 1));
    one.asked.reset();
    one.told = std::move(*made);
    one.now = reader::state::reading;
    make_room(one);
    return tell(one);
}

// Readers that came before give their memory back. One answer at least may wait.
void question_server::make_room(const reader& wanted) noexcept
{
    std::size_t all = octets_that_wait();
    for (const auto& one : readers_) {
        if (all <= limits_.answers) return;
        if (one.get() == &wanted || one->waits() == 0) continue;
        all -= one->waits();
        one->now = reader::state::gone;
        std::string().swap(one->told.text);
    }
}

bool question_server::tell(reader& one) noexcept
{
    const std::string& text = one.told.text;
    while (one.written < text.size()) {
        const ssize_t size =
            ::send(one.fd.get(), text.data() + one.written, text.size() - one.written, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (size < 0) return errno == EAGAIN || errno == EINTR;
        one.written += std::size_t(size);
    }
    if (one.told.is_sole) return false;
    // If octets that it has sent were left unread, the system would take the answer back.
    ::shutdown(one.fd.get(), SHUT_WR);
    one.now = reader::state::leaving;
    one.until = std::min(one.until, runtime::clock::now() + limits_.farewell);
    std::string().swap(one.told.text);
    return true;
}

bool question_server::let_go(reader& one) noexcept
{
    char octets[4096];
    const ssize_t size = ::recv(one.fd.get(), octets, sizeof octets, MSG_DONTWAIT);
    if (size < 0) return errno == EAGAIN || errno == EINTR;
    one.discarded += std::size_t(size);
    return size != 0 && one.discarded < limits_.discarded;
}

}  // namespace zlink::transport::local_service
