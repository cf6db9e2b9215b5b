// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_msg_*(): frames as programs hold them.
#include "base/small_octets.hpp"
#include "c_api/handles.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

using namespace zlink;
using namespace zlink::c_api;

namespace {

// Like zmq_send and zmq_recv, the functions that every message takes try the ways that need no stack; the rest is out
// of line.

[[gnu::noinline]] int init_size(zmq_msg_t* msg, std::size_t size) noexcept
{
    if (!msg) return fail(EFAULT);
    return (new (msg) message::frame)->init_size(size) ? 0 : fail(ENOMEM);
}

int send_held(zmq_msg_t* msg, void* handle, int flags)
{
    call_on s(handle, led_off_plain_path);
    if (!s) return -1;
    const message::frame* f = as_frame(msg);
    if (!f) return -1;
    if (!(flags & ZMQ_SNDMORE)) {
        const int sent = s->send_small(f->data(), f->size());
        if (sent != s->not_sent) return sent;
    }
    return send_frame(s, *f, flags);
}

[[gnu::noinline]] int send_message(zmq_msg_t* msg, socket::socket& s, int flags)
{
    const message::frame* f = as_frame(msg);
    const int sent = f ? send_frame(s, *f, flags) : -1;
    if (sent >= 0) [[likely]]
        inside(msg).reset();
    return sent;
}

[[gnu::noinline]] int send_message_led_off(zmq_msg_t* msg, void* handle, int flags)
{
    const int sent = send_held(msg, handle, flags);
    if (sent >= 0) [[likely]]
        inside(msg).reset();
    return sent;
}

/// Receives into a plain frame by the socket's shortcut, from blocks at hand. Returns its size, or -1. Then nothing was
/// received, and the frame may hold a body without content.
[[gnu::always_inline]] inline int receive_at_once(socket::socket& s, message::frame& f) noexcept
{
    const auto shown = s.show_at_once(message::most_kept_by_threads);
    if (!shown.data() || !f.init_size_at_once(shown.size()) || !f.set_properties_at_once(s.shown_properties()))
        return -1;
    s.take_shown(shown);
    if (shown.size() > most_small_octets) return copy_and_return(f.data(), shown.data(), shown.size());
    copy_small_octets(f.data(), shown.data(), shown.size());
    return int(shown.size());
}

int receive_into_plain(message::frame& f, void* handle, int flags)
{
    call_on s(handle, led_off_plain_path);
    if (!s) return -1;
    const int size = receive_at_once(*s, f);
    if (size < 0) return receive_frame(s, f, flags);
    f.set_routing_id(s->source_number());
    return size;
}

/// For sockets that are led off: the frame's content, if there is any, is freed after the hold.
[[gnu::noinline]] int receive_and_replace(zmq_msg_t* msg, void* handle, int flags)
{
    if (socket::socket::kind_of(handle) == socket::handle_kind::none) return fail(ENOTSOCK);
    message::frame* f = as_frame(msg);
    if (!f) return -1;
    if (f->plain()) return receive_into_plain(*f, handle, flags);
    message::owned_frame fresh;
    const int size = receive_into_plain(fresh, handle, flags);
    if (size < 0) return -1;
    f->close();
    f->init_move(fresh);
    return size;
}

[[gnu::noinline]] int receive_message(zmq_msg_t* msg, socket::socket& s, int flags)
{
    message::frame* f = as_frame(msg);
    if (!f) return -1;
    // There is a message, so the frame's content is not needed even if memory is short.
    if (!f->plain() && s.show_at_once(message::most_kept_by_threads).data() && f->reset_at_once()) {
        const int size = receive_at_once(s, *f);
        if (size >= 0) [[likely]]
            return size;
    }
    return receive_frame(s, *f, flags);
}

[[gnu::noinline]] int close_message(message::frame& f) noexcept
{
    f.close();
    return 0;
}

}  // namespace

int zmq_msg_init(zmq_msg_t* msg)
{
    if (!msg) return fail(EFAULT);
    (new (msg) message::frame)->init();
    return 0;
}

int zmq_msg_init_size(zmq_msg_t* msg, size_t size)
{
    if (msg && inside(msg).init_size_at_once(size)) [[likely]]
        return 0;
    return init_size(msg, size);
}

int zmq_msg_init_buffer(zmq_msg_t* msg, const void* data, size_t size)
{
    if (!msg || (!data && size)) return fail(EFAULT, "msg is NULL, or data is and size is not 0");
    return (new (msg) message::frame)->init_copy_of(data, size) ? 0 : fail(ENOMEM);
}

int zmq_msg_init_data(zmq_msg_t* msg, void* data, size_t size, zmq_free_fn* free_fn, void* hint)
{
    if (!msg || (!data && size)) return fail(EFAULT);
    auto* f = new (msg) message::frame;
    if (!free_fn) {
        f->init_constant(data, size);
        return 0;
    }
    message::buffer* body = message::buffer::adopt(data, size, free_fn, hint);
    if (!body) return fail(ENOMEM);
    f->init_buffer(body, static_cast<std::byte*>(data), size);
    return 0;
}

int zmq_msg_send(zmq_msg_t* msg, void* handle, int flags)
{
    if (!socket::socket::valid(handle)) [[unlikely]]
        return send_message_led_off(msg, handle, flags);
    auto& s = *static_cast<socket::socket*>(handle);
    if (msg && inside(msg).initialised() && !(flags & ZMQ_SNDMORE)) [[likely]] {
        const int sent = s.send_small(inside(msg));
        if (sent != s.not_sent) [[likely]]
            return sent;
    }
    return send_message(msg, s, flags);
}

int zmq_msg_recv(zmq_msg_t* msg, void* handle, int flags)
{
    if (!socket::socket::valid(handle)) [[unlikely]]
        return receive_and_replace(msg, handle, flags);
    auto& s = *static_cast<socket::socket*>(handle);
    if (msg && inside(msg).plain()) [[likely]] {
        const int size = receive_at_once(s, inside(msg));
        if (size >= 0) [[likely]]
            return size;
    }
    return receive_message(msg, s, flags);
}

int zmq_msg_close(zmq_msg_t* msg)
{
    message::frame* f = as_frame(msg);
    if (!f) return -1;
    if (f->close_at_once()) [[likely]]
        return 0;
    return close_message(*f);
}

int zmq_msg_move(zmq_msg_t* target, zmq_msg_t* source)
{
    message::frame* from = as_frame(source);
    message::frame* to = as_frame(target);
    if (!from || !to) return -1;
    if (from == to) return 0;
    to->close();
    to->init_move(*from);
    return 0;
}

int zmq_msg_copy(zmq_msg_t* target, zmq_msg_t* source)
{
    message::frame* from = as_frame(source);
    message::frame* to = as_frame(target);
    if (!from || !to) return -1;
    if (from == to) return 0;
    to->close();
    to->init_copy(*from);
    return 0;
}

void* zmq_msg_data(zmq_msg_t* msg)
{
    message::frame* f = as_frame(msg);
    return f ? f->data() : nullptr;
}

size_t zmq_msg_size(const zmq_msg_t* msg)
{
    const message::frame* f = as_frame(msg);
    return f ? f->size() : 0;
}

int zmq_msg_more(const zmq_msg_t* msg)
{
    const message::frame* f = as_frame(msg);
    return f && f->more() ? 1 : 0;
}

int zmq_msg_get(const zmq_msg_t* msg, int property)
{
    const message::frame* f = as_frame(msg);
    if (!f) return -1;
    switch (property) {
    case ZMQ_MORE: return f->more() ? 1 : 0;
    case ZMQ_SHARED: return f->shared() ? 1 : 0;
    case ZMQ_SRCFD: {
        const char* fd = zmq_msg_gets(msg, "__fd");
        return fd ? std::atoi(fd) : -1;
    }
    default: return fail(EINVAL, "a message has ZMQ_MORE, ZMQ_SRCFD and ZMQ_SHARED; zmq_msg_gets() has names");
    }
}

int zmq_msg_set(zmq_msg_t* msg, int, int)
{
    return as_frame(msg) ? fail(EINVAL, "no property of a message can be set by a number") : -1;
}

const char* zmq_msg_gets(const zmq_msg_t* msg, const char* property)
{
    const message::frame* f = as_frame(msg);
    if (!f) return nullptr;
    const char* value = nullptr;
    if (property && f->properties()) {
        const std::string_view name = property;
        value = f->properties()->find(name);
        // The older name of the same property.
        if (!value && name == "Identity") value = f->properties()->find(ZMQ_MSG_PROPERTY_ROUTING_ID);
    }
    if (!value) (void)fail(EINVAL, "the message has no such property");
    return value;
}

int zmq_msg_set_routing_id(zmq_msg_t* msg, uint32_t routing_id)
{
    message::frame* f = as_frame(msg);
    if (!f) return -1;
    if (routing_id == 0) return fail(EINVAL, "0 is no routing id: zmq_msg_routing_id() of a received message tells it");
    f->set_routing_id(routing_id);
    return 0;
}

uint32_t zmq_msg_routing_id(zmq_msg_t* msg)
{
    const message::frame* f = as_frame(msg);
    return f ? f->routing_id() : 0;
}

int zmq_msg_set_group(zmq_msg_t* msg, const char* group)
{
    message::frame* f = as_frame(msg);
    if (!f) return -1;
    if (!group) return fail(EFAULT, "group is NULL");
    const std::size_t size = ::strnlen(group, ZMQ_GROUP_MAX_LENGTH + 1);
    if (size > ZMQ_GROUP_MAX_LENGTH) return fail(EINVAL, "the name of a group has at most 255 octets");
    return f->set_group({group, size}) ? 0 : fail(ENOMEM);
}

const char* zmq_msg_group(zmq_msg_t* msg)
{
    const message::frame* f = as_frame(msg);
    return f ? f->group().data() : "";
}
