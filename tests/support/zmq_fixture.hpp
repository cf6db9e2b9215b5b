// Helpers for tests over the public C API: owning wrappers for contexts and sockets, message exchange, endpoints,
// monitor events, and a plain TCP peer.
//
// Every helper reports a failure at the line of its caller and returns; none throws. Sockets start with timeouts and
// without linger, so that a test that fails ends soon instead of hanging. Test files open the namespace
// zlink::test (a using directive would make `socket` ambiguous with the system call).
#pragma once

#include <zmq.h>

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace zlink::test {

// How long an operation that must succeed may take. Generous: it is waited out by failing tests alone.
inline constexpr int patience_ms = 10000;

using place = std::source_location;
using parts = std::vector<std::string>;

inline void fail_at(const place& where, const std::string& what)
{
    ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line()))
        << what << ": " << zmq_strerror(zmq_errno()) << " (errno " << zmq_errno() << ")";
}

// Asks again every millisecond until `condition` holds; false if it never does. For what no event announces.
template <typename Condition>
bool eventually(Condition condition, int timeout_ms = patience_ms)
{
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

// Owns one socket. Converts to `void *` so that it can be handed to the zmq functions.
class socket {
public:
    socket() = default;

    socket(void* ctx, int type, const place& where = place::current()) : handle_(zmq_socket(ctx, type))
    {
        if (handle_ == nullptr) {
            fail_at(where, "zmq_socket");
            return;
        }
        set(ZMQ_LINGER, 0);
        set(ZMQ_RCVTIMEO, patience_ms);
        set(ZMQ_SNDTIMEO, patience_ms);
    }

    socket(socket&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

    socket& operator=(socket&& other) noexcept
    {
        if (this != &other) {
            close();
            handle_ = std::exchange(other.handle_, nullptr);
        }
        return *this;
    }

    ~socket() { close(); }

    operator void*() const { return handle_; }

    void close()
    {
        if (handle_ != nullptr) {
            EXPECT_EQ(0, zmq_close(std::exchange(handle_, nullptr)));
        }
    }

    // Gives the handle away without closing it.
    void* release() { return std::exchange(handle_, nullptr); }

    void set(int option, int value, const place& where = place::current())
    {
        if (zmq_setsockopt(handle_, option, &value, sizeof value) != 0) {
            fail_at(where, "zmq_setsockopt " + std::to_string(option));
        }
    }

    void set(int option, std::string_view value, const place& where = place::current())
    {
        if (zmq_setsockopt(handle_, option, value.data(), value.size()) != 0) {
            fail_at(where, "zmq_setsockopt " + std::to_string(option));
        }
    }

    int get_int(int option, const place& where = place::current()) const
    {
        int value = -1;
        std::size_t size = sizeof value;
        if (zmq_getsockopt(handle_, option, &value, &size) != 0) {
            fail_at(where, "zmq_getsockopt " + std::to_string(option));
        }
        return value;
    }

    // Reads a string option, without the terminating zero that libzmq counts.
    std::string get_string(int option, const place& where = place::current()) const
    {
        char buffer[1024] = {};
        std::size_t size = sizeof buffer;
        if (zmq_getsockopt(handle_, option, buffer, &size) != 0) {
            fail_at(where, "zmq_getsockopt " + std::to_string(option));
            return {};
        }
        std::string value(buffer, size);
        while (!value.empty() && value.back() == '\0') {
            value.pop_back();
        }
        return value;
    }

    void subscribe(std::string_view prefix, const place& where = place::current())
    {
        set(ZMQ_SUBSCRIBE, prefix, where);
    }

    void unsubscribe(std::string_view prefix, const place& where = place::current())
    {
        set(ZMQ_UNSUBSCRIBE, prefix, where);
    }

    // Binds and returns the endpoint in the form a peer can connect to.
    std::string bind(const std::string& endpoint, const place& where = place::current())
    {
        if (zmq_bind(handle_, endpoint.c_str()) != 0) {
            fail_at(where, "zmq_bind " + endpoint);
            return {};
        }
        return last_endpoint(where);
    }

    std::string last_endpoint(const place& where = place::current()) const
    {
        return get_string(ZMQ_LAST_ENDPOINT, where);
    }

    void connect(const std::string& endpoint, const place& where = place::current())
    {
        if (zmq_connect(handle_, endpoint.c_str()) != 0) {
            fail_at(where, "zmq_connect " + endpoint);
        }
    }

    void unbind(const std::string& endpoint, const place& where = place::current())
    {
        if (zmq_unbind(handle_, endpoint.c_str()) != 0) {
            fail_at(where, "zmq_unbind " + endpoint);
        }
    }

    void disconnect(const std::string& endpoint, const place& where = place::current())
    {
        if (zmq_disconnect(handle_, endpoint.c_str()) != 0) {
            fail_at(where, "zmq_disconnect " + endpoint);
        }
    }

    // Sends one frame; `flags` as for zmq_send.
    bool send(std::string_view body, int flags = 0, const place& where = place::current())
    {
        if (zmq_send(handle_, body.data(), body.size(), flags) != static_cast<int>(body.size())) {
            fail_at(where, "zmq_send");
            return false;
        }
        return true;
    }

    // Sends one message of several frames.
    bool send_parts(const parts& frames, int flags = 0, const place& where = place::current())
    {
        for (std::size_t i = 0; i < frames.size(); ++i) {
            if (!send(frames[i], flags | (i + 1 < frames.size() ? ZMQ_SNDMORE : 0), where)) {
                return false;
            }
        }
        return true;
    }

    // Sends without waiting and without reporting a failure; returns 0 or the errno.
    int try_send(std::string_view body, int flags = 0)
    {
        return zmq_send(handle_, body.data(), body.size(), flags | ZMQ_DONTWAIT) == -1 ? zmq_errno() : 0;
    }

    // Receives one frame, of any length, unless an error comes first; then errno says which.
    std::optional<std::string> recv_frame(int flags = 0)
    {
        zmq_msg_t msg;
        zmq_msg_init(&msg);
        if (zmq_msg_recv(&msg, handle_, flags) == -1) {
            const int error = zmq_errno();
            zmq_msg_close(&msg);
            errno = error;
            return std::nullopt;
        }
        std::string body(static_cast<const char*>(zmq_msg_data(&msg)), zmq_msg_size(&msg));
        zmq_msg_close(&msg);
        return body;
    }

    // Receives one frame; a failure is reported and yields an empty string.
    std::string recv(const place& where = place::current())
    {
        auto body = recv_frame();
        if (!body) {
            fail_at(where, "zmq_msg_recv");
            return {};
        }
        return std::move(*body);
    }

    bool more() const { return get_int(ZMQ_RCVMORE) != 0; }

    // Receives all frames of one message; a failure is reported and yields what came before it.
    parts recv_parts(const place& where = place::current())
    {
        parts frames;
        do {
            auto body = recv_frame();
            if (!body) {
                fail_at(where, "zmq_msg_recv");
                break;
            }
            frames.push_back(std::move(*body));
        } while (more());
        return frames;
    }

    // All messages that are there now, each as its frames.
    std::vector<parts> drain()
    {
        std::vector<parts> messages;
        while (auto first = recv_frame(ZMQ_DONTWAIT)) {
            parts frames{std::move(*first)};
            while (more()) {
                frames.push_back(recv());
            }
            messages.push_back(std::move(frames));
        }
        return messages;
    }

    // Waits until the socket shows one of `events` (ZMQ_POLLIN, ZMQ_POLLOUT); false after `timeout_ms`.
    bool wait(short events, int timeout_ms = patience_ms) const
    {
        zmq_pollitem_t item{handle_, 0, events, 0};
        return zmq_poll(&item, 1, timeout_ms) == 1 && (item.revents & events) != 0;
    }

    bool readable(int timeout_ms = 0) const { return wait(ZMQ_POLLIN, timeout_ms); }
    bool writable(int timeout_ms = 0) const { return wait(ZMQ_POLLOUT, timeout_ms); }

private:
    void* handle_ = nullptr;
};

// Owns one context. Sockets must be closed before it; declare them after it.
class context {
public:
    context() : handle_(zmq_ctx_new()) { EXPECT_NE(nullptr, handle_); }
    context(const context&) = delete;
    context& operator=(const context&) = delete;
    ~context() { terminate(); }

    operator void*() const { return handle_; }

    socket open(int type, const place& where = place::current()) { return socket(handle_, type, where); }

    void shutdown() { EXPECT_EQ(0, zmq_ctx_shutdown(handle_)); }

    // Blocks until all sockets are closed and lingering messages are gone.
    void terminate()
    {
        if (handle_ != nullptr) {
            EXPECT_EQ(0, zmq_ctx_term(std::exchange(handle_, nullptr)));
        }
    }

private:
    void* handle_;
};

// A fixture with a context of its own for each test.
class zmq_test : public ::testing::Test {
protected:
    context ctx_;
};

// Names a test after the transport of the endpoint that is its parameter.
template <class Endpoint>
std::string scheme_of(const testing::TestParamInfo<Endpoint>& test)
{
    const std::string endpoint = test.param;
    return endpoint.substr(0, endpoint.find(':'));
}

// An inproc endpoint that no other test uses.
inline std::string unique_inproc()
{
    static std::atomic<unsigned> next{0};
    return "inproc://test-" + std::to_string(next++);
}

// A directory of its own for a test's ipc paths, short enough for a socket address; removed at the end.
class temp_directory {
public:
    temp_directory()
    {
        char name[] = "/tmp/zlink-test-XXXXXX";
        EXPECT_NE(nullptr, mkdtemp(name));
        path_ = name;
    }
    temp_directory(const temp_directory&) = delete;
    temp_directory& operator=(const temp_directory&) = delete;

    ~temp_directory()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

private:
    std::string path_;
};

// Expects that nothing can be received at this moment. Right only where no message can be under way; elsewhere use
// expect_only() or expect_no_message_for().
inline void expect_no_message(socket& receiver, const place& where = place::current())
{
    if (auto body = receiver.recv_frame(ZMQ_DONTWAIT)) {
        ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line())) << "unexpected message: " << *body;
    } else if (zmq_errno() != EAGAIN) {
        fail_at(where, "zmq_msg_recv");
    }
}

// Expects that nothing arrives for a while. Where a marker can follow what must not come, prefer expect_only().
inline void expect_no_message_for(socket& receiver, int ms = 150, const place& where = place::current())
{
    receiver.wait(ZMQ_POLLIN, ms);
    expect_no_message(receiver, where);
}

// Sends `marker` the same way as the messages that must not have come and expects that it is the next one to arrive.
inline void expect_only(socket& sender, socket& receiver, const parts& marker, const place& where = place::current())
{
    sender.send_parts(marker, 0, where);
    const parts got = receiver.recv_parts(where);
    if (got != marker) {
        ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line()))
            << "expected nothing before the marker, got " << ::testing::PrintToString(got);
    }
}

// Publishes until the subscription of `subscriber`, which must cover `topic`, has taken effect;
// leaves no message behind.
inline void sync_subscription(socket& publisher, socket& subscriber, const std::string& topic = "sync",
                              const place& where = place::current())
{
    std::string last;
    for (int sent = 0; sent < patience_ms / 10; ++sent) {
        last = topic + "#" + std::to_string(sent);
        publisher.send(last, 0, where);
        if (!subscriber.wait(ZMQ_POLLIN, 10)) {
            continue;
        }
        while (subscriber.recv(where) != last) {
            if (::testing::Test::HasFailure()) {
                return;
            }
        }
        return;
    }
    ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line())) << "the subscription never took effect";
}

struct monitor_event {
    int event = 0;
    std::uint32_t value = 0;
    std::string endpoint;
};

// Reads the events of one socket (first version of the format). Stops the monitoring when it goes; declare it after the
// socket, and do not close the socket first.
class monitor {
public:
    monitor(context& ctx, socket& watched, int events = ZMQ_EVENT_ALL, const place& where = place::current())
        : watched_(watched),
          reader_(ctx, ZMQ_PAIR)
    {
        const std::string endpoint = unique_inproc();
        if (zmq_socket_monitor(watched_, endpoint.c_str(), events) != 0) {
            fail_at(where, "zmq_socket_monitor");
        }
        reader_.connect(endpoint);
    }
    monitor(const monitor&) = delete;
    monitor& operator=(const monitor&) = delete;

    ~monitor()
    {
        if (watched_ != nullptr) {
            zmq_socket_monitor(watched_, nullptr, 0);
        }
    }

    // Closes the reading end alone, for a test that closes the watched socket itself.
    void detach()
    {
        watched_ = nullptr;
        reader_.close();
    }

    // The next event, or none within the time.
    std::optional<monitor_event> next(int timeout_ms = patience_ms)
    {
        if (!reader_.wait(ZMQ_POLLIN, timeout_ms)) {
            return std::nullopt;
        }
        const parts frames = reader_.recv_parts();
        if (frames.size() != 2 || frames[0].size() != 6) {
            ADD_FAILURE() << "malformed monitor event: " << ::testing::PrintToString(frames);
            return std::nullopt;
        }
        std::uint16_t event = 0;
        monitor_event result;
        std::memcpy(&event, frames[0].data(), sizeof event);
        std::memcpy(&result.value, frames[0].data() + sizeof event, sizeof result.value);
        result.event = event;
        result.endpoint = frames[1];
        return result;
    }

    // Reads on until one of the events in `mask` comes; others are passed over. Reports a failure if none comes.
    monitor_event await(int mask, const place& where = place::current())
    {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
        while (true) {
            const auto left =
                std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
            auto event = left.count() > 0 ? next(static_cast<int>(left.count())) : std::nullopt;
            if (!event) {
                ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line()))
                    << "no monitor event of mask " << mask;
                return {};
            }
            if ((event->event & mask) != 0) {
                return *event;
            }
        }
    }

private:
    void* watched_;
    socket reader_;
};

// A plain TCP peer on 127.0.0.1, for what no ZeroMQ socket would do. Reads and writes give up after a few seconds.
class tcp_peer {
public:
    tcp_peer() = default;
    explicit tcp_peer(int fd) : fd_(fd) { set_timeouts(); }
    tcp_peer(tcp_peer&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    tcp_peer& operator=(tcp_peer&& other) noexcept
    {
        if (this != &other) {
            close();
            fd_ = std::exchange(other.fd_, -1);
        }
        return *this;
    }
    ~tcp_peer() { close(); }

    int fd() const { return fd_; }

    static std::uint16_t port_of(const std::string& endpoint)
    {
        return static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1)));
    }

    static tcp_peer connect(const std::string& endpoint, const place& where = place::current())
    {
        tcp_peer peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address = loopback(port_of(endpoint));
        if (::connect(peer.fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
            fail_at(where, "connect " + endpoint);
        }
        return peer;
    }

    // Listens on a port that the system chooses, or on the one given.
    static tcp_peer listen(std::uint16_t port = 0, const place& where = place::current())
    {
        tcp_peer peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const int on = 1;
        ::setsockopt(peer.fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        sockaddr_in address = loopback(port);
        if (::bind(peer.fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
            ::listen(peer.fd_, 16) != 0) {
            fail_at(where, "listen");
        }
        return peer;
    }

    // The endpoint of this end, for zmq_connect().
    std::string endpoint() const
    {
        sockaddr_in address{};
        socklen_t size = sizeof address;
        ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
        return "tcp://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    }

    tcp_peer accept(const place& where = place::current())
    {
        const int fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd == -1) {
            fail_at(where, "accept");
        }
        return tcp_peer(fd);
    }

    bool write(std::string_view bytes, const place& where = place::current())
    {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) {
                fail_at(where, "write");
                return false;
            }
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }

    // Reads exactly `size` bytes; less only after a reported failure.
    std::string read(std::size_t size, const place& where = place::current())
    {
        std::string bytes(size, '\0');
        std::size_t have = 0;
        while (have < size) {
            const ssize_t got = ::recv(fd_, bytes.data() + have, size - have, 0);
            if (got <= 0) {
                fail_at(where, "read");
                break;
            }
            have += static_cast<std::size_t>(got);
        }
        bytes.resize(have);
        return bytes;
    }

    // True once the other end has closed or reset the connection; bytes before that are dropped. Does not wait.
    bool ended()
    {
        char buffer[4096];
        ssize_t got = 0;
        do {
            got = ::recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT);
        } while (got > 0);
        return got == 0 || errno == ECONNRESET;
    }

    void close()
    {
        if (fd_ != -1) {
            ::close(std::exchange(fd_, -1));
        }
    }

    // Ends the connection with a reset instead of an orderly close.
    void reset()
    {
        const linger now{1, 0};
        ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        close();
    }

private:
    static sockaddr_in loopback(std::uint16_t port)
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port);
        return address;
    }

    void set_timeouts() const
    {
        const timeval patience{patience_ms / 1000, 0};
        ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    }

    int fd_ = -1;
};

}  // namespace zlink::test
