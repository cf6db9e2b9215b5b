// One frame as the API holds it: the inside of a zmq_msg_t. 64 bytes, trivially copyable (programs move zmq_msg_t by
// memcpy), so it has init and close instead of constructor and destructor. One thread at a time.
#pragma once

#include "message/buffer.hpp"
#include "message/metadata.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace zlink::message {

class frame {
public:
    static constexpr std::size_t inline_capacity = 40;

    void init() noexcept
    {
        metadata_ = nullptr;
        routing_id_ = 0;
        kind_ = kind::inlined;
        flags_ = 0;
        inline_size_ = 0;
    }

    /// False when memory is short; the frame is then not initialised.
    [[nodiscard]] bool init_size(std::size_t size) noexcept
    {
        if (size <= inline_capacity) {
            init();
            inline_size_ = std::uint8_t(size);
            return true;
        }
        buffer* b = buffer::allocate(size);
        if (!b) return false;
        init_buffer(b, b->data(), size);
        return true;
    }

    [[nodiscard]] bool init_copy_of(const void* data, std::size_t size) noexcept
    {
        if (!init_size(size)) return false;
        if (size) std::memcpy(this->data(), data, size);
        return true;
    }

    /// Takes over one reference of `b`; `data` lies within it.
    void init_buffer(buffer* b, std::byte* data, std::size_t size) noexcept
    {
        init();
        kind_ = kind::owned;
        payload_.owned = {data, size, b};
    }

    /// `data` is never freed and must outlive every copy.
    void init_constant(const void* data, std::size_t size) noexcept
    {
        init();
        kind_ = kind::constant;
        payload_.owned = {const_cast<std::byte*>(static_cast<const std::byte*>(data)), size, nullptr};
    }

    /// Drops what the frame holds; it is no longer initialised. The free function of foreign data may run here.
    void close() noexcept
    {
        buffer* b = kind_ == kind::owned ? payload_.owned.owner : nullptr;
        metadata* m = metadata_;
        kind_ = kind::closed;
        if (m) m->release();
        if (b) b->release();
    }

    /// True between init and close: what tells a zmq_msg_t from uninitialised memory, as far as that can be told.
    [[nodiscard]] bool initialised() const noexcept { return kind_ >= kind::inlined && kind_ <= kind::constant; }

    [[nodiscard]] std::byte* data() noexcept { return kind_ == kind::inlined ? payload_.inlined : payload_.owned.data; }
    [[nodiscard]] const std::byte* data() const noexcept { return const_cast<frame*>(this)->data(); }

    [[nodiscard]] std::size_t size() const noexcept
    {
        return kind_ == kind::inlined ? inline_size_ : payload_.owned.size;
    }

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

    /// Becomes a second holder of `from`'s content; this frame must not be initialised (or hold nothing).
    void init_copy(frame& from) noexcept
    {
        if (buffer* b = from.shareable()) {
            b->add_ref();
            from.flags_ |= flag_bit_shared;
        }
        *this = from;
        if (metadata_) metadata_->add_ref();
    }

    /// Moves the content of `from` here; `from` becomes an empty frame. This frame must hold nothing.
    void init_move(frame& from) noexcept
    {
        *this = from;
        from.init();
    }

    [[nodiscard]] metadata* properties() const noexcept { return metadata_; }
    /// Takes a reference of its own.
    void set_properties(metadata* m) noexcept
    {
        if (m) m->add_ref();
        if (metadata_) metadata_->release();
        metadata_ = m;
    }

    [[nodiscard]] std::uint32_t routing_id() const noexcept { return routing_id_; }
    void set_routing_id(std::uint32_t id) noexcept { routing_id_ = id; }

private:
    // Odd values, so that zeroed or random memory rarely passes for a frame.
    enum class kind : std::uint8_t { inlined = 0xa5, owned = 0xa6, constant = 0xa7, closed = 0xa8 };
    static constexpr std::uint8_t flag_bit_more = 1;
    static constexpr std::uint8_t flag_bit_shared = 2;

    struct owned_payload {
        std::byte* data;
        std::size_t size;
        buffer* owner;
    };

    metadata* metadata_;
    union {
        std::byte inlined[inline_capacity];
        owned_payload owned;
    } payload_;
    std::uint32_t routing_id_;
    kind kind_;
    std::uint8_t flags_;
    std::uint8_t inline_size_;
    [[maybe_unused]] std::uint8_t unused_[9];
};

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
