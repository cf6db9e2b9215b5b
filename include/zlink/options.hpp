// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

/**
 * @file options.hpp
 * Options of sockets as types: `socket.set(opt::linger(1s))`, `socket.get<opt::rcvhwm>()`. The value has the option's
 * type, without narrowing, and options that can only be read or set do only that. zmq_setsockopt(3), zmq_getsockopt(3)
 * and zlink.h tell what each one means.
 */
#pragma once

#include <zlink/core.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace zlink {
inline namespace v1 {
namespace opt {

/// No limit, for linger, sndtimeo and rcvtimeo.
inline constexpr std::chrono::milliseconds infinite{-1};

/// What can be done with an option.
enum class access { read, write, both };

/// An integer type all of whose values are values of T; no bool, and no character.
template <class U, class T>
concept fits = std::integral<U> && !std::same_as<U, bool> && !std::same_as<U, char> && !std::same_as<U, wchar_t> &&
               !std::same_as<U, char8_t> && !std::same_as<U, char16_t> && !std::same_as<U, char32_t> &&
               (std::numeric_limits<U>::digits <= std::numeric_limits<T>::digits) &&
               (std::signed_integral<T> || std::unsigned_integral<U>);

/// An option whose value is a number. T: int, std::int64_t or std::uint64_t.
template <int Number, class T, access Access>
struct number {
    using value_type = T;
    static constexpr int id = Number;
    static constexpr access can = Access;

    template <fits<T> U>
    constexpr explicit number(U v) noexcept : value(v)
    {}
    T value;
};

/// An option that is on or off.
template <int Number, access Access>
struct flag {
    using value_type = bool;
    static constexpr int id = Number;
    static constexpr access can = Access;

    template <std::same_as<bool> U>
    constexpr explicit flag(U v) noexcept : value(v)
    {}
    bool value;
};

/// An option whose value is a time, in whole milliseconds.
template <int Number, access Access>
struct duration {
    using value_type = std::chrono::milliseconds;
    static constexpr int id = Number;
    static constexpr access can = Access;

    constexpr explicit duration(std::chrono::milliseconds v) noexcept : value(v) {}
    std::chrono::milliseconds value;
};

/// An option whose value is text, or octets. Texts that are read end before their NUL. A view without data sets what NULL
/// sets in C.
template <int Number, access Access, bool Octets = false, std::size_t Room = 256>
struct text {
    using value_type = std::string;
    static constexpr int id = Number;
    static constexpr access can = Access;
    static constexpr bool octets = Octets;     ///< without a NUL at the end
    static constexpr std::size_t room = Room;  ///< octets that are enough to read it

    constexpr explicit text(std::string_view v) noexcept : value(v) {}
    std::string_view value;  ///< of the caller
};

/// ZMQ_AFFINITY
struct affinity : number<4, std::uint64_t, access::both> {
    using number::number;
};
/// ZMQ_BACKLOG
struct backlog : number<19, int, access::both> {
    using number::number;
};
/// ZMQ_BINDTODEVICE
struct bindtodevice : text<92, access::both> {
    using text::text;
};
/// ZMQ_CONFLATE
struct conflate : flag<54, access::both> {
    using flag::flag;
};
/// ZMQ_CONNECT_ROUTING_ID
struct connect_routing_id : text<61, access::write, true> {
    using text::text;
};
/// ZMQ_CONNECT_TIMEOUT
struct connect_timeout : duration<79, access::both> {
    using duration::duration;
};
/// ZMQ_CURVE_PUBLICKEY
struct curve_publickey : text<48, access::both, false, 41> {
    using text::text;
};
/// ZMQ_CURVE_SECRETKEY
struct curve_secretkey : text<49, access::both, false, 41> {
    using text::text;
};
/// ZMQ_CURVE_SERVER
struct curve_server : flag<47, access::both> {
    using flag::flag;
};
/// ZMQ_CURVE_SERVERKEY
struct curve_serverkey : text<50, access::both, false, 41> {
    using text::text;
};
/// ZMQ_DISCONNECT_MSG
struct disconnect_msg : text<111, access::write, true> {
    using text::text;
};
/// ZMQ_HANDSHAKE_IVL
struct handshake_ivl : duration<66, access::both> {
    using duration::duration;
};
/// ZMQ_HEARTBEAT_IVL
struct heartbeat_ivl : duration<75, access::both> {
    using duration::duration;
};
/// ZMQ_HEARTBEAT_TIMEOUT
struct heartbeat_timeout : duration<77, access::both> {
    using duration::duration;
};
/// ZMQ_HEARTBEAT_TTL
struct heartbeat_ttl : duration<76, access::both> {
    using duration::duration;
};
/// ZMQ_HELLO_MSG
struct hello_msg : text<110, access::write, true> {
    using text::text;
};
/// ZMQ_HICCUP_MSG
struct hiccup_msg : text<114, access::write, true> {
    using text::text;
};
/// ZMQ_IMMEDIATE
struct immediate : flag<39, access::both> {
    using flag::flag;
};
/// ZMQ_INVERT_MATCHING
struct invert_matching : flag<74, access::both> {
    using flag::flag;
};
/// ZLINK_IPC_MODE
struct ipc_mode : number<7401, int, access::both> {
    using number::number;
};
/// ZMQ_IPV6
struct ipv6 : flag<42, access::both> {
    using flag::flag;
};
/// ZMQ_LAST_ENDPOINT
struct last_endpoint : text<32, access::read, false, 1024> {
    using text::text;
};
/// ZMQ_LINGER
struct linger : duration<17, access::both> {
    using duration::duration;
};
/// ZMQ_MAXMSGSIZE
struct maxmsgsize : number<22, std::int64_t, access::both> {
    using number::number;
};
/// ZMQ_MECHANISM
struct mechanism : number<43, int, access::read> {
    using number::number;
};
/// ZMQ_METADATA
struct metadata : text<95, access::write> {
    using text::text;
};
/// ZMQ_MULTICAST_HOPS
struct multicast_hops : number<25, int, access::both> {
    using number::number;
};
/// ZLINK_NAME
struct name : text<7311, access::both> {
    using text::text;
};
/// ZMQ_OLDEST_ZMTP
struct oldest_zmtp : number<7201, int, access::both> {
    using number::number;
};
/// ZLINK_ON_FULL
struct on_full : number<7323, int, access::both> {
    using number::number;
};
/// ZLINK_ON_FULL_RECEIVE
struct on_full_receive : number<7324, int, access::both> {
    using number::number;
};
/// ZMQ_ONLY_FIRST_SUBSCRIBE
struct only_first_subscribe : flag<108, access::write> {
    using flag::flag;
};
/// ZMQ_PLAIN_PASSWORD
struct plain_password : text<46, access::both> {
    using text::text;
};
/// ZMQ_PLAIN_SERVER
struct plain_server : flag<44, access::both> {
    using flag::flag;
};
/// ZMQ_PLAIN_USERNAME
struct plain_username : text<45, access::both> {
    using text::text;
};
/// ZMQ_PRIORITY
struct priority : number<112, int, access::both> {
    using number::number;
};
/// ZMQ_PROBE_ROUTER
struct probe_router : flag<51, access::write> {
    using flag::flag;
};
/// ZMQ_RCVBUF
struct rcvbuf : number<12, int, access::both> {
    using number::number;
};
/// ZMQ_RCVHWM
struct rcvhwm : number<24, int, access::both> {
    using number::number;
};
/// ZLINK_RCVHWM_BYTES
struct rcvhwm_bytes : number<7322, std::int64_t, access::both> {
    using number::number;
};
/// ZMQ_RCVMORE
struct rcvmore : flag<13, access::read> {
    using flag::flag;
};
/// ZMQ_RCVTIMEO
struct rcvtimeo : duration<27, access::both> {
    using duration::duration;
};
/// ZMQ_RECONNECT_IVL
struct reconnect_ivl : duration<18, access::both> {
    using duration::duration;
};
/// ZMQ_RECONNECT_IVL_MAX
struct reconnect_ivl_max : duration<21, access::both> {
    using duration::duration;
};
/// ZMQ_RECONNECT_STOP
struct reconnect_stop : number<109, int, access::both> {
    using number::number;
};
/// ZMQ_REQ_CORRELATE
struct req_correlate : flag<52, access::write> {
    using flag::flag;
};
/// ZMQ_REQ_RELAXED
struct req_relaxed : flag<53, access::write> {
    using flag::flag;
};
/// ZMQ_ROUTER_HANDOVER
struct router_handover : flag<56, access::write> {
    using flag::flag;
};
/// ZMQ_ROUTER_MANDATORY
struct router_mandatory : flag<33, access::write> {
    using flag::flag;
};
/// ZMQ_ROUTER_NOTIFY
struct router_notify : number<97, int, access::both> {
    using number::number;
};
/// ZMQ_ROUTING_ID
struct routing_id : text<5, access::both, true> {
    using text::text;
};
/// ZLINK_SHARED
struct shared : flag<7301, access::both> {
    using flag::flag;
};
/// ZLINK_SHM_BORROW
struct shm_borrow : number<7403, int, access::both> {
    using number::number;
};
/// ZMQ_SNDBUF
struct sndbuf : number<11, int, access::both> {
    using number::number;
};
/// ZMQ_SNDHWM
struct sndhwm : number<23, int, access::both> {
    using number::number;
};
/// ZLINK_SNDHWM_BYTES
struct sndhwm_bytes : number<7321, std::int64_t, access::both> {
    using number::number;
};
/// ZMQ_SNDTIMEO
struct sndtimeo : duration<28, access::both> {
    using duration::duration;
};
/// ZMQ_SOCKS_PASSWORD
struct socks_password : text<100, access::both, false, 4096> {
    using text::text;
};
/// ZMQ_SOCKS_PROXY
struct socks_proxy : text<68, access::both, false, 4096> {
    using text::text;
};
/// ZMQ_SOCKS_USERNAME
struct socks_username : text<99, access::both, false, 4096> {
    using text::text;
};
/// ZMQ_STREAM_NOTIFY
struct stream_notify : flag<73, access::write> {
    using flag::flag;
};
/// ZMQ_SUBSCRIBE
struct subscribe : text<6, access::write, true> {
    using text::text;
};
/// ZMQ_TCP_KEEPALIVE
struct tcp_keepalive : number<34, int, access::both> {
    using number::number;
};
/// ZMQ_TCP_KEEPALIVE_CNT
struct tcp_keepalive_cnt : number<35, int, access::both> {
    using number::number;
};
/// ZMQ_TCP_KEEPALIVE_IDLE
struct tcp_keepalive_idle : number<36, int, access::both> {
    using number::number;
};
/// ZMQ_TCP_KEEPALIVE_INTVL
struct tcp_keepalive_intvl : number<37, int, access::both> {
    using number::number;
};
/// ZMQ_TCP_MAXRT
struct tcp_maxrt : duration<80, access::both> {
    using duration::duration;
};
/// ZMQ_TLS_CA_FILE
struct tls_ca_file : text<7004, access::both, false, 4096> {
    using text::text;
};
/// ZMQ_TLS_CERT_FILE
struct tls_cert_file : text<7001, access::both, false, 4096> {
    using text::text;
};
/// ZMQ_TLS_HOSTNAME
struct tls_hostname : text<7006, access::both, false, 4096> {
    using text::text;
};
/// ZMQ_TLS_KEY_FILE
struct tls_key_file : text<7002, access::both, false, 4096> {
    using text::text;
};
/// ZMQ_TLS_KEY_PASSWORD
struct tls_key_password : text<7003, access::write> {
    using text::text;
};
/// ZMQ_TLS_REQUIRE_CLIENT_CERT
struct tls_require_client_cert : flag<7008, access::both> {
    using flag::flag;
};
/// ZMQ_TLS_TRUST_SYSTEM
struct tls_trust_system : number<7005, int, access::both> {
    using number::number;
};
/// ZMQ_TLS_VERIFY
struct tls_verify : flag<7007, access::both> {
    using flag::flag;
};
/// ZMQ_TLS_ZAP_CLIENT_CERT
struct tls_zap_client_cert : flag<7009, access::both> {
    using flag::flag;
};
/// ZMQ_TOPICS_COUNT
struct topics_count : number<116, int, access::read> {
    using number::number;
};
/// ZMQ_TOS
struct tos : number<57, int, access::both> {
    using number::number;
};
/// ZMQ_TYPE
struct type : number<16, int, access::read> {
    using number::number;
};
/// ZMQ_UNSUBSCRIBE
struct unsubscribe : text<7, access::write, true> {
    using text::text;
};
/// ZMQ_USE_FD
struct use_fd : number<89, int, access::both> {
    using number::number;
};
/// ZMQ_WS_ORIGIN
struct ws_origin : text<7101, access::write> {
    using text::text;
};
/// ZMQ_XPUB_MANUAL
struct xpub_manual : flag<71, access::write> {
    using flag::flag;
};
/// ZMQ_XPUB_MANUAL_LAST_VALUE
struct xpub_manual_last_value : flag<98, access::write> {
    using flag::flag;
};
/// ZMQ_XPUB_NODROP
struct xpub_nodrop : flag<69, access::write> {
    using flag::flag;
};
/// ZMQ_XPUB_VERBOSE
struct xpub_verbose : flag<40, access::write> {
    using flag::flag;
};
/// ZMQ_XPUB_VERBOSER
struct xpub_verboser : flag<78, access::write> {
    using flag::flag;
};
/// ZMQ_XPUB_WELCOME_MSG
struct xpub_welcome_msg : text<72, access::write, true> {
    using text::text;
};
/// ZMQ_ZAP_DOMAIN
struct zap_domain : text<55, access::both> {
    using text::text;
};
/// ZMQ_ZAP_ENFORCE_DOMAIN
struct zap_enforce_domain : flag<93, access::both> {
    using flag::flag;
};

/// An option that get() takes.
template <class T>
concept readable = T::can != access::write;
/// An option that set() takes.
template <class T>
concept writable = T::can != access::read;

}  // namespace opt

namespace core {

template <int Number, class T, opt::access A>
[[nodiscard]] int set_option(void* handle, const opt::number<Number, T, A>& o) noexcept
{
    return socket_set(handle, Number, &o.value, sizeof o.value);
}
template <int Number, opt::access A>
[[nodiscard]] int set_option(void* handle, const opt::flag<Number, A>& o) noexcept
{
    const int value = o.value ? 1 : 0;
    return socket_set(handle, Number, &value, sizeof value);
}
template <int Number, opt::access A>
[[nodiscard]] int set_option(void* handle, const opt::duration<Number, A>& o) noexcept
{
    constexpr auto longest = std::chrono::milliseconds(std::numeric_limits<int>::max());
    // What no int holds is what no such option takes.
    const int value =
        o.value > longest || o.value.count() < -1 ? std::numeric_limits<int>::min() : int(o.value.count());
    return socket_set(handle, Number, &value, sizeof value);
}
template <int Number, opt::access A, bool Octets, std::size_t Room>
[[nodiscard]] int set_option(void* handle, const opt::text<Number, A, Octets, Room>& o) noexcept
{
    return socket_set(handle, Number, o.value.data(), o.value.size());
}

template <class Option>
[[nodiscard]] int get_option(void* handle, typename Option::value_type& value)
{
    using type = typename Option::value_type;
    if constexpr (std::same_as<type, std::string>) {
        value.resize(Option::room);
        std::size_t size = value.size();
        const int error = socket_get(handle, Option::id, value.data(), size);
        value.resize(error == 0 ? size : 0);
        if (!Option::octets && !value.empty() && value.back() == '\0') value.pop_back();
        return error;
    } else if constexpr (std::is_integral_v<type> && !std::same_as<type, bool>) {
        std::size_t size = sizeof value;
        return socket_get(handle, Option::id, &value, size);
    } else {
        int found = 0;
        std::size_t size = sizeof found;
        const int error = socket_get(handle, Option::id, &found, size);
        value = type(found);
        return error;
    }
}

}  // namespace core
}  // namespace v1
}  // namespace zlink
