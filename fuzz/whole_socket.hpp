// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A complete socket of any type, whose peer is the input: its context is hosted, so that one thread does all I/O, over
// streams in memory. The program sends, receives, sets options and closes in between. Whatever the peer sends, the
// socket says nothing but frames of the protocol; and as long as both keep to it, every message arrives, whole, in
// order.
#pragma once

#ifdef ZLINK_CURVE
#include "curve_peer.hpp"
#endif
#include "far_end.hpp"
#include "harmless_options.hpp"
#include "hosted_context.hpp"
#include "transport/endpoint.hpp"
#include "transport/transport.hpp"
#include "zmtp/socket_types.hpp"
#include "zws/agreement.hpp"

#include <time.h>

#include <cerrno>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace zlink::fuzz {

/// What the octets go over, and the security mechanism.
struct way {
    const char* scheme;
    zmtp::mechanism_kind mechanism;
};

/// What a kind of stream needs besides: the socket's options, and those of its peer's stream.
struct stream_needs {
    std::function<void(void* socket)> of_socket = [](void*) {};
    std::function<void(transport::stream_options&)> of_peer = [](transport::stream_options&) {};
};

class whole_socket {
public:
    whole_socket(input in, std::span<const way> ways, const stream_needs& needs) : in_(in), needs_(needs)
    {
        way_ = ways[in_.choice() % ways.size()];
        const std::uint8_t how = in_.choice();
        binds_ = (how & 1) != 0;
        polite_ = (how & 6) != 0;       // most are
        below_ = (how & 0x38) == 0x38;  // the peer does not even speak what ZMTP goes over
        type_ = int(in_.choice() % 21);
        if (type_ == ZMQ_DGRAM) type_ = ZMQ_PAIR;
        socket_ = open(type_);
        zap_ = (how & 0x40) ? open(ZMQ_REP) : nullptr;
        if (zap_) (void)zmq_bind(zap_, "inproc://zeromq.zap.01");
        if (how & 0x80) watch();
        secure();
        needs_.of_socket(socket_);
        for (std::size_t i = in_.choice() % 4; i > 0; --i) set_named_option();
    }
    whole_socket(const whole_socket&) = delete;
    whole_socket& operator=(const whole_socket&) = delete;
    ~whole_socket()
    {
        far_.reset();
        for (void* s : {socket_, zap_, events_}) {
            if (s) require(zmq_close(s) == 0);
        }
    }

    void run()
    {
        meet();
        for (int i = 0; i < 300 && !in_.rest().empty(); ++i) {
            const std::uint8_t what = in_.choice();
            (this->*turns[(what & 0x7f) % std::size(turns)])();
            if (what < 0x80) context_.step();
        }
        finish();
    }

private:
    using turn = void (whole_socket::*)();
    static const turn turns[21];

    void* open(int type)
    {
        void* const s = zmq_socket(context_.handle(), type);
        require(s != nullptr);
        const int none = 0, never = -1;
        (void)zmq_setsockopt(s, ZMQ_LINGER, &none, sizeof none);
        (void)zmq_setsockopt(s, ZMQ_RECONNECT_IVL, &never, sizeof never);
        return s;
    }
    void watch()
    {
        events_ = open(ZMQ_PAIR);
        (void)zmq_socket_monitor(socket_, "inproc://events", ZMQ_EVENT_ALL);
        (void)zmq_connect(events_, "inproc://events");
    }

    void secure()
    {
        const int yes = 1;
        if (way_.mechanism == zmtp::mechanism_kind::plain) {
            if (binds_) {
                (void)zmq_setsockopt(socket_, ZMQ_PLAIN_SERVER, &yes, sizeof yes);
            } else {
                (void)zmq_setsockopt(socket_, ZMQ_PLAIN_USERNAME, "joe", 3);
                (void)zmq_setsockopt(socket_, ZMQ_PLAIN_PASSWORD, "secret", 6);
            }
        }
#ifdef ZLINK_CURVE
        if (way_.mechanism == zmtp::mechanism_kind::curve) {
            const curve_pair& own = binds_ ? server_keys() : client_keys();
            if (binds_) (void)zmq_setsockopt(socket_, ZMQ_CURVE_SERVER, &yes, sizeof yes);
            if (!binds_) (void)zmq_setsockopt(socket_, ZMQ_CURVE_SERVERKEY, server_keys().open.data(), 32);
            (void)zmq_setsockopt(socket_, ZMQ_CURVE_PUBLICKEY, own.open.data(), 32);
            (void)zmq_setsockopt(socket_, ZMQ_CURVE_SECRETKEY, own.secret.data(), 32);
        }
#endif
    }
    [[nodiscard]] zmtp::security_settings security_of_peer() const
    {
        zmtp::security_settings peer;
        if (way_.mechanism == zmtp::mechanism_kind::plain) {
            peer.mechanism = way_.mechanism;
            peer.as_server = !binds_;
            peer.plain_username = "joe";
            peer.plain_password = "secret";
        }
#ifdef ZLINK_CURVE
        if (way_.mechanism == zmtp::mechanism_kind::curve)
            peer = binds_ ? curve_client_settings() : curve_server_settings();
#endif
        return peer;
    }
    [[nodiscard]] const char* name_of_mechanism() const
    {
        switch (way_.mechanism) {
        case zmtp::mechanism_kind::plain: return "PLAIN";
        case zmtp::mechanism_kind::curve: return "CURVE";
        default: return "NULL";
        }
    }
    /// A type that may talk to the socket's; any if there is none.
    [[nodiscard]] zmtp::socket_type type_of_peer()
    {
        const std::uint8_t first = in_.choice();
        for (int i = 0; i < 21; ++i) {
            const auto type = zmtp::socket_type((first + i) % 21);
            if (zmtp::compatible(zmtp::socket_type(type_), type)) return type;
        }
        return zmtp::socket_type(first % 21);
    }

    /// One of the two listens, the other one connects.
    void meet()
    {
        static unsigned number = 0;
        const std::uint8_t read = in_.choice(), write = in_.choice(), again = in_.choice();
        const std::string script = "?seed=" + std::to_string(read) + (read ? "&read=" + std::to_string(read) : "") +
                                   (write ? "&write=" + std::to_string(write) : "") +
                                   (again > 1 ? "&again=" + std::to_string(again) : "");
        const std::string name = "fuzz-" + std::to_string(number++);
        own_ = std::string(way_.scheme) + "://" + name + script;
        theirs_ = std::string(below_ ? "mem" : way_.scheme) + "://" + name;
        options_.protocols = zws::protocols_of(name_of_mechanism(), way_.mechanism != zmtp::mechanism_kind::null);
        needs_.of_peer(options_);
        if (binds_) {
            if (zmq_bind(socket_, own_.c_str()) != 0) return;
            call();
            return;
        }
        const auto where = transport::parse_bind_endpoint(theirs_);
        require(bool(where));
        int unused = -1;
        auto bound = where->over->streams()->bind(*where->where, options_, unused);
        require(bool(bound));
        if (zmq_connect(socket_, own_.c_str()) != 0) return;
        context_.step();
        auto accepted = (*bound)->accept(options_);
        if (accepted) begin(std::move(*accepted));
    }
    void call()
    {
        const auto where = transport::parse_connect_endpoint(theirs_);
        require(bool(where));
        const auto attempt = where->over->streams()->connect(*where->where, options_);
        require(bool(attempt));
        int unused = -1;
        auto opened = (*attempt)->open(unused);
        if (opened) begin(std::move(opened->made));
    }
    void begin(std::unique_ptr<transport::stream> theirs)
    {
        far_ = std::make_unique<far_end>(std::move(theirs), [this] { step(); });
        ++peers_;
        if (zap_) spoilt_ = true;
        if (!polite_ || below_ || type_ == ZMQ_STREAM) {
            spoilt_ = true;
            return;
        }
        zmtp::local_peer who;
        who.type = type_of_peer();
        const auto id = in_.take(in_.choice() % 16);
        who.routing_id.assign(id.begin(), id.end());
        who.security = std::make_shared<const zmtp::security_settings>(security_of_peer());
        far_->shake_hands(who);
    }
    void step()
    {
        context_.step();
        if (zap_) answer();
    }

    // What happens next

    void peer_says_frame()
    {
        const std::uint8_t flags = in_.choice();
        const auto body = sized();
        if (!far_ || !far_->established()) return;
        const bool command = (flags & 0xf0) == 0;
        if (command) spoilt_ = true;
        const int kept = message::flag_more | (command ? message::flag_command : 0);
        far_->send_frame(std::uint8_t(flags & kept), body, (flags & 8) != 0);
        part_.emplace_back(reinterpret_cast<const char*>(body.data()), body.size());
        if ((flags & message::flag_more) == 0) said_.push_back(std::exchange(part_, {}));
    }
    void peer_says_command()
    {
        static const std::string commands[] = {
            "\x09SUBSCRIBE",
            "\x06"
            "CANCEL",
            std::string("\x04PING\0\0", 7),
            std::string("\x04PING\0\1", 7),
            "\x04PONG",
            "\x04JOIN",
            "\x05LEAVE",
            "\x05"
            "ERROR",
            "\x05READY",
            "\x07UNKNOWN",
        };
        const std::string& name = commands[in_.choice() % std::size(commands)];
        std::vector<std::byte> body(octets_in(name).begin(), octets_in(name).end());
        const auto data = sized();
        body.insert(body.end(), data.begin(), data.end());
        spoilt_ = true;
        if (far_ && far_->established()) far_->send_frame(message::flag_command, body);
    }
    void peer_says_octets()
    {
        const auto any = sized();
        spoilt_ = true;
        if (far_) far_->send(any);
    }
    void peer_hears()
    {
        if (far_) far_->hear();
    }
    void peer_goes()
    {
        spoilt_ = true;
        far_.reset();
        context_.step();
        if (binds_ && socket_ && peers_ < 4) call();
    }

    /// Behind those that have come before; `look` sees it first. False: none came.
    template <class Look>
    static bool take_frame(void* from, message_parts& to, bool& more, Look look)
    {
        zmq_msg_t frame;
        (void)zmq_msg_init(&frame);
        const bool came = zmq_msg_recv(&frame, from, ZMQ_DONTWAIT) >= 0;
        const int error = zmq_errno();
        if (came) {
            more = zmq_msg_more(&frame) != 0;
            look(frame);
            to.emplace_back(static_cast<const char*>(zmq_msg_data(&frame)), zmq_msg_size(&frame));
        }
        (void)zmq_msg_close(&frame);
        errno = error;
        return came;
    }
    void program_receives()
    {
        if (!socket_) return;
        message_parts whole;
        for (bool more = true; more;) {
            const bool came = take_frame(socket_, whole, more, [this, first = whole.empty()](zmq_msg_t& frame) {
                if (first) routing_id_ = zmq_msg_routing_id(&frame);
                (void)zmq_msg_gets(&frame, "Peer-Address");
                (void)zmq_msg_group(&frame);
            });
            if (came) continue;
            // Nothing comes between the parts of a message.
            require(whole.empty() || zmq_errno() != EAGAIN);
            return;
        }
        last_id_ = whole.front();
        got_.push_back(std::move(whole));
    }
    void program_sends()
    {
        const std::uint8_t how = in_.choice();
        const auto body = sized();
        if (!socket_) return;
        if ((type_ == ZMQ_ROUTER || type_ == ZMQ_STREAM) && (how & 2) == 0) {
            if (zmq_send(socket_, last_id_.data(), last_id_.size(), ZMQ_DONTWAIT | ZMQ_SNDMORE) < 0) return;
        }
        zmq_msg_t frame;
        (void)zmq_msg_init_buffer(&frame, body.data(), body.size());
        if (type_ == ZMQ_SERVER || type_ == ZMQ_PEER) (void)zmq_msg_set_routing_id(&frame, routing_id_);
        if (type_ == ZMQ_RADIO) (void)zmq_msg_set_group(&frame, how & 4 ? "a" : "group");
        const bool more = (how & 1) != 0;
        const int sent = zmq_msg_send(&frame, socket_, ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0));
        (void)zmq_msg_close(&frame);
        if (sent < 0) return;
        going_.emplace_back(reinterpret_cast<const char*>(body.data()), body.size());
        if (!more) sent_.push_back(std::exchange(going_, {}));
    }
    void set_named_option()
    {
        static constexpr int options[] = {
            ZMQ_SUBSCRIBE,
            ZMQ_UNSUBSCRIBE,
            ZMQ_XPUB_VERBOSE,
            ZMQ_XPUB_VERBOSER,
            ZMQ_XPUB_MANUAL,
            ZMQ_XPUB_NODROP,
            ZMQ_INVERT_MATCHING,
            ZMQ_XPUB_WELCOME_MSG,
            ZMQ_ROUTING_ID,
            ZMQ_ROUTER_MANDATORY,
            ZMQ_ROUTER_RAW,
            ZMQ_PROBE_ROUTER,
            ZMQ_ROUTER_HANDOVER,
            ZMQ_REQ_CORRELATE,
            ZMQ_REQ_RELAXED,
            ZMQ_CONFLATE,
            ZMQ_SNDHWM,
            ZMQ_RCVHWM,
            ZMQ_MAXMSGSIZE,
            ZMQ_STREAM_NOTIFY,
            ZMQ_HEARTBEAT_IVL,
            ZMQ_HEARTBEAT_TTL,
            ZMQ_HELLO_MSG,
            ZMQ_DISCONNECT_MSG,
            ZMQ_ZAP_DOMAIN,
            ZMQ_METADATA,
            ZMQ_IN_BATCH_SIZE,
            ZLINK_SNDHWM_BYTES,
            ZLINK_RCVHWM_BYTES,
            ZLINK_ON_FULL,
            ZMQ_ONLY_FIRST_SUBSCRIBE,
            ZMQ_OLDEST_ZMTP,
            ZMQ_HANDSHAKE_IVL,
            ZMQ_ZAP_ENFORCE_DOMAIN,
            ZLINK_ON_FULL_RECEIVE,
            ZLINK_SHARED,
        };
        const int option = options[in_.choice() % std::size(options)];
        const std::uint8_t form = in_.choice();
        std::int64_t number = std::int8_t(in_.choice());
        if (form & 1) number *= 64;
        spoilt_ = true;
        if (!socket_) return;
        if (form & 2) {
            const auto text = sized();
            (void)zmq_setsockopt(socket_, option, text.data(), text.size());
        } else if (form & 4) {
            (void)zmq_setsockopt(socket_, option, &number, sizeof number);
        } else {
            const int small = int(number);
            (void)zmq_setsockopt(socket_, option, &small, sizeof small);
        }
    }
    void set_option()
    {
        spoilt_ = true;
        const int option = option_number(in_);
        const octets value = harmless(option, any_value(in_), descriptors_);
        if (socket_) (void)zmq_setsockopt(socket_, option, value.data(), value.size());
    }
    void get_option()
    {
        const int option = option_number(in_);
        octets room(in_.choice());
        std::size_t size = room.size();
        if (socket_ && zmq_getsockopt(socket_, option, room.data(), &size) == 0) require(size <= room.size());
    }
    void join()
    {
        spoilt_ = true;
        const std::string group = in_.choice() & 1 ? "a" : "group";
        if (socket_) (void)(in_.choice() & 1 ? zmq_join(socket_, group.c_str()) : zmq_leave(socket_, group.c_str()));
    }
    /// A handler that says what the input has.
    void answer()
    {
        if (!zap_) return;
        message_parts question;
        for (bool more = true; more;) {
            if (!take_frame(zap_, question, more, [](zmq_msg_t&) {})) return;
        }
        require(question.size() >= 6 && question[0] == "1.0");
        const std::uint8_t how = in_.choice();
        const std::string good[] = {"1.0", question[1], how & 1 ? "400" : "200", "text", "user", ""};
        const std::size_t count = how & 2 ? how % 8 : 6;
        for (std::size_t i = 0; i < count; ++i) {
            const auto spoilt = how & 4 ? sized() : std::span<const std::byte>{};
            const std::string text = i < 6 && (how & 4) == 0
                                         ? good[i]
                                         : std::string(reinterpret_cast<const char*>(spoilt.data()), spoilt.size());
            (void)zmq_send(zap_, text.data(), text.size(), ZMQ_DONTWAIT | (i + 1 < count ? ZMQ_SNDMORE : 0));
        }
        context_.step();
    }
    void hear_events()
    {
        if (!events_) return;
        char room[512];
        for (int i = 0; i < 20; ++i) {
            const int head = zmq_recv(events_, room, sizeof room, ZMQ_DONTWAIT);
            if (head < 0) return;
            require(head == 6 && zmq_recv(events_, room, sizeof room, ZMQ_DONTWAIT) >= 0);
        }
    }
    void end_endpoint()
    {
        spoilt_ = true;
        if (!socket_) return;
        (void)(binds_ ? zmq_unbind(socket_, own_.c_str()) : zmq_disconnect(socket_, own_.c_str()));
    }
    void close()
    {
        if (in_.choice() < 0xe0) return;
        spoilt_ = true;
        if (events_ && socket_) (void)zmq_socket_monitor(socket_, nullptr, 0);
        if (socket_) require(zmq_close(std::exchange(socket_, nullptr)) == 0);
    }
    /// Time, so that heartbeats become due.
    void pass()
    {
        if (in_.choice() != 0xff) return;
        const timespec brief{0, 2'000'000};
        (void)::nanosleep(&brief, nullptr);
    }

    /// What both have said to each other, if nothing was against it.
    void finish()
    {
        context_.step();
        peer_hears();
        const bool takes_all = type_ == ZMQ_PAIR || type_ == ZMQ_PULL || type_ == ZMQ_DEALER;
        const bool gives_all = type_ == ZMQ_PAIR || type_ == ZMQ_PUSH || type_ == ZMQ_DEALER;
        if (spoilt_ || !socket_ || !far_ || !far_->established()) return;
        require(!far_->over());
        // A large message may take many turns, more on a busy machine: until nothing more comes on either side.
        const auto come = [&] { return std::tuple(got_.size(), far_->messages().size(), far_->heard().size()); };
        bool more = true;
        while (more) {
            const auto before = come();
            more = !context_.step();
            peer_hears();
            if (takes_all) program_receives();
            more |= before != come();
        }
        if (takes_all) require(got_ == said_);
        if (gives_all) require(far_->messages() == sent_);
    }

    std::span<const std::byte> sized()
    {
        const std::uint8_t size = in_.choice();
        if (size < 250) return in_.take(size % 64);
        large_.assign(std::size_t(size - 249) * 20000, std::byte(in_.choice()));
        return large_;
    }

    input in_;
    const stream_needs& needs_;
    lent_descriptors descriptors_;
    hosted_context context_;
    way way_{};
    int type_ = ZMQ_PAIR;
    bool binds_ = false, polite_ = false, below_ = false;
    bool spoilt_ = false;  ///< not every message has to arrive
    void *socket_ = nullptr, *zap_ = nullptr, *events_ = nullptr;
    std::string own_, theirs_;  ///< endpoints
    transport::stream_options options_;
    int peers_ = 0;
    std::unique_ptr<far_end> far_;
    std::vector<message_parts> said_, got_, sent_;
    message_parts part_, going_;
    std::string last_id_;
    std::uint32_t routing_id_ = 0;
    octets large_;
};

inline const whole_socket::turn whole_socket::turns[21] = {
    &whole_socket::peer_says_frame,
    &whole_socket::peer_says_frame,
    &whole_socket::peer_says_frame,
    &whole_socket::peer_says_command,
    &whole_socket::peer_says_octets,
    &whole_socket::peer_says_octets,
    &whole_socket::peer_hears,
    &whole_socket::peer_goes,
    &whole_socket::program_receives,
    &whole_socket::program_receives,
    &whole_socket::program_sends,
    &whole_socket::program_sends,
    &whole_socket::set_named_option,
    &whole_socket::set_option,
    &whole_socket::get_option,
    &whole_socket::join,
    &whole_socket::answer,
    &whole_socket::hear_events,
    &whole_socket::end_endpoint,
    &whole_socket::close,
    &whole_socket::pass,
};

}  // namespace zlink::fuzz
