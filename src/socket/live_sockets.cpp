// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/live_sockets.hpp"

#include "base/fork_safe_mutex.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace zlink::socket::live_sockets {

namespace {

struct live_socket {
    const context* of = nullptr;
    std::shared_ptr<socket_account> account;
};

struct table {
    fork_safe_mutex lock;
    std::uint32_t process = 0;  ///< that filled it
    std::unordered_map<const void*, live_socket>* sockets = nullptr;

    /// Under the lock. A child leaves alone what its parent may have been changing.
    std::unordered_map<const void*, live_socket>& of_this_process()
    {
        const std::uint32_t mine = fork_safe_mutex::of_this_process();
        if (!sockets || process != mine) {
            sockets = new std::unordered_map<const void*, live_socket>;
            process = mine;
        }
        return *sockets;
    }
    [[nodiscard]] bool is_empty() const noexcept { return !sockets || process != fork_safe_mutex::of_this_process(); }
};

// Never destroyed: threads may look while the process ends.
constinit table live;

}  // namespace

void add(const void* handle, const context& of, std::shared_ptr<socket_account> account)
{
    const std::lock_guard held(live.lock);
    live.of_this_process().insert_or_assign(handle, live_socket{&of, std::move(account)});
}

void remove(const void* handle) noexcept
{
    std::shared_ptr<socket_account> last;  // it may end without the lock
    const std::lock_guard held(live.lock);
    if (live.is_empty()) return;
    const auto at = live.sockets->find(handle);
    if (at == live.sockets->end()) return;
    last = std::move(at->second.account);
    live.sockets->erase(at);
}

std::shared_ptr<socket_account> find(const void* handle) noexcept
{
    const std::lock_guard held(live.lock);
    if (live.is_empty()) return nullptr;
    const auto at = live.sockets->find(handle);
    return at == live.sockets->end() ? nullptr : at->second.account;
}

namespace {

/// Null: of all contexts.
std::vector<std::shared_ptr<socket_account>> in_order(const context* of)
{
    std::vector<std::shared_ptr<socket_account>> found;
    {
        const std::lock_guard held(live.lock);
        if (live.is_empty()) return found;
        for (const auto& [handle, one] : *live.sockets) {
            if (!of || one.of == of) found.push_back(one.account);
        }
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a->number() < b->number(); });
    return found;
}

}  // namespace

std::vector<std::shared_ptr<socket_account>> all_of(const context& of)
{
    return in_order(&of);
}

std::vector<std::shared_ptr<socket_account>> all()
{
    return in_order(nullptr);
}

}  // namespace zlink::socket::live_sockets
