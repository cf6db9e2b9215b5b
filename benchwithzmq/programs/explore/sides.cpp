// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// See sides.hpp.
#include "explore/sides.hpp"

#include "explore/line.hpp"
#include "harness/clock.hpp"
#include "harness/fail.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace explore {

namespace {

void set(void* socket, int option, int value)
{
    if (zmq_setsockopt(socket, option, &value, sizeof value) != 0) fail_call("zmq_setsockopt");
}

void set(void* socket, int option, const std::string& value)
{
    if (zmq_setsockopt(socket, option, value.data(), value.size()) != 0) fail_call("zmq_setsockopt");
}

// Whether the fronts bind, and the backs connect to each; a proxy has both connect.
bool front_binds(const workload& of)
{
    const bool front_is_the_one = of.fronts == 1 && of.backs > 1;
    return front_is_the_one != of.spokes_bind;
}

}  // namespace

process::process(const workload& of, board& with, bool has_front, bool has_back)
    : of_(of),
      with_(with),
      context_(zmq_ctx_new())
{
    if (context_ == nullptr) fail_call("zmq_ctx_new");
    zmq_ctx_set(context_, ZMQ_IO_THREADS, static_cast<int>(of.io_threads));
    zmq_ctx_set(context_, ZMQ_MAX_SOCKETS, 3 * static_cast<int>(of.fronts + of.backs) + 64);
    if (has_back && of.proxy != proxy_kind::none) make_proxy();
    const bool front_first = of.proxy == proxy_kind::none && front_binds(of);
    if (has_front && front_first) make_side(true);
    if (has_back) make_side(false);
    if (has_front && !front_first) make_side(true);
}

process::~process()
{
    zmq_ctx_shutdown(context_);
    threads_.clear();
    for (void* socket : sockets_) zmq_close(socket);
    zmq_ctx_term(context_);
    for (const std::string& file : files_) ::unlink(file.c_str());
}

void* process::make_socket(int type)
{
    void* const socket = zmq_socket(context_, type);
    if (socket == nullptr) fail_call("zmq_socket");
    sockets_.push_back(socket);
    set(socket, ZMQ_LINGER, 0);
    set(socket, ZMQ_BACKLOG, 1000);
    if (of_.send_mark >= 0) set(socket, ZMQ_SNDHWM, of_.send_mark);
    if (of_.receive_mark >= 0) set(socket, ZMQ_RCVHWM, of_.receive_mark);
    if (of_.send_buffer > 0) set(socket, ZMQ_SNDBUF, of_.send_buffer);
    if (of_.receive_buffer > 0) set(socket, ZMQ_RCVBUF, of_.receive_buffer);
    if (of_.no_drop && (type == ZMQ_PUB || type == ZMQ_XPUB)) set(socket, ZMQ_XPUB_NODROP, 1);
    return socket;
}

void process::bind(void* socket, unsigned list)
{
    const unsigned number = with_.bound[list].load();
    const std::string unique = std::to_string(::getpid()) + "-" + std::to_string(list) + "-" + std::to_string(number);
    std::string endpoint = "tcp://127.0.0.1:*";
    if (of_.transport == "inproc") endpoint = "inproc://explore-" + unique;
    if (of_.transport == "ipc") {
        files_.push_back("/tmp/benchwithzmq-explore-" + unique);
        bench::remove_on_failure(files_.back());
        endpoint = "ipc://" + files_.back();
    }
    if (zmq_bind(socket, endpoint.c_str()) != 0) fail_call("zmq_bind");
    std::size_t length = sizeof with_.endpoints[list][number];
    if (zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, with_.endpoints[list][number], &length) != 0) {
        fail_call("zmq_getsockopt(ZMQ_LAST_ENDPOINT)");
    }
    with_.bound[list].store(number + 1);
}

void process::connect(void* socket, unsigned list, unsigned endpoints)
{
    while (with_.bound[list].load() < endpoints) bench::sleep_ns(500'000);
    for (unsigned i = 0; i < endpoints; ++i) {
        if (zmq_connect(socket, with_.endpoints[list][i]) != 0) fail_call("zmq_connect");
    }
}

void process::make_proxy()
{
    int front = ZMQ_ROUTER;
    int back = ZMQ_DEALER;
    if (of_.proxy == proxy_kind::streamer) front = ZMQ_PULL, back = ZMQ_PUSH;
    if (of_.proxy == proxy_kind::forwarder) front = ZMQ_XSUB, back = ZMQ_XPUB;
    void* const ends[2] = {make_socket(front), make_socket(back)};
    bind(ends[0], 0);
    bind(ends[1], 1);
    threads_.push_back(std::make_unique<bench::small_thread>(
        [first = ends[0], second = ends[1]] { zmq_proxy(first, second, nullptr); }));
}

void process::set_side_options(void* socket, bool front, unsigned number)
{
    const int type = front ? of_.front : of_.back;
    if (type == ZMQ_ROUTER) set(socket, ZMQ_ROUTER_MANDATORY, 1);
    if (of_.addressed()) set(socket, ZMQ_ROUTING_ID, routing_id(front, number));
    const std::string topic = of_.topics > 0 ? topic_name(number % of_.topics) : "";
    if (type == ZMQ_SUB) set(socket, ZMQ_SUBSCRIBE, topic);
    if (type == ZMQ_XSUB) {
        const std::string subscription = '\1' + topic;
        if (zmq_send(socket, subscription.data(), subscription.size(), 0) < 0) fail_call("zmq_send of a subscription");
    }
}

void process::make_side(bool front)
{
    const unsigned count = front ? of_.fronts : of_.backs;
    const unsigned others = front ? of_.backs : of_.fronts;
    const bool proxied = of_.proxy != proxy_kind::none;
    std::vector<void*> sockets;
    for (unsigned i = 0; i < count; ++i) {
        void* const socket = make_socket(front ? of_.front : of_.back);
        set_side_options(socket, front, i);
        if (proxied) {
            const unsigned list = front ? 0 : 1;
            while (with_.bound[list].load() == 0) bench::sleep_ns(500'000);
            connect(socket, list, 1);
        } else if (front == front_binds(of_)) {
            bind(socket, 0);
        } else {
            connect(socket, 0, others);
        }
        sockets.push_back(socket);
    }
    start(front, sockets);
}

void process::start(bool front, const std::vector<void*>& sockets)
{
    const unsigned threads = front ? of_.front_threads : of_.back_threads;
    for (unsigned thread = 0; thread < threads; ++thread) {
        posts_.push_back(std::make_unique<post>());
        post& at = *posts_.back();
        at.thread = thread;
        at.guest = of_.guest == guest_kind::socket ? make_socket(ZMQ_PULL) : nullptr;
        for (unsigned i = thread; i < sockets.size(); i += threads) {
            at.sockets.push_back(sockets[i]);
            at.numbers.push_back(i);
        }
        const auto work = front ? (of_.echo ? ask : send_one_way) : take_in;
        threads_.push_back(std::make_unique<bench::small_thread>([this, work, &at] { work(of_, with_, at); }));
    }
}

}  // namespace explore
