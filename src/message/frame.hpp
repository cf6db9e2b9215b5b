// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One frame as the API holds it: the inside of a zmq_msg_t. 64 bytes, trivially copyable (programs move zmq_msg_t by
// memcpy), so it has init and close instead of constructor and destructor. One thread at a time.
#pragma once

#include "base/many_octets.hpp"
#include "base/small_octets.hpp"
#include "message/buffer.hpp"
#include "message/metadata.hpp"
#include "message/thread_cache.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

namespace zlink::message {

class frame {
public:
    static constexpr std::size_t inline_capacity = 40;

    void init() noexcept { init_head(kind::inlined, 0); }

    /// False when memory is short; the frame is then not initialised.
    [[nodiscard]] bool init_size(std::size_t size) noexcept
    {
        if (init_size_at_once(size)) [[likely]]
            return true;
        buffer* b = buffer::allocate(size);
        if (!b) return false;
        init_buffer(b, b->data(), size);
        return true;
    }

    /// init_size(), if that needs no call. False: nothing happened.
    [[nodiscard]] [[gnu::always_inline]] bool init_size_at_once(std::size_t size) noexcept
    {
        if (size <= inline_capacity) {
            init_head(kind::inlined, size);
            return true;
        }
        buffer* b = buffer::allocate_at_once(size);
        if (!b) [[unlikely]]
            return false;
        init_buffer(b, b->data(), size);
        return true;
    }

    [[nodiscard]] bool init_copy_of(const void* data, std::size_t size) noexcept
    {
        if (!init_size(size)) return false;
        fill(data, size);
        return true;
    }

    /// init_copy_of() for a body that several sockets will refer to.
    [[nodiscard]] bool init_shared_copy_of(const void* data, std::size_t size) noexcept
    {
        buffer* b = size <= inline_capacity ? nullptr : buffer::allocate_shared(size);
        if (!b) return init_copy_of(data, size);
        init_buffer(b, b->data(), size);
        fill(data, size);
        return true;
    }

    /// Replaces the content of the frame. False when memory is short; nothing happened then. `data` does not belong to
    /// the frame.
    [[nodiscard]] [[gnu::always_inline]] bool replace_with_copy(const void* data, std::size_t size) noexcept
    {
        if (plain() && init_size_at_once(size)) [[likely]] {
            fill(data, size);
            return true;
        }
        return replace_slow(data, size);
    }

    /// Takes over one reference of `b`; `data` lies within it.
    void init_buffer(buffer* b, std::byte* data, std::size_t size) noexcept
    {
        init_head(kind::owned, size);
        payload_.owned = {data, b};
    }

    /// `data` is never freed and must outlive every copy.
    void init_constant(const void* data, std::size_t size) noexcept
    {
        init_head(kind::constant, size);
        payload_.owned = {const_cast<std::byte*>(static_cast<const std::byte*>(data)), nullptr};
    }

    /// Drops the content of the frame, which is not initialised any more. The free function of foreign data may run
    /// here.
    void close() noexcept
    {
        buffer* b = kind_ == kind::owned ? payload_.owned.owner : nullptr;
        metadata* m = metadata_;
        kind_ = kind::closed;
        if (m) thread_cache::let_go(*m);
        if (b) b->release();
    }

    /// close(), and init().
    void reset() noexcept
    {
        if (reset_at_once()) [[likely]]
            return;
        buffer* b = shareable();
        metadata* m = metadata_;
        init();
        if (m) thread_cache::let_go(*m);
        if (b) b->release();
    }

    /// close(), if that needs no call. False: the content is not released, or not all of it; close() has to follow.
    [[nodiscard]] [[gnu::always_inline]] bool close_at_once() noexcept
    {
        if (!let_go_at_once()) [[unlikely]]
            return false;
        kind_ = kind::closed;
        return true;
    }

    /// reset(), if that needs no call. False: as for close_at_once().
    [[nodiscard]] [[gnu::always_inline]] bool reset_at_once() noexcept
    {
        if (!let_go_at_once()) [[unlikely]]
            return false;
        init();
        return true;
    }

    /// The frame holds only octets inside itself: forgetting it has the same effect as close().
    [[nodiscard]] bool plain() const noexcept { return kind_ == kind::inlined && !metadata_; }

    /// True between init and close: distinguishes a zmq_msg_t from uninitialised memory, as far as that is possible.
    [[nodiscard]] bool initialised() const noexcept { return kind_ >= kind::inlined && kind_ <= kind::constant; }

    [[nodiscard]] std::byte* data() noexcept { return kind_ == kind::inlined ? payload_.inlined : payload_.owned.data; }
    [[nodiscard]] const std::byte* data() const noexcept { return const_cast<frame*>(this)->data(); }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// The buffer that a lane may share instead of copying, or null.
    [[nodiscard]] buffer* shareable() const noexcept { return kind_ == kind::owned ? payload_.owned.owner : nullptr; }
    [[nodiscard]] bool is_constant() const noexcept { return kind_ == kind::constant; }

    [[nodiscard]] bool more() const noexcept { return flags_ & flag_bit_more; }
    void set_more(bool more) noexcept
    {
        flags_ = std::uint8_t(more ? flags_ | flag_bit_more : flags_ & ~flag_bit_more);
    }

    /// ZMQ_SHARED: whether another frame may hold the same memory.
    [[nodiscard]] bool shared() const noexcept { return kind_ == kind::constant || (flags_ & flag_bit_shared); }

    /// For a frame that holds a buffer: another frame may hold that, too.
    void set_shared() noexcept { flags_ |= flag_bit_shared; }

    /// Becomes a second holder of `from`'s content; this frame must not be initialised (or hold nothing).
    void init_copy(frame& from) noexcept
    {
        if (buffer* b = from.shareable()) {
            b->add_ref();
            from.flags_ |= flag_bit_shared;
        }
        take_over(from);
        if (metadata_) thread_cache::hold(*metadata_);
    }

    /// Moves the content of `from` here; `from` becomes an empty frame. This frame must hold nothing.
    void init_move(frame& from) noexcept
    {
        take_over(from);
        from.init();
    }

    [[nodiscard]] metadata* properties() const noexcept { return metadata_; }
    /// Takes a reference of its own.
    void set_properties(metadata* m) noexcept
    {
        if (m) thread_cache::hold(*m);
        if (metadata_) thread_cache::let_go(*metadata_);
        metadata_ = m;
    }

    /// set_properties() of a frame without properties, if that needs no call. False: nothing happened.
    [[nodiscard]] [[gnu::always_inline]] bool set_properties_at_once(metadata* m) noexcept
    {
        if (m && !thread_cache::hold_at_once(*m)) [[unlikely]]
            return false;
        metadata_ = m;
        return true;
    }

    [[nodiscard]] std::uint32_t routing_id() const noexcept { return routing_id_; }
    void set_routing_id(std::uint32_t id) noexcept { routing_id_ = id; }

    /// RFC 48; zero-terminated, and valid until the frame changes. Empty: none.
    [[nodiscard]] std::string_view group() const noexcept
    {
        if (group_size_ != 0) return {reinterpret_cast<const char*>(group_room()), group_size_};
        return metadata_ ? std::string_view(metadata_->group()) : std::string_view("");
    }
    /// Of at most 255 octets. False when memory is short: nothing has changed then.
    [[nodiscard]] bool set_group(std::string_view group) noexcept;
    /// Whether the frame has room inside for a group of this size.
    [[nodiscard]] bool holds_group(std::size_t size) const noexcept
    {
        const std::size_t used = kind_ == kind::inlined ? size_ : sizeof payload_.owned;
        return used + size + 1 <= inline_capacity;
    }

private:
    // Odd values, so that zeroed or random memory rarely passes for a frame.
    enum class kind : std::uint8_t { inlined = 0xa5, owned = 0xa6, constant = 0xa7, closed = 0xa8 };
    static constexpr std::uint8_t flag_bit_more = 1;
    static constexpr std::uint8_t flag_bit_shared = 2;

    struct owned_payload {
        std::byte* data;
        buffer* owner;
    };

    [[gnu::always_inline]] void fill(const void* from, std::size_t size) noexcept
    {
        if (size > most_small_octets) return fill_large(from, size);
        copy_small_octets(data(), from, size);
    }

    // Out of line: if larger sizes look unlikely, GCC copies them octet by octet (rep movsb).
    [[gnu::noinline]] void fill_large(const void* from, std::size_t size) noexcept
    {
        copy_many_octets(payload_.owned.data, from, size);
    }

    // Member by member, as they were written: wider loads would wait for the stores that have just filled them in.
    void take_over(const frame& from) noexcept
    {
        metadata_ = from.metadata_;
        size_ = from.size_;
        routing_id_ = from.routing_id_;
        kind_ = from.kind_;
        flags_ = from.flags_;
        group_size_ = from.group_size_;
        unused_ = 0;
        if (kind_ == kind::inlined) {
            copy_small_octets(payload_.inlined, from.payload_.inlined, size_);
        } else {
            payload_.owned = from.payload_.owned;
        }
        if (group_size_ != 0) [[unlikely]]
            std::memcpy(group_room(), from.group_room(), std::size_t(group_size_) + 1);
    }

    // A group lies at the end of the room that the body leaves, so that the body stays where it is.
    [[nodiscard]] std::byte* group_room() noexcept
    {
        return reinterpret_cast<std::byte*>(&payload_) + inline_capacity - 1 - group_size_;
    }
    [[nodiscard]] const std::byte* group_room() const noexcept { return const_cast<frame*>(this)->group_room(); }

    [[gnu::always_inline]] void init_head(kind k, std::size_t size) noexcept
    {
        metadata_ = nullptr;
        size_ = size;
        routing_id_ = 0;
        kind_ = k;
        flags_ = 0;
        group_size_ = 0;
        unused_ = 0;
    }

    [[gnu::noinline]] bool replace_slow(const void* data, std::size_t size) noexcept
    {
        frame fresh;
        if (!fresh.init_copy_of(data, size)) return false;
        close();
        take_over(fresh);
        return true;
    }

    // On failure the frame is unchanged, or empty except for its properties.
    [[gnu::always_inline]] bool let_go_at_once() noexcept
    {
        if (kind_ == kind::owned) {
            if (!payload_.owned.owner->release_at_once()) [[unlikely]]
                return false;
            kind_ = kind::inlined;
            size_ = 0;
        }
        if (metadata_ && !thread_cache::let_go_at_once(*metadata_)) [[unlikely]]
            return false;
        return true;
    }

    metadata* metadata_;
    union {
        std::byte inlined[inline_capacity];
        owned_payload owned;
    } payload_;
    std::size_t size_;
    std::uint32_t routing_id_;
    kind kind_;
    std::uint8_t flags_;
    std::uint8_t group_size_;  ///< of a group inside; 0: there is none, but the metadata may have one
    std::uint8_t unused_;
};

inline bool frame::set_group(std::string_view group) noexcept
{
    metadata* const plain = metadata_ ? metadata_->properties() : nullptr;
    if (!group.empty() && !holds_group(group.size())) {
        metadata* const long_one = metadata::create_group(group, plain);
        if (!long_one) return false;
        group_size_ = 0;
        if (metadata_) thread_cache::let_go(*metadata_);
        metadata_ = long_one;  // with its one reference
        return true;
    }
    if (plain != metadata_) set_properties(plain);
    group_size_ = std::uint8_t(group.size());
    if (group.empty()) return true;
    copy_small_octets(group_room(), group.data(), group.size());
    group_room()[group.size()] = std::byte{0};
    return true;
}

static_assert(sizeof(frame) == 64 && std::is_trivially_copyable_v<frame>);

/// A frame that closes itself; for use inside the library.
class owned_frame : public frame {
public:
    owned_frame() noexcept { init(); }
    ~owned_frame()
    {
        if (initialised()) close();
    }
    owned_frame(owned_frame&& other) noexcept : frame(other) { other.init(); }
    owned_frame& operator=(owned_frame&& other) noexcept
    {
        if (this != &other) {
            if (initialised()) close();
            init_move(other);
        }
        return *this;
    }
    owned_frame(const owned_frame&) = delete;
    owned_frame& operator=(const owned_frame&) = delete;
};

}  // namespace zlink::message
