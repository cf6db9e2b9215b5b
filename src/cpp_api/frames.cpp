// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Frames of messages, and failures in words.
#include "cpp_api/calls.hpp"
#include "socket/words.hpp"

#include <new>

#include <cstring>

namespace zlink::inline v1::core {

using cpp_api::inside;

const char* sentence_of(int error) noexcept
{
    return socket::sentence_of(error);
}

const char* last_error() noexcept
{
    const last_call failed = last_call_that_failed();
    return failed.words ? failed.words : socket::sentence_of(failed.error);
}

void frame_init(raw_frame& f) noexcept
{
    (new (&f) message::frame)->init();
}

bool frame_init_size(raw_frame& f, std::size_t size) noexcept
{
    return (new (&f) message::frame)->init_size(size);
}

bool frame_init_copy(raw_frame& f, const void* data, std::size_t size) noexcept
{
    return (new (&f) message::frame)->init_copy_of(data, size);
}

bool frame_init_adopt(raw_frame& f, void* data, std::size_t size, void (*free)(void*, void*), void* hint) noexcept
{
    auto* const made = new (&f) message::frame;
    if (!free) {
        made->init_constant(data, size);
        return true;
    }
    message::buffer* const body = message::buffer::adopt(data, size, free, hint);
    if (!body) return false;
    made->init_buffer(body, static_cast<std::byte*>(data), size);
    return true;
}

void frame_init_move(raw_frame& to, raw_frame& from) noexcept
{
    (new (&to) message::frame)->init_move(inside(from));
}

void frame_init_copy_of(raw_frame& to, raw_frame& from) noexcept
{
    (new (&to) message::frame)->init_copy(inside(from));
}

void frame_close(raw_frame& f) noexcept
{
    inside(f).close();
}

void frame_reset(raw_frame& f) noexcept
{
    inside(f).reset();
}

void* frame_data(raw_frame& f) noexcept
{
    return inside(f).data();
}

std::size_t frame_size(const raw_frame& f) noexcept
{
    return inside(f).size();
}

bool frame_more(const raw_frame& f) noexcept
{
    return inside(f).more();
}

const char* frame_property(const raw_frame& f, std::string_view name) noexcept
{
    const message::metadata* const all = inside(f).properties();
    return all ? all->find(name) : nullptr;
}

std::uint32_t frame_routing_id(const raw_frame& f) noexcept
{
    return inside(f).routing_id();
}

void frame_set_routing_id(raw_frame& f, std::uint32_t id) noexcept
{
    inside(f).set_routing_id(id);
}

std::string_view frame_group(const raw_frame& f) noexcept
{
    return inside(f).group();
}

int frame_set_group(raw_frame& f, std::string_view group) noexcept
{
    constexpr std::size_t longest = 255;
    forget_words();
    if (group.size() > longest)
        return cpp_api::fail(errc::invalid_argument, "the name of a group has at most 255 octets");
    return cpp_api::answer(inside(f).set_group(group) ? errc::none : errc::out_of_memory);
}

}  // namespace zlink::inline v1::core
