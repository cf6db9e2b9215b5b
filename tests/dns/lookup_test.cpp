// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Names in endpoints: looked up off the caller's thread, and anew for every attempt to connect. A program of its own,
// as it takes the place of getaddrinfo() in the whole process.
#include "support/zmq_fixture.hpp"

#include <dlfcn.h>
#include <netdb.h>

#include <condition_variable>
#include <mutex>

namespace {

constexpr std::string_view name = "peer.zlink.test";

// What the name stands for, and whether its lookups get an answer.
struct directory {
    std::mutex mutex;
    std::condition_variable changed;
    std::string address = "127.0.0.1";  // empty: there is no such name
    bool hanging = false;
    int asked = 0;
};

directory& names()
{
    static directory instance;
    return instance;
}

}  // namespace

extern "C" int getaddrinfo(const char* host, const char* service, const addrinfo* hints, addrinfo** found)
{
    static const auto real = reinterpret_cast<decltype(&getaddrinfo)>(dlsym(RTLD_NEXT, "getaddrinfo"));
    if (host == nullptr || host != name) {
        return real(host, service, hints, found);
    }
    std::string address;
    {
        directory& d = names();
        std::unique_lock lock(d.mutex);
        ++d.asked;
        d.changed.notify_all();
        d.changed.wait(lock, [&] { return !d.hanging; });
        address = d.address;
    }
    if (address.empty()) return EAI_NONAME;
    return real(address.c_str(), service, hints, found);
}

namespace zlink::test {
namespace {

class lookup_test : public zmq_test {
protected:
    lookup_test() { point_to("127.0.0.1"); }
    ~lookup_test() override { hang(false); }

    static void hang(bool on)
    {
        const std::lock_guard lock(names().mutex);
        names().hanging = on;
        names().changed.notify_all();
    }

    static void point_to(const std::string& address)
    {
        const std::lock_guard lock(names().mutex);
        names().address = address;
    }

    // Whether the name has been asked for since the count was `before`.
    static bool asked_since(int before)
    {
        std::unique_lock lock(names().mutex);
        return names().changed.wait_for(lock, std::chrono::milliseconds(patience_ms),
                                        [&] { return names().asked > before; });
    }

    static int asked()
    {
        const std::lock_guard lock(names().mutex);
        return names().asked;
    }

    static std::string by_name(const std::string& endpoint)
    {
        return "tcp://" + std::string(name) + endpoint.substr(endpoint.rfind(':'));
    }
};

TEST_F(lookup_test, a_hanging_lookup_holds_nobody_up)
{
    socket pull = ctx_.open(ZMQ_PULL);
    socket push = ctx_.open(ZMQ_PUSH);
    const std::string endpoint = by_name(pull.bind("tcp://127.0.0.1:*"));
    const int before = asked();
    hang(true);
    push.connect(endpoint);  // would wait for ever
    push.send("late");
    ASSERT_TRUE(asked_since(before));

    for (const char* transport : {"tcp://127.0.0.1:*", "ipc://*"}) {  // the same I/O thread
        socket other_pull = ctx_.open(ZMQ_PULL);
        socket other_push = ctx_.open(ZMQ_PUSH);
        other_push.connect(other_pull.bind(transport));
        for (int i = 0; i < 100; ++i) {
            other_push.send(std::to_string(i));
            ASSERT_EQ(std::to_string(i), other_pull.recv());
        }
    }
    expect_no_message(pull);

    hang(false);
    EXPECT_EQ("late", pull.recv());
}

TEST_F(lookup_test, a_bind_takes_the_names_address)
{
    point_to("127.0.0.2");
    socket pull = ctx_.open(ZMQ_PULL);
    socket push = ctx_.open(ZMQ_PUSH);
    const std::string endpoint = pull.bind("tcp://" + std::string(name) + ":*");
    EXPECT_TRUE(endpoint.starts_with("tcp://127.0.0.2:")) << endpoint;
    push.connect(endpoint);
    push.send("x");
    EXPECT_EQ("x", pull.recv());
    // The endpoint as it is listed needs no name, and the name is looked up anew.
    const int before = asked();
    push.disconnect(endpoint);
    EXPECT_EQ(before, asked());
    pull.unbind(by_name(endpoint));
    EXPECT_TRUE(asked_since(before));
}

// An endpoint that is listed by its name is ended without DNS.
TEST_F(lookup_test, ending_a_connection_to_a_name_looks_nothing_up)
{
    hang(true);
    socket push = ctx_.open(ZMQ_PUSH);
    const std::string endpoint = by_name("tcp://127.0.0.1:1");
    const int before = asked();
    push.connect(endpoint);
    ASSERT_TRUE(asked_since(before));
    push.disconnect(endpoint);
    EXPECT_EQ(before + 1, asked());
}

TEST_F(lookup_test, a_failed_attempt_asks_again)
{
    socket pull = ctx_.open(ZMQ_PULL);
    socket push = ctx_.open(ZMQ_PUSH);
    push.set(ZMQ_RECONNECT_IVL, 10);
    const std::string endpoint = pull.bind("tcp://127.0.0.1:*");
    point_to("127.0.0.9");  // where nobody listens
    const int before = asked();
    push.connect(by_name(endpoint));
    push.send("found");
    ASSERT_TRUE(asked_since(before + 1));
    point_to("127.0.0.1");
    EXPECT_EQ("found", pull.recv());
}

TEST_F(lookup_test, a_name_that_does_not_resolve_is_told_and_asked_for_again)
{
    socket pull = ctx_.open(ZMQ_PULL);
    socket push = ctx_.open(ZMQ_PUSH);
    push.set(ZMQ_RECONNECT_IVL, 10);
    const std::string endpoint = by_name(pull.bind("tcp://127.0.0.1:*"));
    point_to("");
    push.connect(endpoint);
    const std::string words = endpoint + ": its name cannot be looked up";
    EXPECT_TRUE(eventually([&] { return connection_error() == words; })) << connection_error();
    push.send("found");
    point_to("127.0.0.1");
    EXPECT_EQ("found", pull.recv());
}

TEST_F(lookup_test, a_lost_connection_is_made_again_to_where_the_name_points_now)
{
    socket first = ctx_.open(ZMQ_PAIR);
    socket client = ctx_.open(ZMQ_PAIR);
    client.set(ZMQ_RECONNECT_IVL, 10);
    const std::string endpoint = first.bind("tcp://127.0.0.1:*");
    client.connect(by_name(endpoint));
    client.send("one");
    EXPECT_EQ("one", first.recv());

    socket second = ctx_.open(ZMQ_PAIR);
    second.bind("tcp://127.0.0.2" + endpoint.substr(endpoint.rfind(':')));
    point_to("127.0.0.2");
    first.close();
    second.send("two");  // waits for the connection
    EXPECT_EQ("two", client.recv());
}

}  // namespace
}  // namespace zlink::test
