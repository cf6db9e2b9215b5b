// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Programs that run in a simulated world, as applications would: they see the C API alone.
#pragma once

#include "sim/random.hpp"
#include "sim/world.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace zlink::sim {

struct program {
    const char* name;
    const char* text;  ///< what it does
    enum class bears : std::uint8_t {
        delays,   ///< nothing is lost
        faults,   ///< connections are lost or refused, and descriptors are short
        shortage  ///< memory as well
    } trouble;
    /// Draws what it does, and does it. Fails the world if something is wrong.
    void (*run)(random& from);
};

[[nodiscard]] const std::vector<program>& all_programs();

/// Fails the world unless `holds`.
void require(bool holds, const std::string& what);

/// Threads of a program.
class crew {
public:
    void start(const std::string& name, std::function<void()> body);
    void join();

private:
    std::vector<fiber*> all_;
};

/// Lets virtual time pass.
void rest(nanos time);

void pipeline(random& from);
void conversation(random& from);
void exchange(random& from);
void exchange_with_faults(random& from);
void prompt_arrival(random& from);
void termination(random& from);
void shared_channel(random& from);
void rebound_ipc(random& from);
void broker(random& from);
void clone(random& from);
void late_joiners(random& from);
void lazy_pirate(random& from);
void many_dealers(random& from);
void five_thousand_dealers(random& from);
void idle_hundred(random& from);
void fair_share(random& from);
void held_sends(random& from);
void monitor_events(random& from);

}  // namespace zlink::sim
