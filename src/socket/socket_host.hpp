// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The side of a socket that its sessions and listeners see. Their reports go to the socket's mailbox or to its monitor.
// It may outlive the socket's close: until the last session has ended, events are reported.
//
// Threads: any.
#pragma once

#include "engine/session_host.hpp"
#include "socket/monitor.hpp"
#include "socket/socket_account.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace zlink::socket {

class context;
class mailbox;

/// The socket, as its host sees it.
class host_owner {
public:
    /// The last reference is gone: the host ends now.
    virtual void on_host_unused() noexcept = 0;

protected:
    ~host_owner() = default;
};

class socket_host final : public engine::session_host {
public:
    /// With one reference, the socket's. All outlive it.
    socket_host(host_owner& owner, context& in, mailbox& box, std::shared_ptr<socket_account> account) noexcept
        : owner_(owner),
          context_(in),
          mailbox_(box),
          monitor_(in),
          account_(std::move(account))
    {}
    socket_host(const socket_host&) = delete;
    socket_host& operator=(const socket_host&) = delete;

    [[nodiscard]] monitor& events() noexcept { return monitor_; }
    [[nodiscard]] context& in() const noexcept { return context_; }
    [[nodiscard]] socket_account& account() const noexcept { return *account_; }
    [[nodiscard]] const std::shared_ptr<socket_account>& shared_account() const noexcept { return account_; }

    // session_host
    [[nodiscard]] errc attach(pipe::pipe_end& end, engine::peer_attachment peer,
                              std::uint64_t endpoint_id) noexcept override;
    [[nodiscard]] bool identified(pipe::pipe_end& end, engine::peer_attachment peer, bool again) noexcept override;
    void disconnected(pipe::pipe_end& end) noexcept override;
    void ended(std::uint64_t endpoint_id) noexcept override;
    [[nodiscard]] result<pipe::pipe_end*> reach_zap_handler() noexcept override;
    void leave_zap_handler(pipe::pipe_end& end) noexcept override;
    void report(engine::monitor_event event, std::uint64_t value, const engine::endpoint_pair& endpoints,
                std::string_view reason) noexcept override
    {
        count_failure(event);
        monitor_.report(event, value, endpoints, reason);
    }
    void report_peer(const message::metadata& properties, const engine::endpoint_pair& endpoints) noexcept override
    {
        monitor_.report_peer(properties, endpoints);
    }
    void count(engine::session_count what, std::uint64_t n) noexcept override;
    void note_error(std::string_view words, const engine::endpoint_pair& endpoints) noexcept override
    {
        account_->note_error(words, endpoints.id);
    }
    void add_ref() noexcept override { refs_.fetch_add(1, std::memory_order_relaxed); }
    void release() noexcept override
    {
        if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) owner_.on_host_unused();
    }

private:
    void count_failure(engine::monitor_event event) noexcept;

    host_owner& owner_;
    context& context_;
    mailbox& mailbox_;
    monitor monitor_;
    const std::shared_ptr<socket_account> account_;
    std::atomic<int> refs_{1};  ///< partners: the last release() acquires what earlier ones released
};

}  // namespace zlink::socket
