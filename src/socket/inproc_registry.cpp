#include "socket/inproc_registry.hpp"

#include "pattern/routing/whole_message.hpp"
#include "socket/mailbox.hpp"

#include <algorithm>

namespace zlink::socket {

namespace {

// Messages of one direction wait in one lane: its limit is what both sides allow together.
std::uint64_t joint_hwm(std::uint64_t sender, std::uint64_t receiver) noexcept
{
    return sender == 0 || receiver == 0 ? 0 : sender + receiver;
}

}  // namespace

inproc_registry::~inproc_registry()
{
    for (const pending& p : pending_) p.far_end->close();
}

errc inproc_registry::bind(const std::string& name, const inproc_party& binder)
{
    const std::lock_guard lock(mutex_);
    if (!bound_.emplace(name, binder).second) return errc::address_in_use;
    const auto waiting =
        std::stable_partition(pending_.begin(), pending_.end(), [&](const pending& p) { return p.name != name; });
    for (auto p = waiting; p != pending_.end(); ++p) join(*p->far_end, p->caller, binder);
    pending_.erase(waiting, pending_.end());
    return errc::none;
}

errc inproc_registry::unbind(const std::string& name, const mailbox* box)
{
    const std::lock_guard lock(mutex_);
    const auto found = bound_.find(name);
    if (found == bound_.end() || found->second.box != box) return errc::no_entry;
    bound_.erase(found);
    return errc::none;
}

void inproc_registry::unbind_all(const mailbox* box) noexcept
{
    const std::lock_guard lock(mutex_);
    std::erase_if(bound_, [box](const auto& entry) { return entry.second.box == box; });
}

void inproc_registry::connect(const std::string& name, pipe::pipe_end& far_end, const inproc_party& caller)
{
    const std::lock_guard lock(mutex_);
    if (const auto found = bound_.find(name); found != bound_.end()) {
        join(far_end, caller, found->second);
    } else {
        pending_.push_back({name, &far_end, caller});
    }
}

// Under the lock, so that neither side can go while it is told of the other.
void inproc_registry::join(pipe::pipe_end& far_end, const inproc_party& caller, const inproc_party& binder)
{
    far_end.writer.set_hwm(joint_hwm(binder.sndhwm, caller.rcvhwm));
    far_end.reader.request_hwm(joint_hwm(caller.sndhwm, binder.rcvhwm));
    far_end.peer().notify(pipe::event_hwm);
    // Nobody has the far end yet: the caller gets the greeting, whatever the binder does next.
    if (binder.greets) (void)pattern::routing::write_whole(far_end, binder.hello_message);
    far_end.routing.peer_sndhwm = caller.sndhwm;
    far_end.routing.peer_rcvhwm = caller.rcvhwm;
    far_end.routing.peer_unlimited_out = caller.sndhwm == 0;
    far_end.routing.peer_unlimited_in = caller.rcvhwm == 0;
    command to_binder{command::kind::attach, &far_end, {}, binder.endpoint_id};
    to_binder.how.identified = true;
    to_binder.how.inproc = true;
    to_binder.how.routing_id = caller.routing_id;
    if (caller.box) {
        command to_caller{command::kind::identified, &far_end.peer(), {}, caller.endpoint_id};
        to_caller.how.routing_id = binder.routing_id;
        to_caller.peer_sndhwm = binder.sndhwm;
        to_caller.peer_rcvhwm = binder.rcvhwm;
        to_caller.joint = true;
        (void)caller.box->post(std::move(to_caller));
    }
    if (!binder.box->post(std::move(to_binder))) far_end.close();
}

void inproc_registry::let_go(const mailbox* caller, std::uint64_t endpoint_id) noexcept
{
    const std::lock_guard lock(mutex_);
    std::erase_if(pending_, [&](pending& p) {
        if (p.caller.box != caller || (endpoint_id != every_endpoint && p.caller.endpoint_id != endpoint_id)) {
            return false;
        }
        p.caller.box = nullptr;
        if (p.far_end->reader.readable()) return false;
        p.far_end->close();
        return true;
    });
}

}  // namespace zlink::socket
