// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Peers come and go while monitors watch both ends: the events of each connection are well nested.

#include "sim/programs/program.hpp"
#include "sim/programs/sockets.hpp"

#include <zmq.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>

namespace zlink::sim {

namespace {

// Reports of version 2 name both ends of a connection.
class connection_watch {
public:
    enum class role : std::uint8_t { binds, connects };
    connection_watch(const context_handle& in, const socket_handle& of, std::string name, role what)
        : name_(std::move(name)),
          events_(in, ZMQ_PAIR),
          binds_(what == role::binds)
    {
        const std::string where = "inproc://events of " + name_;
        events_.set(ZMQ_LINGER, 0);
        events_.set(ZMQ_RCVHWM, 0);
        must([&] { return zmq_socket_monitor_versioned(of.get(), where.c_str(), ZMQ_EVENT_ALL, 2, ZMQ_PAIR); },
             "zmq_socket_monitor_versioned");
        must([&] { return zmq_connect(events_.get(), where.c_str()); }, "zmq_connect");
    }

    void look()
    {
        std::uint64_t event = 0, count = 0, value = 0;
        while (receive(&event, sizeof event, ZMQ_DONTWAIT) >= 0) {
            receive(&count, sizeof count, 0);
            for (; count > 0; --count) receive(&value, sizeof value, 0);
            const std::string local = receive_text(), remote = receive_text();
            world::get().trace("event", event);
            take(event, local + " - " + remote);
        }
    }
    /// The socket was closed.
    void finish()
    {
        const nanos until = world::get().now() + 60 * second;
        while (look(), !stopped_) {
            check(world::get().now() < until, "its end is not told", "");
            rest(millisecond);
        }
        events_.close();
    }
    [[nodiscard]] int shaken() const noexcept { return shaken_; }

private:
    enum class phase : std::uint8_t { begun, shaken, failed };

    void check(bool holds, const char* what, const std::string& connection) const
    {
        require(holds, "monitor of " + name_ + ": " + what + (connection.empty() ? "" : ": ") + connection);
    }

    int receive(void* to, std::size_t size, int flags)
    {
        int n = 0;
        while ((n = zmq_recv(events_.get(), to, size, flags)) < 0 && zmq_errno() == EINTR) {
        }
        check(n >= 0 || (flags & ZMQ_DONTWAIT) != 0, "an event is cut off", "");
        return n;
    }
    std::string receive_text()
    {
        char text[300];
        return {text, std::size_t(receive(text, sizeof text, 0))};
    }

    void take(std::uint64_t event, const std::string& connection)
    {
        check(!stopped_, "an event comes behind the last one", connection);
        const auto at = open_.find(connection);
        const bool there = at != open_.end();
        switch (event) {
        case ZMQ_EVENT_LISTENING:
            check(binds_, "it listens, and did not bind", connection);
            listened_ = true;
            break;
        case ZMQ_EVENT_CONNECTED:
        case ZMQ_EVENT_ACCEPTED:
            check(!there, "a connection begins twice", connection);
            check(!binds_ || listened_, "a connection is accepted before anybody listens", connection);
            open_[connection] = phase::begun;
            break;
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
            check(there, "a handshake ends before its connection begins", connection);
            check(at->second == phase::begun, "a handshake ends twice", connection);
            at->second = event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED ? phase::shaken : phase::failed;
            ++shaken_;
            break;
        case ZMQ_EVENT_DISCONNECTED:
            check(there, "a connection ends that did not begin", connection);
            open_.erase(at);
            break;
        case ZMQ_EVENT_MONITOR_STOPPED: stopped_ = true; break;
        default: break;
        }
    }

    std::string name_;
    socket_handle events_;
    std::map<std::string, phase> open_;
    int shaken_ = 0;
    bool binds_;
    bool listened_ = false;
    bool stopped_ = false;
};

}  // namespace

void monitor_events(random& from)
{
    // Both ends of a connection have names of their own.
    const char* const places[] = {"tcp://127.0.0.1:20000", "tcp://127.0.0.1:20000", "ws://127.0.0.1:20000/path"};
    const std::string where = places[from.below(3)];
    const int peers = int(from.between(1, 5)), rounds = int(from.between(2, 12));
    const bool rebinds = from.chance(0.3);
    world::get().how().longest = 600 * second;
    context_handle context;
    must([&] { return zmq_ctx_set(context.get(), ZMQ_IO_THREADS, int(from.between(1, 4))); }, "zmq_ctx_set");
    int done = 0;
    bool bound = false;
    crew server, clients;
    server.start("server", [&, mine = from.fork()]() mutable {
        socket_handle pull(context, ZMQ_PULL);
        pull.set(ZMQ_LINGER, 0);
        connection_watch watch(context, pull, "server", connection_watch::role::binds);
        must([&] { return zmq_bind(pull.get(), where.c_str()); }, "zmq_bind");
        bound = true;
        while (done < peers) {
            char octets[64];
            while (zmq_recv(pull.get(), octets, sizeof octets, ZMQ_DONTWAIT) >= 0) {
            }
            watch.look();
            rest(mine.exponential(double(200 * microsecond)));
            if (!rebinds || !mine.chance(0.02)) continue;
            must([&] { return zmq_unbind(pull.get(), where.c_str()); }, "zmq_unbind");
            must([&] { return zmq_bind(pull.get(), where.c_str()); }, "zmq_bind");
        }
        pull.close();
        watch.finish();
    });
    while (!bound) rest(100 * microsecond);
    for (int c = 0; c < peers; ++c) {
        clients.start("client" + std::to_string(c), [&, c, mine = from.fork()]() mutable {
            for (int r = 0; r < rounds; ++r) {
                socket_handle push(context, ZMQ_PUSH);
                push.set(ZMQ_LINGER, mine.chance(0.5) ? 0 : 50);
                push.set(ZMQ_SNDTIMEO, 100);
                push.set(ZMQ_RECONNECT_IVL, int(mine.between(1, 20)));
                connection_watch watch(context, push, "client" + std::to_string(c) + "." + std::to_string(r),
                                       connection_watch::role::connects);
                must([&] { return zmq_connect(push.get(), where.c_str()); }, "zmq_connect");
                const bool waits = mine.chance(0.5);
                const nanos until = world::get().now() + 10 * second;
                while (waits && (watch.look(), watch.shaken() == 0) && world::get().now() < until) rest(millisecond);
                require(!waits || watch.shaken() != 0, "a client is not told of a handshake within 10 s");
                for (auto n = mine.below(3); n > 0; --n) (void)zmq_send(push.get(), "octets", 6, 0);
                if (mine.chance(0.5)) rest(mine.exponential(double(500 * microsecond)));
                if (mine.chance(0.3)) (void)zmq_disconnect(push.get(), where.c_str());
                push.close();
                watch.finish();
            }
            ++done;
        });
    }
    clients.join();
    server.join();
    context.end();
}

}  // namespace zlink::sim
