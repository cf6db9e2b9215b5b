// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_msg_t: life cycle, sharing, free functions, properties and metadata.
#include "support/received.hpp"
#include "support/zmq_fixture.hpp"

#include <thread>

namespace zlink::test {
namespace {

// Counts how often a free function was called; waits for calls that come from another thread.
struct free_count {
    static void call(void* data, void* hint)
    {
        auto* self = static_cast<free_count*>(hint);
        self->data_ = data;
        ++self->calls_;
    }

    void expect(int calls, const place& where = place::current()) const
    {
        ::testing::ScopedTrace trace(where.file_name(), static_cast<int>(where.line()), "");
        EXPECT_TRUE(eventually([&] { return calls_ >= calls; })) << "free function not called";
        EXPECT_EQ(calls, calls_);
    }

    std::atomic<int> calls_{0};
    std::atomic<void*> data_{nullptr};
};

std::string text(zmq_msg_t& msg)
{
    return std::string(static_cast<const char*>(zmq_msg_data(&msg)), zmq_msg_size(&msg));
}

void init_with(zmq_msg_t& msg, const std::string& body)
{
    ASSERT_EQ(0, zmq_msg_init_size(&msg, body.size()));
    std::memcpy(zmq_msg_data(&msg), body.data(), body.size());
}

class contract_message_test : public zmq_test {
protected:
    // Bodies below and above the sizes at which representations change.
    const std::vector<std::size_t> sizes_ = {0, 1, 29, 30, 33, 34, 100, 1000, 8192, 70000, 1 << 20};
    std::string storage_ = std::string(1 << 20, 's');
};

TEST_F(contract_message_test, a_new_message_is_empty)
{
    zmq_msg_t msg;
    EXPECT_EQ(64u, sizeof msg);
    EXPECT_EQ(0, zmq_msg_init(&msg));
    EXPECT_EQ(0u, zmq_msg_size(&msg));
    EXPECT_EQ(0, zmq_msg_more(&msg));
    EXPECT_EQ(0, zmq_msg_close(&msg));
}

TEST_F(contract_message_test, holds_any_size)
{
    for (std::size_t size : sizes_) {
        zmq_msg_t msg;
        ASSERT_EQ(0, zmq_msg_init_size(&msg, size));
        EXPECT_EQ(size, zmq_msg_size(&msg));
        std::memset(zmq_msg_data(&msg), 'm', size);
        EXPECT_EQ(std::string(size, 'm'), text(msg));
        EXPECT_EQ(0, zmq_msg_close(&msg));
    }
}

TEST_F(contract_message_test, a_closed_message_is_no_message)
{
    zmq_msg_t msg;
    zmq_msg_init(&msg);
    EXPECT_EQ(0, zmq_msg_close(&msg));
    EXPECT_EQ(-1, zmq_msg_close(&msg));
    EXPECT_EQ(EFAULT, zmq_errno());
    zmq_msg_t other;
    zmq_msg_init(&other);
    EXPECT_EQ(-1, zmq_msg_copy(&other, &msg));
    EXPECT_EQ(EFAULT, zmq_errno());
    EXPECT_EQ(-1, zmq_msg_move(&other, &msg));
    EXPECT_EQ(EFAULT, zmq_errno());
    zmq_msg_close(&other);
}

TEST_F(contract_message_test, a_move_takes_the_body_along)
{
    for (std::size_t size : sizes_) {
        zmq_msg_t from, to;
        init_with(from, std::string(size, 'f'));
        init_with(to, "released");
        EXPECT_EQ(0, zmq_msg_move(&to, &from));
        EXPECT_EQ(std::string(size, 'f'), text(to));
        EXPECT_EQ(0u, zmq_msg_size(&from));
        EXPECT_EQ(0, zmq_msg_close(&from));
        EXPECT_EQ(0, zmq_msg_close(&to));
    }
}

TEST_F(contract_message_test, a_copy_outlives_its_original)
{
    for (std::size_t size : sizes_) {
        zmq_msg_t first, second, third;
        init_with(first, std::string(size, 'c'));
        zmq_msg_init(&second);
        init_with(third, "released");
        EXPECT_EQ(0, zmq_msg_copy(&second, &first));
        EXPECT_EQ(0, zmq_msg_copy(&third, &second));
        EXPECT_EQ(0, zmq_msg_close(&first));
        EXPECT_EQ(std::string(size, 'c'), text(second));
        EXPECT_EQ(0, zmq_msg_close(&second));
        EXPECT_EQ(std::string(size, 'c'), text(third));
        EXPECT_EQ(0, zmq_msg_close(&third));
    }
}

TEST_F(contract_message_test, a_message_may_be_moved_bit_by_bit)
{
    for (std::size_t size : sizes_) {
        zmq_msg_t here, there;
        init_with(here, std::string(size, 'b'));
        std::memcpy(&there, &here, sizeof there);
        std::memset(&here, 0xdb, sizeof here);
        EXPECT_EQ(std::string(size, 'b'), text(there));
        EXPECT_EQ(0, zmq_msg_close(&there));
    }
}

TEST_F(contract_message_test, shared_tells_of_a_body_in_common)
{
    zmq_msg_t small, large, copy;
    init_with(small, "x");
    init_with(large, std::string(1000, 'x'));
    zmq_msg_init(&copy);
    EXPECT_EQ(0, zmq_msg_get(&small, ZMQ_SHARED));
    EXPECT_EQ(0, zmq_msg_get(&large, ZMQ_SHARED));
    zmq_msg_copy(&copy, &large);
    EXPECT_EQ(1, zmq_msg_get(&large, ZMQ_SHARED));
    EXPECT_EQ(1, zmq_msg_get(&copy, ZMQ_SHARED));
    EXPECT_EQ(0, zmq_msg_get(&small, ZMQ_MORE));
    EXPECT_EQ(-1, zmq_msg_get(&small, 4711));
    EXPECT_EQ(EINVAL, zmq_errno());
    EXPECT_EQ(-1, zmq_msg_set(&small, ZMQ_MORE, 1));
    EXPECT_EQ(EINVAL, zmq_errno());
    for (zmq_msg_t* msg : {&small, &large, &copy}) {
        zmq_msg_close(msg);
    }
}

TEST_F(contract_message_test, close_calls_the_free_function_once)
{
    for (std::size_t size : sizes_) {
        free_count count;
        zmq_msg_t msg;
        ASSERT_EQ(0, zmq_msg_init_data(&msg, storage_.data(), size, free_count::call, &count));
        EXPECT_EQ(storage_.data(), zmq_msg_data(&msg));
        EXPECT_EQ(size, zmq_msg_size(&msg));
        EXPECT_EQ(0, count.calls_);
        EXPECT_EQ(0, zmq_msg_close(&msg));
        count.expect(1);
        EXPECT_EQ(storage_.data(), count.data_);
    }
}

TEST_F(contract_message_test, the_last_copy_calls_the_free_function)
{
    free_count count;
    zmq_msg_t original, copies[3];
    zmq_msg_init_data(&original, storage_.data(), 500, free_count::call, &count);
    for (zmq_msg_t& copy : copies) {
        zmq_msg_init(&copy);
        EXPECT_EQ(0, zmq_msg_copy(&copy, &original));
    }
    EXPECT_EQ(0, zmq_msg_close(&original));
    EXPECT_EQ(0, zmq_msg_close(&copies[0]));
    EXPECT_EQ(-1, zmq_msg_move(&copies[0], &copies[1]));  // into a closed message
    EXPECT_EQ(EFAULT, zmq_errno());
    EXPECT_EQ(0, count.calls_);
    EXPECT_EQ(0, zmq_msg_close(&copies[1]));
    EXPECT_EQ(0, count.calls_);
    EXPECT_EQ(0, zmq_msg_close(&copies[2]));
    count.expect(1);
}

TEST_F(contract_message_test, data_without_free_function_stays_the_callers)
{
    // Outlives the context, whose I/O thread may still be returning from the call that sent it.
    static std::string constant(1 << 20, 'c');
    socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    push.connect(pull.bind("tcp://127.0.0.1:*"));
    zmq_msg_t msg;
    ASSERT_EQ(0, zmq_msg_init_data(&msg, constant.data(), constant.size(), nullptr, nullptr));
    EXPECT_EQ(1 << 20, zmq_msg_send(&msg, push, 0));
    EXPECT_TRUE(pull.recv() == constant);
    EXPECT_EQ(1 << 20, zmq_send_const(push, constant.data(), constant.size(), 0));
    EXPECT_TRUE(pull.recv() == constant);
}

TEST_F(contract_message_test, sending_calls_the_free_function_once)
{
    for (const char* where : {"inproc://x", "tcp://127.0.0.1:*", "ipc://*"}) {
        context ctx;
        socket push = ctx.open(ZMQ_PUSH), pull = ctx.open(ZMQ_PULL);
        push.connect(pull.bind(where));
        for (std::size_t size : sizes_) {
            free_count count;
            zmq_msg_t msg;
            zmq_msg_init_data(&msg, storage_.data(), size, free_count::call, &count);
            ASSERT_EQ(static_cast<int>(size), zmq_msg_send(&msg, push, 0));
            EXPECT_EQ(0u, zmq_msg_size(&msg));
            EXPECT_EQ(0, zmq_msg_close(&msg));
            EXPECT_EQ(size, pull.recv().size());
            count.expect(1);
        }
    }
}

TEST_F(contract_message_test, sending_to_many_calls_the_free_function_once)
{
    for (const char* where : {"inproc://x", "tcp://127.0.0.1:*"}) {
        context ctx;
        socket pub = ctx.open(ZMQ_XPUB);
        pub.set(ZMQ_XPUB_VERBOSE, 1);
        const std::string endpoint = pub.bind(where);
        std::vector<socket> subs;
        for (int i = 0; i < 4; ++i) {
            subs.push_back(ctx.open(ZMQ_SUB));
            subs.back().subscribe("");
            subs.back().connect(endpoint);
            EXPECT_EQ("\x01", pub.recv());
        }
        for (std::size_t size : sizes_) {
            free_count count;
            zmq_msg_t msg;
            zmq_msg_init_data(&msg, storage_.data(), size, free_count::call, &count);
            ASSERT_EQ(static_cast<int>(size), zmq_msg_send(&msg, pub, 0));
            for (socket& sub : subs) {
                EXPECT_EQ(size, sub.recv().size());
            }
            count.expect(1);
        }
    }
}

TEST_F(contract_message_test, messages_never_delivered_call_the_free_function_once)
{
    free_count unread, unsent, refused, nobody;
    {
        context ctx;
        socket push = ctx.open(ZMQ_PUSH), pull = ctx.open(ZMQ_PULL);
        socket stuck = ctx.open(ZMQ_PUSH), pub = ctx.open(ZMQ_PUB);
        push.connect(pull.bind(unique_inproc()));
        stuck.set(ZMQ_SNDHWM, 1);
        stuck.connect(tcp_peer::listen().endpoint());
        zmq_msg_t msg;
        zmq_msg_init_data(&msg, storage_.data(), 1000, free_count::call, &unread);
        EXPECT_EQ(1000, zmq_msg_send(&msg, push, 0));
        zmq_msg_init_data(&msg, storage_.data(), 1000, free_count::call, &unsent);
        EXPECT_EQ(1000, zmq_msg_send(&msg, stuck, 0));
        zmq_msg_init_data(&msg, storage_.data(), 1000, free_count::call, &nobody);
        EXPECT_EQ(1000, zmq_msg_send(&msg, pub, 0));
        zmq_msg_init_data(&msg, storage_.data(), 1000, free_count::call, &refused);
        EXPECT_EQ(-1, zmq_msg_send(&msg, stuck, ZMQ_DONTWAIT));
        EXPECT_EQ(0, refused.calls_);
        EXPECT_EQ(0, zmq_msg_close(&msg));
        refused.expect(1);
    }
    unread.expect(1);
    unsent.expect(1);
    nobody.expect(1);
}

TEST_F(contract_message_test, a_free_function_may_use_the_library)
{
    struct reply {
        static void call(void*, void* hint)
        {
            auto* self = static_cast<reply*>(hint);
            self->result = zmq_send(self->target, "freed", 5, ZMQ_DONTWAIT);
        }
        void* target;
        int result;
    };
    socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL), a = ctx_.open(ZMQ_PAIR), b = ctx_.open(ZMQ_PAIR);
    push.connect(pull.bind(unique_inproc()));
    b.connect(a.bind(unique_inproc()));
    reply hint{a, -1};
    zmq_msg_t msg;
    zmq_msg_init_data(&msg, storage_.data(), 5000, reply::call, &hint);
    EXPECT_EQ(5000, zmq_msg_send(&msg, push, 0));
    EXPECT_EQ(5000u, pull.recv().size());
    EXPECT_EQ("freed", b.recv());
    EXPECT_EQ(5, hint.result);
}

TEST_F(contract_message_test, receiving_releases_what_the_message_held)
{
    socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    push.connect(pull.bind(unique_inproc()));
    push.send("new");
    free_count count;
    zmq_msg_t msg;
    zmq_msg_init_data(&msg, storage_.data(), 100, free_count::call, &count);
    EXPECT_EQ(3, zmq_msg_recv(&msg, pull, 0));
    count.expect(1);
    EXPECT_EQ("new", text(msg));
    zmq_msg_close(&msg);
}

TEST_F(contract_message_test, more_tells_of_further_frames)
{
    for (const char* where : {"inproc://x", "tcp://127.0.0.1:*"}) {
        context ctx;
        socket push = ctx.open(ZMQ_PUSH), pull = ctx.open(ZMQ_PULL);
        push.connect(pull.bind(where));
        push.send_parts({"a", "", std::string(9000, 'c'), "d"});
        for (int i = 0; i < 4; ++i) {
            received msg(pull);
            EXPECT_EQ(i < 3 ? 1 : 0, zmq_msg_more(msg));
            EXPECT_EQ(i < 3 ? 1 : 0, zmq_msg_get(msg, ZMQ_MORE));
            EXPECT_EQ(i < 3, pull.more());
        }
    }
}

TEST_F(contract_message_test, a_short_buffer_cuts_the_frame_and_tells_its_size)
{
    for (const char* where : {"inproc://x", "tcp://127.0.0.1:*"}) {
        context ctx;
        socket push = ctx.open(ZMQ_PUSH), pull = ctx.open(ZMQ_PULL);
        push.connect(pull.bind(where));
        push.send_parts({"0123456789", "second"});
        char buffer[8] = "-------";
        EXPECT_EQ(10, zmq_recv(pull, buffer, 4, 0));
        EXPECT_STREQ("0123---", buffer);
        EXPECT_TRUE(pull.more());
        EXPECT_EQ("second", pull.recv());
        push.send("counted only");
        EXPECT_EQ(12, zmq_recv(pull, nullptr, 0, 0));
    }
}

TEST_F(contract_message_test, a_peer_without_an_identity_has_none_in_its_metadata)
{
    socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    push.connect(pull.bind("tcp://127.0.0.1:*"));
    push.send("x");
    received msg(pull);
    for (const char* property : {"Routing-Id", "Identity"}) {
        errno = 0;
        EXPECT_EQ(nullptr, zmq_msg_gets(msg, property)) << property;
        EXPECT_EQ(EINVAL, zmq_errno()) << property;
    }
}

// The manual names Routing-Id, and Identity as its old name; libzmq has the latter alone.
TEST_F(contract_message_test, the_routing_id_of_a_peer_has_both_names_in_zlink)
{
    socket dealer = ctx_.open(ZMQ_DEALER), router = ctx_.open(ZMQ_ROUTER);
    dealer.set(ZMQ_ROUTING_ID, "myself");
    dealer.connect(router.bind("tcp://127.0.0.1:*"));
    dealer.send("x");
    for (int i = 0; i < 2; ++i) {
        received msg(router);
        EXPECT_STREQ("myself", zmq_msg_gets(msg, "Routing-Id"));
        EXPECT_STREQ("myself", zmq_msg_gets(msg, "Identity"));
    }
}

TEST_F(contract_message_test, metadata_describes_the_peer)
{
    socket dealer = ctx_.open(ZMQ_DEALER), router = ctx_.open(ZMQ_ROUTER);
    dealer.set(ZMQ_ROUTING_ID, "myself");
    dealer.connect(router.bind("tcp://127.0.0.1:*"));
    dealer.send_parts({"a", std::string(100000, 'b')});
    router.recv();
    for (int i = 0; i < 2; ++i) {
        received msg(router);
        EXPECT_STREQ("DEALER", zmq_msg_gets(msg, "Socket-Type"));
        EXPECT_STREQ("127.0.0.1", zmq_msg_gets(msg, "Peer-Address"));
        EXPECT_STREQ("myself", zmq_msg_gets(msg, "Identity"));
        EXPECT_EQ(nullptr, zmq_msg_gets(msg, "User-Id"));
        EXPECT_EQ(EINVAL, zmq_errno());
        EXPECT_EQ(nullptr, zmq_msg_gets(msg, "no such property"));
        EXPECT_EQ(EINVAL, zmq_errno());
    }
}

TEST_F(contract_message_test, metadata_has_what_the_peer_announces)
{
    socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    push.set(ZMQ_METADATA, "X-Colour:blue");
    push.connect(pull.bind("tcp://127.0.0.1:*"));
    push.send("x");
    received msg(pull);
    ASSERT_EQ(1, static_cast<int>(zmq_msg_size(msg)));
    EXPECT_STREQ("blue", zmq_msg_gets(msg, "X-Colour"));
}

TEST_F(contract_message_test, metadata_has_the_names_of_the_header)
{
    socket dealer = ctx_.open(ZMQ_DEALER), router = ctx_.open(ZMQ_ROUTER);
    dealer.set(ZMQ_ROUTING_ID, "myself");
    dealer.connect(router.bind("tcp://127.0.0.1:*"));
    dealer.send("a");
    received msg(router);
    ASSERT_EQ(6, static_cast<int>(zmq_msg_size(msg)));
    EXPECT_STREQ("myself", zmq_msg_gets(msg, ZMQ_MSG_PROPERTY_ROUTING_ID));
    EXPECT_STREQ("DEALER", zmq_msg_gets(msg, ZMQ_MSG_PROPERTY_SOCKET_TYPE));
    EXPECT_STREQ("127.0.0.1", zmq_msg_gets(msg, ZMQ_MSG_PROPERTY_PEER_ADDRESS));
    EXPECT_EQ(nullptr, zmq_msg_gets(msg, ZMQ_MSG_PROPERTY_USER_ID)) << "nobody has named a user";
}

TEST_F(contract_message_test, metadata_goes_along_with_copies_and_moves)
{
    socket push = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    push.connect(pull.bind("tcp://127.0.0.1:*"));
    push.send("x");
    zmq_msg_t received, copy, moved;
    for (zmq_msg_t* msg : {&received, &copy, &moved}) {
        zmq_msg_init(msg);
    }
    ASSERT_EQ(1, zmq_msg_recv(&received, pull, 0));
    zmq_msg_copy(&copy, &received);
    zmq_msg_move(&moved, &received);
    EXPECT_STREQ("PUSH", zmq_msg_gets(&copy, "Socket-Type"));
    EXPECT_STREQ("PUSH", zmq_msg_gets(&moved, "Socket-Type"));
    EXPECT_EQ(nullptr, zmq_msg_gets(&received, "Socket-Type"));
    for (zmq_msg_t* msg : {&received, &copy, &moved}) {
        zmq_msg_close(msg);
    }
}

TEST_F(contract_message_test, own_messages_have_no_metadata)
{
    zmq_msg_t msg;
    init_with(msg, "x");
    EXPECT_EQ(nullptr, zmq_msg_gets(&msg, "Socket-Type"));
    EXPECT_EQ(EINVAL, zmq_errno());
    zmq_msg_close(&msg);
}

TEST_F(contract_message_test, messages_outlive_sockets_and_context)
{
    for (const char* where : {"inproc://x", "tcp://127.0.0.1:*", "ipc://*"}) {
        std::vector<zmq_msg_t> messages(sizes_.size());
        {
            context ctx;
            socket push = ctx.open(ZMQ_PUSH), pull = ctx.open(ZMQ_PULL);
            push.connect(pull.bind(where));
            for (std::size_t i = 0; i < sizes_.size(); ++i) {
                push.send(std::string(sizes_[i], static_cast<char>('a' + i)));
                zmq_msg_init(&messages[i]);
                ASSERT_EQ(static_cast<int>(sizes_[i]), zmq_msg_recv(&messages[i], pull, 0));
            }
        }
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            EXPECT_TRUE(text(messages[i]) == std::string(sizes_[i], static_cast<char>('a' + i)));
            if (!std::string_view(where).starts_with("inproc")) {
                EXPECT_STREQ("PUSH", zmq_msg_gets(&messages[i], "Socket-Type"));
            }
            EXPECT_EQ(0, zmq_msg_close(&messages[i]));
        }
    }
}

TEST_F(contract_message_test, a_received_message_can_be_sent_on)
{
    socket push = ctx_.open(ZMQ_PUSH), in = ctx_.open(ZMQ_PULL), out = ctx_.open(ZMQ_PUSH), pull = ctx_.open(ZMQ_PULL);
    push.connect(in.bind("tcp://127.0.0.1:*"));
    out.connect(pull.bind("tcp://127.0.0.1:*"));
    for (std::size_t size : sizes_) {
        push.send(std::string(size, 'r'));
        received msg(in);
        ASSERT_EQ(static_cast<int>(size), static_cast<int>(zmq_msg_size(msg)));
        ASSERT_EQ(static_cast<int>(size), zmq_msg_send(msg, out, 0));
        EXPECT_TRUE(pull.recv() == std::string(size, 'r'));
    }
}

}  // namespace
}  // namespace zlink::test
