// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Programs as people build them: a broker, clones of a state, subscribers that come late, clients that ask again.

#include "sim/programs/oracles.hpp"
#include "sim/programs/program.hpp"
#include "sim/programs/sockets.hpp"

#include <zlink.h>
#include <zmq.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace zlink::sim {

namespace {

/// Receives a message of one part within the time. False: none came.
template <class T>
bool receive(socket_handle& from, T& to, int wait)
{
    zmq_pollitem_t item{from.get(), 0, ZMQ_POLLIN, 0};
    if (must([&] { return zmq_poll(&item, 1, wait); }, "zmq_poll") == 0) return false;
    int size = -1;
    while ((size = zmq_recv(from.get(), &to, sizeof to, ZMQ_DONTWAIT)) < 0) {
        if (zmq_errno() == EAGAIN) return false;  // of a connection that has just ended
        require(zmq_errno() == EINTR, "zmq_recv");
    }
    require(size == int(sizeof to), "a message has another size than it was sent with");
    return true;
}

template <class T>
void send_to(socket_handle& to, const T& what)
{
    must([&] { return zmq_send(to.get(), &what, sizeof what, 0); }, "zmq_send");
}

/// False: it would have had to wait.
template <class T>
bool try_to_send(socket_handle& to, const T& what)
{
    const int sent = zmq_send(to.get(), &what, sizeof what, ZMQ_DONTWAIT);
    require(sent >= 0 || zmq_errno() == EAGAIN || zmq_errno() == EINTR, "zmq_send, not waiting");
    return sent >= 0;
}

struct question {
    int client = 0, number = 0;
};

void listen_at(socket_handle& s, const std::string& where)
{
    prepare_tls(s);
    must([&] { return zmq_bind(s.get(), where.c_str()); }, "zmq_bind");
}

void connect_to(socket_handle& s, const std::string& where)
{
    prepare_tls(s);
    must([&] { return zmq_connect(s.get(), where.c_str()); }, "zmq_connect");
}

/// Asks until the answer comes. Late answers to earlier questions are passed over.
void ask(socket_handle& through, const question& q, int wait, const std::string& who)
{
    const nanos until = world::get().now() + 60 * second;
    while (true) {
        require(world::get().now() < until, who + " gets no answer within a minute");
        (void)try_to_send(through, q);
        question a;
        while (receive(through, a, wait)) {
            require(a.client == q.client, who + " gets the answer of another one");
            require(a.number <= q.number, who + " gets an answer before it has asked");
            if (a.number == q.number) return;
        }
    }
}

}  // namespace

// A ROUTER and a DEALER with a proxy between, which is told to end. Workers take some questions and go.
void broker(random& from)
{
    const int clients = int(from.between(1, 4)), questions = int(from.between(3, 20)),
              workers = int(from.between(1, 3));
    const std::string front_place = endpoint(from, 1), back_place = endpoint(from, 2);
    world::get().how().longest = 600 * second;
    context_handle context;
    bool over = false;
    crew proxy, asking, working;
    bool ready = false;
    proxy.start("proxy", [&] {
        socket_handle front(context, ZMQ_ROUTER), back(context, ZMQ_DEALER), control(context, ZMQ_PAIR);
        for (socket_handle* const s : {&front, &back}) s->set(ZMQ_LINGER, 0);
        listen_at(front, front_place);
        listen_at(back, back_place);
        listen_at(control, "inproc://control");
        ready = true;
        must([&] { return zmq_proxy_steerable(front.get(), back.get(), nullptr, control.get()); },
             "zmq_proxy_steerable");
    });
    while (!ready) rest(100 * microsecond);
    for (int w = 0; w < workers; ++w) {
        working.start("worker" + std::to_string(w), [&, mine = from.fork()]() mutable {
            while (!over) {
                socket_handle s(context, ZMQ_REP);
                connect_to(s, back_place);
                const auto lives = mine.between(1, 20);
                for (int i = 0; i < lives && !over; ++i) {
                    question q;
                    if (!receive(s, q, 50)) continue;
                    if (mine.chance(0.2)) rest(mine.exponential(double(5 * millisecond)));
                    send_to(s, q);
                }
                s.set(ZMQ_LINGER, 100);
            }
        });
    }
    for (int c = 0; c < clients; ++c) {
        asking.start("client" + std::to_string(c), [&, c] {
            socket_handle s(context, ZMQ_DEALER);
            s.set(ZMQ_LINGER, 0);
            connect_to(s, front_place);
            for (int i = 0; i < questions; ++i) {
                // What a REP needs: an empty part before the question.
                const nanos until = world::get().now() + 60 * second;
                for (bool answered = false; !answered;) {
                    require(world::get().now() < until, "a client of the broker gets no answer within a minute");
                    const question q{c, i};
                    must([&] { return zmq_send(s.get(), "", 0, ZMQ_SNDMORE); }, "zmq_send");
                    must([&] { return zmq_send(s.get(), &q, sizeof q, 0); }, "zmq_send");
                    zmq_pollitem_t item{s.get(), 0, ZMQ_POLLIN, 0};
                    while (!answered && must([&] { return zmq_poll(&item, 1, 500); }, "zmq_poll") > 0) {
                        question a;
                        char none = 0;
                        require(must([&] { return zmq_recv(s.get(), &none, 1, 0); }, "zmq_recv") == 0, "no empty part");
                        must([&] { return zmq_recv(s.get(), &a, sizeof a, 0); }, "zmq_recv");
                        require(a.client == c && a.number <= i, "a client of the broker gets another one's answer");
                        answered = a.number == i;
                    }
                }
            }
        });
    }
    asking.join();
    over = true;
    working.join();
    socket_handle control(context, ZMQ_PAIR);
    connect_to(control, "inproc://control");
    must([&] { return zmq_send(control.get(), "TERMINATE", 9, 0); }, "zmq_send");
    proxy.join();
    control.close();
    context.end();
}

// A server takes changes in and publishes them, with numbers. A client subscribes, hears something, asks for the whole
// state, and goes on from its number: then it has what the server has.
void clone(random& from)
{
    struct change {
        int number = 0, key = -1, value = 0;
    };
    struct snapshot {
        int number = 0;
        std::array<int, 8> values{};
    };
    const int clients = int(from.between(1, 4)), changes = int(from.between(5, 60));
    const std::string news_place = endpoint(from, 1), state_place = endpoint(from, 2), input_place = endpoint(from, 3);
    world::get().how().longest = 600 * second;
    context_handle context;
    snapshot state;
    bool all_in = false, over = false, ready = false;
    crew server, copies;
    server.start("server", [&] {
        socket_handle news(context, ZMQ_PUB), snapshots(context, ZMQ_ROUTER), input(context, ZMQ_PULL);
        for (socket_handle* const s : {&news, &snapshots}) s->set(ZMQ_LINGER, 0);
        news.set(ZMQ_SNDHWM, 0);
        listen_at(news, news_place);
        listen_at(snapshots, state_place);
        listen_at(input, input_place);
        ready = true;
        while (!over) {
            zmq_pollitem_t items[] = {{snapshots.get(), 0, ZMQ_POLLIN, 0}, {input.get(), 0, ZMQ_POLLIN, 0}};
            must([&] { return zmq_poll(items, 2, 10); }, "zmq_poll");
            if (items[0].revents) {
                char name[256], empty[8];
                const int size = must([&] { return zmq_recv(snapshots.get(), name, sizeof name, 0); }, "zmq_recv");
                must([&] { return zmq_recv(snapshots.get(), empty, sizeof empty, 0); }, "zmq_recv");
                must([&] { return zmq_send(snapshots.get(), name, std::size_t(size), ZMQ_SNDMORE); }, "zmq_send");
                send_to(snapshots, state);
            }
            change c;
            if (items[1].revents && receive(input, c, 0)) {
                c.number = ++state.number;
                state.values[std::size_t(c.key)] = c.value;
                all_in = state.number == clients * changes;
            } else {
                c = {state.number, -1, 0};  // a sign of life
            }
            send_to(news, c);
        }
    });
    while (!ready) rest(100 * microsecond);
    for (int i = 0; i < clients; ++i) {
        copies.start("copy" + std::to_string(i), [&, mine = from.fork()]() mutable {
            rest(mine.exponential(double(mine.chance(0.5) ? 100 * microsecond : 50 * millisecond)));
            socket_handle news(context, ZMQ_SUB), snapshots(context, ZMQ_DEALER), output(context, ZMQ_PUSH);
            news.set(ZMQ_RCVHWM, 0);
            must([&] { return zmq_setsockopt(news.get(), ZMQ_SUBSCRIBE, "", 0); }, "subscribe");
            connect_to(news, news_place);
            connect_to(snapshots, state_place);
            connect_to(output, input_place);
            zmq_pollitem_t item{news.get(), 0, ZMQ_POLLIN, 0};
            while (must([&] { return zmq_poll(&item, 1, 1000); }, "zmq_poll") == 0) {
            }
            send_to(snapshots, 'S');
            snapshot copy;
            require(receive(snapshots, copy, 60'000), "a clone gets no snapshot within a minute");
            int sent = 0;
            while (sent < changes || copy.number < clients * changes) {
                if (sent < changes) {
                    send_to(output, change{0, int(mine.below(copy.values.size())), int(mine.next() & 0xffff)});
                    ++sent;
                }
                change c;
                while (receive(news, c, sent < changes ? 0 : 1000)) {
                    require(c.number <= copy.number + 1, "a clone misses a change between its snapshot and the news");
                    if (c.key < 0 || c.number <= copy.number) {
                        if (c.key < 0 && sent == changes) break;
                        continue;
                    }
                    copy.number = c.number;
                    copy.values[std::size_t(c.key)] = c.value;
                }
                if (mine.chance(0.2)) rest(mine.exponential(double(millisecond)));
            }
            require(all_in && copy.values == state.values, "a clone has another state than its server");
        });
    }
    copies.join();
    over = true;
    server.join();
    context.end();
}

// Each subscriber gets whole messages in order; what it misses between its first one and the last was counted.
void late_joiners(random& from)
{
    const int subscribers = int(from.between(1, 5)), messages = int(from.between(20, 300));
    const int marks[] = {1, 3, 10, 1000};
    const std::string where = endpoint(from, 1);
    world::get().how().longest = 600 * second;
    context_handle context;
    socket_handle pub(context, ZMQ_PUB);
    pub.set(ZMQ_SNDHWM, marks[from.below(4)]);
    listen_at(pub, where);
    int finished = 0, missed = 0;
    bool over = false;
    crew all;
    for (int i = 0; i < subscribers; ++i) {
        all.start("subscriber" + std::to_string(i), [&, mark = marks[from.below(4)], mine = from.fork()]() mutable {
            rest(mine.exponential(double(5 * millisecond)));
            socket_handle sub(context, ZMQ_SUB);
            sub.set(ZMQ_RCVHWM, mark);
            must([&] { return zmq_setsockopt(sub.get(), ZMQ_SUBSCRIBE, "", 0); }, "subscribe");
            connect_to(sub, where);
            const double pauses = mine.chance(0.5) ? 0 : 0.3;
            int first = -1, last = -1, count = 0;
            while (last < messages) {
                std::array<int, 2> m{};
                if (!receive(sub, m, 10'000)) break;
                require(m[0] == m[1], "a subscriber gets a message in parts of two");
                require(m[0] > last, "a subscriber gets messages out of order, or one twice");
                if (first < 0) first = m[0];
                last = m[0];
                if (m[0] < messages) ++count;
                if (mine.chance(pauses)) rest(mine.exponential(double(millisecond)));
            }
            require(last >= messages, "a subscriber gets nothing for 10 s, while messages are sent");
            missed += messages - std::min(first, messages) - count;
            ++finished;
            while (!over) rest(millisecond);
        });
    }
    // What is sent after the messages that count tells subscribers that these are over.
    for (int n = 0; n < messages || finished < subscribers; ++n) {
        send_to(pub, std::array<int, 2>{n, n});
        if (n >= messages) {
            rest(10 * millisecond);
        } else if (from.chance(0.3)) {
            rest(from.exponential(double(millisecond)));
        }
    }
    zlink_stats_t stats{};
    stats.size = sizeof stats;
    must([&] { return zlink_socket_stats(pub.get(), &stats); }, "zlink_socket_stats");
    require(std::uint64_t(missed) <= stats.messages.dropped_full, "subscribers miss " + std::to_string(missed) +
                                                                      " messages, and the publisher has counted " +
                                                                      std::to_string(stats.messages.dropped_full));
    over = true;
    all.join();
    pub.close();
    context.end();
}

// The server goes and comes back; clients that hear nothing take a new socket and ask again.
void lazy_pirate(random& from)
{
    const int clients = int(from.between(1, 3)), questions = int(from.between(2, 10));
    std::string where = endpoint(from, 1);
    if (where.starts_with("inproc")) where = "tcp://127.0.0.1:20000";
    world::get().how().longest = 1200 * second;
    context_handle context;
    bool over = false;
    crew server, asking;
    server.start("server", [&, mine = from.fork()]() mutable {
        while (!over) {
            socket_handle s(context, ZMQ_ROUTER);
            s.set(ZMQ_LINGER, 0);
            listen_at(s, where);
            const nanos until = world::get().now() + millisecond + mine.exponential(double(300 * millisecond));
            while (!over && world::get().now() < until) {
                zmq_pollitem_t item{s.get(), 0, ZMQ_POLLIN, 0};
                if (must([&] { return zmq_poll(&item, 1, 20); }, "zmq_poll") == 0) continue;
                char name[256];
                question q;
                const int size = zmq_recv(s.get(), name, sizeof name, ZMQ_DONTWAIT);
                if (size < 0) continue;
                must([&] { return zmq_recv(s.get(), &q, sizeof q, 0); }, "zmq_recv");
                // A client that has gone gets nothing.
                must([&] { return zmq_send(s.get(), name, std::size_t(size), ZMQ_SNDMORE); }, "zmq_send");
                must([&] { return zmq_send(s.get(), &q, sizeof q, 0); }, "zmq_send");
            }
            s.close();
            rest(mine.exponential(double(50 * millisecond)));
        }
    });
    int done = 0;
    for (int c = 0; c < clients; ++c) {
        asking.start("client" + std::to_string(c), [&, c, mine = from.fork()]() mutable {
            auto s = std::make_unique<socket_handle>(context, ZMQ_DEALER);
            const auto renew = [&] {
                s->set(ZMQ_LINGER, 0);
                s->set(ZMQ_RECONNECT_IVL, 20);
                connect_to(*s, where);
            };
            renew();
            for (int i = 0; i < questions; ++i) {
                if (++done == clients * questions / 2 + 1) world::get().heal();
                if (mine.chance(0.3)) {
                    s = std::make_unique<socket_handle>(context, ZMQ_DEALER);
                    renew();
                }
                ask(*s, {c, i}, int(mine.between(50, 300)), "client " + std::to_string(c) + " of the pirate");
            }
        });
    }
    asking.join();
    over = true;
    server.join();
    context.end();
}

namespace {

void ask_one_router(int dealers, const std::string& where)
{
    world& w = world::get();
    w.how().longest = 600 * second;
    context_handle context;
    must([&] { return zmq_ctx_set(context.get(), ZMQ_MAX_SOCKETS, dealers + 10); }, "zmq_ctx_set");
    socket_handle router(context, ZMQ_ROUTER);
    router.set(ZMQ_BACKLOG, dealers);
    listen_at(router, where);
    crew threads;
    threads.start("dealers", [&] {
        std::vector<std::unique_ptr<socket_handle>> all;
        for (int i = 0; i < dealers; ++i) {
            all.push_back(std::make_unique<socket_handle>(context, ZMQ_DEALER));
            connect_to(*all.back(), where);
            send_to(*all.back(), question{i, 0});
        }
        for (int i = 0; i < dealers; ++i) {
            question a;
            require(receive(*all[std::size_t(i)], a, 120'000), "a DEALER of many gets no answer within two minutes");
            require(a.client == i, "a DEALER of many gets another one's answer");
        }
    });
    for (int i = 0; i < dealers; ++i) {
        char name[256];
        question q;
        const int size = must([&] { return zmq_recv(router.get(), name, sizeof name, 0); }, "zmq_recv");
        must([&] { return zmq_recv(router.get(), &q, sizeof q, 0); }, "zmq_recv");
        must([&] { return zmq_send(router.get(), name, std::size_t(size), ZMQ_SNDMORE); }, "zmq_send");
        must([&] { return zmq_send(router.get(), &q, sizeof q, 0); }, "zmq_send");
    }
    threads.join();
    router.close();
    context.end(30 * second);
}

}  // namespace

void many_dealers(random& from)
{
    world::get().how().points_per_switch = std::max(world::get().how().points_per_switch, 30.0);
    ask_one_router(300, endpoint(from, 1));
}

void five_thousand_dealers(random& from)
{
    circumstances& how = world::get().how();
    how.points_per_switch = 3000;
    how.stall = how.clogged = 0;
    ask_one_router(5000, from.chance(0.5) ? "tcp://127.0.0.1:20000" : "ipc:///simulated/many");
}

// How fast the simulation is: nothing goes wrong, and threads lose their turn rarely.
void idle_hundred(random&)
{
    constexpr int connections = 100, seconds = 1000;
    world& w = world::get();
    w.how() = circumstances{};
    w.how().points_per_switch = 1e6;
    w.how().switch_at_call = w.how().stall = 0;
    context_handle context;
    socket_handle pull(context, ZMQ_PULL);
    listen_at(pull, "tcp://127.0.0.1:20000");
    crew threads;
    threads.start("pushes", [&] {
        std::vector<std::unique_ptr<socket_handle>> all;
        for (int i = 0; i < connections; ++i) {
            all.push_back(std::make_unique<socket_handle>(context, ZMQ_PUSH));
            connect_to(*all.back(), "tcp://127.0.0.1:20000");
        }
        const std::array<char, 64> octets{};
        for (int s = 0; s < seconds; ++s) {
            for (const auto& socket : all) {
                send_to(*socket, octets);
                rest(second / connections);
            }
        }
    });
    std::array<char, 64> octets{};
    for (int i = 0; i < connections * seconds; ++i) {
        must([&] { return zmq_recv(pull.get(), octets.data(), octets.size(), 0); }, "zmq_recv");
    }
    threads.join();
    pull.close();
    context.end();
}

// Senders whose messages all wait: none of them waits for long while others are served.
void fair_share(random& from)
{
    const int senders = int(from.between(2, 8)), messages = 400;
    const std::string where = endpoint(from, 1);
    world::get().how().longest = 600 * second;
    context_handle context;
    const bool routes = from.chance(0.5);
    socket_handle receiver(context, routes ? ZMQ_ROUTER : ZMQ_PULL);
    listen_at(receiver, where);
    int sent = 0;
    bool over = false;
    crew all;
    for (int i = 0; i < senders; ++i) {
        all.start("sender" + std::to_string(i), [&, i] {
            socket_handle s(context, routes ? ZMQ_DEALER : ZMQ_PUSH);
            connect_to(s, where);
            for (int m = 0; m < messages; ++m) send_to(s, question{i, m});
            ++sent;
            while (!over) rest(millisecond);
        });
    }
    while (sent < senders) rest(millisecond);
    rest(2 * second);
    std::vector<int> count(std::size_t(senders), 0);
    // Up to here each of them has some left.
    for (int n = 0; n < messages; ++n) {
        char name[256];
        question q;
        if (routes) must([&] { return zmq_recv(receiver.get(), name, sizeof name, 0); }, "zmq_recv");
        must([&] { return zmq_recv(receiver.get(), &q, sizeof q, 0); }, "zmq_recv");
        require(q.number == count[std::size_t(q.client)]++, "a sender's messages are out of order");
        for (int i = 0; i < senders; ++i) {
            const int least = n / senders / 2 - 64;
            require(count[std::size_t(i)] >= least, "of " + std::to_string(n) + " messages, sender " +
                                                        std::to_string(i) + " of " + std::to_string(senders) + " got " +
                                                        std::to_string(count[std::size_t(i)]) + " through");
        }
    }
    over = true;
    all.join();
    receiver.close();
    context.end();
}

namespace {

constexpr nanos latest_held = 5 * millisecond;

void require_soon(nanos sent)
{
    const nanos late = world::get().now() - sent;
    require(late <= latest_held, "a message arrives " + std::to_string(late / microsecond) + " us after it was sent");
}

// A server answers questions that lie there in a row, so answers are held back. Then it does something else for a
// while, though questions are left.
void held_answers(random& from, const std::string& where)
{
    world& w = world::get();
    context_handle context;
    const int bursts = int(from.between(3, 30));
    socket_handle client(context, ZMQ_DEALER);
    listen_at(client, where);
    bool over = false;
    crew threads;
    threads.start("server", [&, mine = from.fork()]() mutable {
        socket_handle server(context, ZMQ_DEALER);
        connect_to(server, where);
        server.set(ZMQ_RCVTIMEO, 50);
        send_to(server, never);
        while (!over) {
            nanos asked = 0;
            if (zmq_recv(server.get(), &asked, sizeof asked, 0) < 0) continue;
            send_to(server, w.now());
            if (mine.chance(0.1)) rest(20 * millisecond);
        }
    });
    nanos sent = 0;
    must([&] { return zmq_recv(client.get(), &sent, sizeof sent, 0); }, "zmq_recv");
    for (int b = 0; b < bursts; ++b) {
        const int size = int(from.between(1, 40));
        for (int i = 0; i < size; ++i) send_to(client, w.now());
        for (int i = 0; i < size; ++i) {
            must([&] { return zmq_recv(client.get(), &sent, sizeof sent, 0); }, "zmq_recv");
            require_soon(sent);
        }
        if (from.chance(0.2)) rest(30 * millisecond);
    }
    over = true;
    threads.join();
    client.close();
    context.end();
}

}  // namespace

// Messages that are held back to go out with the next ones go out in time if none comes.
void held_sends(random& from)
{
    world& w = world::get();
    circumstances& how = w.how();
    how.stall = how.clogged = how.blocked_write = how.short_write = how.short_read = 0;
    how.delay = how.least_delay = 5 * microsecond;
    how.points_per_switch = std::max(how.points_per_switch, 100.0);
    const std::string where = endpoint(from, 1);
    if (from.chance(0.6)) return held_answers(from, where);
    context_handle context;
    socket_handle pull(context, ZMQ_PULL);
    listen_at(pull, where);
    const int bursts = int(from.between(3, 30));
    bool begun = false;
    crew threads;
    threads.start("push", [&, mine = from.fork()]() mutable {
        socket_handle push(context, ZMQ_PUSH);
        connect_to(push, where);
        send_to(push, never);
        while (!begun) rest(millisecond);
        for (int b = 0; b < bursts; ++b) {
            const int size = int(mine.between(1, 40));
            for (int i = 0; i < size; ++i) {
                send_to(push, w.now());
                if (mine.chance(0.3)) rest(mine.exponential(double(20 * microsecond)));
            }
            rest(20 * millisecond);
        }
        send_to(push, nanos(0));
    });
    for (nanos sent = never; sent != 0;) {
        must([&] { return zmq_recv(pull.get(), &sent, sizeof sent, 0); }, "zmq_recv");
        begun = true;
        if (sent != never && sent != 0) require_soon(sent);
    }
    threads.join();
    pull.close();
    context.end();
}

}  // namespace zlink::sim
