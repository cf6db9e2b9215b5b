// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sockets of the C++ API: all but messages (socket_messages.cpp).
#include "base/cancellation.hpp"
#include "cpp_api/calls.hpp"
#include "runtime/deadline.hpp"
#include "socket/context.hpp"
#include "socket/knobs.hpp"
#include "socket/peer_condition.hpp"
#include "socket/proxy.hpp"
#include "socket/words.hpp"

#include <zmq.h>

#include <exception>
#include <string>

namespace zlink::inline v1::core {

using cpp_api::answer;
using cpp_api::fail;
using cpp_api::guarded;
using cpp_api::held;

namespace {

/// The result of a call on a socket that may tell why it fails. If it fails without words, they are `words(errno)`.
template <class Call, class Words>
int told(void* handle, Call&& call, Words&& words) noexcept
{
    const cancellation_held_off hold;
    const held s(handle);
    if (!s) return answer(s.refusal());
    return guarded([&] {
        const errc e = call(*s);
        if (e == errc::none) forget_words();
        const bool says_it_all = e == errc::none || e == errc::again || e == errc::interrupted || e == errc::terminated;
        if (!says_it_all && !has_words()) tell_failure(words(to_errno(e)));
        return e;
    });
}

socket::endpoint_call inside_of(endpoint_call what) noexcept
{
    switch (what) {
    case endpoint_call::bind: return socket::endpoint_call::bind;
    case endpoint_call::connect: return socket::endpoint_call::connect;
    case endpoint_call::unbind: return socket::endpoint_call::unbind;
    case endpoint_call::disconnect: break;
    }
    return socket::endpoint_call::disconnect;
}

socket::peer_condition::kind inside_of(condition what) noexcept
{
    using kind = socket::peer_condition::kind;
    switch (what) {
    case condition::peers: return kind::peers;
    case condition::subscribers: return kind::subscribers;
    case condition::drained: break;
    }
    return kind::drained;
}

const char* words_of_late(condition what) noexcept
{
    switch (what) {
    case condition::peers: return "there are not so many peers yet, and the time is over";
    case condition::subscribers: return "not so many peers have subscribed, and the time is over";
    case condition::drained: break;
    }
    return "messages are still on their way to the kernel or to a peer";
}

}  // namespace

int socket_open(void* context, int type, void*& made) noexcept
{
    made = nullptr;
    const cancellation_held_off hold;
    if (!socket::context::valid(context)) {
        forget_words();
        return fail(errc::bad_address, "that is not a context, or it was terminated");
    }
    return guarded([&] {
        const bool checked = socket::process_knobs().check_threads();
        auto opened = static_cast<socket::context*>(context)->open_socket(type, checked ? socket::new_handle::checked
                                                                                        : socket::new_handle::plain);
        if (opened) made = *opened;
        return opened.error();
    });
}

void socket_close(void* handle) noexcept
{
    const cancellation_held_off hold;
    held s(handle);
    if (s) s.close();
}

bool socket_is_shared(void* handle) noexcept
{
    return socket::socket::kind_of(handle) == socket::handle_kind::shared;
}

int socket_set(void* handle, int option, const void* value, std::size_t size) noexcept
{
    return told(
        handle, [&](socket::socket& s) { return s.set(option, value, size); },
        [&](int error) { return socket::words_of_option(true, option, size, error); });
}

int socket_get(void* handle, int option, void* value, std::size_t& size) noexcept
{
    return told(
        handle, [&](socket::socket& s) { return s.get(option, value, &size); },
        [&](int error) { return socket::words_of_option(false, option, size, error); });
}

int socket_endpoint(void* handle, endpoint_call what, std::string_view endpoint) noexcept
{
    const auto call = [&](socket::socket& s) {
        switch (what) {
        case endpoint_call::bind: return s.bind(endpoint);
        case endpoint_call::connect: return s.connect(endpoint);
        case endpoint_call::unbind:
        case endpoint_call::disconnect: break;
        }
        return s.end_endpoints(endpoint);
    };
    return told(handle, call, [&](int error) { return socket::words_of_endpoint(inside_of(what), endpoint, error); });
}

int socket_connect_peer(void* handle, std::string_view endpoint, std::uint32_t& number) noexcept
{
    const auto call = [&](socket::socket& s) {
        const auto connected = s.connect_peer(endpoint);
        if (connected) number = *connected;
        return connected.error();
    };
    return told(handle, call, [&](int error) {
        if (error == ENOTSUP) return std::string("only a PEER connects to a peer; others have connect()");
        if (error == EFAULT) return std::string("a PEER with immediate has no peer before the connection");
        return socket::words_of_endpoint(socket::endpoint_call::connect, endpoint, error);
    });
}

int socket_disconnect_peer(void* handle, std::string_view routing_id) noexcept
{
    return told(
        handle, [&](socket::socket& s) { return s.disconnect_peer(routing_id); },
        [](int error) {
            switch (error) {
            case EINVAL: return std::string("an empty routing id names no peer");
            case EHOSTUNREACH: return std::string("no peer has this routing id");
            default: return std::string("only peers of ROUTER, STREAM, PUB and XPUB have routing ids");
            }
        });
}

int socket_join(void* handle, std::string_view group, bool join) noexcept
{
    return told(
        handle, [&](socket::socket& s) { return s.join(group, join); },
        [&](int error) {
            if (error == ENOTSUP) return std::string("only a DISH joins and leaves groups; a SUB subscribes");
            return std::string(join ? "the socket has joined this group already, or its name is longer than 255 octets"
                                    : "the socket has not joined this group");
        });
}

int socket_ready(void* handle, short wanted, short& found) noexcept
{
    static_assert(event_in == socket::poll_in && event_out == socket::poll_out);
    found = 0;
    const held s(handle);
    if (!s) return answer(s.refusal());
    const auto now = s->ready(wanted);
    if (now) found = *now;
    return answer(now.error());
}

int socket_descriptor(void* handle, int& descriptor) noexcept
{
    const held s(handle);
    if (!s) return answer(s.refusal());
    descriptor = s.shared() ? s->level_descriptor() : s->descriptor();
    return answer(descriptor < 0 ? errc::too_many_files : errc::none);
}

int socket_tell_news(void* handle, void (*news)(void*) noexcept, void* of) noexcept
{
    const held s(handle);
    if (!s) return answer(s.refusal());
    if (s.shared() || !s->hosted()) return answer(errc::not_supported);
    s->tell_news({of, news});
    return 0;
}

int socket_await(void* handle, condition what, const std::string_view* topic, std::size_t at_least, int timeout_ms,
                 std::size_t& count)
{
    socket::peer_condition wanted{inside_of(what), std::nullopt, at_least};
    if (topic) wanted.topic.emplace(reinterpret_cast<const std::byte*>(topic->data()), topic->size());
    held s(handle);
    if (!s) return answer(s.refusal());
    result<std::size_t> found = errc::out_of_memory;
    try {
        found = s.await(wanted, runtime::deadline_after(timeout_ms));
    } catch (const std::exception&) {
    }
    if (found) count = *found;
    if (found.error() == errc::not_supported) tell_failure("only PUB, XPUB and RADIO have subscribers");
    if (found.error() == errc::again) tell_failure(words_of_late(what));
    return answer(found.error());
}

int socket_monitor_start(void* handle, std::string_view endpoint, std::uint64_t events) noexcept
{
    return told(
        handle,
        [&](socket::socket& s) {
            return s.events().start(endpoint, events, socket::monitor::form::explained, ZMQ_PAIR);
        },
        [](int) { return std::string("a monitor has an endpoint of this process, and nobody else is bound there"); });
}

void socket_monitor_stop(void* handle) noexcept
{
    const cancellation_held_off hold;
    const held s(handle);
    if (s) s->events().stop();
}

int proxy_run(void* front, void* back, void* capture, void* control)
{
    for (void* each : {front, back, capture, control}) {
        const bool needed = each == front || each == back;
        if (!each && !needed) continue;
        if (const held s(each); !s) return answer(s.refusal());
    }
    const auto socket_of = [](void* handle) { return static_cast<socket::socket*>(handle); };
    socket::proxy between(*socket_of(front), *socket_of(back), socket_of(capture), socket_of(control));
    return answer(between.run());
}

}  // namespace zlink::inline v1::core
