// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Look-ups by Asio: its thread asks the system, and its set of descriptors, which holds the loop's, is where the loop
// sleeps meanwhile.
#include "runtime/asio.hpp"
#include "runtime/lookup_service.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace zlink::runtime {

namespace {

// How long a sleep lasts if Asio cannot watch the set, for lack of memory.
constexpr std::chrono::milliseconds without_watching{10};

using names = net::ip::tcp::resolver;

lookup_answer addresses_of(const net_error& error, const names::results_type& found) noexcept
{
    if (error) return errc::host_unreachable;
    try {
        std::vector<socket_address> addresses;
        addresses.reserve(found.size());
        for (const auto& entry : found) {
            const auto endpoint = entry.endpoint();
            socket_address a{};
            a.length = socklen_t(endpoint.size());
            std::memcpy(&a.storage, endpoint.data(), endpoint.size());
            addresses.push_back(a);
        }
        return addresses;
    } catch (...) {
        return errc::out_of_memory;
    }
}

class asio_request final : public lookup_service::request {
public:
    explicit asio_request(net::io_context& context) : names_(context) {}

    void start(const std::string& host, lookup_service::handler tell)
    {
        names_.async_resolve(host, "",
                             [tell = std::move(tell)](const net_error& error, const names::results_type& found) {
                                 tell(addresses_of(error, found));
                             });
    }

    // It takes memory to cancel a look-up. If there is none, its answer comes.
    void cancel() noexcept override
    {
        try {
            names_.cancel();
        } catch (...) {
            return;
        }
    }

private:
    names names_;
};

// Handlers of this library do not throw. Asio itself may throw if memory is short: the loop goes on, and the next round
// retries.
class asio_lookups final : public lookup_service {
public:
    // Asio would close the set.
    ~asio_lookups() override
    {
        if (set_.is_open()) (void)set_.release();
    }

    result<void> open(int set) override
    {
        net_error error;
        set_.assign(set, error);
        if (error) return from_errno(error.value());
        return {};
    }

    std::unique_ptr<request> ask(const std::string& host, handler tell) override
    {
        auto asked = std::make_unique<asio_request>(context_);
        asked->start(host, std::move(tell));
        return asked;
    }

    void poll() noexcept override
    {
        try {
            context_.poll();
        } catch (...) {
            return;
        }
    }

    void sleep(std::chrono::nanoseconds at_most) noexcept override
    {
        watch();
        try {
            if (watching_) {
                context_.run_one();
            } else {
                context_.run_one_for(std::min<std::chrono::nanoseconds>(at_most, without_watching));
            }
        } catch (...) {
            return;
        }
    }

private:
    void watch() noexcept
    {
        if (watching_) return;
        try {
            set_.async_wait(net::posix::stream_descriptor::wait_read, [this](const net_error&) { watching_ = false; });
            watching_ = true;
        } catch (...) {
            // No memory for the operation: the loop looks for itself until there is.
        }
    }

    net::io_context context_{1};
    net::executor_work_guard<net::io_context::executor_type> work_{context_.get_executor()};
    net::posix::stream_descriptor set_{context_};  ///< the loop's
    bool watching_ = false;  ///< Asio has been asked to tell when the set is readable, and has not yet
};

}  // namespace

std::unique_ptr<lookup_service> make_lookup_service()
{
    return std::make_unique<asio_lookups>();
}

}  // namespace zlink::runtime
