// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Ends of nng sockets, a second yardstick. nng has no I/O threads to set; its buffers are as deep as the high-water
// marks of the others.
#pragma once

#include "harness/fail.hpp"
#include "harness/lanes.hpp"
#include "harness/payload.hpp"
#include "harness/report.hpp"

#include <nng/nng.h>

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <string>

namespace bench {

inline void must_nng(int error, const char* call)
{
    if (error != 0) [[unlikely]]
        fail(exit_status::failed, "%s: %s", call, nng_strerror(error));
}

// nng's threads belong to the process; there is nothing to make.
struct nng_context {
    explicit nng_context(const settings&) {}

    static void introduce(const settings&) { print_info("library_version", nng_version()); }
};

class nng_end : public single_lane {
public:
    nng_end(const settings& of, int (*open)(nng_socket*)) : transport_(of.transport)
    {
        constexpr int default_hwm = 1000;
        constexpr int most = 8192;  // nng's own limit
        const int depth = of.hwm < 0 ? default_hwm : of.hwm == 0 || of.hwm > most ? most : of.hwm;
        must_nng(open(&socket_), "nng_open");
        must_nng(nng_socket_set_size(socket_, NNG_OPT_RECVMAXSZ, 0), "NNG_OPT_RECVMAXSZ");
        // Not every protocol has both buffers.
        (void)nng_socket_set_int(socket_, NNG_OPT_SENDBUF, depth);
        (void)nng_socket_set_int(socket_, NNG_OPT_RECVBUF, depth);
    }
    ~nng_end() { nng_close(socket_); }
    nng_end(const nng_end&) = delete;
    nng_end& operator=(const nng_end&) = delete;

    [[nodiscard]] nng_socket socket() const { return socket_; }

    [[nodiscard]] std::string bind()
    {
        static std::atomic<unsigned> count{0};
        const std::string unique = std::to_string(::getpid()) + "-" + std::to_string(count++);
        std::string url = transport_ == "tcp"   ? "tcp://127.0.0.1:0"
                          : transport_ == "ipc" ? "ipc:///tmp/benchwithzmq-nng-" + unique
                                                : "inproc://" + unique;
        if (transport_ == "ipc") remove_on_failure(url.substr(std::string("ipc://").size()));
        nng_listener listener;
        must_nng(nng_listen(socket_, url.c_str(), &listener, 0), "nng_listen");
        if (transport_ == "tcp") {
            int port = 0;
            must_nng(nng_listener_get_int(listener, NNG_OPT_TCP_BOUND_PORT, &port), "NNG_OPT_TCP_BOUND_PORT");
            url = "tcp://127.0.0.1:" + std::to_string(port);
        }
        return url;
    }
    void connect(const std::string& url) { must_nng(nng_dial(socket_, url.c_str(), nullptr, 0), "nng_dial"); }

    void send(const char* octets, std::size_t size)
    {
        must_nng(nng_send(socket_, const_cast<char*>(octets), size, 0), "nng_send");
    }
    [[nodiscard]] std::size_t receive(inbox& in)
    {
        std::size_t size = in.capacity();
        must_nng(nng_recv(socket_, in.data(), &size, 0), "nng_recv");
        return size;
    }

private:
    nng_socket socket_{};
    std::string transport_;
};

}  // namespace bench
