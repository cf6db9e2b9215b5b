// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Random programs: senders and receivers of random types, options, transports and habits, and a model of what arrives.
// Every part of a message says which message it belongs to. So a message that arrives twice, in parts of two, out of
// order, or not at all is seen at once.

#include "sim/programs/oracles.hpp"
#include "sim/programs/program.hpp"
#include "sim/programs/sockets.hpp"
#include "sim/settings.hpp"

#include <zlink.h>
#include <zmq.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace zlink::sim {

namespace {

struct pairing {
    const char* name;
    int sender, receiver;
    bool names_first;  ///< the receiver gets the peer's name as a part of its own
    bool one_part;
    bool one_to_one;
    bool to_all;  ///< each receiver gets every message
};

constexpr pairing pairings[] = {
    {"PUSH-PULL", ZMQ_PUSH, ZMQ_PULL, false, false, false, false},
    {"DEALER-ROUTER", ZMQ_DEALER, ZMQ_ROUTER, true, false, false, false},
    {"DEALER-DEALER", ZMQ_DEALER, ZMQ_DEALER, false, false, false, false},
    {"PAIR-PAIR", ZMQ_PAIR, ZMQ_PAIR, false, false, true, false},
    {"XPUB-SUB", ZMQ_XPUB, ZMQ_SUB, false, false, false, true},
    {"CHANNEL-CHANNEL", ZMQ_CHANNEL, ZMQ_CHANNEL, false, true, true, false},
    {"CLIENT-SERVER", ZMQ_CLIENT, ZMQ_SERVER, false, true, false, false},
    {"SCATTER-GATHER", ZMQ_SCATTER, ZMQ_GATHER, false, true, false, false},
};

struct header {
    std::uint32_t magic = 0x5a4c534d, sender = 0, number = 0, size = 0;
    std::uint16_t part = 0, parts = 0;
};

/// What the program is, drawn before it runs.
struct plan {
    const pairing* types = nullptr;
    int senders = 1, receivers = 1, messages = 10;
    int largest = 100;
    bool receivers_bind = true;
    bool faults = false;
    std::vector<std::string> endpoints;  ///< one for each that binds
    int send_mark = 1000, receive_mark = 1000, send_bytes = -1, io_threads = 1;
    int heartbeat = 0, reconnect = 1, immediate = 0, linger = -1;
    bool named = false;  ///< connects by a name, which has to be looked up
    bool curve = false;
    bool churn = false;     ///< senders disconnect and connect again
    bool watched = false;   ///< monitors are read
    bool balanced = false;  ///< sockets stay open until their statistics have been compared
    double pauses = 0;      ///< probability that a thread rests after a message
    nanos pause = 0;

    static plan draw(random& from, bool faults);
    void use_settings();
    [[nodiscard]] std::string words() const;
    /// What those that do not bind connect to.
    [[nodiscard]] std::string target(std::size_t i) const
    {
        std::string place = endpoints[i];
        const std::string number = "127.0.0.1";
        if (const auto at = place.find(number); named && at != std::string::npos) {
            place.replace(at, number.size(), "peer.sim");
        }
        return place;
    }
    /// Bodies may go by memory that both ends have.
    [[nodiscard]] bool may_share_bodies() const
    {
        return !curve && std::ranges::any_of(endpoints, [](const std::string& e) { return e.starts_with("ipc"); });
    }
    /// Nothing goes through the kernel.
    [[nodiscard]] bool all_by_name() const
    {
        return std::ranges::all_of(endpoints, [](const std::string& e) { return e.starts_with("inproc"); });
    }
};

plan plan::draw(random& from, bool faults)
{
    plan p;
    p.faults = faults;
    // A PAIR or CHANNEL that comes back before its peer has noticed that it was gone is refused for good: the place is
    // taken. The peer does not notice while it has as many messages as its mark allows.
    do {
        p.types = &pairings[from.below(std::size(pairings))];
    } while (faults && p.types->one_to_one);
    if (!p.types->one_to_one) {
        p.senders = int(from.between(1, 4));
        p.receivers = int(from.between(1, 3));
    }
    p.messages = int(from.between(1, from.chance(0.2) ? 200 : 30));
    const int sizes[] = {30, 100, 3000, 70000};
    p.largest = sizes[from.below(4)];
    p.receivers_bind = from.chance(0.6);
    const int binders = p.receivers_bind ? p.receivers : p.senders;
    for (int i = 0; i < binders; ++i) p.endpoints.push_back(endpoint(from, i));
    const int marks[] = {1, 2, 4, 1000};
    p.send_mark = marks[from.below(4)];
    p.receive_mark = marks[from.below(4)];
    if (from.chance(0.2)) p.send_bytes = int(from.between(100, 10000));
    p.io_threads = int(from.between(1, 3));
    if (from.chance(0.3)) p.heartbeat = int(from.between(10, 200));
    p.reconnect = int(from.between(1, 100));
    p.immediate = from.chance(0.3);
    if (faults) p.linger = int(from.between(0, 200));
    p.named = from.chance(0.3);
    p.curve = from.chance(0.2);
    p.churn = faults && from.chance(0.5);
    p.watched = from.chance(0.3) && world::get().how().no_memory == 0;  // else events are lost
    p.balanced = !faults && !p.watched && from.chance(0.5);
    p.pauses = from.chance(0.5) ? 0 : from.part() * 0.5;
    p.pause = from.between(1, 20) * (from.chance(0.5) ? microsecond : millisecond);
    p.use_settings();
    return p;
}

// No more sockets bind than endpoints were drawn.
void plan::use_settings()
{
    use_setting("senders", senders);
    use_setting("receivers", receivers);
    use_setting("messages", messages);
    use_setting("largest", largest);
    use_setting("send_mark", send_mark);
    use_setting("receive_mark", receive_mark);
    use_setting("send_bytes", send_bytes);
    use_setting("io_threads", io_threads);
    use_setting("heartbeat", heartbeat);
    use_setting("immediate", immediate);
    use_setting("curve", curve);
    use_setting("named", named);
    use_setting("churn", churn);
    use_setting("monitors", watched);
    use_setting("compared", balanced);
    use_setting("pauses", pauses);
    if (types->one_to_one) senders = receivers = 1;
    senders = std::max(senders, 1);
    receivers = std::max(receivers, 1);
    int& binders = receivers_bind ? receivers : senders;
    binders = std::min(binders, int(endpoints.size()));
    endpoints.resize(std::size_t(binders));
    balanced = balanced && !watched;
}

std::string plan::words() const
{
    std::ostringstream s;
    s << "  " << types->name << ": " << senders << " senders, " << receivers << " receivers, " << messages
      << " messages each, parts up to " << largest << " octets\n  " << (receivers_bind ? "receivers" : "senders")
      << " bind";
    for (const auto& e : endpoints) s << ' ' << e;
    s << "\n  marks " << send_mark << ' ' << receive_mark << ", bytes " << send_bytes << ", threads " << io_threads
      << ", heartbeat " << heartbeat << ", reconnect " << reconnect << ", immediate " << immediate << ", linger "
      << linger << (curve ? ", CURVE" : "") << (named ? ", by name" : "") << (churn ? ", connects anew" : "")
      << (watched ? ", monitors" : "") << (balanced ? ", compared" : "") << ", pauses " << pauses << " of "
      << pause / microsecond << " us\n";
    return s.str();
}

/// Keys of CURVE: one pair for all that bind, one for all that connect.
struct curve_keys {
    char server_public[41] = "", server_secret[41] = "", client_public[41] = "", client_secret[41] = "";
    curve_keys()
    {
        require(zmq_curve_keypair(server_public, server_secret) == 0 &&
                    zmq_curve_keypair(client_public, client_secret) == 0,
                "zmq_curve_keypair fails");
    }
};

/// What has been sent, and what has arrived.
class tally {
public:
    explicit tally(const plan& p)
        : plan_(p),
          seen_(std::size_t(p.receivers), std::vector<std::vector<int>>(std::size_t(p.senders))),
          last_(std::size_t(p.receivers), std::vector<std::int64_t>(std::size_t(p.senders), -1)),
          probes_(std::size_t(p.senders), false),
          marks_(std::size_t(p.senders) * std::size_t(p.receivers), std::size_t(p.send_mark + p.receive_mark),
                 !p.all_by_name())
    {}

    void sent(std::size_t octets)
    {
        if (plan_.may_share_bodies()) octets = std::min(octets, a_reference);
        for (int i = 0; !plan_.faults && i < (plan_.types->to_all ? plan_.receivers : 1); ++i) marks_.sent(octets);
    }

    void arrived(int receiver, std::uint32_t sender, std::uint32_t number, std::size_t octets)
    {
        if (plan_.may_share_bodies()) octets = std::min(octets, a_reference);
        if (!plan_.faults) marks_.received(octets);
        require(sender < std::uint32_t(plan_.senders), "a message of nobody arrived");
        if (number >= first_probe) {
            probes_[sender] = true;
            return;
        }
        auto& last = last_[std::size_t(receiver)][sender];
        if (!plan_.faults && std::int64_t(number) <= last) {
            world::get().fail("receiver " + std::to_string(receiver) + " got message " + std::to_string(number) +
                              " of sender " + std::to_string(sender) + " after " + std::to_string(last));
        }
        last = number;
        const auto share = plan_.types->to_all ? std::size_t(receiver) : 0;
        auto& seen = seen_[share][sender];
        if (seen.size() <= number) seen.resize(number + 1);
        require(++seen[number] == 1,
                "message " + std::to_string(number) + " of sender " + std::to_string(sender) + " arrived twice");
        ++count_;
    }
    [[nodiscard]] int wanted() const
    {
        return plan_.senders * plan_.messages * (plan_.types->to_all ? plan_.receivers : 1);
    }
    [[nodiscard]] bool complete() const { return count_ == wanted(); }
    [[nodiscard]] bool probed(int sender) const { return probes_[std::size_t(sender)]; }
    [[nodiscard]] int count() const { return count_; }

    static constexpr std::uint32_t first_probe = 1'000'000;
    static constexpr std::size_t a_reference = 24;  ///< at least what the kernel has of a message
    bool over = false;                              ///< receivers may end
    bool senders_may_end = true;                    ///< their sockets may be closed
    int senders_done = 0;

private:
    const plan& plan_;
    std::vector<std::vector<std::vector<int>>> seen_;
    std::vector<std::vector<std::int64_t>> last_;
    std::vector<bool> probes_;
    mark_watch marks_;
    int count_ = 0;
};

class node {
public:
    node(const plan& p, tally& all, const context_handle& in, int type, int index, random from)
        : plan_(p),
          all_(all),
          socket_(in, type),
          index_(index),
          chance_(from)
    {
        socket_.set(ZMQ_SNDHWM, p.send_mark);
        socket_.set(ZMQ_RCVHWM, p.receive_mark);
        socket_.set(ZMQ_LINGER, p.linger);
        socket_.set(ZMQ_RECONNECT_IVL, p.reconnect);
        socket_.set(ZMQ_IMMEDIATE, p.immediate);
        if (p.heartbeat != 0) {
            socket_.set(ZMQ_HEARTBEAT_IVL, p.heartbeat);
            // A late answer ends the connection, and messages are lost with it.
            if (!p.faults) socket_.set(ZMQ_HEARTBEAT_TIMEOUT, 600'000);
        }
        if (p.send_bytes > 0) socket_.set(ZMQ_SNDBUF, p.send_bytes);
        prepare_tls(socket_);
        if (type == ZMQ_XPUB) {
            socket_.set(ZMQ_XPUB_NODROP, 1);
            socket_.set(ZMQ_XPUB_VERBOSE, 1);
        }
        if (p.watched) events_.emplace(in, socket_, world::get().current().name, p.churn);
        if (type == ZMQ_SUB) must([&] { return zmq_setsockopt(socket_.get(), ZMQ_SUBSCRIBE, "", 0); }, "subscribe");
    }

    ~node()
    {
        if (!events_) return;
        events_->look();
        socket_.close();
        events_->finish();
    }

    void join(bool binds, const curve_keys* keys)
    {
        const auto& places = plan_.endpoints;
        binds_ = binds;
        if (keys && binds) {
            socket_.set(ZMQ_CURVE_SERVER, 1);
            socket_.set(ZMQ_CURVE_SECRETKEY, keys->server_secret);
        } else if (keys) {
            socket_.set(ZMQ_CURVE_SERVERKEY, keys->server_public);
            socket_.set(ZMQ_CURVE_PUBLICKEY, keys->client_public);
            socket_.set(ZMQ_CURVE_SECRETKEY, keys->client_secret);
        }
        if (binds) {
            must([&] { return zmq_bind(socket_.get(), places[std::size_t(index_)].c_str()); }, "zmq_bind");
            return;
        }
        for (std::size_t i = 0; i < places.size(); ++i) {
            const std::string place = plan_.target(i);
            must([&] { return zmq_connect(socket_.get(), place.c_str()); }, "zmq_connect");
        }
    }

    /// XPUB sends to those whose subscriptions it has got.
    void await_subscriptions()
    {
        for (int n = 0; n < plan_.receivers;) {
            char subscription[8];
            if (must([&] { return zmq_recv(socket_.get(), subscription, sizeof subscription, 0); }, "zmq_recv") > 0 &&
                subscription[0] == 1)
                ++n;
            if (plan_.faults) return;
        }
    }

    void send(std::uint32_t number)
    {
        if (plan_.churn && !binds_ && chance_.chance(0.1)) {
            const std::string place = plan_.target(chance_.below(plan_.endpoints.size()));
            must([&] { return zmq_disconnect(socket_.get(), place.c_str()); }, "zmq_disconnect");
            must([&] { return zmq_connect(socket_.get(), place.c_str()); }, "zmq_connect");
        }
        // If memory is short the message so far is taken back, so it begins anew.
        while (!send_parts(number)) rest(10 * millisecond);
        if (events_) events_->look();
        if (chance_.chance(plan_.pauses)) rest(chance_.exponential(double(plan_.pause)));
    }

    /// A whole message; false: none came within the socket's time.
    bool receive()
    {
        int parts = 0, wanted = 1;
        std::size_t all = 0;
        header first;
        if (plan_.types->names_first) {
            part_handle name;
            if (!name.receive(socket_.get(), false)) return false;
            require(zmq_msg_more(&name.m) == 1, "a ROUTER's message ends after the name");
        }
        while (parts < wanted) {
            part_handle p;
            if (!p.receive(socket_.get(), parts != 0 || plan_.types->names_first)) return false;
            header h;
            require(zmq_msg_size(&p.m) >= sizeof h, "a part is too short");
            std::memcpy(&h, zmq_msg_data(&p.m), sizeof h);
            if (parts == 0) first = h;
            wanted = h.parts;
            require(h.magic == header().magic && h.part == parts && h.sender == first.sender &&
                        h.number == first.number && h.parts == first.parts,
                    "a message is not whole, or not in order");
            require(zmq_msg_size(&p.m) == h.size, "a part has another size than it was sent with");
            require((zmq_msg_more(&p.m) == 1) == (parts + 1 < wanted), "a part says wrongly whether more follow");
            const auto* const octets = static_cast<const unsigned char*>(zmq_msg_data(&p.m));
            const auto fill = static_cast<unsigned char>(h.number + unsigned(parts));
            require(std::all_of(octets + sizeof h, octets + h.size, [fill](unsigned char c) { return c == fill; }),
                    "a part has other octets than it was sent with");
            all += h.size;
            ++parts;
        }
        all_.arrived(index_, first.sender, first.number, all);
        if (events_) events_->look();
        if (chance_.chance(plan_.pauses)) rest(chance_.exponential(double(plan_.pause)));
        return true;
    }

    void receive_until_over()
    {
        const bool polls = chance_.chance(0.5);
        const int wait = int(chance_.between(1, 100));
        if (!polls) socket_.set(ZMQ_RCVTIMEO, wait);
        while (!all_.over) {
            if (polls) {
                zmq_pollitem_t item{socket_.get(), 0, ZMQ_POLLIN, 0};
                if (must([&] { return zmq_poll(&item, 1, wait); }, "zmq_poll") == 0) continue;
                // What poll has promised is there.
                require(receive() || plan_.faults, "zmq_poll tells of a message, and there is none");
                continue;
            }
            (void)receive();
        }
    }

    socket_handle& socket() noexcept { return socket_; }
    random& chance() noexcept { return chance_; }

private:
    struct part_handle {
        part_handle() { zmq_msg_init(&m); }
        part_handle(const part_handle&) = delete;
        part_handle& operator=(const part_handle&) = delete;
        ~part_handle() { zmq_msg_close(&m); }
        bool receive(void* socket, bool rest_of_message)
        {
            while (zmq_msg_recv(&m, socket, 0) < 0) {
                const int error = zmq_errno();
                if (error == EINTR) continue;
                require(error == EAGAIN && !rest_of_message, std::string("zmq_msg_recv: ") + zmq_strerror(error));
                return false;
            }
            return true;
        }
        zmq_msg_t m;
    };

    /// False: memory is short, and nothing was sent.
    [[nodiscard]] bool send_parts(std::uint32_t number)
    {
        const int parts = plan_.types->one_part || chance_.chance(0.6) ? 1 : int(chance_.between(2, 4));
        std::size_t all = 0;
        for (int part = 0; part < parts; ++part) {
            header h;
            h.sender = std::uint32_t(index_);
            h.number = number;
            h.part = std::uint16_t(part);
            h.parts = std::uint16_t(parts);
            h.size = std::uint32_t(sizeof h + chance_.below(std::uint64_t(plan_.largest)));
            std::vector<unsigned char> octets(h.size, static_cast<unsigned char>(number + unsigned(part)));
            std::memcpy(octets.data(), &h, sizeof h);
            all += h.size;
            if (part + 1 == parts) all_.sent(all);
            if (!send_part(octets, part + 1 < parts ? ZMQ_SNDMORE : 0, part == 0)) return false;
        }
        return true;
    }

    [[nodiscard]] bool send_part(const std::vector<unsigned char>& octets, int flags, bool first)
    {
        if (first && chance_.chance(0.3)) {
            while (zmq_send(socket_.get(), octets.data(), octets.size(), flags | ZMQ_DONTWAIT) < 0) {
                require(zmq_errno() == EAGAIN || zmq_errno() == EINTR, "zmq_send, not waiting");
                zmq_pollitem_t item{socket_.get(), 0, ZMQ_POLLOUT, 0};
                must([&] { return zmq_poll(&item, 1, int(chance_.between(1, 1000))); }, "zmq_poll");
                // A publisher always shows ZMQ_POLLOUT, so its poll is no wait, and calls take no time.
                if (plan_.types->to_all) rest(100 * microsecond);
            }
            return true;
        }
        const auto send = [&] {
            const int sent = zmq_send(socket_.get(), octets.data(), octets.size(), flags);
            return sent < 0 && zmq_errno() == ENOMEM ? 0 : sent;
        };
        return must(send, "zmq_send") != 0;
    }

    const plan& plan_;
    tally& all_;
    socket_handle socket_;
    int index_;
    random chance_;
    std::optional<event_watch> events_;
    bool binds_ = false;
};

// When the faults have ended: of each sender's probes one arrives.
void probe(const plan& p, tally& all, node& n, int sender)
{
    (void)p;
    n.socket().set(ZMQ_SNDTIMEO, 100);
    const nanos until = world::get().now() + 15 * second;
    for (std::uint32_t i = 0; !all.probed(sender); ++i) {
        require(world::get().now() < until,
                "15 s after the last fault, nothing of sender " + std::to_string(sender) + " arrives");
        header h;
        h.sender = std::uint32_t(sender);
        h.number = tally::first_probe + i;
        h.parts = 1;
        h.size = sizeof h;
        const int sent = zmq_send(n.socket().get(), &h, sizeof h, 0);
        require(sent >= 0 || zmq_errno() == EAGAIN || zmq_errno() == EINTR, "zmq_send of a probe");
        rest(100 * millisecond);
    }
}

void run(random& from, bool faults)
{
    world& w = world::get();
    const plan p = plan::draw(from, faults);
    tally all(p);
    all.senders_may_end = !p.balanced;
    w.describe = [&] {
        return p.words() + "  arrived: " + std::to_string(all.count()) + " of " + std::to_string(all.wanted()) + '\n';
    };
    w.how().longest = 600 * second;
    context_handle context;
    must([&] { return zmq_ctx_set(context.get(), ZMQ_IO_THREADS, p.io_threads); }, "zmq_ctx_set");
    std::unique_ptr<curve_keys> keys;
    if (p.curve) keys = std::make_unique<curve_keys>();
    crew receivers, senders;
    for (int i = 0; i < p.receivers; ++i) {
        receivers.start("receiver" + std::to_string(i), [&, i, mine = from.fork()]() mutable {
            node n(p, all, context, p.types->receiver, i, mine);
            n.join(p.receivers_bind, keys.get());
            n.receive_until_over();
        });
    }
    for (int i = 0; i < p.senders; ++i) {
        senders.start("sender" + std::to_string(i), [&, i, mine = from.fork()]() mutable {
            node n(p, all, context, p.types->sender, i, mine);
            n.join(!p.receivers_bind, keys.get());
            if (p.types->to_all) n.await_subscriptions();
            for (int m = 0; m < p.messages; ++m) n.send(std::uint32_t(m));
            if (p.faults) {
                w.heal();
                probe(p, all, n, i);
            }
            ++all.senders_done;
            while (!all.senders_may_end) rest(millisecond);
        });
    }
    while (all.senders_done < p.senders) rest(10 * millisecond);
    const nanos until = w.now() + 120 * second;
    while (!p.faults && !all.complete()) {
        require(w.now() < until, "messages are lost: not all of them have arrived after two minutes");
        rest(10 * millisecond);
    }
    if (p.balanced) require_balance(context);
    all.senders_may_end = true;
    senders.join();
    all.over = true;
    receivers.join();
    context.end(5 * second);
    w.describe = nullptr;
}

}  // namespace

void exchange(random& from)
{
    run(from, false);
}

void exchange_with_faults(random& from)
{
    run(from, true);
}

}  // namespace zlink::sim
