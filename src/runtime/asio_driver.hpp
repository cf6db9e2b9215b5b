// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Asio's part in an event loop: answers to look-ups, and the sleep while an answer is due. Included only by runtime/'s
// own .cpp files.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <chrono>

namespace zlink::runtime {

/// Loop's thread.
class asio_driver {
public:
    asio_driver() = default;
    asio_driver(const asio_driver&) = delete;
    asio_driver& operator=(const asio_driver&) = delete;
    ~asio_driver();

    /// `set` ends a sleep once it is readable; it stays open for as long as this lives. To be called once.
    [[nodiscard]] boost::system::error_code open(int set);

    /// Runs the handlers that are ready: answers.
    void poll() noexcept;
    /// The same, after a sleep until there is an answer, or the set is readable. If the set could not be watched for
    /// lack of memory, the sleep lasts at most `without_watching`.
    void sleep(std::chrono::nanoseconds without_watching) noexcept;

    [[nodiscard]] boost::asio::io_context& context() noexcept { return context_; }

private:
    void watch() noexcept;

    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{context_.get_executor()};
    boost::asio::posix::stream_descriptor set_{context_};  ///< the loop's
    bool watching_ = false;  ///< Asio has been asked to tell when the set is readable, and has not yet
};

}  // namespace zlink::runtime
