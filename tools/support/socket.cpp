// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Thin calls over zmq.h. EINTR and EAGAIN are ordinary answers here, everything else is a failure with a text.
#include "support/socket.hpp"

#include "support/failure.hpp"
#include "support/failure_notes.hpp"
#include "support/frame_sending.hpp"
#include "support/loaded_library.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

[[noreturn]] void fail_call(std::string_view call, int error)
{
    throw failure(fmt::format("{} failed: {}", call, zmq_strerror(error)));
}

std::string_view cure(std::string_view action, std::string_view endpoint, int error)
{
    const bool ipc = endpoint.starts_with("ipc:");
    const bool vsock = endpoint.starts_with("vsock:");
    switch (error) {
    case EADDRINUSE:
        return ipc     ? "a file lies there that is not a socket, or another process has the name; choose another one"
               : vsock ? "another socket listens there; choose another port, or vsock://CID:* for a free one"
                       : "another socket listens there; choose another port, or tcp://ADDRESS:* for a free one";
    case EADDRNOTAVAIL:
        return vsock ? "no such context id; bind to vsock://*:PORT (loopback needs the kernel's module vsock_loopback)"
                     : "this machine has no such address; bind to tcp://*:PORT or to a local address";
    case ENODEV: return "no interface, host name or address of this machine; see 'ip address', or use tcp://*:PORT";
    case EAFNOSUPPORT: return vsock ? "this kernel has no vsock; load the module vsock, or use tcp:// or ipc://" : "";
    case EINVAL:
        if (vsock) return action == "connect" ? "write it like vsock://CID:PORT" : "write it like vsock://*:PORT";
        return action == "connect" ? "write it like tcp://HOST:PORT, ipc:///PATH or ipc://@NAME"
                                   : "write it like tcp://*:PORT, tcp://127.0.0.1:*, ipc:///PATH or ipc://@NAME";
    case EPROTONOSUPPORT: return "this transport isn't available; use tcp:// or ipc://";
    case ENOCOMPATPROTO: return "this socket type doesn't work over that transport; use tcp:// or ipc://";
    case EACCES:
        return ipc ? "no permission for this path; use one of a directory you own"
                   : "no permission; use a port above 1023";
    case ENOENT: return "the directory doesn't exist; create it first";
    case ENAMETOOLONG: return "the path is longer than a unix socket allows (107 bytes); use a shorter one";
    case EMFILE: return "out of file descriptors or sockets; raise 'ulimit -n'";
    default: return "";
    }
}

// An endpoint that could never work is a wrong argument; everything else may be right at another time.
bool never_works(int error)
{
    return error == EINVAL || error == EPROTONOSUPPORT || error == ENOCOMPATPROTO || error == ENAMETOOLONG;
}

[[noreturn]] void refuse_endpoint(std::string_view action, const std::string& endpoint, int error)
{
    const std::string words = never_works(error) ? in_options_of_tool(last_failure()) : "";
    if (words.find("SOCKS proxy") != std::string::npos) {
        throw usage_failure(fmt::format("cannot {} to {}: {}", action, endpoint, words));
    }
    const bool of_endpoint = words.find('\'' + endpoint + '\'') != std::string::npos;  // for which the tool has its own
    const bool tls = endpoint.starts_with("tls:") || endpoint.starts_with("wss:");
    if (tls && !words.empty() && !of_endpoint) {
        throw failure(fmt::format("cannot {} to {}: {}", action, endpoint, words));
    }
    throw failure(explain_endpoint(action, endpoint, error),
                  never_works(error) ? exit_status::usage : exit_status::failed);
}

struct type_name {
    const char* name;
    int type;
};

constexpr std::array type_names{
    type_name{"PAIR", ZMQ_PAIR},
    type_name{"PUB", ZMQ_PUB},
    type_name{"SUB", ZMQ_SUB},
    type_name{"REQ", ZMQ_REQ},
    type_name{"REP", ZMQ_REP},
    type_name{"DEALER", ZMQ_DEALER},
    type_name{"ROUTER", ZMQ_ROUTER},
    type_name{"PULL", ZMQ_PULL},
    type_name{"PUSH", ZMQ_PUSH},
    type_name{"XPUB", ZMQ_XPUB},
    type_name{"XSUB", ZMQ_XSUB},
    type_name{"STREAM", ZMQ_STREAM},
    // Of the draft API
    type_name{"SERVER", ZMQ_SERVER},
    type_name{"CLIENT", ZMQ_CLIENT},
    type_name{"RADIO", ZMQ_RADIO},
    type_name{"DISH", ZMQ_DISH},
    type_name{"GATHER", ZMQ_GATHER},
    type_name{"SCATTER", ZMQ_SCATTER},
    type_name{"DGRAM", ZMQ_DGRAM},
    type_name{"PEER", ZMQ_PEER},
    type_name{"CHANNEL", ZMQ_CHANNEL},
};

bool is_draft(int type)
{
    return type > ZMQ_STREAM;
}

}  // namespace

context::context() : handle_(zmq_ctx_new())
{
    if (handle_ == nullptr) {
        fail_call("zmq_ctx_new", zmq_errno());
    }
}

context::~context()
{
    terminate();
}

void context::terminate() noexcept
{
    while (handle_ != nullptr) {
        if (zmq_ctx_term(handle_) == 0 || zmq_errno() != EINTR) {
            handle_ = nullptr;
        }
    }
}

void* context::release() noexcept
{
    return std::exchange(handle_, nullptr);
}

socket::socket(const context& owner, int type) : handle_(nullptr), addresses_(form_of_addresses(type))
{
    need_addresses(addresses_);
    handle_ = zmq_socket(owner.handle(), type);
    if (handle_ == nullptr) {
        if (zmq_errno() == EINVAL && is_draft(type)) {
            throw failure(fmt::format("{} has no {} sockets, which are of the draft API; 'zlink version' shows the "
                                      "library in use",
                                      library_path(), socket_type_name(type)));
        }
        fail_call(fmt::format("zmq_socket({})", socket_type_name(type)), zmq_errno());
    }
}

socket::~socket()
{
    close();
}

void socket::close() noexcept
{
    if (handle_ != nullptr) {
        zmq_close(handle_);
        handle_ = nullptr;
    }
}

void socket::set(int option, int value)
{
    if (zmq_setsockopt(handle_, option, &value, sizeof value) != 0) {
        fail_call(fmt::format("setting socket option {} to {}", option, value), zmq_errno());
    }
}

void socket::set(int option, std::string_view value)
{
    if (zmq_setsockopt(handle_, option, value.data(), value.size()) != 0) {
        fail_call(fmt::format("setting socket option {} to '{}'", option, printable(value)), zmq_errno());
    }
}

int socket::get(int option) const
{
    int value = 0;
    std::size_t size = sizeof value;
    if (zmq_getsockopt(handle_, option, &value, &size) != 0) {
        fail_call(fmt::format("reading socket option {}", option), zmq_errno());
    }
    return value;
}

bool socket::has_text(int option) const
{
    std::array<char, 4096> text{};
    std::size_t size = text.size();
    return zmq_getsockopt(handle_, option, text.data(), &size) == 0 && text[0] != '\0';
}

void socket::bind(const std::string& endpoint)
{
    if (zmq_bind(handle_, endpoint.c_str()) != 0) {
        refuse_endpoint("bind", endpoint, zmq_errno());
    }
}

void socket::connect(const std::string& endpoint)
{
    if (zmq_connect(handle_, endpoint.c_str()) != 0) {
        refuse_endpoint("connect", endpoint, zmq_errno());
    }
}

std::string socket::connect_to_peer(const std::string& endpoint)
{
    const std::string number = connect_peer(handle_, endpoint);
    if (number.empty()) {
        refuse_endpoint("connect", endpoint, zmq_errno());
    }
    return number;
}

void socket::join(const std::string& group)
{
    join_group(handle_, group);
}

std::string socket::last_endpoint() const
{
    std::array<char, 1024> text{};
    std::size_t size = text.size();
    if (zmq_getsockopt(handle_, ZMQ_LAST_ENDPOINT, text.data(), &size) != 0) {
        fail_call("reading ZMQ_LAST_ENDPOINT", zmq_errno());
    }
    return {text.data()};
}

sending socket::offer_addressed(const message& frames, int flags)
{
    zmq_msg_t body;
    if (zmq_msg_init_size(&body, frames[1].size()) != 0) {
        fail_call("sending", zmq_errno());
    }
    std::ranges::copy(frames[1], static_cast<char*>(zmq_msg_data(&body)));
    try {
        set_address(body, addresses_, frames[0]);
        const auto done =
            offer_frames(1, "sending", [&](std::size_t, int) { return zmq_msg_send(&body, handle_, flags); });
        zmq_msg_close(&body);
        return done;
    } catch (...) {
        zmq_msg_close(&body);
        throw;
    }
}

sending socket::offer(const message& frames, int flags)
{
    if (addresses_ != address_form::none) {
        return offer_addressed(frames, flags);
    }
    return offer_frames(frames.size(), "sending", [&](std::size_t at, int more) {
        return zmq_send(handle_, frames[at].data(), frames[at].size(), flags | more);
    });
}

bool socket::send(const message& frames, int flags)
{
    const sending result = offer(frames, flags);
    if (result == sending::unreachable) {
        throw failure(fmt::format("no connected peer has the routing id '{}'; start the peer with --identity, "
                                  "or give it time with --delay",
                                  printable(frames[0])));
    }
    return result == sending::done;
}

bool socket::receive(message& frames, int flags)
{
    frames.clear();
    for (bool more = true; more;) {
        zmq_msg_t frame;
        zmq_msg_init(&frame);
        if (zmq_msg_recv(&frame, handle_, flags) < 0) {
            const int error = zmq_errno();
            zmq_msg_close(&frame);
            if (error != EAGAIN && error != EINTR) {
                fail_call("receiving", error);
            }
            if (frames.empty()) {
                return false;
            }
            continue;  // the rest of a message that began is at hand: only a signal came between
        }
        if (addresses_ != address_form::none) {
            frames.push_back(address_of(frame, addresses_));
        }
        frames.emplace_back(static_cast<const char*>(zmq_msg_data(&frame)), zmq_msg_size(&frame));
        more = zmq_msg_more(&frame) != 0;
        zmq_msg_close(&frame);
    }
    return true;
}

std::string explain_endpoint(std::string_view action, std::string_view endpoint, int error)
{
    const auto advice = cure(action, endpoint, error);
    return fmt::format("cannot {} {}: {}{}{}", action, endpoint, zmq_strerror(error), advice.empty() ? "" : "; ",
                       advice);
}

std::optional<int> socket_type(std::string_view name)
{
    const std::string wanted = upper(name);
    const auto found = std::find_if(type_names.begin(), type_names.end(),
                                    [&](const type_name& entry) { return wanted == entry.name; });
    return found == type_names.end() ? std::nullopt : std::optional<int>(found->type);
}

std::string socket_type_name(int type)
{
    const auto found =
        std::find_if(type_names.begin(), type_names.end(), [&](const type_name& entry) { return entry.type == type; });
    return found == type_names.end() ? fmt::format("type {}", type) : found->name;
}

const std::vector<std::string>& socket_type_names()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> result;
        const bool drafts = zmq_has("draft") != 0;
        for (const auto& entry : type_names) {
            if (drafts || !is_draft(entry.type)) {
                result.emplace_back(entry.name);
            }
        }
        return result;
    }();
    return names;
}

}  // namespace zlink::tool
