// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Serves readers that ask one question each: octets in, an answer out, and the connection ends. What a question is, is
// told by its maker. Readers are not trusted: their number, their time, the memory of their answers and the share of a
// core that they take are limited, whatever they do.
//
// Driven in steps by one thread, which waits in between for what await() names.
#pragma once

#include "base/unique_fd.hpp"
#include "runtime/clock.hpp"
#include "transport/local_service/service_listener.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <poll.h>

namespace zlink::transport::local_service {

struct answer {
    std::string text;
    bool is_sole = true;  ///< the question has come whole, with nothing behind it
};

/// One reader's. Its functions may throw std::bad_alloc, which ends the connection.
class question {
public:
    virtual ~question() = default;
    /// The reader has sent these octets. With a value, the question is answered.
    [[nodiscard]] virtual std::optional<answer> take(std::string_view octets) = 0;
};
using question_maker = std::function<std::unique_ptr<question>()>;

struct service_limits {
    std::size_t readers = 8;                  ///< at once: one more takes the place of the oldest
    std::chrono::milliseconds time{5000};     ///< of a reader, from its first moment to its last
    std::chrono::milliseconds farewell{500};  ///< until a reader that has sent too much has read its answer
    std::size_t discarded = 64 * 1024;        ///< octets that it may send meanwhile
    std::size_t answers = 32 * 1024 * 1024;   ///< octets of all answers that wait: the oldest readers make room
    std::size_t burst = 16;                   ///< connections accepted in one go
    std::chrono::milliseconds between{20};    ///< and then one in so long
    std::chrono::milliseconds shortage{200};  ///< accepting rests after the system was out of descriptors or memory
    int share = 10;                           ///< answers are made in one of so many parts of the time
};

class question_server {
public:
    using time_point = runtime::clock::time_point;

    /// `listener` stays the caller's.
    question_server(const service_listener& listener, question_maker maker, const service_limits& limits = {});
    ~question_server();
    question_server(const question_server&) = delete;
    question_server& operator=(const question_server&) = delete;

    /// Appends what to wait for. May throw std::bad_alloc.
    void await(std::vector<pollfd>& fds, time_point now);
    /// When step() is to be called though nothing is ready; none: never.
    [[nodiscard]] std::optional<time_point> next_step(time_point now) const noexcept;
    /// Serves those that are ready, if any: the part of the array that await() has appended, filled in.
    void step(const pollfd* fds, std::size_t count, time_point now) noexcept;

    [[nodiscard]] std::size_t readers() const noexcept { return readers_.size(); }
    [[nodiscard]] std::size_t octets_that_wait() const noexcept;

private:
    struct reader;

    void accept_some(time_point now);
    [[nodiscard]] bool may_accept(time_point now) const noexcept;
    void refill(time_point now) noexcept;
    /// False: its connection ends.
    [[nodiscard]] bool serve(reader& one);
    [[nodiscard]] bool listen_to(reader& one);
    [[nodiscard]] bool tell(reader& one) noexcept;
    [[nodiscard]] bool let_go(reader& one) noexcept;
    void make_room(const reader& wanted) noexcept;

    const service_listener& listener_;
    const question_maker maker_;
    const service_limits limits_;
    std::vector<std::unique_ptr<reader>> readers_;  ///< in the order of their coming
    std::size_t tokens_;                            ///< connections that may be accepted
    time_point refilled_{};
    time_point rests_until_{};
    bool listens_ = false;  ///< await() has named the listener, first
};

}  // namespace zlink::transport::local_service
