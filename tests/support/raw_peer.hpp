// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A ZMTP speaker on a plain BSD socket (or whatever its octets go over). It is for tests that script a peer byte by
// byte: versions 3.1, 3.0, 2.0 and 1.0.
//
// All calls block for at most the peer's patience and throw raw_peer_error when the script cannot go on. GoogleTest
// reports that as a failure of the running test.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zlink::test {

class raw_peer_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

enum class zmtp_version { v1_0, v2_0, v3_0, v3_1 };

inline constexpr std::uint8_t more_bit = 0x01;
inline constexpr std::uint8_t long_bit = 0x02;
inline constexpr std::uint8_t command_bit = 0x04;

inline std::string big_endian(std::uint64_t value, int octets)
{
    std::string bytes;
    for (int shift = 8 * (octets - 1); shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(value >> shift));
    return bytes;
}

inline std::uint64_t from_big_endian(std::string_view bytes)
{
    std::uint64_t value = 0;
    for (const char byte : bytes) value = value << 8 | static_cast<std::uint8_t>(byte);
    return value;
}

/// The ten octets FF, eight of padding, 7F by which 2.0 and later tell themselves from 1.0.
inline std::string zmtp_signature()
{
    return std::string("\xff\0\0\0\0\0\0\0\0\x7f", 10);
}

/// The 64 octets of a ZMTP 3 greeting; a mechanism shorter than 20 octets is padded.
inline std::string zmtp3_greeting(int minor = 1, std::string_view mechanism = "NULL", bool as_server = false)
{
    std::string greeting = zmtp_signature();
    greeting.push_back(3);
    greeting.push_back(static_cast<char>(minor));
    greeting.append(mechanism);
    greeting.resize(32, '\0');
    greeting.push_back(as_server ? 1 : 0);
    greeting.resize(64, '\0');
    return greeting;
}

/// A frame of ZMTP 2.0 and 3.x: flags, length, body. The LONG bit is chosen by the size.
inline std::string zmtp_frame(std::string_view body, std::uint8_t flags = 0)
{
    std::string frame;
    if (body.size() > 255) {
        frame.push_back(static_cast<char>(flags | long_bit));
        frame += big_endian(body.size(), 8);
    } else {
        frame.push_back(static_cast<char>(flags));
        frame.push_back(static_cast<char>(body.size()));
    }
    frame.append(body);
    return frame;
}

/// A frame of ZMTP 1.0: the length counts the flags octet that follows it.
inline std::string zmtp1_frame(std::string_view body, bool more = false)
{
    std::string frame;
    if (body.size() + 1 < 255) {
        frame.push_back(static_cast<char>(body.size() + 1));
    } else {
        frame.push_back('\xff');
        frame += big_endian(body.size() + 1, 8);
    }
    frame.push_back(more ? 1 : 0);
    frame.append(body);
    return frame;
}

inline std::string zmtp_property(std::string_view name, std::string_view value)
{
    std::string property(1, static_cast<char>(name.size()));
    property.append(name);
    property += big_endian(value.size(), 4);
    property.append(value);
    return property;
}

/// A command body: the name behind its length, then the data.
inline std::string zmtp_command_body(std::string_view name, std::string_view data = {})
{
    std::string body(1, static_cast<char>(name.size()));
    body.append(name);
    body.append(data);
    return body;
}

inline std::string zmtp_command(std::string_view name, std::string_view data = {})
{
    return zmtp_frame(zmtp_command_body(name, data), command_bit);
}

inline std::string zmtp_ready(std::string_view socket_type, std::optional<std::string> identity = std::nullopt)
{
    std::string metadata = zmtp_property("Socket-Type", socket_type);
    if (identity) metadata += zmtp_property("Identity", *identity);
    return zmtp_command("READY", metadata);
}

/// One frame as it was read; for commands `name()` and `data()` split the body.
struct raw_frame {
    std::uint8_t flags = 0;
    std::string body;

    [[nodiscard]] bool more() const { return (flags & more_bit) != 0; }
    [[nodiscard]] bool is_command() const { return (flags & command_bit) != 0; }

    [[nodiscard]] std::string name() const
    {
        if (body.empty()) return {};
        return body.substr(1, static_cast<std::uint8_t>(body[0]));
    }

    [[nodiscard]] std::string data() const
    {
        if (body.empty()) return {};
        const auto skip = std::size_t{1} + static_cast<std::uint8_t>(body[0]);
        return skip <= body.size() ? body.substr(skip) : std::string{};
    }
};

/// The properties of a READY command's data.
inline std::map<std::string, std::string> parse_metadata(std::string_view data)
{
    std::map<std::string, std::string> properties;
    while (!data.empty()) {
        const std::size_t name_size = static_cast<std::uint8_t>(data[0]);
        if (data.size() < 1 + name_size + 4) throw raw_peer_error("metadata: property cut short");
        const std::string name(data.substr(1, name_size));
        const auto value_size = from_big_endian(data.substr(1 + name_size, 4));
        data.remove_prefix(1 + name_size + 4);
        if (data.size() < value_size) throw raw_peer_error("metadata: value cut short");
        properties[name] = std::string(data.substr(0, value_size));
        data.remove_prefix(value_size);
    }
    return properties;
}

/// What a peer's octets go over. Closed when it goes.
class octet_channel {
public:
    octet_channel() = default;
    octet_channel(const octet_channel&) = delete;
    octet_channel& operator=(const octet_channel&) = delete;
    virtual ~octet_channel() = default;

    [[nodiscard]] virtual int fd() const = 0;
    /// Octets taken; -1 with errno, EAGAIN when there is no room now.
    virtual ssize_t send(const char* octets, std::size_t size) = 0;
    /// Octets that have come; 0 at the end; -1 with errno, EAGAIN when there are none now.
    virtual ssize_t receive(char* octets, std::size_t size) = 0;
    /// Waits for poll's `events`, as poll answers.
    virtual int wait(short events, int timeout_ms) = 0;
    /// Makes the end, when it goes, a reset.
    virtual void end_hard() = 0;
};

/// A connected socket.
class socket_channel final : public octet_channel {
public:
    explicit socket_channel(int fd) : fd_(fd)
    {
        const int on = 1;
        (void)::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    ~socket_channel() override
    {
        if (fd_ >= 0) ::close(fd_);
    }

    [[nodiscard]] int fd() const override { return fd_; }
    ssize_t send(const char* octets, std::size_t size) override
    {
        return ::send(fd_, octets, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    ssize_t receive(char* octets, std::size_t size) override { return ::recv(fd_, octets, size, MSG_DONTWAIT); }
    int wait(short events, int timeout_ms) override
    {
        pollfd item{fd_, events, 0};
        return ::poll(&item, 1, timeout_ms);
    }
    void end_hard() override
    {
        const linger hard{1, 0};
        (void)::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    }

private:
    int fd_;
};

/// One connection under the test's control. Move-only, used by one thread; closes it when it goes.
class raw_peer {
public:
    using milliseconds = std::chrono::milliseconds;

    explicit raw_peer(int fd) : raw_peer(std::make_unique<socket_channel>(fd)) {}
    explicit raw_peer(std::unique_ptr<octet_channel> channel) : channel_(std::move(channel)) {}

    /// Connects to "tcp://127.0.0.1:port", the form in which ZMQ_LAST_ENDPOINT names a loopback binding.
    static raw_peer connect_to(const std::string& endpoint)
    {
        const auto colon = endpoint.rfind(':');
        if (endpoint.rfind("tcp://", 0) != 0 || colon < 6) throw raw_peer_error("not a tcp endpoint: " + endpoint);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(endpoint.substr(colon + 1))));
        if (::inet_pton(AF_INET, endpoint.substr(6, colon - 6).c_str(), &address.sin_addr) != 1)
            throw raw_peer_error("not an IPv4 endpoint: " + endpoint);
        const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0) throw raw_peer_error(std::string("socket: ") + std::strerror(errno));
        raw_peer peer(fd);
        if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            throw raw_peer_error(std::string("connect: ") + std::strerror(errno));
        return peer;
    }

    [[nodiscard]] int fd() const { return channel_->fd(); }
    void set_patience(milliseconds patience) { patience_ = patience; }

    void close() { channel_.reset(); }

    /// Closes so that the other side sees a reset rather than an orderly end.
    void reset()
    {
        channel_->end_hard();
        close();
    }

    // bytes

    void send_bytes(std::string_view bytes)
    {
        if (!try_send_bytes(bytes)) throw raw_peer_error(std::string("send: ") + std::strerror(errno));
    }

    /// As send_bytes, but a connection that the other side has ended is no error: returns false.
    bool try_send_bytes(std::string_view bytes)
    {
        while (!bytes.empty()) {
            const ssize_t sent = channel_->send(bytes.data(), bytes.size());
            if (sent > 0) {
                bytes.remove_prefix(static_cast<std::size_t>(sent));
            } else if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
                if (channel_->wait(POLLOUT, static_cast<int>(patience_.count())) == 0) {
                    errno = ETIMEDOUT;
                    return false;
                }
            } else {
                return false;
            }
        }
        return true;
    }

    std::string read_bytes(std::size_t count)
    {
        const auto deadline = std::chrono::steady_clock::now() + patience_;
        while (buffer_.size() < count) {
            if (!fill(deadline)) throw raw_peer_error("connection ended while bytes were expected");
        }
        std::string bytes = buffer_.substr(0, count);
        buffer_.erase(0, count);
        return bytes;
    }

    /// The kernel takes octets at once.
    [[nodiscard]] bool has_room() { return channel_->wait(POLLOUT, 0) != 0; }

    /// True if nothing arrives for the time given (the connection must stay open, too).
    [[nodiscard]] bool is_silent_for(milliseconds time)
    {
        if (!buffer_.empty()) return false;
        return channel_->wait(POLLIN, static_cast<int>(time.count())) == 0;
    }

    /// Reads and drops everything until the other side ends the connection; false if it does not in time.
    [[nodiscard]] bool wait_for_end()
    {
        const auto deadline = std::chrono::steady_clock::now() + patience_;
        try {
            while (fill(deadline)) buffer_.clear();
        } catch (const raw_peer_error&) {
            return false;
        }
        return true;
    }

    /// All that comes until the other side ends the connection.
    std::string read_to_end()
    {
        const auto deadline = std::chrono::steady_clock::now() + patience_;
        while (fill(deadline)) {
        }
        return std::exchange(buffer_, {});
    }

    // frames, in the framing of the version shaken hands on

    [[nodiscard]] zmtp_version version() const { return version_; }

    raw_frame read_frame()
    {
        raw_frame frame;
        if (version_ == zmtp_version::v1_0) {
            std::uint64_t size = from_big_endian(read_bytes(1));
            if (size == 0xff) size = from_big_endian(read_bytes(8));
            frame.flags = static_cast<std::uint8_t>(read_bytes(1)[0]);
            frame.body = read_bytes(size - 1);
        } else {
            frame.flags = static_cast<std::uint8_t>(read_bytes(1)[0]);
            const auto size = from_big_endian(read_bytes((frame.flags & long_bit) != 0 ? 8 : 1));
            frame.body = read_bytes(size);
        }
        return frame;
    }

    /// The frames of one message; commands in front of it are skipped.
    std::vector<std::string> read_message()
    {
        std::vector<std::string> bodies;
        for (;;) {
            raw_frame frame = read_frame();
            if (version_ != zmtp_version::v1_0 && frame.is_command()) continue;
            const bool more = frame.more();
            bodies.push_back(std::move(frame.body));
            if (!more) return bodies;
        }
    }

    /// The next frame, which must be a command of this name; messages in front of it are skipped.
    raw_frame read_command(const std::string& name)
    {
        for (;;) {
            raw_frame frame = read_frame();
            if (frame.is_command() && frame.name() == name) return frame;
        }
    }

    void send_message(const std::vector<std::string>& bodies)
    {
        std::string bytes;
        for (std::size_t i = 0; i != bodies.size(); ++i) {
            const bool more = i + 1 != bodies.size();
            bytes += version_ == zmtp_version::v1_0 ? zmtp1_frame(bodies[i], more)
                                                    : zmtp_frame(bodies[i], more ? more_bit : std::uint8_t{0});
        }
        send_bytes(bytes);
    }

    void send_command(std::string_view name, std::string_view data = {}) { send_bytes(zmtp_command(name, data)); }

    // handshakes: each sends our side, reads the other's, and returns what it learnt

    /// What the other side said of itself during the handshake.
    struct peer_facts {
        std::string greeting;     ///< the octets as read (3.x: 64, 2.0: 12, 1.0: the first 10)
        std::string socket_type;  ///< 3.x: by name; 2.0: the octet
        std::string identity;
        std::map<std::string, std::string> metadata;  ///< 3.x only
    };

    /// Exchanges greetings and READY as `version`, naming our socket type ("DEALER", "SUB", ...).
    peer_facts handshake(zmtp_version version, const std::string& socket_type, const std::string& identity = {})
    {
        version_ = version;
        switch (version) {
        case zmtp_version::v1_0: return handshake_1(identity);
        case zmtp_version::v2_0: return handshake_2(socket_type, identity);
        case zmtp_version::v3_0: return handshake_3(0, socket_type, identity);
        case zmtp_version::v3_1: break;
        }
        return handshake_3(1, socket_type, identity);
    }

    /// The octet by which ZMTP 2.0 (RFC 15) names a socket type.
    static char socket_type_octet(const std::string& name)
    {
        static const std::vector<std::string> names{"PAIR",   "PUB",  "SUB",  "REQ",  "REP", "DEALER",
                                                    "ROUTER", "PULL", "PUSH", "XPUB", "XSUB"};
        for (std::size_t i = 0; i != names.size(); ++i) {
            if (names[i] == name) return static_cast<char>(i);
        }
        throw raw_peer_error("ZMTP 2.0 has no socket type " + name);
    }

private:
    peer_facts handshake_3(int minor, const std::string& socket_type, const std::string& identity)
    {
        peer_facts facts;
        send_bytes(zmtp3_greeting(minor));
        facts.greeting = read_bytes(64);
        send_bytes(zmtp_ready(socket_type, identity));
        const raw_frame ready = read_frame();
        if (!ready.is_command() || ready.name() != "READY") throw raw_peer_error("no READY but " + ready.name());
        facts.metadata = parse_metadata(ready.data());
        facts.socket_type = facts.metadata["Socket-Type"];
        facts.identity = facts.metadata["Identity"];
        return facts;
    }

    peer_facts handshake_2(const std::string& socket_type, const std::string& identity)
    {
        peer_facts facts;
        send_bytes(zmtp_signature() + '\x01' + socket_type_octet(socket_type) + zmtp_frame(identity));
        facts.greeting = read_bytes(12);
        facts.socket_type = facts.greeting.substr(11);
        facts.identity = read_frame().body;
        return facts;
    }

    peer_facts handshake_1(const std::string& identity)
    {
        peer_facts facts;
        send_bytes(zmtp1_frame(identity));
        // The other side opened with a signature, which a 1.0 peer reads as a long frame that carries the identity.
        facts.greeting = read_bytes(10);
        facts.identity = read_bytes(from_big_endian(std::string_view(facts.greeting).substr(1, 8)) - 1);
        return facts;
    }

    /// Reads once into the buffer; false at the end of the stream, raw_peer_error when the deadline passes.
    bool fill(std::chrono::steady_clock::time_point deadline)
    {
        for (;;) {
            const auto left = std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now());
            const int ready = channel_->wait(POLLIN, static_cast<int>(left.count() > 0 ? left.count() : 0));
            if (ready < 0 && errno == EINTR) continue;
            if (ready == 0) throw raw_peer_error("nothing arrived in time");
            char chunk[16384];
            const ssize_t got = channel_->receive(chunk, sizeof chunk);
            if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            if (got <= 0) return false;
            buffer_.append(chunk, static_cast<std::size_t>(got));
            return true;
        }
    }

    std::unique_ptr<octet_channel> channel_;
    milliseconds patience_{5000};
    std::string buffer_;
    zmtp_version version_ = zmtp_version::v3_1;
};

/// A listening TCP socket on a loopback port the system chose, so that the library under test can connect to a script.
class raw_listener {
public:
    raw_listener()
    {
        fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const generic = reinterpret_cast<sockaddr*>(&address);
        if (fd_ < 0 || ::bind(fd_, generic, size) != 0 || ::listen(fd_, 16) != 0 ||
            ::getsockname(fd_, generic, &size) != 0) {
            throw raw_peer_error(std::string("listen: ") + std::strerror(errno));
        }
        port_ = ntohs(address.sin_port);
    }

    raw_listener(const raw_listener&) = delete;
    raw_listener& operator=(const raw_listener&) = delete;
    ~raw_listener() { close(); }

    [[nodiscard]] int port() const { return port_; }
    [[nodiscard]] std::string endpoint() const { return "tcp://127.0.0.1:" + std::to_string(port_); }

    /// Waits for a connection; throws if none comes in time.
    raw_peer accept(std::chrono::milliseconds patience = std::chrono::milliseconds(5000))
    {
        if (!has_connection_within(patience)) throw raw_peer_error("nobody connected in time");
        const int fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0) throw raw_peer_error(std::string("accept: ") + std::strerror(errno));
        return raw_peer(fd);
    }

    [[nodiscard]] bool has_connection_within(std::chrono::milliseconds time) const
    {
        pollfd item{fd_, POLLIN, 0};
        return ::poll(&item, 1, static_cast<int>(time.count())) == 1;
    }

    void close()
    {
        if (fd_ >= 0) ::close(std::exchange(fd_, -1));
    }

private:
    int fd_ = -1;
    int port_ = 0;
};

}  // namespace zlink::test
