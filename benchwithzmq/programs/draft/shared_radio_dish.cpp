// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// RADIO to one DISH. RADIO blocks when the high-water mark is reached, so that nothing is dropped. Four threads share
// the sending socket.
#include "draft_patterns.hpp"
#include "shared_socket.hpp"

namespace {

struct shared_radio_dish : bench::radio_dish {
    static constexpr const char* name = "SHARED_RADIO_DISH";
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run_shared<shared_radio_dish>(argc, argv);
}
