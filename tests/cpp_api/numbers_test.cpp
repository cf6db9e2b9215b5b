// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The numbers that the headers of the C++ API repeat are those of the C API.
#include <zlink/core.hpp>
#include <zlink/monitor.hpp>
#include <zlink/options.hpp>
#include <zlink/socket.hpp>

#include <gtest/gtest.h>

#include <zlink.h>
#include <zmq.h>

namespace zlink::test {
namespace {

static_assert(core::flag_dont_wait == ZMQ_DONTWAIT && core::flag_more == ZMQ_SNDMORE);
static_assert(core::event_in == ZMQ_POLLIN && core::event_out == ZMQ_POLLOUT);
static_assert(opt::affinity::id == ZMQ_AFFINITY);
static_assert(opt::backlog::id == ZMQ_BACKLOG);
static_assert(opt::bindtodevice::id == ZMQ_BINDTODEVICE);
static_assert(opt::conflate::id == ZMQ_CONFLATE);
static_assert(opt::connect_routing_id::id == ZMQ_CONNECT_ROUTING_ID);
static_assert(opt::connect_timeout::id == ZMQ_CONNECT_TIMEOUT);
static_assert(opt::curve_publickey::id == ZMQ_CURVE_PUBLICKEY);
static_assert(opt::curve_secretkey::id == ZMQ_CURVE_SECRETKEY);
static_assert(opt::curve_server::id == ZMQ_CURVE_SERVER);
static_assert(opt::curve_serverkey::id == ZMQ_CURVE_SERVERKEY);
static_assert(opt::disconnect_msg::id == ZMQ_DISCONNECT_MSG);
static_assert(opt::handshake_ivl::id == ZMQ_HANDSHAKE_IVL);
static_assert(opt::heartbeat_ivl::id == ZMQ_HEARTBEAT_IVL);
static_assert(opt::heartbeat_timeout::id == ZMQ_HEARTBEAT_TIMEOUT);
static_assert(opt::heartbeat_ttl::id == ZMQ_HEARTBEAT_TTL);
static_assert(opt::hello_msg::id == ZMQ_HELLO_MSG);
static_assert(opt::hiccup_msg::id == ZMQ_HICCUP_MSG);
static_assert(opt::immediate::id == ZMQ_IMMEDIATE);
static_assert(opt::invert_matching::id == ZMQ_INVERT_MATCHING);
static_assert(opt::ipc_mode::id == ZLINK_IPC_MODE);
static_assert(opt::ipv6::id == ZMQ_IPV6);
static_assert(opt::last_endpoint::id == ZMQ_LAST_ENDPOINT);
static_assert(opt::linger::id == ZMQ_LINGER);
static_assert(opt::maxmsgsize::id == ZMQ_MAXMSGSIZE);
static_assert(opt::mechanism::id == ZMQ_MECHANISM);
static_assert(opt::metadata::id == ZMQ_METADATA);
static_assert(opt::multicast_hops::id == ZMQ_MULTICAST_HOPS);
static_assert(opt::name::id == ZLINK_NAME);
static_assert(opt::oldest_zmtp::id == ZMQ_OLDEST_ZMTP);
static_assert(opt::on_full::id == ZLINK_ON_FULL);
static_assert(opt::on_full_receive::id == ZLINK_ON_FULL_RECEIVE);
static_assert(opt::only_first_subscribe::id == ZMQ_ONLY_FIRST_SUBSCRIBE);
static_assert(opt::plain_password::id == ZMQ_PLAIN_PASSWORD);
static_assert(opt::plain_server::id == ZMQ_PLAIN_SERVER);
static_assert(opt::plain_username::id == ZMQ_PLAIN_USERNAME);
static_assert(opt::priority::id == ZMQ_PRIORITY);
static_assert(opt::probe_router::id == ZMQ_PROBE_ROUTER);
static_assert(opt::rcvbuf::id == ZMQ_RCVBUF);
static_assert(opt::rcvhwm::id == ZMQ_RCVHWM);
static_assert(opt::rcvhwm_bytes::id == ZLINK_RCVHWM_BYTES);
static_assert(opt::rcvmore::id == ZMQ_RCVMORE);
static_assert(opt::rcvtimeo::id == ZMQ_RCVTIMEO);
static_assert(opt::reconnect_ivl::id == ZMQ_RECONNECT_IVL);
static_assert(opt::reconnect_ivl_max::id == ZMQ_RECONNECT_IVL_MAX);
static_assert(opt::reconnect_stop::id == ZMQ_RECONNECT_STOP);
static_assert(opt::req_correlate::id == ZMQ_REQ_CORRELATE);
static_assert(opt::req_relaxed::id == ZMQ_REQ_RELAXED);
static_assert(opt::router_handover::id == ZMQ_ROUTER_HANDOVER);
static_assert(opt::router_mandatory::id == ZMQ_ROUTER_MANDATORY);
static_assert(opt::router_notify::id == ZMQ_ROUTER_NOTIFY);
static_assert(opt::routing_id::id == ZMQ_ROUTING_ID);
static_assert(opt::shared::id == ZLINK_SHARED);
static_assert(opt::shm_borrow::id == ZLINK_SHM_BORROW);
static_assert(opt::sndbuf::id == ZMQ_SNDBUF);
static_assert(opt::sndhwm::id == ZMQ_SNDHWM);
static_assert(opt::sndhwm_bytes::id == ZLINK_SNDHWM_BYTES);
static_assert(opt::sndtimeo::id == ZMQ_SNDTIMEO);
static_assert(opt::socks_password::id == ZMQ_SOCKS_PASSWORD);
static_assert(opt::socks_proxy::id == ZMQ_SOCKS_PROXY);
static_assert(opt::socks_username::id == ZMQ_SOCKS_USERNAME);
static_assert(opt::stream_notify::id == ZMQ_STREAM_NOTIFY);
static_assert(opt::subscribe::id == ZMQ_SUBSCRIBE);
static_assert(opt::tcp_keepalive::id == ZMQ_TCP_KEEPALIVE);
static_assert(opt::tcp_keepalive_cnt::id == ZMQ_TCP_KEEPALIVE_CNT);
static_assert(opt::tcp_keepalive_idle::id == ZMQ_TCP_KEEPALIVE_IDLE);
static_assert(opt::tcp_keepalive_intvl::id == ZMQ_TCP_KEEPALIVE_INTVL);
static_assert(opt::tcp_maxrt::id == ZMQ_TCP_MAXRT);
static_assert(opt::tls_ca_file::id == ZMQ_TLS_CA_FILE);
static_assert(opt::tls_cert_file::id == ZMQ_TLS_CERT_FILE);
static_assert(opt::tls_hostname::id == ZMQ_TLS_HOSTNAME);
static_assert(opt::tls_key_file::id == ZMQ_TLS_KEY_FILE);
static_assert(opt::tls_key_password::id == ZMQ_TLS_KEY_PASSWORD);
static_assert(opt::tls_require_client_cert::id == ZMQ_TLS_REQUIRE_CLIENT_CERT);
static_assert(opt::tls_trust_system::id == ZMQ_TLS_TRUST_SYSTEM);
static_assert(opt::tls_verify::id == ZMQ_TLS_VERIFY);
static_assert(opt::tls_zap_client_cert::id == ZMQ_TLS_ZAP_CLIENT_CERT);
static_assert(opt::topics_count::id == ZMQ_TOPICS_COUNT);
static_assert(opt::tos::id == ZMQ_TOS);
static_assert(opt::type::id == ZMQ_TYPE);
static_assert(opt::unsubscribe::id == ZMQ_UNSUBSCRIBE);
static_assert(opt::use_fd::id == ZMQ_USE_FD);
static_assert(opt::ws_origin::id == ZMQ_WS_ORIGIN);
static_assert(opt::xpub_manual::id == ZMQ_XPUB_MANUAL);
static_assert(opt::xpub_manual_last_value::id == ZMQ_XPUB_MANUAL_LAST_VALUE);
static_assert(opt::xpub_nodrop::id == ZMQ_XPUB_NODROP);
static_assert(opt::xpub_verbose::id == ZMQ_XPUB_VERBOSE);
static_assert(opt::xpub_verboser::id == ZMQ_XPUB_VERBOSER);
static_assert(opt::xpub_welcome_msg::id == ZMQ_XPUB_WELCOME_MSG);
static_assert(opt::zap_domain::id == ZMQ_ZAP_DOMAIN);
static_assert(opt::zap_enforce_domain::id == ZMQ_ZAP_ENFORCE_DOMAIN);

static_assert(int(socket_type::pair) == ZMQ_PAIR && int(socket_type::stream) == ZMQ_STREAM);
static_assert(int(socket_type::server) == ZMQ_SERVER && int(socket_type::channel) == ZMQ_CHANNEL);
static_assert(int(event_kind::connected) == ZMQ_EVENT_CONNECTED && int(event_kind::all) == ZMQ_EVENT_ALL);
static_assert(int(event_kind::handshake_failed_auth) == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH);
static_assert(int(errc::wrong_state) == EFSM && int(errc::incompatible_protocol) == ENOCOMPATPROTO);
static_assert(int(errc::terminated) == ETERM && int(errc::no_thread) == EMTHREAD);

TEST(cpp_numbers_test, a_message_is_as_large_as_one_of_the_c_api)
{
    EXPECT_EQ(sizeof(zmq_msg_t), sizeof(core::raw_frame));
}

}  // namespace
}  // namespace zlink::test
