// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/asio_driver.hpp"

namespace zlink::runtime {

boost::system::error_code asio_driver::open(int set)
{
    boost::system::error_code error;
    set_.assign(set, error);
    return error;
}

// Asio would close the set.
asio_driver::~asio_driver()
{
    if (set_.is_open()) (void)set_.release();
}

void asio_driver::watch() noexcept
{
    if (watching_) return;
    try {
        set_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                        [this](const boost::system::error_code&) { watching_ = false; });
        watching_ = true;
    } catch (...) {
        // No memory for the operation: the loop looks for itself until there is.
    }
}

// Handlers of this library do not throw. Asio itself may throw if memory is short: the loop goes on, and the next round
// retries.

void asio_driver::poll() noexcept
{
    try {
        context_.poll();
    } catch (...) {
        return;
    }
}

void asio_driver::sleep(std::chrono::nanoseconds without_watching) noexcept
{
    watch();
    try {
        if (watching_) {
            context_.run_one();
        } else {
            context_.run_one_for(without_watching);
        }
    } catch (...) {
        return;
    }
}

}  // namespace zlink::runtime
