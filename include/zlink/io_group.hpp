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
#include <cstdint>
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

/// What makes the steps of a hosted context; asio.hpp has it.
class host {
public:
    host() = default;
    host(const host&) = delete;
    host& operator=(const host&) = delete;
    virtual ~host() = default;
    /// The context ends next: no step any more.
    virtual void leave() noexcept = 0;
};

/// Ends a context when the group and all its sockets have gone.
class context_owner {
public:
    context_owner(void* handle, bool owned) noexcept : handle_(handle), owned_(owned) {}
    explicit context_owner(std::shared_ptr<host> hosted_by) noexcept : host_(std::move(hosted_by)), owned_(true) {}
    context_owner(const context_owner&) = delete;
    context_owner& operator=(const context_owner&) = delete;
    ~context_owner()
    {
        if (!owned_ || !handle_) return;
        if (host_) {
            host_->leave();
            context_drop(handle_);
        } else {
            context_end(handle_);
        }
    }

    [[nodiscard]] void* handle() const noexcept { return handle_; }
    [[nodiscard]] bool owned() const noexcept { return owned_; }
    [[nodiscard]] const std::shared_ptr<host>& hosted_by() const noexcept { return host_; }
    void own(void* handle) noexcept { handle_ = handle; }
    /// The context has ended.
    void forget() noexcept
    {
        handle_ = nullptr;
        if (host_) host_->leave();
    }

private:
    std::shared_ptr<host> host_;
    void* handle_ = nullptr;
    bool owned_;
};

}  // namespace core

/// Finds the functions of asio.hpp.
struct for_asio {};

/**
 * A group of sockets with their I/O threads, or hosted by an executor of the program: a context of the C API. It is moved, not copied. Any thread may use it at
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
    /// Hosted: no I/O threads. Connections live on `where`, the io_context or strand of the program, which runs on one
    /// thread. asio.hpp has to be included. All calls on the group and its sockets are made there, or while it does not
    /// run. Calls that wait do the I/O themselves meanwhile.
    ///
    /// An io_context has work while a socket of the group is open, or messages linger. Destruction does not wait: the
    /// last one of the group and its sockets drops what has not been written. close() and async_close() wait for that.
    /// The io_context may go first; then I/O is done in calls that wait alone.
    template <class Where>
        requires requires(Where& where) { host_context(for_asio(), where); }
    explicit io_group(Where&& where) : owner_(host_context(for_asio(), where))
    {}
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

    /// The same on the executor that hosts the group: void(error_code). It ends with std::errc::timed_out if the time is
    /// over, with errc::busy if another one waits, with errc::not_supported if the group is not hosted. If it is
    /// cancelled or late, the group goes on to exist, and it may be called again. Negative: no limit.
    template <class Token>
    auto async_close(std::chrono::milliseconds at_most, Token&& token)
    {
        return async_close_group(for_asio(), owner_, at_most, std::forward<Token>(token));
    }

    /// shutdown(), and waits until the sockets have been closed and what lingers has gone, for so long at most. True:
    /// the group has ended. False: the time is over, and last_error() tells what it waits for. It may be called again.
    /// A group of from() only lets go of its context. A hosted group does its I/O meanwhile.
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

    /// How many messages hosted groups of this process have dropped at their end, about.
    [[nodiscard]] static std::uint64_t dropped() noexcept { return core::context_messages_dropped(); }

    /// For the headers of this folder.
    [[nodiscard]] const std::shared_ptr<core::context_owner>& owner() const noexcept { return owner_; }

private:
    explicit io_group(std::nullptr_t) noexcept {}

    std::shared_ptr<core::context_owner> owner_;
};

}  // namespace v1
}  // namespace zlink
