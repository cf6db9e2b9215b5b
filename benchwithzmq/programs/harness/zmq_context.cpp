// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// See zmq_context.hpp.
#include "harness/zmq_context.hpp"

#include "harness/fail.hpp"
#include "harness/report.hpp"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <utility>

namespace bench {

namespace {

constexpr std::size_t key_size = 41;  // in Z85, with its NUL

struct key_pair {
    char public_key[key_size]{};
    char secret_key[key_size]{};
};
key_pair server_keys;
key_pair client_keys;

// zlink's options of tls; libzmq has them as drafts.
constexpr int certificate_option = 104;
constexpr int trust_option = 105;
std::string certificate;  // and its key, in PEM: the server's, and whom clients trust

// A library without this transport is measured over tcp in its place.
bool is_replaced(const std::string& transport)
{
    const bool optional = transport == "tls" || transport == "ws" || transport == "wss";
    return optional && zmq_has(transport.c_str()) == 0;
}

bool has_tls(const std::string& transport)
{
    return (transport == "tls" || transport == "wss") && !is_replaced(transport);
}

// A port of udp that nobody else has: libzmq does not tell which one the kernel gave it.
std::string free_udp_port()
{
    const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    if (fd < 0 || ::bind(fd, plain, size) != 0 || ::getsockname(fd, plain, &size) != 0)
        fail_call("bind of a udp socket");
    ::close(fd);
    return std::to_string(ntohs(address.sin_port));
}

// `transport` without CURVE.
std::string new_endpoint(const std::string& transport)
{
    static std::atomic<unsigned> count{0};
    const std::string unique = std::to_string(::getpid()) + "-" + std::to_string(count++);
    if (transport == "tcp" || is_replaced(transport)) return "tcp://127.0.0.1:*";
    if (transport == "tls" || transport == "ws" || transport == "wss") return transport + "://127.0.0.1:*";
    if (transport == "udp") return "udp://127.0.0.1:" + free_udp_port();
    if (transport == "ipc") return "ipc:///tmp/benchwithzmq-" + unique;
    return "inproc://" + unique;
}

void make_certificate()
{
    const char* const command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout - "
        "-subj /CN=benchwithzmq -addext subjectAltName=IP:127.0.0.1 2>/dev/null";
    std::FILE* const output = ::popen(command, "r");
    if (output == nullptr) fail_call("popen");
    char piece[1024];
    while (const std::size_t n = std::fread(piece, 1, sizeof piece, output)) certificate.append(piece, n);
    if (::pclose(output) != 0) fail(exit_status::failed, "tls needs the command openssl: apt-get install openssl");
}

// Shared with processes that are forked afterwards.
void make_keys(const settings& of)
{
    if (has_tls(of.transport)) make_certificate();
    if (!has_curve(of.transport)) return;
    if (zmq_has("curve") == 0) {
        fail(exit_status::usage,
             "%s: this library was built without CURVE; leave the transport out, or build it with "
             "libsodium",
             of.transport.c_str());
    }
    for (key_pair* const pair : {&server_keys, &client_keys}) {
        if (zmq_curve_keypair(pair->public_key, pair->secret_key) != 0) fail_call("zmq_curve_keypair");
    }
}

}  // namespace

void fail_call(const char* call)
{
    fail(exit_status::failed, "%s: %s", call, zmq_strerror(zmq_errno()));
}

zmq_context::zmq_context(const settings& of) : handle_(zmq_ctx_new())
{
    if (handle_ == nullptr) fail_call("zmq_ctx_new");
    if (zmq_ctx_set(handle_, ZMQ_IO_THREADS, of.io_threads) != 0) fail_call("zmq_ctx_set(ZMQ_IO_THREADS)");
    if (zmq_ctx_set(handle_, ZMQ_MAX_SOCKETS, 16 + 2 * static_cast<int>(of.peers) + 1024) != 0) {
        fail_call("zmq_ctx_set(ZMQ_MAX_SOCKETS)");
    }
}

zmq_context::~zmq_context()
{
    zmq_ctx_term(handle_);
}

void zmq_context::shut_down()
{
    if (zmq_ctx_shutdown(handle_) != 0) fail_call("zmq_ctx_shutdown");
}

zmq_handle::zmq_handle(zmq_context& context, int type, const settings& of)
    : socket_(zmq_socket(context.handle(), type)),
      messages_(of.messages),
      curve_(has_curve(of.transport))
{
    if (socket_ == nullptr) fail_call("zmq_socket");
    set(ZMQ_LINGER, 0);
    set(ZMQ_BACKLOG, std::max(100, 2 * static_cast<int>(of.peers)));
    if (type == ZMQ_PUB || type == ZMQ_XPUB) set(ZMQ_XPUB_NODROP, 1);
    if (type == ZMQ_ROUTER) set(ZMQ_ROUTER_MANDATORY, 1);
    if (of.hwm >= 0) {
        set(ZMQ_SNDHWM, of.hwm);
        set(ZMQ_RCVHWM, of.hwm);
    }
}

zmq_handle::zmq_handle(zmq_handle&& other) noexcept
    : socket_(std::exchange(other.socket_, nullptr)),
      messages_(other.messages_),
      curve_(other.curve_),
      file_(std::move(other.file_))
{}

zmq_handle::~zmq_handle()
{
    if (socket_ != nullptr) zmq_close(socket_);
    if (!file_.empty()) ::unlink(file_.c_str());
}

void zmq_handle::set(int option, int value)
{
    if (zmq_setsockopt(socket_, option, &value, sizeof value) != 0) fail_call("zmq_setsockopt");
}

void zmq_handle::set(int option, const std::string& value)
{
    if (zmq_setsockopt(socket_, option, value.data(), value.size()) != 0) fail_call("zmq_setsockopt");
}

std::string zmq_handle::bind(const std::string& transport)
{
    const std::string endpoint = new_endpoint(without_curve(transport));
    if (curve_) {
        set(ZMQ_CURVE_SERVER, 1);
        set(ZMQ_CURVE_SECRETKEY, std::string(server_keys.secret_key));
    }
    if (has_tls(transport)) set(certificate_option, certificate);
    if (without_curve(transport) == "ipc") {
        file_ = endpoint.substr(std::string("ipc://").size());
        remove_on_failure(file_);
    }
    if (zmq_bind(socket_, endpoint.c_str()) != 0) fail_call(("zmq_bind to " + endpoint).c_str());
    if (transport == "udp") return endpoint;  // libzmq tells what it has bound to without its scheme
    char bound[256];
    std::size_t length = sizeof bound;
    if (zmq_getsockopt(socket_, ZMQ_LAST_ENDPOINT, bound, &length) != 0) fail_call("zmq_getsockopt(ZMQ_LAST_ENDPOINT)");
    return bound;
}

void zmq_handle::connect(const std::string& endpoint)
{
    if (curve_) {
        set(ZMQ_CURVE_SERVERKEY, std::string(server_keys.public_key));
        set(ZMQ_CURVE_PUBLICKEY, std::string(client_keys.public_key));
        set(ZMQ_CURVE_SECRETKEY, std::string(client_keys.secret_key));
    }
    if (endpoint.starts_with("tls:") || endpoint.starts_with("wss:")) set(trust_option, certificate);
    if (zmq_connect(socket_, endpoint.c_str()) != 0) fail_call(("zmq_connect to " + endpoint).c_str());
}

void zmq_context::introduce(const settings& of)
{
    make_keys(of);
    const auto text = [](const int(&v)[3]) {
        return std::to_string(v[0]) + "." + std::to_string(v[1]) + "." + std::to_string(v[2]);
    };
    int version[3];
    zmq_version(&version[0], &version[1], &version[2]);
    print_info("library_version", text(version));
    using version_function = void (*)(int*, int*, int*);
    if (const auto zlink = reinterpret_cast<version_function>(::dlsym(RTLD_DEFAULT, "zlink_version"))) {
        zlink(&version[0], &version[1], &version[2]);
        print_info("zlink_version", text(version));
    }
    print_info("curve", zmq_has("curve") != 0 ? "1" : "0");
    print_info("measured_over", is_replaced(without_curve(of.transport)) ? "tcp" : without_curve(of.transport).c_str());
    if (Dl_info where{}; ::dladdr(reinterpret_cast<void*>(&zmq_version), &where) != 0 && where.dli_fname != nullptr) {
        print_info("library_file", where.dli_fname);
    }
}

}  // namespace bench
