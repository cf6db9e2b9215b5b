// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/ipc/ipc_endpoint.hpp"

#include <sys/un.h>

namespace zlink::transport::ipc {

namespace {

result<ipc_endpoint> parse_address(std::string_view address, bool bind)
{
    // For paths, the final NUL counts; abstract names use that byte for the leading one.
    if (address.size() >= sizeof(sockaddr_un::sun_path)) {
        return errc::name_too_long;
    }
    if (bind && address == "*") {
        return ipc_endpoint{ipc_endpoint::kind::any, {}};
    }
    if (address.front() == '@') {
        if (address.size() == 1) {
            return errc::invalid_argument;
        }
        return ipc_endpoint{ipc_endpoint::kind::abstract, std::string(address.substr(1))};
    }
    return ipc_endpoint{ipc_endpoint::kind::path, std::string(address)};
}

}  // namespace

result<ipc_endpoint> parse_bind(std::string_view address)
{
    return parse_address(address, true);
}

result<ipc_endpoint> parse_connect(std::string_view address)
{
    return parse_address(address, false);
}

std::string to_text(const ipc_endpoint& address)
{
    switch (address.type) {
    case ipc_endpoint::kind::abstract: return "ipc://@" + address.name;
    case ipc_endpoint::kind::any: return "ipc://*";
    case ipc_endpoint::kind::path: break;
    }
    return "ipc://" + address.name;
}

}  // namespace zlink::transport::ipc
