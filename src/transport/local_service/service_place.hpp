// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Where a service of this process listens that is no endpoint of a socket: a socket file, or tcp on the loopback
// addresses of this machine. The grammar alone; nothing is opened.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace zlink::transport::local_service {

struct service_place {
    enum class kind : std::uint8_t { file, ip4, ip6 };
    kind type = kind::file;
    std::string path;                    ///< of the file
    std::uint32_t address = 0x7f000001;  ///< of ip4: 127.0.0.0 to 127.255.255.255. Of ip6 it is ::1
    std::uint16_t port = 0;              ///< 0: any that is free

    bool operator==(const service_place&) const = default;
};

/// "/run/app.stats", "ipc:///run/app.stats", "tcp://127.0.0.1:9100", "tcp://[::1]:9100", or the last two without
/// "tcp://". "localhost" is 127.0.0.1; names are not looked up. A text: the cause and the cure.
[[nodiscard]] std::variant<service_place, std::string> parse_place(std::string_view text);

/// In the form of an endpoint: "ipc:///run/app.stats", "tcp://127.0.0.1:9100".
[[nodiscard]] std::string to_text(const service_place& place);

/// "localhost", 127.0.0.0 to 127.255.255.255 or "[::1]", with a port behind it or not: the Host of a request that means
/// this machine. A page of another site that has its name point to 127.0.0.1 does not pass.
[[nodiscard]] bool is_loopback_host(std::string_view host) noexcept;

/// With "%p" replaced by the number of the process, and "%%" by "%". None: another sign follows a "%".
[[nodiscard]] std::optional<std::string> with_process(std::string_view text, std::int64_t process);

/// The number of this process, for with_process().
[[nodiscard]] std::int64_t this_process() noexcept;

}  // namespace zlink::transport::local_service
