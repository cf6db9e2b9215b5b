// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sockets without I/O: a pattern with in-memory pipes to others of its kind, events delivered when the test says so.
#pragma once

#include "message/frame.hpp"
#include "pattern/pattern.hpp"
#include "pattern/routing_record.hpp"
#include "pipe/outgoing.hpp"
#include "pipe/pipe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zlink::pattern::test {

using parts = std::vector<std::string>;

inline constexpr auto PAIR = socket_type::pair, PUB = socket_type::pub, SUB = socket_type::sub, REQ = socket_type::req,
                      REP = socket_type::rep, DEALER = socket_type::dealer, ROUTER = socket_type::router,
                      PULL = socket_type::pull, PUSH = socket_type::push, XPUB = socket_type::xpub,
                      XSUB = socket_type::xsub, STREAM = socket_type::stream, SERVER = socket_type::server,
                      CLIENT = socket_type::client, RADIO = socket_type::radio, DISH = socket_type::dish,
                      GATHER = socket_type::gather, SCATTER = socket_type::scatter, PEER = socket_type::peer,
                      CHANNEL = socket_type::channel;

class quiet_queue final : public pipe::activation_queue {
    void wake() noexcept override {}
};

inline pipe::outgoing frame_of(std::string_view octets, bool more)
{
    return {reinterpret_cast<const std::byte*>(octets.data()), octets.size(), more};
}

class socket final : public pattern_host {
public:
    explicit socket(socket_type type, const pattern_options& options = {}) : queue_(new quiet_queue)
    {
        pattern_ = make_pattern(type, *this, options);
    }
    socket(const socket&) = delete;
    socket& operator=(const socket&) = delete;
    ~socket()
    {
        while (!ends_.empty()) disconnect(*ends_.front());
        pattern_.reset();
        pump();
        queue_->release();
    }

    pattern* operator->() { return pattern_.get(); }

    /// Attaches an end as the socket would; false: rejected, and the end is closed.
    bool attach(pipe::pipe_end& end, const attachment& how = {})
    {
        end.attach(*queue_);
        end.record = std::make_unique<routing_record>();
        if (!pattern_->attach(end, how) || routing_of(end).rejected) {
            end.close();
            return false;
        }
        ends_.push_back(&end);
        return true;
    }

    /// Handles what pipes have to tell, until nothing is left.
    void pump()
    {
        while (pipe::pipe_end* end = queue_->take_all()) {
            while (end) {
                pipe::pipe_end* const after = end->next_in_queue;
                handle(*end);
                end = after;
            }
        }
        for (pipe::pipe_end* end : std::exchange(given_up_, {})) disconnect(*end);
    }

    void disconnect(pipe::pipe_end& end)
    {
        pattern_->detach(end);
        std::erase(ends_, &end);
        std::erase(given_up_, &end);
        end.close();
    }

    errc send_frame(std::string_view octets, bool more = false)
    {
        pump();
        return pattern_->send(frame_of(octets, more));
    }

    /// The first error, or none.
    errc send(const parts& message)
    {
        for (std::size_t i = 0; i < message.size(); ++i) {
            const errc error = send_frame(message[i], i + 1 < message.size());
            if (error != errc::none) return error;
        }
        return errc::none;
    }
    template <class Text>
        requires std::convertible_to<const Text&, std::string_view>
    errc send(const Text& message)
    {
        return send_frame(message);
    }

    /// One frame as zmq_msg_recv gets it.
    errc receive_frame(message::frame& f)
    {
        pump();
        pipe::delivery to(f);
        return pattern_->receive(to);
    }

    /// A whole message; {"(nothing)"} when there is none, {"(error n)"} when there is an error.
    parts receive()
    {
        parts message;
        while (true) {
            message::owned_frame f;
            const errc error = receive_frame(f);
            if (error == errc::again) {
                message.emplace_back("(nothing)");
                return message;
            }
            if (error != errc::none) {
                message.emplace_back("(error " + std::to_string(to_errno(error)) + ")");
                return message;
            }
            message.emplace_back(reinterpret_cast<const char*>(f.data()), f.size());
            if (!f.more()) return message;
        }
    }

    bool can_send()
    {
        pump();
        return pattern_->can_send();
    }
    bool can_receive()
    {
        pump();
        return pattern_->can_receive();
    }

    /// As a socket goes to sleep. True: it may not, something is there.
    bool sleep()
    {
        pattern_->announce_sleep();
        return pattern_->confirm_sleep();
    }

    void give_up(pipe::pipe_end& end) override
    {
        ++times_given_up;
        if (give_up_later) {
            given_up_.push_back(&end);
        } else {
            disconnect(end);
        }
    }

    [[nodiscard]] std::size_t pipes() const { return ends_.size() - given_up_.size(); }
    [[nodiscard]] pipe::pipe_end& end(std::size_t i = 0) { return *ends_.at(i); }

    bool give_up_later = false;
    int times_given_up = 0;

private:
    void handle(pipe::pipe_end& end)
    {
        if (end.closed()) {
            end.discard();
            return;
        }
        const std::uint32_t events = end.take_events();
        const auto alive = [&] { return std::find(ends_.begin(), ends_.end(), &end) != ends_.end(); };
        if (!alive()) return;
        if (events & pipe::event_data) pattern_->on_data(end);
        if (alive() && (events & pipe::event_credit)) pattern_->on_credit(end);
        if (alive() && (events & pipe::event_peer_closed)) pattern_->on_peer_closed(end);
    }

    std::unique_ptr<pattern> pattern_;
    quiet_queue* queue_;
    std::vector<pipe::pipe_end*> ends_;
    std::vector<pipe::pipe_end*> given_up_;
};

inline const parts nothing{"(nothing)"};

inline parts error(errc e)
{
    return {"(error " + std::to_string(to_errno(e)) + ")"};
}

struct joint {
    std::uint64_t hwm = 0;     ///< each way
    std::string name{};        ///< Identity of the connecting side
    std::string bound_name{};  ///< Identity of the bound side
    std::string connect_routing_id{};
    bool identify = true;  ///< the connecting side knows the other's name at once
};

/// Joins `connecting` to `bound` by a pipe. Null if either rejected; else the connecting side's end.
inline pipe::pipe_end* join(socket& connecting, socket& bound, const joint& how = {})
{
    pipe::pipe* p = pipe::pipe::create({how.hwm, how.hwm, 8192});
    if (!p) return nullptr;
    attachment locally;
    locally.locally_connected = true;
    locally.identified = how.identify;
    locally.routing_id = how.bound_name;
    locally.connect_routing_id = how.connect_routing_id;
    attachment accepted;
    accepted.identified = true;
    accepted.routing_id = how.name;
    const bool here = connecting.attach(p->first(), locally);
    const bool there = bound.attach(p->second(), accepted);
    return here && there ? &p->first() : nullptr;
}

/// A pipe whose far end the test holds itself, in place of a connection.
class wire {
public:
    explicit wire(socket& s, const attachment& how = {}, std::uint64_t hwm = 0) : queue_(new quiet_queue)
    {
        pipe::pipe* p = pipe::pipe::create({hwm, hwm, 8192});
        near_ = &p->first();
        far_ = &p->second();
        far_->attach(*queue_);
        accepted = s.attach(*near_, how);
    }
    wire(const wire&) = delete;
    wire& operator=(const wire&) = delete;
    ~wire()
    {
        close();
        queue_->release();
    }

    void close()
    {
        if (std::exchange(closed_, true)) return;
        far_->close();
        drain();
    }

    pipe::pipe_end& near() { return *near_; }
    pipe::pipe_end& far() { return *far_; }

    void send(const parts& message)
    {
        for (std::size_t i = 0; i < message.size(); ++i) {
            ASSERT_TRUE(far_->writer.write(frame_of(message[i], i + 1 < message.size())));
        }
        far_->publish();
    }

    parts receive()
    {
        parts message;
        pipe::incoming f;
        do {
            if (!far_->reader.next(f)) {
                message.emplace_back("(nothing)");
                break;
            }
            message.emplace_back(reinterpret_cast<const char*>(f.data), f.size);
            far_->pop(f);
        } while (f.more);
        return message;
    }

    /// The socket closed its end, and all it had sent was received.
    bool ended()
    {
        pipe::incoming f;
        return !far_->reader.next(f) && far_->reader.closed();
    }

    bool accepted = false;

private:
    void drain()
    {
        for (pipe::pipe_end* end = queue_->take_all(); end;) {
            pipe::pipe_end* const after = end->next_in_queue;
            if (end->closed()) end->discard();
            end = after;
        }
    }

    quiet_queue* queue_;
    pipe::pipe_end* near_;
    pipe::pipe_end* far_;
    bool closed_ = false;
};

}  // namespace zlink::pattern::test
