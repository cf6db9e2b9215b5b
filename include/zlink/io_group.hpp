// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

/**
 * @file io_group.hpp
 * What sockets belong to: I/O threads, and inproc names.
 */
#pragma once

#include <zlink/core.hpp>
#include <zlink/error.hpp>

#include <cerrno>
#include <chrono>
#include <limits>
#include <memory>
#include <system_error>
#include <utility>

namespace zlink {
inline namespace v1 {

namespace core {

/// As the compiled part takes a time; negative: no limit.
[[nodiscard]] inline int milliseconds_of(std::chrono::milliseconds time) noexcept
{
    if (time.count() < 0) return -1;
    return time.count() > std::numeric_limits<int>::max() ? std::numeric_limits<int>::max() : int(time.count());
}

/// Ends a context when the group and all its sockets have gone.
class context_owner {
public:
    context_owner(void* handle, bool owned) noexcept : handle_(handle), owned_(owned) {}
    context_owner(const context_owner&) = delete;
    context_owner& operator=(const context_owner&) = delete;
    ~context_owner()
    {
        if (owned_ && handle_) context_end(handle_);
    }

    [[nodiscard]] void* handle() const noexcept { return handle_; }
    [[nodiscard]] bool owned() const noexcept { return owned_; }
    void forget() noexcept { handle_ = nullptr; }

private:
    void* handle_;
    bool owned_;
};

}  // namespace core

/**
 * A group of sockets with their I/O threads: a context of the C API. It is moved, not copied. Any thread may use it at
 * any time, but not during a move or close().
 *
 * Sockets keep the group alive. Whichever of them goes last ends it, and waits there, as zmq_ctx_term() does, until
 * messages that linger have gone (opt::linger). close() waits for a limited time.
 */
class io_group {
public:
    /// With so many I/O threads, which start with the first socket. 0: for inproc alone.
    explicit io_group(int threads = 1)
    {
        void* made = nullptr;
        core::throw_if(core::context_create(threads, made));
        try {
            owner_ = std::make_shared<core::context_owner>(made, true);
        } catch (...) {
            core::context_end(made);
            throw;
        }
    }
    io_group(int threads, std::error_code& ec)
    {
        try {
            *this = io_group(threads);
            ec.clear();
        } catch (const std::system_error& e) {
            ec = e.code();
        }
    }
    io_group(io_group&&) noexcept = default;
    io_group& operator=(io_group&&) noexcept = default;
    ~io_group() = default;

    /// A context of the C API, which stays the caller's: it outlives the group, and is not ended by it.
    [[nodiscard]] static io_group from(void* zmq_context)
    {
        io_group made{nullptr};
        if (!core::context_valid(zmq_context)) {
            throw std::system_error(make_error_code(errc::invalid_argument), "that is not a context");
        }
        made.owner_ = std::make_shared<core::context_owner>(zmq_context, false);
        return made;
    }

    /// The context, for the C API. Null after a move from it, or close().
    [[nodiscard]] void* native_handle() const noexcept { return owner_ ? owner_->handle() : nullptr; }

    /// All calls on its sockets fail with errc::terminated from now on.
    void shutdown() noexcept
    {
        if (native_handle()) core::context_shutdown(native_handle());
    }

    /// shutdown(), and waits until the sockets have been closed and what lingers has gone, for so long at most. True:
    /// the group has ended. False: the time is over, and last_error() tells what it waits for. It may be called again.
    /// A group of from() only lets go of its context.
    [[nodiscard]] bool close(std::chrono::milliseconds at_most, std::error_code& ec)
    {
        ec.clear();
        if (!native_handle() || !owner_->owned()) {
            owner_.reset();
            return true;
        }
        const int error = core::context_terminate(native_handle(), core::milliseconds_of(at_most));
        if (error == 0) {
            owner_->forget();
            owner_.reset();
        } else if (error != EAGAIN) {
            ec = core::code_of(error);
        }
        return error == 0;
    }
    [[nodiscard]] bool close(std::chrono::milliseconds at_most)
    {
        std::error_code ec;
        const bool ended = close(at_most, ec);
        if (ec) throw std::system_error(ec, core::last_error());
        return ended;
    }

    /// For the headers of this folder.
    [[nodiscard]] const std::shared_ptr<core::context_owner>& owner() const noexcept { return owner_; }

private:
    explicit io_group(std::nullptr_t) noexcept {}

    std::shared_ptr<core::context_owner> owner_;
};

}  // namespace v1
}  // namespace zlink
