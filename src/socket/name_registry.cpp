// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/name_registry.hpp"

#include "pattern/routing/whole_message.hpp"

#include <new>
#include <utility>
#include <vector>

namespace zlink::socket {

namespace {

// Messages of one direction wait in one lane. Its limit is the sum of both sides' limits; if either has none (0), it
// has none. Of marks in bytes, which sockets have only if a program says so, each side's holds: 0 adds nothing.
std::uint64_t joint_hwm(std::uint64_t sender, std::uint64_t receiver) noexcept
{
    return sender == 0 || receiver == 0 ? 0 : sender + receiver;
}

}  // namespace

name_registry::~name_registry()
{
    for (const auto& [name, waiting] : waiting_) {
        for (const pending& p : waiting) p.far_end->close();
    }
}

errc name_registry::bind(const std::string& name, const joined_party& binder)
{
    const std::lock_guard lock(mutex_);
    const auto [bound, added] = bound_.emplace(name, binder);
    if (!added) return errc::address_in_use;
    const auto waiting = waiting_.find(name);
    if (waiting == waiting_.end()) return errc::none;
    // What needs memory comes first, for all of them.
    std::vector<notices> prepared;
    try {
        for (pending& p : waiting->second) {
            prepared.push_back(prepare(*p.far_end, p.caller, binder));
            if (!p.greeted) greet(*p.far_end, binder.hello_message);
            p.greeted = true;
        }
    } catch (...) {
        bound_.erase(bound);
        throw;
    }
    auto its = prepared.begin();
    for (const pending& p : waiting->second) {
        join(*p.far_end, p.caller, binder, *its++);
        callers_.erase({p.caller.box, p.caller.endpoint_id});
    }
    waiting_.erase(waiting);
    return errc::none;
}

errc name_registry::unbind(const std::string& name, const mailbox* box)
{
    const std::lock_guard lock(mutex_);
    const auto found = bound_.find(name);
    if (found == bound_.end() || found->second.box != box) return errc::no_entry;
    bound_.erase(found);
    return errc::none;
}

name_registry::drop_wishes name_registry::wishes_of(const std::string& name)
{
    const std::lock_guard lock(mutex_);
    const auto found = bound_.find(name);
    return found == bound_.end() ? drop_wishes{} : drop_wishes{found->second.drops_sent, found->second.drops_received};
}

void name_registry::connect(const std::string& name, pipe::pipe_end& far_end, const joined_party& caller)
{
    const std::lock_guard lock(mutex_);
    if (const auto found = bound_.find(name); found != bound_.end()) {
        notices prepared = prepare(far_end, caller, found->second);
        greet(far_end, found->second.hello_message);
        return join(far_end, caller, found->second, prepared);
    }
    const auto waiting = waiting_.try_emplace(name).first;
    waiting_list& others = waiting->second;
    try {
        others.push_front({&far_end, caller, false});
        callers_.emplace(std::pair(caller.box, caller.endpoint_id), place{waiting, others.begin()});
    } catch (...) {
        if (!others.empty() && others.front().far_end == &far_end) others.pop_front();
        if (others.empty()) waiting_.erase(waiting);
        throw;
    }
    others.splice(others.end(), others, others.begin());
}

bool name_registry::connect_if_bound(const std::string& name, pipe::pipe_end& far_end)
{
    const std::lock_guard lock(mutex_);
    const auto found = bound_.find(name);
    if (found == bound_.end()) return false;
    notices prepared = prepare(far_end, {}, found->second);
    join(far_end, {}, found->second, prepared);
    return true;
}

void name_registry::hang_up(const std::string& name, pipe::pipe_end& far_end) noexcept
{
    const std::lock_guard lock(mutex_);
    const auto found = bound_.find(name);
    if (found != bound_.end() && found->second.box->withdraw(far_end)) far_end.close();
}

name_registry::notices name_registry::prepare(pipe::pipe_end& far_end, const joined_party& caller,
                                              const joined_party& binder)
{
    notices made;
    command& to_binder = made.to_binder.emplace_back(command::of(command::kind::attach, far_end, binder.endpoint_id));
    to_binder.how.identified = true;
    to_binder.how.peer_is_socket = true;
    to_binder.how.routing_id = caller.routing_id;
    to_binder.peer_sndhwm = caller.sndhwm;
    to_binder.peer_rcvhwm = caller.rcvhwm;
    to_binder.joint = true;
    if (!caller.box) return made;
    command& to_caller =
        made.to_caller.emplace_back(command::of(command::kind::identified, far_end.peer(), caller.endpoint_id));
    to_caller.how.routing_id = binder.routing_id;
    to_caller.peer_sndhwm = binder.sndhwm;
    to_caller.peer_rcvhwm = binder.rcvhwm;
    to_caller.joint = true;
    return made;
}

// Neither side uses the far end yet: the caller gets the greeting, whatever the binder does next.
void name_registry::greet(pipe::pipe_end& far_end, const std::string& greeting)
{
    if (!greeting.empty() && !pattern::routing::write_whole(far_end, greeting)) throw std::bad_alloc();
}

// Under the lock, so that neither side can leave while it is told of the other.
void name_registry::join(pipe::pipe_end& far_end, const joined_party& caller, const joined_party& binder,
                         notices& prepared) noexcept
{
    far_end.set_hwm(joint_hwm(binder.sndhwm, caller.rcvhwm));
    far_end.request_hwm(joint_hwm(caller.sndhwm, binder.rcvhwm));
    far_end.set_octet_mark(binder.sndhwm_bytes);
    far_end.request_octet_mark(binder.rcvhwm_bytes);
    far_end.peer().notify(pipe::event_hwm);
    if (caller.box) (void)caller.box->post(prepared.to_caller);
    if (binder.box->post(prepared.to_binder) != errc::none) far_end.close();
}

void name_registry::let_go(const mailbox* caller, std::uint64_t endpoint_id) noexcept
{
    const std::lock_guard lock(mutex_);
    // The ids of one caller are next to each other.
    auto at = callers_.lower_bound({caller, endpoint_id});
    while (at != callers_.end() && at->first.first == caller &&
           (endpoint_id == every_endpoint || at->first.second == endpoint_id)) {
        let_go(at->second);
        at = callers_.erase(at);
    }
}

void name_registry::let_go(const place& where) noexcept
{
    pending& p = *where.at;
    p.caller.box = nullptr;
    if (p.far_end->reader.readable()) return;
    p.far_end->close();
    where.name->second.erase(where.at);
    if (where.name->second.empty()) waiting_.erase(where.name);
}

}  // namespace zlink::socket
