// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A socket of a workload, and whole messages through the calls that the workload names.
#pragma once

#include "explore/workload.hpp"

#include <zmq.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace explore {

// Ends the program with a line that names the call.
[[noreturn, gnu::cold]] void fail_call(const char* call);

// A whole message as it was received. Belongs to one thread, which takes all its messages into it.
class inbox {
public:
    explicit inbox(const workload& of);
    ~inbox();
    inbox(const inbox&) = delete;
    inbox& operator=(const inbox&) = delete;

    // The whole message. False if there is none (ZMQ_DONTWAIT) or the context ends.
    [[nodiscard]] bool take(void* socket, int flags);
    // Sends it back as it is, and waits for room. False if the context ends.
    [[nodiscard]] bool send_back(void* socket);

    [[nodiscard]] std::uint64_t due() const;   // the stamp; 0 if it is too small for one
    [[nodiscard]] std::size_t octets() const;  // of all frames
    [[nodiscard]] const char* first() const { return data(0); }
    [[nodiscard]] std::size_t first_size() const { return sizes_[0]; }

private:
    static constexpr unsigned most_frames = 20;

    [[nodiscard]] const char* data(unsigned frame) const;
    [[nodiscard]] bool take_frame(void* socket, unsigned frame, int flags, bool& more);
    void drop_messages();

    const bool messages_;
    const bool multipart_;
    const std::size_t capacity_;
    unsigned frames_ = 0;
    std::size_t sizes_[most_frames]{};
    std::unique_ptr<char[]> buffers_[most_frames];
    zmq_msg_t held_[most_frames];
};

// Makes messages. Belongs to one thread; draws sizes from the workload's seed, so both libraries get the same ones.
class outbox {
public:
    outbox(const workload& of, unsigned number);

    // A message for `peer` (ROUTER) about `topic` (PUB). False if there is no room, or no such peer yet (ZMQ_DONTWAIT);
    // or the context ends. What was drawn for it is kept for the next attempt.
    [[nodiscard]] bool send(void* socket, unsigned peer, unsigned topic, std::uint64_t due, int flags);

    [[nodiscard]] std::size_t last_octets() const { return last_; }

private:
    [[nodiscard]] std::size_t draw();
    [[nodiscard]] bool send_frame(void* socket, const char* octets, std::size_t size, std::uint64_t due, bool stamped,
                                  int flags);

    const workload& of_;
    std::uint64_t state_;
    std::size_t next_ = 0;
    std::size_t last_ = 0;
    std::vector<char> body_;
};

// Routing id of a socket, and back.
[[nodiscard]] std::string routing_id(bool front, unsigned number);
[[nodiscard]] unsigned number_of(const char* id, std::size_t size);

// What SUB number `number` subscribes to.
[[nodiscard]] std::string topic_name(unsigned topic);

}  // namespace explore
