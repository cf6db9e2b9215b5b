// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/resolver.hpp"

#include "base/invariant.hpp"
#include "runtime/asio_driver.hpp"
#include "runtime/event_loop.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <cstring>
#include <utility>

namespace zlink::runtime {

namespace {

using lookup_of_asio = boost::asio::ip::tcp::resolver;
using results = lookup_of_asio::results_type;

resolver::answer addresses_of(const boost::system::error_code& error, const results& found) noexcept
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

}  // namespace

// The system's answer keeps it as well: the answer may come when no resolver waits for it any more.
struct resolver::state {
    state(boost::asio::io_context& context, handler h) : lookup(context), tell(std::move(h)) {}

    lookup_of_asio lookup;
    handler tell;  ///< none: answered or cancelled
};

bool resolver::start(const std::string& host, handler tell, std::shared_ptr<void> kept) noexcept
{
    invariant([this] { return loop_.on_loop_thread(); });
    cancel();
    try {
        auto fresh = std::make_shared<state>(loop_.answers_.asio().context(), std::move(tell));
        fresh->lookup.async_resolve(host, "",
                                    [fresh, kept = std::move(kept), &answers = loop_.answers_](
                                        const boost::system::error_code& error, const results& found) {
                                        answers.note_answered();
                                        // The handler may destroy the resolver.
                                        if (const handler wanted = std::exchange(fresh->tell, nullptr))
                                            wanted(addresses_of(error, found));
                                    });
        loop_.answers_.note_asked();
        state_ = std::move(fresh);
        return true;
    } catch (...) {
        return false;
    }
}

void resolver::cancel() noexcept
{
    const auto over = std::exchange(state_, nullptr);
    if (!over || !std::exchange(over->tell, nullptr)) return;
    invariant([this] { return loop_.on_loop_thread(); });
    try {
        over->lookup.cancel();
    } catch (...) {
        // It takes memory to cancel a look-up. If there is none, the answer comes, and finds that no resolver waits for
        // it.
    }
}

}  // namespace zlink::runtime
