// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/resolver.hpp"

#include "base/invariant.hpp"
#include "runtime/event_loop.hpp"

#include <utility>

namespace zlink::runtime {

// The system's answer keeps it as well: the answer may come when no resolver waits for it any more.
struct resolver::state {
    explicit state(handler h) : tell(std::move(h)) {}

    handler tell;  ///< none: answered or cancelled
    std::unique_ptr<lookup_service::request> asked;
};

bool resolver::start(const std::string& host, handler tell, std::shared_ptr<void> kept) noexcept
{
    invariant([this] { return loop_.on_loop_thread(); });
    cancel();
    try {
        auto fresh = std::make_shared<state>(std::move(tell));
        fresh->asked = loop_.answers_.ask(host, [fresh, kept = std::move(kept)](answer found) {
            // The handler may destroy the resolver.
            if (const handler wanted = std::exchange(fresh->tell, nullptr)) wanted(std::move(found));
        });
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
    over->asked->cancel();
}

}  // namespace zlink::runtime
