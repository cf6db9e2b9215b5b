#include "socket/mailbox.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

namespace zlink::socket {

bool mailbox::post(command c) noexcept
{
    try {
        const std::lock_guard lock(mutex_);
        if (closed_) return false;
        commands_.push_back(std::move(c));
    } catch (...) {
        return false;
    }
    wake();
    return true;
}

void mailbox::stop() noexcept
{
    stopped_.store(true, std::memory_order_release);
    wake();
}

void mailbox::wake() noexcept
{
    attention_.store(true, std::memory_order_seq_cst);
    if (waiter* w = sleeper_.load(std::memory_order_seq_cst)) w->wake();
    const int fd = signal_fd_.load(std::memory_order_seq_cst);
    if (fd >= 0 && !signalled_.exchange(true, std::memory_order_seq_cst)) {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto n = ::write(fd, &one, sizeof one);
    }
}

void mailbox::acknowledge() noexcept
{
    if (fd_ && signalled_.load(std::memory_order_relaxed)) {
        std::uint64_t value = 0;
        [[maybe_unused]] const auto n = ::read(fd_.get(), &value, sizeof value);
        signalled_.store(false, std::memory_order_seq_cst);
    }
    // After a stop the flag stays up: every call has to find out.
    if (!stopped_.load(std::memory_order_relaxed)) attention_.store(false, std::memory_order_seq_cst);
    if (stopped_.load(std::memory_order_seq_cst)) attention_.store(true, std::memory_order_relaxed);
}

std::vector<command> mailbox::take_commands() noexcept
{
    const std::lock_guard lock(mutex_);
    return std::exchange(commands_, {});
}

std::vector<command> mailbox::close() noexcept
{
    const std::lock_guard lock(mutex_);
    closed_ = true;
    return std::exchange(commands_, {});
}

int mailbox::descriptor() noexcept
{
    if (!fd_) {
        fd_.reset(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
        signal_fd_.store(fd_.get(), std::memory_order_seq_cst);
        if (fd_ && pending()) wake();
    }
    return fd_.get();
}

}  // namespace zlink::socket
