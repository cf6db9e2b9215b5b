// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Asio's part in an event loop: its sleep, and answers to look-ups. Included by runtime/'s own .cpp files alone.
#pragma once

#include "base/unique_fd.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <chrono>

namespace zlink::runtime {

/// Loop's thread, but for interrupt().
class asio_driver {
public:
    /// What is to end a sleep, once it is readable.
    [[nodiscard]] boost::system::error_code open(unique_fd set);

    /// Has been asked to tell when the set is readable, and has not yet.
    [[nodiscard]] bool watching() const noexcept { return watching_; }
    void watch() noexcept;

    /// Runs what is ready: the end of watching, answers.
    void poll() noexcept;
    /// The same, after a sleep until any of it is, or interrupt(). If it could not be asked to watch, at most `without_watching`.
    void sleep(std::chrono::nanoseconds without_watching) noexcept;
    /// Any thread. False: memory is short.
    [[nodiscard]] bool interrupt() noexcept;

    [[nodiscard]] boost::asio::io_context& context() noexcept { return context_; }

private:
    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{context_.get_executor()};
    boost::asio::posix::stream_descriptor set_{context_};  ///< owns it
    bool watching_ = false;
};

}  // namespace zlink::runtime
