// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The keys and trust of an endpoint, made from its options. They are made at once when it is opened, so that mistakes
// in them are errors of zmq_bind or zmq_connect. They are made again when a file has changed.
#pragma once

#include "base/result.hpp"
#include "transport/tls/tls_machine.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::transport::tls {

class credentials {
public:
    /// `port`: the peer's, as a part of its identity; for a client, so is `host`.
    credentials(tls::role role, std::string host, std::uint16_t port, carried_protocol protocol)
        : role_(role),
          host_(std::move(host)),
          port_(port),
          protocol_(protocol)
    {}

    /// For the next connection. If files change and the new ones do not work, older credentials are kept if there are
    /// any. Always with the same options. Errors: invalid_argument, protocol_not_supported; last_failure() has the
    /// words.
    [[nodiscard]] result<std::shared_ptr<context>> get(const tls_options& options);

private:
    class clients_in_use;
    struct stamp {
        std::uint64_t file = 0;  ///< number in its file system; 0: the file does not exist
        std::int64_t changed = 0;
        std::int64_t size = 0;
        bool operator==(const stamp&) const = default;
    };
    static stamp stamp_of(const std::string& file);
    [[nodiscard]] result<std::shared_ptr<context>> make(const tls_options& options) const;
    [[nodiscard]] result<std::shared_ptr<context>> find_or_make(const tls_options& options,
                                                                const std::vector<stamp>& now) const;

    const tls::role role_;
    const std::string host_;
    const std::uint16_t port_;
    const carried_protocol protocol_;

    std::mutex mutex_;  ///< for the members that follow
    std::shared_ptr<context> made_;
    std::vector<stamp> stamps_;  ///< of the files that made_ comes from
};

}  // namespace zlink::transport::tls
