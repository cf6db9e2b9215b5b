// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The functions of zmq.h have exactly libzmq's types. So programs and bindings which take their addresses or declare
// them anew compile, and calls compiled elsewhere pass what we expect.
#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include "zlink.h"
#include "zmq.h"

#include <gtest/gtest.h>
#include <sys/uio.h>
#include <type_traits>

namespace {

static_assert(std::is_same_v<zmq_free_fn, void(void*, void*)>);
static_assert(std::is_same_v<zmq_timer_fn, void(int, void*)>);
static_assert(std::is_same_v<zmq_thread_fn, void(void*)>);

static_assert(std::is_same_v<decltype(zmq_atomic_counter_dec), int(void*)>);
static_assert(std::is_same_v<decltype(zmq_atomic_counter_destroy), void(void**)>);
static_assert(std::is_same_v<decltype(zmq_atomic_counter_inc), int(void*)>);
static_assert(std::is_same_v<decltype(zmq_atomic_counter_new), void*()>);
static_assert(std::is_same_v<decltype(zmq_atomic_counter_set), void(void*, int)>);
static_assert(std::is_same_v<decltype(zmq_atomic_counter_value), int(void*)>);
static_assert(std::is_same_v<decltype(zmq_bind), int(void*, const char*)>);
static_assert(std::is_same_v<decltype(zmq_close), int(void*)>);
static_assert(std::is_same_v<decltype(zmq_connect), int(void*, const char*)>);
static_assert(std::is_same_v<decltype(zmq_ctx_destroy), int(void*)>);
static_assert(std::is_same_v<decltype(zmq_ctx_get), int(void*, int)>);
static_assert(std::is_same_v<decltype(zmq_ctx_new), void*()>);
static_assert(std::is_same_v<decltype(zmq_ctx_set), int(void*, int, int)>);
static_assert(std::is_same_v<decltype(zmq_ctx_shutdown), int(void*)>);
static_assert(std::is_same_v<decltype(zmq_ctx_term), int(void*)>);
static_assert(std::is_same_v<decltype(zmq_curve_keypair), int(char*, char*)>);
static_assert(std::is_same_v<decltype(zmq_curve_public), int(char*, const char*)>);
static_assert(std::is_same_v<decltype(zmq_device), int(int, void*, void*)>);
static_assert(std::is_same_v<decltype(zmq_disconnect), int(void*, const char*)>);
static_assert(std::is_same_v<decltype(zmq_errno), int()>);
static_assert(std::is_same_v<decltype(zmq_getsockopt), int(void*, int, void*, size_t*)>);
static_assert(std::is_same_v<decltype(zmq_has), int(const char*)>);
static_assert(std::is_same_v<decltype(zmq_init), void*(int)>);
static_assert(std::is_same_v<decltype(zmq_msg_close), int(zmq_msg_t*)>);
static_assert(std::is_same_v<decltype(zmq_msg_copy), int(zmq_msg_t*, zmq_msg_t*)>);
static_assert(std::is_same_v<decltype(zmq_msg_data), void*(zmq_msg_t*)>);
static_assert(std::is_same_v<decltype(zmq_msg_get), int(const zmq_msg_t*, int)>);
static_assert(std::is_same_v<decltype(zmq_msg_gets), const char*(const zmq_msg_t*, const char*)>);
static_assert(std::is_same_v<decltype(zmq_msg_init), int(zmq_msg_t*)>);
static_assert(std::is_same_v<decltype(zmq_msg_init_data), int(zmq_msg_t*, void*, size_t, zmq_free_fn*, void*)>);
static_assert(std::is_same_v<decltype(zmq_msg_init_size), int(zmq_msg_t*, size_t)>);
static_assert(std::is_same_v<decltype(zmq_msg_more), int(const zmq_msg_t*)>);
static_assert(std::is_same_v<decltype(zmq_msg_move), int(zmq_msg_t*, zmq_msg_t*)>);
static_assert(std::is_same_v<decltype(zmq_msg_recv), int(zmq_msg_t*, void*, int)>);
static_assert(std::is_same_v<decltype(zmq_msg_send), int(zmq_msg_t*, void*, int)>);
static_assert(std::is_same_v<decltype(zmq_msg_set), int(zmq_msg_t*, int, int)>);
static_assert(std::is_same_v<decltype(zmq_msg_size), size_t(const zmq_msg_t*)>);
static_assert(std::is_same_v<decltype(zmq_poll), int(zmq_pollitem_t*, int, long)>);
static_assert(std::is_same_v<decltype(zmq_proxy), int(void*, void*, void*)>);
static_assert(std::is_same_v<decltype(zmq_proxy_steerable), int(void*, void*, void*, void*)>);
static_assert(std::is_same_v<decltype(zmq_recv), int(void*, void*, size_t, int)>);
static_assert(std::is_same_v<decltype(zmq_recviov), int(void*, iovec*, size_t*, int)>);
static_assert(std::is_same_v<decltype(zmq_recvmsg), int(void*, zmq_msg_t*, int)>);
static_assert(std::is_same_v<decltype(zmq_send), int(void*, const void*, size_t, int)>);
static_assert(std::is_same_v<decltype(zmq_send_const), int(void*, const void*, size_t, int)>);
static_assert(std::is_same_v<decltype(zmq_sendiov), int(void*, iovec*, size_t, int)>);
static_assert(std::is_same_v<decltype(zmq_sendmsg), int(void*, zmq_msg_t*, int)>);
static_assert(std::is_same_v<decltype(zmq_setsockopt), int(void*, int, const void*, size_t)>);
static_assert(std::is_same_v<decltype(zmq_sleep), void(int)>);
static_assert(std::is_same_v<decltype(zmq_socket), void*(void*, int)>);
static_assert(std::is_same_v<decltype(zmq_socket_monitor), int(void*, const char*, int)>);
static_assert(std::is_same_v<decltype(zmq_stopwatch_intermediate), unsigned long(void*)>);
static_assert(std::is_same_v<decltype(zmq_stopwatch_start), void*()>);
static_assert(std::is_same_v<decltype(zmq_stopwatch_stop), unsigned long(void*)>);
static_assert(std::is_same_v<decltype(zmq_strerror), const char*(int)>);
static_assert(std::is_same_v<decltype(zmq_term), int(void*)>);
static_assert(std::is_same_v<decltype(zmq_threadclose), void(void*)>);
static_assert(std::is_same_v<decltype(zmq_threadstart), void*(zmq_thread_fn*, void*)>);
static_assert(std::is_same_v<decltype(zmq_timers_add), int(void*, size_t, zmq_timer_fn*, void*)>);
static_assert(std::is_same_v<decltype(zmq_timers_cancel), int(void*, int)>);
static_assert(std::is_same_v<decltype(zmq_timers_destroy), int(void**)>);
static_assert(std::is_same_v<decltype(zmq_timers_execute), int(void*)>);
static_assert(std::is_same_v<decltype(zmq_timers_new), void*()>);
static_assert(std::is_same_v<decltype(zmq_timers_reset), int(void*, int)>);
static_assert(std::is_same_v<decltype(zmq_timers_set_interval), int(void*, int, size_t)>);
static_assert(std::is_same_v<decltype(zmq_timers_timeout), long(void*)>);
static_assert(std::is_same_v<decltype(zmq_unbind), int(void*, const char*)>);
static_assert(std::is_same_v<decltype(zmq_version), void(int*, int*, int*)>);
static_assert(std::is_same_v<decltype(zmq_z85_decode), uint8_t*(uint8_t*, const char*)>);
static_assert(std::is_same_v<decltype(zmq_z85_encode), char*(char*, const uint8_t*, size_t)>);

// Draft
static_assert(std::is_same_v<decltype(zmq_connect_peer), uint32_t(void*, const char*)>);
static_assert(std::is_same_v<decltype(zmq_ctx_get_ext), int(void*, int, void*, size_t*)>);
static_assert(std::is_same_v<decltype(zmq_ctx_set_ext), int(void*, int, const void*, size_t)>);
static_assert(std::is_same_v<decltype(zmq_disconnect_peer), int(void*, uint32_t)>);
static_assert(std::is_same_v<decltype(zmq_join), int(void*, const char*)>);
static_assert(std::is_same_v<decltype(zmq_leave), int(void*, const char*)>);
static_assert(std::is_same_v<decltype(zmq_msg_group), const char*(zmq_msg_t*)>);
static_assert(std::is_same_v<decltype(zmq_msg_init_buffer), int(zmq_msg_t*, const void*, size_t)>);
static_assert(std::is_same_v<decltype(zmq_msg_routing_id), uint32_t(zmq_msg_t*)>);
static_assert(std::is_same_v<decltype(zmq_msg_set_group), int(zmq_msg_t*, const char*)>);
static_assert(std::is_same_v<decltype(zmq_msg_set_routing_id), int(zmq_msg_t*, uint32_t)>);
static_assert(std::is_same_v<decltype(zmq_poller_add), int(void*, void*, void*, short int)>);
static_assert(std::is_same_v<decltype(zmq_poller_add_fd), int(void*, zmq_fd_t, void*, short int)>);
static_assert(std::is_same_v<decltype(zmq_poller_destroy), int(void**)>);
static_assert(std::is_same_v<decltype(zmq_poller_fd), int(void*, zmq_fd_t*)>);
static_assert(std::is_same_v<decltype(zmq_poller_modify), int(void*, void*, short int)>);
static_assert(std::is_same_v<decltype(zmq_poller_modify_fd), int(void*, zmq_fd_t, short int)>);
static_assert(std::is_same_v<decltype(zmq_poller_new), void*()>);
static_assert(std::is_same_v<decltype(zmq_poller_remove), int(void*, void*)>);
static_assert(std::is_same_v<decltype(zmq_poller_remove_fd), int(void*, zmq_fd_t)>);
static_assert(std::is_same_v<decltype(zmq_poller_size), int(void*)>);
static_assert(std::is_same_v<decltype(zmq_poller_wait), int(void*, zmq_poller_event_t*, long)>);
static_assert(std::is_same_v<decltype(zmq_poller_wait_all), int(void*, zmq_poller_event_t*, int, long)>);
static_assert(std::is_same_v<decltype(zmq_ppoll), int(zmq_pollitem_t*, int, long, const sigset_t*)>);
static_assert(std::is_same_v<decltype(zmq_socket_get_peer_state), int(void*, const void*, size_t)>);
static_assert(std::is_same_v<decltype(zmq_socket_monitor_pipes_stats), int(void*)>);
static_assert(std::is_same_v<decltype(zmq_socket_monitor_versioned), int(void*, const char*, uint64_t, int, int)>);

// Ours
static_assert(std::is_same_v<decltype(zlink_version), void(int*, int*, int*)>);
static_assert(std::is_same_v<decltype(zlink_knob), int(size_t, zlink_knob_t*)>);
static_assert(std::is_same_v<decltype(zlink_load_counter), int(size_t, zlink_load_counter_t*)>);
static_assert(std::is_same_v<decltype(zlink_send_parts), int(void*, zmq_msg_t*, size_t, int)>);
static_assert(std::is_same_v<decltype(zlink_recv_parts), int(void*, zmq_msg_t*, size_t*, int)>);
static_assert(std::is_same_v<decltype(zlink_ctx_term), int(void*, int)>);
static_assert(std::is_same_v<decltype(zlink_wait), int(void*, int, int, int)>);
static_assert(std::is_same_v<decltype(zlink_wait_topic), int(void*, const void*, size_t, int, int)>);
static_assert(std::is_same_v<decltype(zlink_msg_init_loan), int(zmq_msg_t*, void*, size_t)>);
static_assert(std::is_same_v<decltype(zlink_send_many), int(void*, zmq_msg_t*, size_t, int)>);
static_assert(std::is_same_v<decltype(zlink_recv_many), int(void*, zmq_msg_t*, size_t*, int)>);
static_assert(std::is_same_v<decltype(zlink_socket_monitor), int(void*, const char*, uint64_t, int)>);
static_assert(std::is_same_v<decltype(zlink_disconnect_peer), int(void*, const void*, size_t)>);
static_assert(std::is_same_v<decltype(zlink_socket_stats), int(void*, zlink_stats_t*)>);
static_assert(std::is_same_v<decltype(zlink_socket_peers), int(void*, zlink_peer_stats_t*, size_t*)>);
static_assert(std::is_same_v<decltype(zlink_context_stats), int(void*, zlink_stats_t*, size_t*)>);

TEST(prototypes_test, a_function_can_be_called_through_a_pointer_of_the_type_libzmq_gives_it)
{
    int (*const has)(const char*) = zmq_has;
    EXPECT_EQ(has("ipc"), 1);
}

}  // namespace
