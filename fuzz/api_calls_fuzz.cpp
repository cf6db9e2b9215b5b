// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Calls of the API in any order, on sockets of all types, with any options, values and endpoints. None crashes, hangs,
// leaks or breaks an invariant. Each call that fails does so with an errno that is documented for it.
#include "fuzz_input.hpp"
#include "harmless_options.hpp"
#include "local_endpoints.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>

using namespace zlink;
using fuzz::input;
using fuzz::octets;

namespace {

constexpr int most_steps = 200;

/// A call's result, and the errno values that it may have besides those of all calls.
void check(const char* call, int result, std::initializer_list<int> documented)
{
    if (result >= 0) return;
    const int error = zmq_errno();
    for (const int common : {ENOTSOCK, ETERM, EINTR, ENOMEM}) {
        if (error == common) return;
    }
    if (std::find(documented.begin(), documented.end(), error) != documented.end()) return;
    std::fprintf(stderr, "%s: errno %d (%s)\n", call, error, zmq_strerror(error));
    std::abort();
}

class frame {
public:
    frame() { (void)zmq_msg_init(&msg_); }
    explicit frame(const octets& body) { (void)zmq_msg_init_buffer(&msg_, body.data(), body.size()); }
    frame(const frame&) = delete;
    frame& operator=(const frame&) = delete;
    ~frame() { (void)zmq_msg_close(&msg_); }

    zmq_msg_t* operator&() { return &msg_; }

private:
    zmq_msg_t msg_;
};

/// A context and its sockets. Handles of closed sockets are kept, and used as others are.
class world {
public:
    explicit world(input in) : in_(in), context_(zmq_ctx_new()), poller_(zmq_poller_new()) {}
    world(const world&) = delete;
    world& operator=(const world&) = delete;
    ~world()
    {
        for (void* handle : handles_) {
            if (handle && zmq_close(handle) != 0) fuzz::require(zmq_errno() == ENOTSOCK);
        }
        fuzz::require(zmq_poller_destroy(&poller_) == 0);
        while (zmq_ctx_term(context_) != 0) fuzz::require(zmq_errno() == EINTR);
    }

    void run()
    {
        for (int i = 0; i < most_steps && !in_.rest().empty(); ++i) (this->*calls[in_.choice() % std::size(calls)])();
    }

private:
    using call = void (world::*)();
    static const call calls[28];

    void* handle() { return handles_[in_.choice() % handles_.size()]; }
    int flags() { return ZMQ_DONTWAIT | (in_.choice() & 0x42 ? ZMQ_SNDMORE : 0); }
    octets body()
    {
        const std::uint8_t size = in_.choice();
        const auto given = in_.take(size % 64);
        octets content(given.begin(), given.end());
        if (size >= 192) content.resize(std::size_t(size - 191) * 1024);
        return content;
    }
    std::string text()
    {
        const octets content = body();
        return {reinterpret_cast<const char*>(content.data()), content.size()};
    }
    /// Also the one that a socket has bound.
    std::string endpoint()
    {
        if (in_.choice() % 2 == 0) return fuzz::local_endpoint(in_);
        char bound[256] = "";
        std::size_t size = sizeof bound;
        if (void* s = handle(); s && zmq_getsockopt(s, ZMQ_LAST_ENDPOINT, bound, &size) == 0) return bound;
        return "tcp://127.0.0.1:*";
    }

    void open()
    {
        void*& place = handles_[in_.choice() % handles_.size()];
        if (place && zmq_close(place) != 0) fuzz::require(zmq_errno() == ENOTSOCK);
        place = zmq_socket(context_, std::int8_t(in_.choice() % 24) - 1);
        check("zmq_socket", place ? 0 : -1, {EINVAL, EFAULT, EMFILE});
        const int no_linger = 0;
        if (place) check("zmq_setsockopt", zmq_setsockopt(place, ZMQ_LINGER, &no_linger, sizeof no_linger), {});
    }
    void close() { check("zmq_close", zmq_close(handle()), {}); }

    void set_option()
    {
        void* const s = handle();
        const int option = fuzz::option_number(in_);
        const octets value = fuzz::harmless(option, fuzz::any_value(in_), descriptors_);
        check("zmq_setsockopt", zmq_setsockopt(s, option, value.data(), value.size()), {EINVAL});
    }
    void get_option()
    {
        void* const s = handle();
        const int option = fuzz::option_number(in_);
        octets room(in_.choice());
        std::size_t size = room.size();
        const int got = zmq_getsockopt(s, option, room.data(), &size);
        check("zmq_getsockopt", got, {EINVAL, EMFILE});
        if (got == 0) fuzz::require(size <= room.size());
    }

    void bind()
    {
        void* const s = handle();
        const int bound = zmq_bind(s, endpoint().c_str());
        check("zmq_bind", bound,
              {EINVAL, EPROTONOSUPPORT, ENOCOMPATPROTO, EADDRINUSE, EADDRNOTAVAIL, ENODEV, ENAMETOOLONG, ENOENT,
               EMTHREAD, EBADF});  // the last one: of ZMQ_USE_FD
        char name[256];
        std::size_t size = sizeof name;
        if (bound == 0) fuzz::require(zmq_getsockopt(s, ZMQ_LAST_ENDPOINT, name, &size) == 0 && size > 1);
    }
    void connect()
    {
        void* const s = handle();
        check("zmq_connect", zmq_connect(s, endpoint().c_str()),
              {EINVAL, EPROTONOSUPPORT, ENOCOMPATPROTO, ECONNREFUSED, ENODEV, ENAMETOOLONG, EMTHREAD});
    }
    void unbind()
    {
        void* const s = handle();
        check("zmq_unbind", zmq_unbind(s, endpoint().c_str()), {EINVAL, ENOENT, EPROTONOSUPPORT, ENOCOMPATPROTO});
    }
    void disconnect()
    {
        void* const s = handle();
        check("zmq_disconnect", zmq_disconnect(s, endpoint().c_str()),
              {EINVAL, ENOENT, EPROTONOSUPPORT, ENOCOMPATPROTO});
    }

    void send()
    {
        void* const s = handle();
        const octets content = body();
        check("zmq_send", zmq_send(s, content.data(), content.size(), flags()),
              {EAGAIN, ENOTSUP, EINVAL, EFSM, EHOSTUNREACH});
    }
    void receive()
    {
        void* const s = handle();
        octets room(in_.choice());
        check("zmq_recv", zmq_recv(s, room.data(), room.size(), ZMQ_DONTWAIT), {EAGAIN, ENOTSUP, EFSM, EMSGSIZE});
    }
    void send_message()
    {
        void* const s = handle();
        frame f(body());
        if (in_.choice() & 1) check("zmq_msg_set_group", zmq_msg_set_group(&f, text().c_str()), {EINVAL});
        if (in_.choice() & 1) check("zmq_msg_set_routing_id", zmq_msg_set_routing_id(&f, in_.choice()), {EINVAL});
        check("zmq_msg_send", zmq_msg_send(&f, s, flags()), {EAGAIN, ENOTSUP, EINVAL, EFSM, EHOSTUNREACH});
    }
    /// The frame that came may be sent by another socket.
    void receive_message()
    {
        void* const from = handle();
        frame f;
        const int size = zmq_msg_recv(&f, from, ZMQ_DONTWAIT);
        check("zmq_msg_recv", size, {EAGAIN, ENOTSUP, EFSM, EMSGSIZE});
        if (size < 0) return;
        fuzz::require(zmq_msg_size(&f) == std::size_t(size));
        (void)zmq_msg_get(&f, in_.choice());
        (void)zmq_msg_gets(&f, text().c_str());
        (void)zmq_msg_group(&f);
        frame copy;
        fuzz::require(zmq_msg_copy(&copy, &f) == 0);
        void* const to = handle();
        check("zmq_msg_send", zmq_msg_send(&copy, to, flags()), {EAGAIN, ENOTSUP, EINVAL, EFSM, EHOSTUNREACH});
    }
    void send_parts()
    {
        void* const s = handle();
        std::array<zmq_msg_t, 4> all;
        for (zmq_msg_t& part : all) {
            const octets content = body();
            (void)zmq_msg_init_buffer(&part, content.data(), content.size());
        }
        check("zlink_send_parts", zlink_send_parts(s, all.data(), in_.choice() % 5, ZMQ_DONTWAIT),
              {EAGAIN, ENOTSUP, EINVAL, EFSM, EHOSTUNREACH});
        for (zmq_msg_t& part : all) (void)zmq_msg_close(&part);
    }
    void send_many()
    {
        void* const s = handle();
        std::array<zmq_msg_t, 4> all;
        for (zmq_msg_t& each : all) {
            const octets content = body();
            (void)zmq_msg_init_buffer(&each, content.data(), content.size());
        }
        check("zlink_send_many", zlink_send_many(s, all.data(), in_.choice() % 5, ZMQ_DONTWAIT),
              {EAGAIN, ENOTSUP, EINVAL, EFSM, EHOSTUNREACH});
        for (zmq_msg_t& each : all) (void)zmq_msg_close(&each);
    }
    void receive_many()
    {
        void* const s = handle();
        std::array<zmq_msg_t, 4> all;
        for (zmq_msg_t& each : all) (void)zmq_msg_init(&each);
        std::size_t count = in_.choice() % 5;
        check("zlink_recv_many", zlink_recv_many(s, all.data(), &count, ZMQ_DONTWAIT),
              {EAGAIN, ENOTSUP, EMSGSIZE, EFSM});
        for (zmq_msg_t& each : all) (void)zmq_msg_close(&each);
    }
    void receive_parts()
    {
        void* const s = handle();
        std::array<zmq_msg_t, 4> all;
        for (zmq_msg_t& part : all) (void)zmq_msg_init(&part);
        std::size_t count = in_.choice() % 5;
        check("zlink_recv_parts", zlink_recv_parts(s, all.data(), &count, ZMQ_DONTWAIT),
              {EAGAIN, ENOTSUP, EFSM, EMSGSIZE});
        for (zmq_msg_t& part : all) (void)zmq_msg_close(&part);
    }
    void send_and_receive_vectors()
    {
        octets a = body(), b = body();
        iovec out[] = {{a.data(), a.size()}, {b.data(), b.size()}};
        void* const s = handle();
        check("zmq_sendiov", zmq_sendiov(s, out, 2, flags()), {EAGAIN, ENOTSUP, EINVAL, EFSM, EHOSTUNREACH});
        iovec in[2];
        std::size_t count = 2;
        const int got = zmq_recviov(handle(), in, &count, ZMQ_DONTWAIT);
        check("zmq_recviov", got, {EAGAIN, ENOTSUP, EINVAL, EFSM, EMSGSIZE});
        for (std::size_t i = 0; i < count && (got >= 0 || count < 2); ++i) std::free(in[i].iov_base);
    }

    void join()
    {
        void* const s = handle();
        const std::string group = text();
        check("zmq_join", in_.choice() & 1 ? zmq_join(s, group.c_str()) : zmq_leave(s, group.c_str()),
              {EINVAL, ENOTSUP});
    }
    void peers()
    {
        void* const s = handle();
        const octets id = body();
        switch (in_.choice() % 4) {
        case 0: {
            const std::uint32_t number = zmq_connect_peer(s, endpoint().c_str());
            check("zmq_connect_peer", number ? 0 : -1,
                  {EINVAL, EFAULT, ENOTSUP, EPROTONOSUPPORT, ENOCOMPATPROTO, ECONNREFUSED, ENODEV, ENAMETOOLONG,
                   EMTHREAD, EBADF});  // the last one: of ZMQ_USE_FD
            if (number) check("zmq_disconnect_peer", zmq_disconnect_peer(s, number), {EHOSTUNREACH});
            break;
        }
        case 1: check("zmq_disconnect_peer", zmq_disconnect_peer(s, in_.choice()), {EHOSTUNREACH, ENOTSUP}); break;
        case 2:
            check("zlink_disconnect_peer", zlink_disconnect_peer(s, id.data(), id.size()),
                  {EINVAL, EFAULT, EHOSTUNREACH, ENOTSUP});
            break;
        default:
            check("zmq_socket_get_peer_state", zmq_socket_get_peer_state(s, id.data(), id.size()),
                  {EINVAL, EFAULT, EHOSTUNREACH, ENOTSUP});
            break;
        }
    }
    void watch_events()
    {
        void* const s = handle();
        const std::string where = endpoint();
        const std::uint64_t events = std::uint64_t(in_.choice()) << (in_.choice() % 32);
        const int version = in_.choice() % 4, type = in_.choice() % 22;
        check("zmq_socket_monitor_versioned", zmq_socket_monitor_versioned(s, where.c_str(), events, version, type),
              {EINVAL, EPROTONOSUPPORT, ENOCOMPATPROTO, EADDRINUSE, EMFILE});
        check("zmq_socket_monitor_pipes_stats", zmq_socket_monitor_pipes_stats(s), {EAGAIN, ENOTSUP, EINVAL});
    }
    void stop_events()
    {
        if (in_.choice() % 2 == 0) return check("zmq_socket_monitor", zmq_socket_monitor(handle(), nullptr, 0), {});
        check("zlink_socket_monitor", zlink_socket_monitor(handle(), "inproc://explained", 0xffff, 0), {EADDRINUSE});
    }

    /// I/O threads get some time, too.
    void poll()
    {
        std::array<zmq_pollitem_t, 6> items{};
        std::size_t count = 0;
        for (void* s : handles_) {
            if (s) items[count++] = {s, 0, short(in_.choice() & 15), 0};
        }
        check("zmq_poll", zmq_poll(items.data(), int(count), in_.choice() % 3), {EFAULT});
    }
    void use_poller()
    {
        void* const s = handle();
        const short events = short(in_.choice());
        std::array<zmq_poller_event_t, 3> found;
        switch (in_.choice() % 5) {
        case 0: check("zmq_poller_add", zmq_poller_add(poller_, s, nullptr, events), {EINVAL, EMFILE}); break;
        case 1: check("zmq_poller_modify", zmq_poller_modify(poller_, s, events), {EINVAL}); break;
        case 2: check("zmq_poller_remove", zmq_poller_remove(poller_, s), {EINVAL}); break;
        case 3: check("zmq_poller_wait", zmq_poller_wait(poller_, found.data(), 1), {EAGAIN, EFAULT}); break;
        default:
            check("zmq_poller_wait_all", zmq_poller_wait_all(poller_, found.data(), int(found.size()), 0), {EAGAIN});
            break;
        }
    }

    void set_of_context()
    {
        const int choice = in_.choice() % 91;
        const int option = choice == 90 ? ZLINK_MAX_QUEUED_BYTES : choice;
        octets value = fuzz::any_value(in_);
        int number = 0;
        if (value.size() == sizeof number) {
            std::memcpy(&number, value.data(), sizeof number);
            number = fuzz::harmless_number(option, number);
            std::memcpy(value.data(), &number, sizeof number);
        }
        check("zmq_ctx_set", zmq_ctx_set(context_, option, number), {EINVAL});
        check("zmq_ctx_set_ext", zmq_ctx_set_ext(context_, option, value.data(), value.size()), {EINVAL});
    }
    void get_of_context()
    {
        const int option = fuzz::option_number(in_);
        octets room(in_.choice() % 64);
        std::size_t size = room.size();
        errno = 0;  // a value may be -1
        check("zmq_ctx_get", zmq_ctx_get(context_, option), {EINVAL, 0});
        const int got = zmq_ctx_get_ext(context_, option, room.data(), &size);
        check("zmq_ctx_get_ext", got, {EINVAL});
        if (got == 0) fuzz::require(size <= room.size());
    }
    void shut_down()
    {
        // Rarely: nothing works after it.
        if (in_.choice() < 8) check("zmq_ctx_shutdown", zmq_ctx_shutdown(context_), {});
    }

    fuzz::lent_descriptors descriptors_;  // ends after the context
    input in_;
    void* context_;
    void* poller_;
    std::array<void*, 6> handles_{};
};

const world::call world::calls[28] = {
    &world::open,
    &world::open,
    &world::close,
    &world::set_option,
    &world::set_option,
    &world::get_option,
    &world::bind,
    &world::connect,
    &world::unbind,
    &world::disconnect,
    &world::send,
    &world::receive,
    &world::send_message,
    &world::receive_message,
    &world::send_parts,
    &world::receive_parts,
    &world::send_and_receive_vectors,
    &world::join,
    &world::peers,
    &world::watch_events,
    &world::stop_events,
    &world::poll,
    &world::use_poller,
    &world::set_of_context,
    &world::get_of_context,
    &world::shut_down,
    &world::send_many,
    &world::receive_many,
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    world(input(data, size)).run();
    return 0;
}
