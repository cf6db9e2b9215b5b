// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "sim/programs/program.hpp"

#include <utility>

namespace zlink::sim {

const std::vector<program>& all_programs()
{
    using enum program::bears;
    static const std::vector<program> all = {
        {"random", "sockets of random types send each other all their messages; none is lost", delays, exchange},
        {"faults", "the same while connections break, are refused, and descriptors are short", faults,
         exchange_with_faults},
        {"shortage", "the same while memory is short as well", shortage, exchange_with_faults},
        {"pipeline", "PUSH sends to PULL", delays, pipeline},
        {"conversation", "DEALERs ask a ROUTER, which answers", delays, conversation},
        {"prompt", "messages wake sleepers, and soon", delays, prompt_arrival},
        {"termination", "a context ends while threads wait", delays, termination},
        {"shared", "several threads share two CHANNEL sockets over inproc", delays, shared_channel},
        {"broker", "clients ask workers, which come and leave, through a proxy", delays, broker},
        {"clone", "clients keep copies of a server's state, also those that come late", delays, clone},
        {"late", "subscribers join late, and a publisher drops; what is dropped is counted", delays, late_joiners},
        {"pirate", "clients ask again until a server answers that goes and comes back", faults, lazy_pirate},
        {"many", "300 DEALERs ask one ROUTER", delays, many_dealers},
        {"thousands", "5,000 DEALERs ask one ROUTER; takes seconds a run", delays, five_thousand_dealers},
        {"idle", "100 connections with a message of 64 octets a second each; for --speed", delays, idle_hundred},
        {"fair", "a receiver with many senders takes from each of them", delays, fair_share},
        {"held", "bursts of messages, of which none is held back too long", delays, held_sends},
        {"events", "peers come and go, and monitors tell of each connection in order", delays, monitor_events},
        {"rebind", "a DEALER's peer over ipc closes and binds the same path anew", delays, rebound_ipc},
    };
    return all;
}

void require(bool holds, const std::string& what)
{
    if (!holds) world::get().fail(what);
}

void crew::start(const std::string& name, std::function<void()> body)
{
    all_.push_back(&world::get().start(name, [run = std::move(body)]() -> void* {
        run();
        return nullptr;
    }));
}

void crew::join()
{
    for (fiber* const f : all_) world::get().join(*f);
    all_.clear();
}

void rest(nanos time)
{
    world& w = world::get();
    w.sleep_until(w.now() + time, "a time (the program)");
}

}  // namespace zlink::sim
