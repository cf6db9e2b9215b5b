// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink_demo_peer: the demo's peer on the distribution's libzmq. It is linked against that library by its full path,
// and runs exactly the roles that zlink itself runs.
#include "demo/peer.hpp"

#include "support/failure.hpp"
#include "support/loaded_library.hpp"
#include "support/status_line.hpp"
#include "support/stop_signal.hpp"

#include <cstring>
#include <exception>

#include <fmt/format.h>

int main(int count, char** arguments)
{
    using namespace zlink::tool;
    stop_signal::install();
    if (count == 2 && std::strcmp(arguments[1], "--version") == 0) {
        fmt::print("libzmq {} {}\n", api_version(), library_path());
        return 0;
    }
    try {
        return demo::run_peer(count, arguments);
    } catch (const failure& problem) {
        say("zlink_demo_peer: {}\n", problem.what());
        return static_cast<int>(problem.status());
    } catch (const std::exception& problem) {
        say("zlink_demo_peer: {}\n", problem.what());
        return 1;
    }
}
