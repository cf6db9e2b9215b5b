// zmq_has(): which optional transports, mechanisms and parts of the API this build provides.
#include "zmq.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace {

// What libzmq programs ask for besides these (curve, gssapi, pgm, norm, tipc, vmci, ws, wss, tls) is not there.
constexpr std::array<std::string_view, 2> capabilities{"ipc", "draft"};

}  // namespace

int zmq_has(const char* capability)
{
    if (capability == nullptr) {
        return 0;
    }
    return std::ranges::find(capabilities, std::string_view{capability}) != capabilities.end() ? 1 : 0;
}
