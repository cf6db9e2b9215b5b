// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

/**
 * @file message.hpp
 * A message, or a part of one.
 */
#pragma once

#include <zlink/core.hpp>
#include <zlink/error.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace zlink {
inline namespace v1 {

/**
 * A message, or a part of one: octets, with what came with them. It is moved, or copied by copy(); a message that was
 * moved from, or sent, is empty. One thread at a time uses it. Constructors throw std::bad_alloc.
 */
class message {
public:
    message() noexcept { core::frame_init(frame_); }
    /// Of so many octets, whose values are not set.
    explicit message(std::size_t size)
    {
        if (!core::frame_init_size(frame_, size)) throw std::bad_alloc();
    }
    /// A copy of these octets.
    explicit message(std::span<const std::byte> octets) : message(octets.data(), octets.size()) {}
    explicit message(std::string_view text) : message(text.data(), text.size()) {}
    explicit message(const char* text) : message(std::string_view(text)) {}
    message(const void* data, std::size_t size)
    {
        if (!core::frame_init_copy(frame_, data, size)) throw std::bad_alloc();
    }

    message(message&& other) noexcept { core::frame_init_move(frame_, other.frame_); }
    message& operator=(message&& other) noexcept
    {
        if (this == &other) return *this;
        core::frame_close(frame_);
        core::frame_init_move(frame_, other.frame_);
        return *this;
    }
    message(const message&) = delete;
    message& operator=(const message&) = delete;
    ~message() { core::frame_close(frame_); }

    /// Takes over memory: `free(data, hint)` is called once, on whichever thread lets go of it last. If memory is
    /// short, it throws, and the data stays the caller's. `free` null: the data outlives all messages.
    [[nodiscard]] static message adopt(void* data, std::size_t size, void (*free)(void* data, void* hint),
                                       void* hint = nullptr)
    {
        message made;
        core::raw_frame fresh;
        if (!core::frame_init_adopt(fresh, data, size, free, hint)) throw std::bad_alloc();
        core::frame_close(made.frame_);
        core::frame_init_move(made.frame_, fresh);
        return made;
    }
    /// Takes over the text's memory.
    [[nodiscard]] static message adopt(std::string text)
    {
        if (text.size() < 64) return message(text);
        auto* const own = new std::string(std::move(text));
        try {
            return adopt(
                own->data(), own->size(), [](void*, void* hint) { delete static_cast<std::string*>(hint); }, own);
        } catch (...) {
            delete own;
            throw;
        }
    }

    /// A second message with the same content; a large body is shared. Neither should be changed afterwards.
    [[nodiscard]] message copy()
    {
        message made;
        core::frame_init_copy_of(made.frame_, frame_);
        return made;
    }

    [[nodiscard]] std::size_t size() const noexcept { return core::frame_size(frame_); }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    [[nodiscard]] void* data() noexcept { return core::frame_data(frame_); }
    [[nodiscard]] const void* data() const noexcept { return core::frame_data(const_cast<core::raw_frame&>(frame_)); }
    /// The octets, until the message changes.
    [[nodiscard]] std::span<std::byte> bytes() noexcept { return {static_cast<std::byte*>(data()), size()}; }
    [[nodiscard]] std::span<const std::byte> bytes() const noexcept
    {
        return {static_cast<const std::byte*>(data()), size()};
    }
    /// The octets as text, likewise.
    [[nodiscard]] std::string_view view() const noexcept { return {static_cast<const char*>(data()), size()}; }

    /// It was received, and another part of the same message follows.
    [[nodiscard]] bool more() const noexcept { return core::frame_more(frame_); }
    /// A property of the connection that it came by: "Peer-Address", "User-Id", "Routing-Id" and so on; null if there
    /// is none. Valid as long as the message has its content.
    [[nodiscard]] const char* property(std::string_view name) const noexcept
    {
        return core::frame_property(frame_, name);
    }

    /// The number of a peer of SERVER and PEER; 0: none.
    [[nodiscard]] std::uint32_t routing_id() const noexcept { return core::frame_routing_id(frame_); }
    void set_routing_id(std::uint32_t number) noexcept { core::frame_set_routing_id(frame_, number); }
    /// The group of RADIO and DISH; of at most 255 octets.
    [[nodiscard]] std::string_view group() const noexcept { return core::frame_group(frame_); }
    void set_group(std::string_view name) { core::throw_if(core::frame_set_group(frame_, name)); }

    /// Empties it.
    void reset() noexcept { core::frame_reset(frame_); }

    /// For the headers of this folder.
    [[nodiscard]] core::raw_frame& raw() noexcept { return frame_; }

private:
    core::raw_frame frame_;
};

static_assert(sizeof(message) == sizeof(core::raw_frame));

namespace core {

[[nodiscard]] inline std::span<raw_frame> raw(std::span<message> messages) noexcept
{
    return {messages.empty() ? nullptr : &messages.front().raw(), messages.size()};
}

}  // namespace core
}  // namespace v1
}  // namespace zlink
