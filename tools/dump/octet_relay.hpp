// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A listener between two peers: passes on what each says, and shows it to a listener of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::tool {

// What is between; tcp:// and ipc:// alone. For one thread.
class octet_relay {
public:
    struct hearing {
        std::function<void(std::uint64_t connection, const std::string& from)> opened;
        std::function<void(std::uint64_t connection, int side, std::string_view octets)> octets;  // 0: who connected
        std::function<void(std::uint64_t connection, int side, const std::string& how)> ended;
    };

    // Listens. Throws a failure that names the endpoint, the cause and the cure.
    octet_relay(const std::string& bind, const std::string& to, hearing told);
    ~octet_relay();
    octet_relay(const octet_relay&) = delete;
    octet_relay& operator=(const octet_relay&) = delete;

    // Where it listens, a wildcard replaced.
    const std::string& endpoint() const noexcept { return endpoint_; }

    // Until a stop is asked for, or `most` connections have ended.
    void run(std::uint64_t most);

private:
    struct connection;

    void accept();
    bool serve(connection& one);
    void pass_on(connection& one, int side);

    std::string to_;
    hearing told_;
    std::string endpoint_;
    std::string path_;  // of ipc: removed at the end
    int listener_ = -1;
    std::uint64_t accepted_ = 0;
    std::uint64_t ended_ = 0;
    std::vector<std::unique_ptr<connection>> open_;
};

}  // namespace zlink::tool
