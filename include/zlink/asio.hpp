// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

/**
 * @file asio.hpp
 * Sockets with completion tokens, on an executor of Asio: Boost.Asio from 1.81 on, or standalone Asio from 1.22 on if
 * ASIO_STANDALONE or ZLINK_STANDALONE_ASIO is defined. Both may be in one program, in different source files.
 */
#pragma once

#include <zlink/core.hpp>
#include <zlink/error.hpp>
#include <zlink/io_group.hpp>
#include <zlink/message.hpp>
#include <zlink/monitor.hpp>
#include <zlink/multipart.hpp>
#include <zlink/options.hpp>
#include <zlink/socket.hpp>

#if defined ASIO_STANDALONE || defined ZLINK_STANDALONE_ASIO
#include <asio/any_io_executor.hpp>
#include <asio/associated_allocator.hpp>
#include <asio/associated_cancellation_slot.hpp>
#include <asio/associated_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/basic_waitable_timer.hpp>
#include <asio/cancellation_type.hpp>
#include <asio/dispatch.hpp>
#include <asio/error.hpp>
#include <asio/execution.hpp>
#include <asio/execution_context.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/posix/basic_stream_descriptor.hpp>
#include <asio/post.hpp>
#include <asio/prefer.hpp>
#include <asio/query.hpp>
#include <asio/recycling_allocator.hpp>
#include <asio/system_executor.hpp>
#if __has_include(<asio/associated_immediate_executor.hpp>)
#include <asio/associated_immediate_executor.hpp>
#define ZLINK_HAS_IMMEDIATE_EXECUTORS 1
#endif
#define ZLINK_ASIO_NAMESPACE asio
#define ZLINK_ASIO_ERROR_CODE std::error_code
#define ZLINK_ASIO_TAG with_standalone_asio
#else
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/recycling_allocator.hpp>
#include <boost/asio/system_executor.hpp>
#if __has_include(<boost/asio/associated_immediate_executor.hpp>)
#include <boost/asio/associated_immediate_executor.hpp>
#define ZLINK_HAS_IMMEDIATE_EXECUTORS 1
#endif
#define ZLINK_ASIO_NAMESPACE boost::asio
#define ZLINK_ASIO_ERROR_CODE boost::system::error_code
#define ZLINK_ASIO_TAG with_boost_asio
#endif

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <system_error>
#include <type_traits>
#include <utility>

namespace zlink {
inline namespace v1 {
inline namespace ZLINK_ASIO_TAG {

/// What async_wait() waits for.
enum class wait_type {
    read,         ///< a receive would succeed
    write,        ///< a send would succeed
    peers,        ///< at least so many peers are through the handshake
    subscribers,  ///< at least so many peers have subscribed; of PUB, XPUB and RADIO
    drained       ///< all that was sent is with the kernel, or in the queue of a peer of this process
};

/// `at_least`: of peers and subscribers.
struct wait_for {
    wait_for(wait_type type, std::size_t count = 1) noexcept : what(type), at_least(count) {}
    wait_type what;
    std::size_t at_least;
};

namespace async {

namespace net = ZLINK_ASIO_NAMESPACE;
using net_error_code = ZLINK_ASIO_ERROR_CODE;

[[nodiscard]] inline net_error_code net_code_of(int error)
{
    if (error == 0) return {};
    if (error == ECANCELED) return net::error::operation_aborted;
    return core::code_of(error);
}

// What an operation does, and may have to do again. A call returns an error; EAGAIN: it has to wait.

enum class kind : std::uint8_t { send, receive, wait };

/// What an operation waits for. `looks`: nobody tells of it, so it looks again by a timer.
struct interest {
    short events = 0;
    bool looks = false;
};

struct without_count {
    using signature = void(net_error_code);
    static constexpr bool counts = false;
    [[nodiscard]] static std::size_t count() noexcept { return 0; }
};

struct send_message : without_count {
    static constexpr kind what = kind::send;
    explicit send_message(message&& m) noexcept : sent(std::move(m)) {}
    message sent;
    [[nodiscard]] static interest waits_for() noexcept { return {core::event_out}; }
    [[nodiscard]] int operator()(void* handle) { return core::socket_send(handle, sent.raw(), core::flag_dont_wait); }
};

struct send_parts : without_count {
    static constexpr kind what = kind::send;
    explicit send_parts(multipart&& m) noexcept : sent(std::move(m)) {}
    multipart sent;
    [[nodiscard]] static interest waits_for() noexcept { return {core::event_out}; }
    [[nodiscard]] int operator()(void* handle)
    {
        return core::socket_send_parts(handle, core::raw(sent.parts()), core::flag_dont_wait);
    }
};

struct receive_message : without_count {
    static constexpr kind what = kind::receive;
    explicit receive_message(message& m) noexcept : to(&m) {}
    message* to;
    [[nodiscard]] static interest waits_for() noexcept { return {core::event_in}; }
    [[nodiscard]] int operator()(void* handle) { return core::socket_receive(handle, to->raw(), core::flag_dont_wait); }
};

struct receive_parts : without_count {
    static constexpr kind what = kind::receive;
    explicit receive_parts(multipart& m) noexcept : to(&m) {}
    multipart* to;
    [[nodiscard]] static interest waits_for() noexcept { return {core::event_in}; }
    [[nodiscard]] int operator()(void* handle) { return core::receive_all_parts(handle, *to, core::flag_dont_wait); }
};

struct receive_some {
    using signature = void(net_error_code, std::size_t);
    static constexpr kind what = kind::receive;
    static constexpr bool counts = true;
    explicit receive_some(std::span<message> m) noexcept : to(m) {}
    std::span<message> to;
    std::size_t parts = 0;
    [[nodiscard]] std::size_t count() const noexcept { return parts; }
    [[nodiscard]] static interest waits_for() noexcept { return {core::event_in}; }
    [[nodiscard]] int operator()(void* handle)
    {
        std::size_t messages = 0;
        const int error = core::socket_receive_many(handle, core::raw(to), core::flag_dont_wait, messages, parts);
        if (error != 0) parts = 0;
        return error;
    }
};

struct receive_event : without_count {
    static constexpr kind what = kind::receive;
    explicit receive_event(event& e) noexcept : to(&e) {}
    event* to;
    multipart parts{};
    [[nodiscard]] static interest waits_for() noexcept { return {core::event_in}; }
    [[nodiscard]] int operator()(void* handle)
    {
        const int error = core::receive_all_parts(handle, parts, core::flag_dont_wait);
        if (error != 0) return error;
        return core::read_event(parts, *to) ? 0 : EPROTO;
    }
};

struct wait_until : without_count {
    static constexpr kind what = kind::wait;
    explicit wait_until(wait_for w) noexcept : wanted(w) {}
    wait_for wanted;
    [[nodiscard]] interest waits_for() const noexcept
    {
        switch (wanted.what) {
        case wait_type::read: return {core::event_in};
        case wait_type::write: return {core::event_out};
        case wait_type::peers:
        case wait_type::subscribers:
        case wait_type::drained: break;
        }
        return {0, true};
    }
    [[nodiscard]] int operator()(void* handle)
    {
        const interest mine = waits_for();
        if (!mine.looks) {
            short found = 0;
            const int error = core::socket_ready(handle, mine.events, found);
            return error != 0 || found != 0 ? error : EAGAIN;
        }
        std::size_t count = 0;
        return core::socket_await(handle, condition(), nullptr, wanted.at_least, 0, count);
    }

private:
    [[nodiscard]] core::condition condition() const noexcept
    {
        if (wanted.what == wait_type::peers) return core::condition::peers;
        return wanted.what == wait_type::subscribers ? core::condition::subscribers : core::condition::drained;
    }
};

/// No exception leaves an attempt, but for the end of a thread that is cancelled.
template <class Action>
[[nodiscard]] int attempt_of(Action& action, void* handle)
{
    try {
        return action(handle);
    } catch (const std::bad_alloc&) {
        return ENOMEM;
    }
}

/// A handler with its result, on its way to its executor.
template <class Handler, class Executor, bool Counts>
class completion {
public:
    using executor_type = typename net::associated_executor<Handler, Executor>::type;
    using allocator_type = typename net::associated_allocator<Handler>::type;

    completion(Handler&& handler, const Executor& fallback, int error, std::size_t count)
        : handler_(std::move(handler)),
          executor_(net::get_associated_executor(handler_, fallback)),
          error_(error),
          count_(count)
    {}

    [[nodiscard]] executor_type get_executor() const noexcept { return executor_; }
    [[nodiscard]] allocator_type get_allocator() const noexcept { return net::get_associated_allocator(handler_); }
    [[nodiscard]] const Handler& handler() const noexcept { return handler_; }

    void operator()()
    {
        // The slot is left alone. It belongs to the socket's executor, and what is in it does nothing any more.
        if constexpr (Counts) {
            std::move(handler_)(net_code_of(error_), std::size_t(count_));
        } else {
            std::move(handler_)(net_code_of(error_));
        }
    }

private:
    Handler handler_;
    executor_type executor_;
    int error_;
    std::size_t count_;
};

/// An operation that waits.
class operation {
public:
    operation(interest waits_for, std::uint64_t n) noexcept : wants(waits_for), number(n) {}
    operation(const operation&) = delete;
    operation& operator=(const operation&) = delete;

    /// True: it is over.
    [[nodiscard]] virtual bool attempt(void* handle) = 0;
    /// Posts the handler with the attempt's result, or this one, and destroys the operation. May throw bad_alloc; the
    /// operation is destroyed then as well.
    virtual void finish() = 0;
    virtual void finish(int error) = 0;
    /// The same on the executor's turn: the handler may be called from here.
    virtual void finish_here() = 0;
    virtual void destroy() noexcept = 0;

    const interest wants;
    const std::uint64_t number;

protected:
    ~operation() = default;
};

struct destroyer {
    void operator()(operation* o) const noexcept { o->destroy(); }
};
using operation_ptr = std::unique_ptr<operation, destroyer>;

/// The operations that a turn of the executor has ended. The handler of a single one is called as the last act of
/// the turn, as Asio allows where an operation did not end at once. Several are posted: each has a turn of its own.
class ended_operations {
public:
    void add(operation_ptr ended)
    {
        if (++count_ == 1) {
            sole_ = std::move(ended);
            return;
        }
        post();
        ended.release()->finish();
    }
    void post()
    {
        if (sole_) sole_.release()->finish();
    }
    [[nodiscard]] bool any() const noexcept { return count_ != 0; }
    /// May destroy everything that the caller does not own.
    void call()
    {
        if (sole_) sole_.release()->finish_here();
    }

private:
    operation_ptr sole_;
    unsigned count_ = 0;
};

template <class Handler, class Action, class Executor>
class kept_operation final : public operation {
    using handler_executor = typename net::associated_executor<Handler, Executor>::type;
    using allocator = typename std::allocator_traits<typename net::associated_allocator<
        Handler, net::recycling_allocator<void>>::type>::template rebind_alloc<kept_operation>;
    using allocators = std::allocator_traits<allocator>;

public:
    [[nodiscard]] static operation_ptr create(Handler&& handler, Action&& action, const Executor& fallback,
                                              std::uint64_t number)
    {
        allocator memory(allocator_of(handler));
        kept_operation* const place = allocators::allocate(memory, 1);
        try {
            return operation_ptr(new (place) kept_operation(std::move(handler), std::move(action), fallback, number));
        } catch (...) {
            allocators::deallocate(memory, place, 1);
            throw;
        }
    }

    bool attempt(void* handle) override
    {
        error_ = attempt_of(action_, handle);
        return error_ != EAGAIN;
    }
    void finish() override { pass_on<false>(); }
    void finish_here() override { pass_on<true>(); }
    void finish(int error) override
    {
        error_ = error;
        finish();
    }
    void destroy() noexcept override
    {
        // The handler may own what lets go of this.
        Handler last(std::move(handler_));
        destroy_with(allocator(allocator_of(last)));
    }

private:
    kept_operation(Handler&& handler, Action&& action, const Executor& fallback, std::uint64_t n)
        : operation(action.waits_for(), n),
          handler_(std::move(handler)),
          action_(std::move(action)),
          fallback_(fallback),
          work_(net::get_associated_executor(handler_, fallback))
    {}
    ~kept_operation() = default;

    template <bool Here>
    void pass_on()
    {
        completion<Handler, Executor, Action::counts> ends(std::move(handler_), fallback_, error_, action_.count());
        // The work goes on until the handler has been posted.
        const auto work = std::move(work_);
        destroy_with(allocator(allocator_of(ends.handler())));
        if constexpr (Here) {
            net::dispatch(ends.get_executor(), std::move(ends));
        } else {
            net::post(ends.get_executor(), std::move(ends));
        }
    }

    /// Asio's own operations have their memory from there, too.
    [[nodiscard]] static auto allocator_of(const Handler& handler) noexcept
    {
        return net::get_associated_allocator(handler, net::recycling_allocator<void>());
    }

    void destroy_with(allocator memory) noexcept
    {
        this->~kept_operation();
        allocators::deallocate(memory, this, 1);
    }

    Handler handler_;
    Action action_;
    Executor fallback_;
    net::executor_work_guard<handler_executor> work_;
    int error_ = 0;
};

/// The groups on an execution context. When that ends, they let go of it.
class host_on_asio;
class host_service final : public net::execution_context::service {
public:
    inline static net::execution_context::id id;
    explicit host_service(net::execution_context& context) : service(context) {}

    void add(host_on_asio& h);
    void remove(host_on_asio& h) noexcept;

private:
    void shutdown() noexcept override;

    std::mutex mutex_;
    host_on_asio* first_ = nullptr;
};

/// A socket of a hosted group on its host's executor. The host tells it of news, without a descriptor in between.
class told_socket {
public:
    told_socket() = default;
    told_socket(const told_socket&) = delete;
    told_socket& operator=(const told_socket&) = delete;

    /// On the executor's turn: there may be news.
    virtual void on_news(ended_operations& ended) = 0;
    /// The execution context ends.
    virtual void on_end() noexcept = 0;

    /// False: it has no host, or has one no more.
    [[nodiscard]] bool has_host() const noexcept { return host_ != nullptr; }
    /// True once: what a group is hosted by does not change.
    [[nodiscard]] bool looks_for_host() noexcept { return !std::exchange(has_looked_for_host_, true); }
    void leave_host() noexcept
    {
        unlink();
        host_ = nullptr;
    }

protected:
    ~told_socket() { leave_host(); }

private:
    friend class told_sockets;
    void unlink() noexcept
    {
        if (!place_) return;
        *place_ = next_;
        if (next_) next_->place_ = place_;
        place_ = nullptr;
    }

    host_on_asio* host_ = nullptr;
    told_socket* next_ = nullptr;
    told_socket** place_ = nullptr;  ///< null: in no list
    bool has_news_ = false;
    bool has_looked_for_host_ = false;
};

/// Those of a host, with and without news.
class told_sockets {
public:
    told_sockets() = default;
    told_sockets(const told_sockets&) = delete;
    told_sockets& operator=(const told_sockets&) = delete;
    ~told_sockets()
    {
        while (told_socket* const s = take_any()) s->host_ = nullptr;
    }

    void add(told_socket& s, host_on_asio& host) noexcept
    {
        s.host_ = &host;
        s.has_news_ = false;
        put(without_, s);
    }
    /// The function that a socket calls when there may be news.
    static void news(void* of) noexcept;
    [[nodiscard]] bool any_news() const noexcept { return with_ != nullptr; }
    /// While it lives, the host comes to look for news anyway.
    class look_to_come {
    public:
        explicit look_to_come(told_sockets& of) noexcept : of_(of) { of_.look_comes_ = true; }
        look_to_come(const look_to_come&) = delete;
        look_to_come& operator=(const look_to_come&) = delete;
        ~look_to_come() { of_.look_comes_ = false; }

    private:
        told_sockets& of_;
    };
    /// Tells those that have news now, each once.
    void tell(ended_operations& ended)
    {
        batch now(*this);
        while (told_socket* const s = now.first) {
            s->unlink();
            s->has_news_ = false;
            put(without_, *s);
            s->on_news(ended);
        }
    }
    void end() noexcept
    {
        while (told_socket* const s = take_any()) {
            s->host_ = nullptr;
            s->on_end();
        }
    }

private:
    /// Those that have news at first. If memory is short, those that are left go back.
    struct batch {
        explicit batch(told_sockets& all) noexcept : of(all), first(std::exchange(all.with_, nullptr))
        {
            if (first) first->place_ = &first;
        }
        batch(const batch&) = delete;
        batch& operator=(const batch&) = delete;
        ~batch()
        {
            while (told_socket* const s = first) {
                s->unlink();
                put(of.with_, *s);
            }
        }
        told_sockets& of;
        told_socket* first;
    };

    static void put(told_socket*& first, told_socket& s) noexcept
    {
        s.next_ = first;
        if (first) first->place_ = &s.next_;
        s.place_ = &first;
        first = &s;
    }
    [[nodiscard]] told_socket* take_any() noexcept
    {
        told_socket* const s = with_ ? with_ : without_;
        if (s) s->unlink();
        return s;
    }

    told_socket* with_ = nullptr;
    told_socket* without_ = nullptr;
    bool look_comes_ = false;
};

/// A host that a program's execution context may leave behind.
class host_on_asio : public core::host {
public:
    /// The execution context ends: nothing of it is used any more.
    virtual void abandon() noexcept = 0;
    /// Empty: the execution context has ended.
    [[nodiscard]] virtual net::any_io_executor executor() const = 0;
    /// The operation, of close_group, is kept until it succeeds, the time is over, or end_close(). False: another one
    /// is there. Negative: no limit.
    [[nodiscard]] virtual bool begin_close(operation_ptr& closes, std::chrono::milliseconds at_most) = 0;
    virtual void end_close(std::uint64_t number, int error) = 0;
    [[nodiscard]] std::uint64_t next_number() noexcept { return ++last_number_; }
    void add(told_socket& s) noexcept { sockets_.add(s, *this); }
    /// A socket has news, and no look at it is to come.
    virtual void on_news() noexcept = 0;

protected:
    host_service* service_ = nullptr;  ///< null: it has ended
    told_sockets sockets_;

private:
    friend class host_service;
    friend class told_sockets;
    std::uint64_t last_number_ = 0;
    host_on_asio* next_ = nullptr;
    host_on_asio** place_ = nullptr;
};

inline void told_sockets::news(void* of) noexcept
{
    auto& s = *static_cast<told_socket*>(of);
    if (!s.host_ || s.has_news_) return;
    s.has_news_ = true;
    s.unlink();
    told_sockets& all = s.host_->sockets_;
    put(all.with_, s);
    if (!all.look_comes_) s.host_->on_news();
}

inline void host_service::add(host_on_asio& h)
{
    const std::lock_guard guard(mutex_);
    h.service_ = this;
    h.next_ = first_;
    if (first_) first_->place_ = &h.next_;
    h.place_ = &first_;
    first_ = &h;
}
inline void host_service::remove(host_on_asio& h) noexcept
{
    const std::lock_guard guard(mutex_);
    if (!h.place_) return;
    *h.place_ = h.next_;
    if (h.next_) h.next_->place_ = h.place_;
    h.place_ = nullptr;
}
inline void host_service::shutdown() noexcept
{
    while (host_on_asio* const h = first_) {
        remove(*h);
        h->service_ = nullptr;
        h->abandon();
    }
}

/**
 * A socket with the operations that wait at it. All of it runs on the executor.
 *
 * A wait at the descriptor, or for the timer, refers to this and so to the operations. If its handler is destroyed
 * without a call, the execution context ends, and the operations are destroyed: their handlers may own the socket.
 */
template <class Executor>
class socket_state final : public told_socket, public std::enable_shared_from_this<socket_state<Executor>> {
public:
    socket_state(const Executor& executor, std::shared_ptr<core::context_owner> group, socket_type type, int& error)
        : executor_(executor),
          handle_(std::move(group), type, error),
          descriptor_(executor),
          timer_(executor)
    {}
    socket_state(const socket_state&) = delete;
    socket_state& operator=(const socket_state&) = delete;
    ~socket_state()
    {
        forget_descriptor();
        stop_being_told();
    }

    [[nodiscard]] const Executor& executor() const noexcept { return executor_; }
    [[nodiscard]] const core::socket_handle& handle() const noexcept { return handle_; }

    template <class Handler, class Action>
    void start(Handler handler, Action action)
    {
        operation_ptr& place = waiting_[std::size_t(Action::what)];
        int error = ENOTSOCK;
        if (handle_.get()) error = place ? EBUSY : attempt_of(action, handle_.get());
        if (error != EAGAIN) {
            called();  // an attempt may have taken in the news that others wait for
            return complete_at_once<Action::counts>(std::move(handler), executor_, error, action.count());
        }
        const std::uint64_t number = ++last_number_;
        if (auto slot = net::get_associated_cancellation_slot(handler); slot.is_connected())
            slot.template emplace<canceller>(this->weak_from_this(), Action::what, number);
        place =
            kept_operation<Handler, Action, Executor>::create(std::move(handler), std::move(action), executor_, number);
        ended_operations ended;
        look(ended, because::tried);
        ended.post();  // this is a call of the program's
    }

    /// A call on the socket has been made, which may have taken in news.
    void called()
    {
        if (!any_waits() || look_is_posted_) return;
        net::post(executor_, internal_handler(this->shared_from_this(), internal_handler::reason::posted));
        look_is_posted_ = true;
    }

    void cancel() noexcept
    {
        for (operation_ptr& each : waiting_) abort(each);
        stop_waiting();
    }

    /// Ends all operations, and closes the socket.
    void close() noexcept
    {
        if (monitor_) monitor_->close();
        for (operation_ptr& each : waiting_) abort(each);
        forget_descriptor();
        stop_being_told();
        stop_waiting();
        handle_.close();
    }

    /// Begins the monitor unless there is one.
    [[nodiscard]] int begin_monitor(event_kind events)
    {
        if (monitor_) return 0;
        int error = 0;
        auto made = std::make_shared<socket_state>(executor_, handle_.group(), socket_type::pair, error);
        if (error == 0) error = core::begin_monitor(handle_.get(), events, made->handle_.get());
        if (error == 0) monitor_ = std::move(made);
        called();
        return error;
    }
    [[nodiscard]] const std::shared_ptr<socket_state>& monitor() const noexcept { return monitor_; }
    [[nodiscard]] bool waits(kind what) const noexcept { return waiting_[std::size_t(what)] != nullptr; }

    /// Posts the handler of an operation that does not wait.
    template <bool Counts, class Handler>
    static void complete_at_once(Handler&& handler, const Executor& fallback, int error, std::size_t count)
    {
#ifdef ZLINK_HAS_IMMEDIATE_EXECUTORS
        // A handler without an executor of its own goes no further than this one.
        const auto immediate = net::get_associated_immediate_executor(handler, fallback);
        const auto there = net::prefer(immediate, net::execution::blocking.possibly);
        net::dispatch(immediate, completion<std::decay_t<Handler>, std::decay_t<decltype(there)>, Counts>(
                                     std::move(handler), there, error, count));
#else
        completion<std::decay_t<Handler>, Executor, Counts> ends(std::move(handler), fallback, error, count);
        net::post(ends.get_executor(), std::move(ends));
#endif
    }

private:
    /// Of a cancellation slot, which may call it at any time, also after the socket has gone.
    class canceller {
    public:
        canceller(std::weak_ptr<socket_state> of, kind what, std::uint64_t number) noexcept
            : of_(std::move(of)),
              what_(what),
              number_(number)
        {}
        void operator()(net::cancellation_type type)
        {
            if (type == net::cancellation_type::none) return;
            const auto state = of_.lock();
            if (!state) return;
            operation_ptr& place = state->waiting_[std::size_t(what_)];
            if (!place || place->number != number_) return;
            state->abort(place);
            if (!state->any_waits()) state->stop_waiting();
        }

    private:
        std::weak_ptr<socket_state> of_;
        kind what_;
        std::uint64_t number_;
    };

    /// Of the waits of this class. Destroyed without a call: nothing will ever be called again.
    class internal_handler {
    public:
        enum class reason : std::uint8_t { posted, descriptor, timer };
        using executor_type = Executor;

        internal_handler(std::shared_ptr<socket_state> state, reason why) noexcept : state_(std::move(state)), why_(why)
        {}
        internal_handler(internal_handler&&) noexcept = default;
        internal_handler& operator=(internal_handler&&) = delete;
        ~internal_handler()
        {
            if (state_) state_->abandon();
        }

        [[nodiscard]] executor_type get_executor() const noexcept { return state_->executor_; }
        void operator()() { operator()(net_error_code()); }
        void operator()(const net_error_code&)
        {
            const auto state = std::move(state_);
            because why = because::time;
            switch (why_) {
            case reason::posted: state->look_is_posted_ = false; break;
            case reason::descriptor:
                state->watching_ = false;
                why = because::news;
                break;
            case reason::timer: state->timing_ = false; break;
            }
            ended_operations ended;
            state->look(ended, why);
            ended.call();
        }

    private:
        std::shared_ptr<socket_state> state_;
        reason why_;
    };

    [[nodiscard]] bool any_waits() const noexcept
    {
        for (const operation_ptr& each : waiting_) {
            if (each) return true;
        }
        return false;
    }
    [[nodiscard]] interest of_all() const noexcept
    {
        interest all;
        for (const operation_ptr& each : waiting_) {
            if (!each) continue;
            all.events = short(all.events | each->wants.events);
            all.looks |= each->wants.looks;
        }
        return all;
    }

    /// Tries each operation. No handler runs meanwhile. `timed`: those that look by a timer, too. The socket tells of
    /// news after such a look, so that news would bring about the next one for ever.
    void attempt_all(ended_operations& ended, bool timed)
    {
        for (operation_ptr& each : waiting_) {
            if (!each || (each->wants.looks && !timed)) continue;
            if (each->attempt(handle_.get())) ended.add(std::move(each));
        }
    }

    enum class because : std::uint8_t { tried, news, time };
    /**
     * Goes on with all operations that can, and waits for news for the others.
     *
     * Every call on the socket may take in news, of whatever kind, and the descriptor is not readable any more then. So
     * the last call before a wait is a look at all that operations wait for: it finds nothing, and the descriptor tells
     * of what comes after it. `tried`: an operation has just been, and a look tells whether the others have to be.
     */
    void look(ended_operations& ended, because why)
    {
        bool tried = why == because::tried;
        if (!handle_.get()) return;
        interest all;
        bool ready = false;
        for (int round = 0; round < 2; ++round) {
            if (!std::exchange(tried, false)) attempt_all(ended, why != because::news);
            all = of_all();
            if (all.events == 0) break;
            short found = 0;
            ready = core::socket_ready(handle_.get(), short(core::event_in | core::event_out), found) != 0 ||
                    (found & all.events) != 0;
            if (!ready) break;
        }
        if (!any_waits()) return stop_waiting();
        // Ready, and yet no operation could go on, as a send to one of many peers that has no room. Or the descriptor
        // of a shared socket stays readable because of what nobody waits for.
        const bool shared = core::socket_is_shared(handle_.get());
        const bool spins = shared && !(all.events & core::event_in);
        // Its descriptor tells of messages alone: another thread may take in the news that there is room.
        const bool untold = shared && (all.events & core::event_out);
        if (all.looks || ready || spins || untold) look_later();
        if (all.events != 0 && !spins && (shared || !is_told())) watch();
    }

    void on_news(ended_operations& ended) override
    {
        if (any_waits()) look(ended, because::news);
    }
    void on_end() noexcept override { abandon(); }
    /// By the host, in place of the descriptor.
    [[nodiscard]] bool is_told()
    {
        if constexpr (std::is_constructible_v<net::any_io_executor, const Executor&>) {
            if (has_host() || !looks_for_host()) return has_host();
            auto* const host = dynamic_cast<host_on_asio*>(handle_.group()->hosted_by().get());
            if (!host || host->executor() != net::any_io_executor(executor_)) return false;
            host->add(*this);
            if (core::socket_tell_news(handle_.get(), &told_sockets::news, static_cast<told_socket*>(this)) == 0)
                return true;
            leave_host();
        }
        return false;
    }
    void stop_being_told() noexcept
    {
        if (!has_host()) return;
        leave_host();
        if (handle_.get()) (void)core::socket_tell_news(handle_.get(), nullptr, nullptr);
    }

    void watch()
    {
        if (watching_) return;
        if (!descriptor_.is_open()) {
            int fd = -1;
            int error = core::socket_descriptor(handle_.get(), fd);
            if (error == 0) {
                net_error_code ec;
                descriptor_.assign(fd, ec);
                if (ec) error = ec.value();
            }
            if (error != 0) return fail_all(error);
        }
        descriptor_.async_wait(net::posix::descriptor_base::wait_read,
                               internal_handler(this->shared_from_this(), internal_handler::reason::descriptor));
        watching_ = true;
    }

    void look_later()
    {
        if (timing_) return;
        constexpr std::chrono::milliseconds longest{8};
        timer_.expires_after(pause_);
        pause_ = pause_ * 2 < longest ? pause_ * 2 : longest;
        timer_.async_wait(internal_handler(this->shared_from_this(), internal_handler::reason::timer));
        timing_ = true;
    }

    /// No operation waits: nothing here keeps the execution context at work.
    void stop_waiting() noexcept
    {
        pause_ = shortest_pause;
        try {
            net_error_code ignored;
            if (watching_ && descriptor_.is_open()) descriptor_.cancel(ignored);
            if (timing_) timer_.cancel();
        } catch (...) {
        }
    }

    void abort(operation_ptr& place) noexcept
    {
        if (!place) return;
        try {
            place.release()->finish(ECANCELED);
        } catch (...) {  // memory is short: the handler is dropped
        }
    }
    void fail_all(int error)
    {
        for (operation_ptr& each : waiting_) {
            if (each) each.release()->finish(error);
        }
    }
    void abandon() noexcept
    {
        // Handlers may own the socket, and so this.
        const auto alive = this->shared_from_this();
        const auto gone = std::move(waiting_);
    }
    /// The descriptor is the socket's, and closed by it.
    void forget_descriptor() noexcept
    {
        try {
            if (descriptor_.is_open()) (void)descriptor_.release();
        } catch (...) {
        }
    }

    static constexpr std::chrono::milliseconds shortest_pause{1};

    Executor executor_;
    core::socket_handle handle_;
    net::posix::basic_stream_descriptor<Executor> descriptor_;
    net::basic_waitable_timer<std::chrono::steady_clock, net::wait_traits<std::chrono::steady_clock>, Executor> timer_;
    std::array<operation_ptr, 3> waiting_;  ///< by their kind
    std::shared_ptr<socket_state> monitor_;
    std::uint64_t last_number_ = 0;
    std::chrono::milliseconds pause_ = shortest_pause;
    bool watching_ = false;
    bool timing_ = false;
    bool look_is_posted_ = false;
};

/// What async_initiate() calls with the handler.
template <class Executor>
class initiation {
public:
    using executor_type = Executor;
    enum class at : std::uint8_t { socket, monitor };

    initiation(std::shared_ptr<socket_state<Executor>> state, const Executor& executor, at where)
        : state_(std::move(state)),
          executor_(executor),
          where_(where)
    {}
    [[nodiscard]] executor_type get_executor() const noexcept { return executor_; }

    template <class Handler, class Action>
    void operator()(Handler&& handler, Action&& action) const
    {
        std::decay_t<Handler> last(std::forward<Handler>(handler));
        int error = state_ ? 0 : ENOTSOCK;
        if (error == 0 && where_ == at::monitor) error = state_->begin_monitor(event_kind::all);
        if (error != 0) {
            constexpr bool counts = std::decay_t<Action>::counts;
            return socket_state<Executor>::template complete_at_once<counts>(std::move(last), executor_, error, 0);
        }
        auto& state = where_ == at::monitor ? *state_->monitor() : *state_;
        state.start(std::move(last), std::decay_t<Action>(std::forward<Action>(action)));
    }

private:
    std::shared_ptr<socket_state<Executor>> state_;
    Executor executor_;
    at where_;
};

/**
 * Whether a turn that ends an operation is followed by another one at once: the handler may send what another socket of
 * the group answers. That saves a wait at the descriptor, and costs two system calls if it was in vain. So the pause
 * between such looks doubles each time that one was.
 */
class second_looks {
public:
    /// A turn has ended operations, or none. True: the next turn is such a look.
    [[nodiscard]] bool begin(bool ended_any) noexcept
    {
        constexpr unsigned longest = 64;
        if (looking_ && ended_any) {
            pause_ = 1;
        } else if (looking_) {
            left_ = pause_;
            pause_ = pause_ * 2 < longest ? pause_ * 2 : longest;
        }
        looking_ = ended_any && left_ == 0;
        if (ended_any && left_ != 0) --left_;
        return looking_;
    }

private:
    unsigned left_ = 0;
    unsigned pause_ = 1;
    bool looking_ = false;
};

/// The end of a group.
struct close_group : without_count {
    static constexpr kind what = kind::wait;
    explicit close_group(std::shared_ptr<core::context_owner> owner) noexcept : group(std::move(owner)) {}
    std::shared_ptr<core::context_owner> group;
    [[nodiscard]] static interest waits_for() noexcept { return {}; }
    [[nodiscard]] int operator()(void*)
    {
        if (!group->handle()) return 0;
        if (core::context_lives(group->handle())) return EAGAIN;
        const int error = core::context_terminate(group->handle(), -1);  // nothing is left to wait for
        if (error == 0) group->forget();
        return error;
    }
};

/**
 * Makes the steps of a context on an executor, while something lives in it. All of it runs on the executor. Everything
 * of Asio is in parts_, which goes when the execution context does: executors and timers must not outlive it.
 */
template <class Executor>
class host_on final : public host_on_asio, public std::enable_shared_from_this<host_on<Executor>> {
public:
    [[nodiscard]] static std::shared_ptr<core::context_owner> make(const Executor& executor)
    {
        auto made = std::make_shared<host_on>();
        auto owner = std::make_shared<core::context_owner>(made);
        made->begin(executor, *owner);
        return owner;
    }
    host_on() = default;

    void leave() noexcept override
    {
        context_ = nullptr;
        release();
        if (service_) service_->remove(*this);
        service_ = nullptr;
        try {
            if (closing_) closing_.release()->finish(0);  // close() was quicker
        } catch (...) {                                   // memory is short: the handler is dropped
        }
    }
    void abandon() noexcept override
    {
        release();
        // Handlers may own the group, and so this.
        const auto alive = this->weak_from_this().lock();
        sockets_.end();
        const auto gone = std::move(closing_);
    }

    [[nodiscard]] net::any_io_executor executor() const override
    {
        return parts_ ? net::any_io_executor(parts_->executor) : net::any_io_executor();
    }
    [[nodiscard]] bool begin_close(operation_ptr& closes, std::chrono::milliseconds at_most) override
    {
        if (closing_) return false;
        if (at_most.count() >= 0) {
            parts_->deadline.expires_after(at_most);
            parts_->deadline.async_wait(late{this->weak_from_this(), closes->number, parts_->executor});
        }
        closing_ = std::move(closes);
        core::context_shutdown(context_);
        soon();
        return true;
    }
    void end_close(std::uint64_t number, int error) override
    {
        if (!closing_ || closing_->number != number) return;
        if (parts_) parts_->deadline.cancel();
        closing_.release()->finish(error);
    }

private:
    using timer =
        net::basic_waitable_timer<std::chrono::steady_clock, net::wait_traits<std::chrono::steady_clock>, Executor>;
    struct parts {
        explicit parts(const Executor& e) : executor(e), descriptor(e), pause(e), deadline(e) {}
        Executor executor;
        net::posix::basic_stream_descriptor<Executor> descriptor;  ///< the context's, and closed by it
        timer pause;
        timer deadline;
    };

    class turn {
    public:
        enum class reason : std::uint8_t { posted, descriptor, timer };
        using executor_type = Executor;
        turn(std::shared_ptr<host_on> of, reason why) noexcept
            : host_(std::move(of)),
              executor_(host_->parts_->executor),
              why_(why)
        {}
        [[nodiscard]] executor_type get_executor() const noexcept { return executor_; }
        void operator()() { operator()(net_error_code()); }
        void operator()(const net_error_code&)
        {
            switch (why_) {
            case reason::posted: host_->posted_ = false; break;
            case reason::descriptor: host_->watching_ = false; break;
            case reason::timer: host_->pausing_ = false; break;
            }
            host_->turn_of_executor();
        }

    private:
        std::shared_ptr<host_on> host_;
        Executor executor_;
        reason why_;
    };

    struct late {
        using executor_type = Executor;
        std::weak_ptr<host_on> of;
        std::uint64_t number;
        Executor executor;
        [[nodiscard]] executor_type get_executor() const noexcept { return executor; }
        void operator()(const net_error_code& cancelled)
        {
            if (cancelled) return;
            if (const auto h = of.lock()) h->end_close(number, ETIMEDOUT);
        }
    };

    void begin(const Executor& executor, core::context_owner& owner)
    {
        parts_.emplace(executor);
        // After the services of the parts: so this one is told first that the execution context ends.
        auto& service = net::use_service<host_service>(
            static_cast<net::execution_context&>(net::query(executor, net::execution::context)));
        void* made = nullptr;
        core::throw_if(core::context_create_hosted(&opened, this, made));
        owner.own(made);
        context_ = made;
        parts_->descriptor.assign(core::context_descriptor(made));
        service.add(*this);
    }

    static void opened(void* of) noexcept
    {
        auto* const self = static_cast<host_on*>(of);
        try {
            self->soon();
        } catch (...) {  // memory is short: the next socket, or call that waits, goes on
        }
    }

    /// A step comes, unless one is under way.
    void soon()
    {
        if (!context_ || !parts_ || posted_) return;
        net::post(parts_->executor, turn(this->shared_from_this(), turn::reason::posted));
        posted_ = true;
    }

    /// So short that the program's own handlers have their turn.
    static constexpr std::int64_t budget_ns = 20'000;
    /// So short a pause may be because nothing makes the descriptor readable.
    static constexpr std::int64_t looked_at_ns = 20'000'000;

    void on_news() noexcept override { opened(this); }

    void turn_of_executor()
    {
        if (!context_ || !parts_) return;
        const auto alive = this->shared_from_this();
        ended_operations ended;
        step(ended);
        ended.call();
    }
    /// A step, and what its news has for sockets, which are told in the same turn.
    [[nodiscard]] bool do_step(ended_operations& ended, std::int64_t& pause)
    {
        const told_sockets::look_to_come here(sockets_);
        const bool lives = core::context_step(context_, budget_ns, pause);
        sockets_.tell(ended);
        return lives;
    }
    void step(ended_operations& ended)
    {
        std::int64_t pause = 0;
        const bool lives = do_step(ended, pause);
        if (sockets_.any_news()) soon();
        // The step may have called a free function of the program's.
        if (auto closes = std::move(closing_)) {
            if (closes->attempt(nullptr)) return closes.release()->finish();
            closing_ = std::move(closes);
        }
        if (!context_ || !parts_) return;
        if (!lives) return rest();
        if (pause == 0 || second_looks_.begin(ended.any())) return soon();
        watch();
        if (pause > 0 && pause <= looked_at_ns && !pausing_) {
            parts_->pause.expires_after(std::chrono::nanoseconds(pause));
            parts_->pause.async_wait(turn(this->shared_from_this(), turn::reason::timer));
            pausing_ = true;
        }
    }
    void watch()
    {
        if (watching_) return;
        parts_->descriptor.async_wait(net::posix::descriptor_base::wait_read,
                                      turn(this->shared_from_this(), turn::reason::descriptor));
        watching_ = true;
    }
    /// Nothing lives in the context: nothing here keeps the execution context at work.
    void rest()
    {
        if (watching_) parts_->descriptor.cancel();
        if (pausing_) parts_->pause.cancel();
    }
    void release() noexcept
    {
        try {
            if (parts_ && parts_->descriptor.is_open()) (void)parts_->descriptor.release();
        } catch (...) {
        }
        parts_.reset();
    }

    void* context_ = nullptr;
    std::optional<parts> parts_;
    second_looks second_looks_;
    operation_ptr closing_;
    bool posted_ = false;
    bool watching_ = false;
    bool pausing_ = false;
};

/// Of the cancellation slot of async_close().
class close_canceller {
public:
    close_canceller(std::weak_ptr<core::host> of, std::uint64_t number) noexcept : of_(std::move(of)), number_(number)
    {}
    void operator()(net::cancellation_type type)
    {
        if (type == net::cancellation_type::none) return;
        if (const auto h = of_.lock()) static_cast<host_on_asio&>(*h).end_close(number_, ECANCELED);
    }

private:
    std::weak_ptr<core::host> of_;
    std::uint64_t number_;
};

/// What async_initiate() calls with the handler of async_close().
class close_initiation {
public:
    close_initiation(std::shared_ptr<core::context_owner> group, std::chrono::milliseconds at_most)
        : group_(std::move(group)),
          at_most_(at_most)
    {}

    template <class Handler>
    void operator()(Handler&& handler) const
    {
        std::decay_t<Handler> last(std::forward<Handler>(handler));
        if (!group_ || !group_->handle()) return fail(std::move(last), 0);
        auto* const host = dynamic_cast<host_on_asio*>(group_->hosted_by().get());
        if (!host) return fail(std::move(last), ENOTSUP);
        const net::any_io_executor executor = host->executor();
        if (!executor) return fail(std::move(last), ECANCELED);
        const std::uint64_t number = host->next_number();
        auto slot = net::get_associated_cancellation_slot(last);
        using kept = kept_operation<std::decay_t<Handler>, close_group, net::any_io_executor>;
        operation_ptr closes = kept::create(std::move(last), close_group(group_), executor, number);
        if (!host->begin_close(closes, at_most_)) return closes.release()->finish(EBUSY);
        if (slot.is_connected()) slot.template emplace<close_canceller>(group_->hosted_by(), number);
    }

private:
    /// There is no executor but the handler's own.
    template <class Handler>
    static void fail(Handler&& handler, int error)
    {
        socket_state<net::system_executor>::template complete_at_once<false>(std::forward<Handler>(handler),
                                                                             net::system_executor(), error, 0);
    }

    std::shared_ptr<core::context_owner> group_;
    std::chrono::milliseconds at_most_;
};

}  // namespace async

/// Of io_group's constructor.
template <class Where>
    requires(std::is_base_of_v<async::net::execution_context, Where> || async::net::is_executor<Where>::value ||
             async::net::execution::is_executor<Where>::value)
[[nodiscard]] std::shared_ptr<core::context_owner> host_context(for_asio, Where& where)
{
    if constexpr (std::is_base_of_v<async::net::execution_context, Where>) {
        return async::host_on<typename Where::executor_type>::make(where.get_executor());
    } else {
        return async::host_on<std::remove_const_t<Where>>::make(where);
    }
}

/// Of io_group::async_close().
template <class Token>
auto async_close_group(for_asio, std::shared_ptr<core::context_owner> group, std::chrono::milliseconds at_most,
                       Token&& token)
{
    return async::net::async_initiate<Token, void(async::net_error_code)>(
        async::close_initiation(std::move(group), at_most), token);
}

/**
 * A socket on an executor, with operations that take completion tokens. It is moved, not copied; the operations go on.
 *
 * All calls, and the emission of cancellation signals, are made on the executor: the one thread of its io_context, or a
 * strand. (Operations on it may have handlers with other executors.)
 *
 * One operation of each kind may be outstanding: a send, a receive, a wait, and one of async_monitor(). A second one
 * completes with errc::busy, and changes nothing. Operations end with operation_aborted when the socket is closed or
 * destroyed, or they are cancelled, by all types of cancellation. A send that ended so was not queued, and a receive
 * has taken nothing. Handlers are never called from inside a call, but by an immediate executor of the program's.
 *
 * Messages to receive into, and events, have to live until the operation has ended. opt::sndtimeo and opt::rcvtimeo do
 * not count.
 */
template <class Executor>
class basic_socket : public core::socket_calls<basic_socket<Executor>> {
    using state = async::socket_state<Executor>;
    using start = async::initiation<Executor>;
    using default_token = typename async::net::default_completion_token<Executor>::type;
    using error_code_of_asio = async::net_error_code;

public:
    using executor_type = Executor;
    /// The same socket on another executor.
    template <class Other>
    struct rebind_executor {
        using other = basic_socket<Other>;
    };

    basic_socket(const Executor& executor, const io_group& group, socket_type type) : executor_(executor)
    {
        int error = 0;
        auto made = std::make_shared<state>(executor, group.owner(), type, error);
        core::throw_if(error);
        state_ = std::move(made);
    }
    basic_socket(const Executor& executor, const io_group& group, socket_type type, std::error_code& ec)
        : executor_(executor)
    {
        int error = 0;
        auto made = std::make_shared<state>(executor, group.owner(), type, error);
        ec = core::code_of(error);
        if (error == 0) state_ = std::move(made);
    }
    /// On the executor of an io_context.
    template <class Context>
        requires std::is_base_of_v<async::net::execution_context, Context>
    basic_socket(Context& context, const io_group& group, socket_type type)
        : basic_socket(Executor(context.get_executor()), group, type)
    {}
    template <class Context>
        requires std::is_base_of_v<async::net::execution_context, Context>
    basic_socket(Context& context, const io_group& group, socket_type type, std::error_code& ec)
        : basic_socket(Executor(context.get_executor()), group, type, ec)
    {}
    basic_socket(basic_socket&& other) noexcept : executor_(other.executor_), state_(std::move(other.state_)) {}
    basic_socket& operator=(basic_socket&& other) noexcept
    {
        if (this == &other) return *this;
        close();
        executor_ = other.executor_;
        state_ = std::move(other.state_);
        return *this;
    }
    ~basic_socket() { close(); }

    [[nodiscard]] executor_type get_executor() const noexcept { return executor_; }

    /// Ends all operations. Messages that were sent go out for opt::linger. It waits for that only if the group has gone
    /// and this is its last socket.
    void close() noexcept
    {
        if (const auto open = std::move(state_)) open->close();
    }
    [[nodiscard]] bool is_open() const noexcept { return state_ != nullptr; }
    /// For the C API; a call by it may take in the news that an operation waits for. Null after a move from it, or
    /// close().
    [[nodiscard]] void* native_handle() const noexcept { return state_ ? state_->handle().get() : nullptr; }
    /// All operations end with operation_aborted; not those of async_monitor().
    void cancel() noexcept
    {
        if (state_) state_->cancel();
    }

    /// Sends a message: void(error_code).
    template <class Token = default_token>
    auto async_send(message m, Token&& token = Token())
    {
        return begin(std::forward<Token>(token), async::send_message(std::move(m)));
    }
    /// Sends a message of several parts: void(error_code).
    template <class Token = default_token>
    auto async_send_multipart(multipart m, Token&& token = Token())
    {
        return begin(std::forward<Token>(token), async::send_parts(std::move(m)));
    }
    /// Receives a message, or a part of one: void(error_code). If it was tried and failed, `m` is
    /// empty.
    template <class Token = default_token>
    auto async_receive(message& m, Token&& token = Token())
    {
        return begin(std::forward<Token>(token), async::receive_message(m));
    }
    /// Receives all parts of a message: void(error_code).
    template <class Token = default_token>
    auto async_receive_multipart(multipart& m, Token&& token = Token())
    {
        return begin(std::forward<Token>(token), async::receive_parts(m));
    }
    /// Receives a message, and those behind it that are there and fit: void(error_code, how many of `to` were filled).
    /// Messages are whole: more() is false for the last part of each. errc::message_too_long: the first one has more
    /// parts than that, and stays.
    template <class Token = default_token>
    auto async_receive_some(std::span<message> to, Token&& token = Token())
    {
        return begin(std::forward<Token>(token), async::receive_some(to));
    }
    /// Waits: void(error_code). `async_wait(wait_type::read)`, `async_wait({wait_type::peers, 3})`.
    template <class Token = default_token>
    auto async_wait(wait_for what, Token&& token = Token())
    {
        return begin(std::forward<Token>(token), async::wait_until(what));
    }
    /// Receives the next event of the socket's connections: void(error_code). The first call begins the monitor, with
    /// events of all kinds, unless begin_monitor() has.
    template <class Token = default_token>
    auto async_monitor(event& e, Token&& token = Token())
    {
        return begin(std::forward<Token>(token), async::receive_event(e), start::at::monitor);
    }
    /// Events from now on are kept for async_monitor(); up to 2,000 of them.
    void begin_monitor(event_kind events = event_kind::all)
    {
        if (!state_) throw std::system_error(make_error_code(errc::not_a_socket));
        core::throw_if(state_->begin_monitor(events));
    }

    /// For the headers of this folder.
    void called()
    {
        if (state_) state_->called();
    }
    /// For awaitable.hpp: no such operation waits, and it is not the executor's turn.
    [[nodiscard]] bool goes_on_at_once(async::kind what) noexcept
    {
        constexpr unsigned at_most = 64;
        return state_ && !state_->waits(what) && ++at_once_ % at_most != 0;
    }

private:
    template <class Token, class Action>
    auto begin(Token&& token, Action action, typename start::at where = start::at::socket)
    {
        return async::net::async_initiate<Token, typename Action::signature>(start(state_, executor_, where), token,
                                                                             std::move(action));
    }

    Executor executor_;
    std::shared_ptr<state> state_;
    unsigned at_once_ = 0;
};

/// A socket on any executor.
using async_socket = basic_socket<async::net::any_io_executor>;

}  // namespace ZLINK_ASIO_TAG
}  // namespace v1
}  // namespace zlink

#undef ZLINK_HAS_IMMEDIATE_EXECUTORS
#undef ZLINK_ASIO_NAMESPACE
#undef ZLINK_ASIO_ERROR_CODE
#undef ZLINK_ASIO_TAG
