// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// TLS as octets in and octets out: the interface of tls_stream to a TLS library. The library is behind this header, in
// a module that is loaded when the first tls or wss endpoint is opened (tls_provider.hpp).
//
// The module may have another malloc than the rest of the process. So memory that one side has allocated is never freed
// by the other side, and texts go through sinks.
#pragma once

#include "base/errc.hpp"
#include "base/result.hpp"
#include "transport/tls/tls_options.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace zlink::transport::tls {

constexpr std::size_t largest_plain_record = 16 * 1024;
constexpr std::size_t record_header = 5;
/// The largest first message that a server takes from an unknown peer; with every extension in use it has 2 to 3 KB.
constexpr std::size_t largest_client_hello = 16 * 1024;
/// Of a record on the wire.
constexpr std::size_t largest_record = record_header + largest_plain_record + 2048;

/// Takes up a text; nothing is thrown.
class text_sink {
public:
    virtual void put(std::string_view text) noexcept = 0;

protected:
    ~text_sink() = default;
};

class property_sink {
public:
    virtual void put(std::string_view name, std::string_view value) = 0;

protected:
    ~property_sink() = default;
};

/// Octets of the peer, taken from the front, and room for those that go to it, filled from the front.
struct exchange {
    std::span<const std::byte> in;
    std::span<std::byte> out;
};

/// One connection. It is given only whole records, so a stalled peer cannot make it keep anything. One thread at a
/// time.
class machine {
public:
    enum class state : std::uint8_t {
        done,         ///< as far as asked for
        wants_input,  ///< more octets of the peer
        closed,       ///< the peer has ended its stream
        failed,       ///< tell_failure() says why; an alert may have been put out
    };
    struct step {
        state what = state::done;
        std::size_t octets = 0;
    };

    virtual ~machine() = default;

    [[nodiscard]] virtual step handshake(exchange& through) noexcept = 0;
    /// Up to `room` octets that the peer has sent, of one record.
    [[nodiscard]] virtual step open(exchange& through, std::byte* to, std::size_t room) noexcept = 0;
    /// One record, all of it: up to largest_plain_record. wants_input: nothing was taken. A message of the handshake
    /// (new keys, a ticket) has come in part, so call open() first.
    [[nodiscard]] virtual step seal(exchange& through, const std::byte* from, std::size_t size) noexcept = 0;
    /// Octets that open() gives without input.
    [[nodiscard]] virtual std::size_t opened() const noexcept = 0;
    /// Tells the peer that no more octets come.
    virtual void close(exchange& through) noexcept = 0;

    [[nodiscard]] virtual errc failure() const noexcept = 0;
    virtual void tell_failure(text_sink& to) const noexcept = 0;
    /// After the handshake: names of the peer's certificate, if it was verified; version and cipher.
    virtual void tell_properties(property_sink& to) const = 0;
    /// The octets of the peer's certificate (DER), if it has shown one and that was verified. False: memory is short.
    [[nodiscard]] virtual bool tell_certificate(text_sink& to) const noexcept = 0;
};

/// The common part of an endpoint's connections: keys, trust, sessions to resume. Any thread.
class context {
public:
    virtual ~context() = default;
    /// Null: memory is short.
    [[nodiscard]] virtual machine* make_machine() noexcept = 0;
};

enum class role : std::uint8_t { client, server };

/// The protocol in TLS.
struct carried_protocol {
    std::string_view name;          ///< for ALPN
    std::string_view plain_scheme;  ///< of endpoints that have it without TLS; for words about mistakes

    bool operator==(const carried_protocol&) const = default;
};

struct context_settings {
    tls::role role;
    const tls_options& options;
    std::string_view host;  ///< of the endpoint; client alone
    carried_protocol protocol;
};

/// A TLS library.
struct provider {
    const char* build;  ///< equal to this_build, otherwise the module belongs to another build
    /// Else `why` has been told: invalid_argument or out_of_memory. Reads files.
    result<context*> (*make_context)(const context_settings& settings, text_sink& why) noexcept;
};

/// Module and library are made by one compiler from one version of this header, as they exchange objects. Increase the
/// number with each change to it.
constexpr const char* this_build = "zlink tls 4, " __VERSION__;

/// The name under which the module exports its function.
constexpr const char* provider_function = "zlink_tls_provider";
using get_provider = const provider* (*)() noexcept;

}  // namespace zlink::transport::tls
