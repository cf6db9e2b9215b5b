// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A plain tcp connection: the peer of STREAM that knows nothing of ZeroMQ.
#pragma once

#include <string>
#include <string_view>

namespace zlink::tool::demo {

// Blocking, with a time limit on each call. Throws failures.
class tcp_client {
public:
    // endpoint is tcp://IPv4:PORT
    tcp_client(const std::string& endpoint, int timeout_ms);
    ~tcp_client();
    tcp_client(const tcp_client&) = delete;
    tcp_client& operator=(const tcp_client&) = delete;

    void send(std::string_view bytes);
    std::string receive();

private:
    int descriptor_;
};

}  // namespace zlink::tool::demo
