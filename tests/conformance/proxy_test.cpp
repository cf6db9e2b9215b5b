// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_proxy, zmq_proxy_steerable and zmq_device: forwarding, capture, control, and how they end.

#include "support/zmq_fixture.hpp"

#include <functional>
#include <thread>

namespace zlink::test {
namespace {

/// Runs a blocking call in a thread; the context must be shut down, or the proxy terminated, before it goes.
class running {
public:
    explicit running(std::function<int()> call)
        : thread_([this, call = std::move(call)] {
              result_ = call();
              error_ = zmq_errno();
          })
    {}

    running(const running&) = delete;
    running& operator=(const running&) = delete;
    ~running() { join(); }

    void join()
    {
        if (thread_.joinable()) thread_.join();
    }

    int result()
    {
        join();
        return result_;
    }

    int error()
    {
        join();
        return error_;
    }

private:
    int result_ = 0;
    int error_ = 0;
    std::thread thread_;
};

/// The sockets a proxy stands between, and the ones that talk through it.
class proxy_test : public zmq_test {
protected:
    /// Prepares a ROUTER in front of a DEALER, with a requester and a replier.
    void prepare_requests(const std::string& transport = "tcp://127.0.0.1:*")
    {
        front_ = ctx_.open(ZMQ_ROUTER);
        back_ = ctx_.open(ZMQ_DEALER);
        near_ = ctx_.open(ZMQ_REQ);
        far_ = ctx_.open(ZMQ_REP);
        near_.connect(front_.bind(transport == "inproc" ? unique_inproc() : transport));
        far_.connect(back_.bind(transport == "inproc" ? unique_inproc() : transport));
    }

    /// Prepares PULL in front of PUSH, with a pusher and a puller.
    void prepare_pipeline()
    {
        front_ = ctx_.open(ZMQ_PULL);
        back_ = ctx_.open(ZMQ_PUSH);
        near_ = ctx_.open(ZMQ_PUSH);
        far_ = ctx_.open(ZMQ_PULL);
        near_.connect(front_.bind("tcp://127.0.0.1:*"));
        far_.connect(back_.bind("tcp://127.0.0.1:*"));
    }

    void round_trip(const std::string& question, const std::string& answer)
    {
        near_.send(question);
        EXPECT_EQ(question, far_.recv());
        far_.send(answer);
        EXPECT_EQ(answer, near_.recv());
    }

    socket front_;
    socket back_;
    socket near_;
    socket far_;
};

TEST_F(proxy_test, carries_requests_and_replies)
{
    for (const char* transport : {"tcp://127.0.0.1:*", "ipc://*", "inproc"}) {
        context ctx;
        socket front = ctx.open(ZMQ_ROUTER);
        socket back = ctx.open(ZMQ_DEALER);
        socket near = ctx.open(ZMQ_REQ);
        socket far = ctx.open(ZMQ_REP);
        const bool inproc = std::string_view(transport) == "inproc";
        near.connect(front.bind(inproc ? unique_inproc() : transport));
        far.connect(back.bind(inproc ? unique_inproc() : transport));
        running proxy([&] { return zmq_proxy(front, back, nullptr); });
        for (int i = 0; i < 100; ++i) {
            near.send("question");
            EXPECT_EQ("question", far.recv());
            far.send("answer");
            EXPECT_EQ("answer", near.recv());
        }
        ctx.shutdown();
        EXPECT_EQ(-1, proxy.result());
        EXPECT_EQ(ETERM, proxy.error());
    }
}

TEST_F(proxy_test, carries_a_pipeline_in_order_and_whole)
{
    prepare_pipeline();
    running proxy([&] { return zmq_proxy(front_, back_, nullptr); });
    std::thread sending([&] {
        for (int i = 0; i < 5000; ++i) near_.send_parts({std::to_string(i), "", std::string(300, 'b')});
    });
    for (int i = 0; i < 5000; ++i) ASSERT_EQ((parts{std::to_string(i), "", std::string(300, 'b')}), far_.recv_parts());
    sending.join();
    ctx_.shutdown();
    EXPECT_EQ(ETERM, proxy.error());
}

TEST_F(proxy_test, carries_subscriptions_up_and_messages_down)
{
    socket front = ctx_.open(ZMQ_XSUB);
    socket back = ctx_.open(ZMQ_XPUB);
    socket publisher = ctx_.open(ZMQ_PUB);
    socket subscriber = ctx_.open(ZMQ_SUB);
    subscriber.subscribe("yes");
    publisher.connect(front.bind("tcp://127.0.0.1:*"));
    subscriber.connect(back.bind("tcp://127.0.0.1:*"));
    running proxy([&] { return zmq_proxy(front, back, nullptr); });
    sync_subscription(publisher, subscriber, "yes");
    publisher.send("no");
    publisher.send("yes, indeed");
    EXPECT_EQ("yes, indeed", subscriber.recv());
    ctx_.shutdown();
    EXPECT_EQ(ETERM, proxy.error());
}

TEST_F(proxy_test, captures_both_directions)
{
    prepare_requests();
    socket capture = ctx_.open(ZMQ_PAIR);
    socket captured = ctx_.open(ZMQ_PAIR);
    captured.connect(capture.bind(unique_inproc()));
    running proxy([&] { return zmq_proxy(front_, back_, capture); });
    round_trip("question", "answer");
    const parts request = captured.recv_parts();
    ASSERT_EQ(3U, request.size()) << "routing id, delimiter, body";
    EXPECT_EQ("", request[1]);
    EXPECT_EQ("question", request[2]);
    const parts reply = captured.recv_parts();
    EXPECT_EQ((parts{request[0], "", "answer"}), reply);
    ctx_.shutdown();
    EXPECT_EQ(ETERM, proxy.error());
}

TEST_F(proxy_test, what_is_passed_on_does_not_wait_for_a_full_capture)
{
    front_ = ctx_.open(ZMQ_PAIR);
    near_ = ctx_.open(ZMQ_PAIR);
    near_.connect(front_.bind(unique_inproc()));
    back_ = ctx_.open(ZMQ_DEALER);
    far_ = ctx_.open(ZMQ_DEALER);
    far_.connect(back_.bind("tcp://127.0.0.1:*"));
    socket capture = ctx_.open(ZMQ_PAIR);
    socket captured = ctx_.open(ZMQ_PAIR);
    for (socket* s : {&capture, &captured}) {
        s->set(ZMQ_SNDHWM, 1);
        s->set(ZMQ_RCVHWM, 1);
    }
    captured.connect(capture.bind(unique_inproc()));
    // Until the connection's I/O threads sleep.
    for (int i = 0; i < 100; ++i) {
        back_.send("ping");
        ASSERT_EQ("ping", far_.recv());
        far_.send("pong");
        ASSERT_EQ("pong", back_.recv());
    }
    for (const char* which : {"first", "second", "one too many"}) near_.send(which);
    running proxy([&] { return zmq_proxy(front_, back_, capture); });
    EXPECT_EQ("first", far_.recv());
    EXPECT_EQ("second", far_.recv());
    EXPECT_EQ("first", captured.recv());
    ctx_.shutdown();
    EXPECT_EQ(ETERM, proxy.error());
}

TEST_F(proxy_test, may_use_one_socket_for_both_sides)
{
    socket router = ctx_.open(ZMQ_ROUTER);
    socket peer = ctx_.open(ZMQ_DEALER);
    peer.set(ZMQ_ROUTING_ID, "peer");
    peer.connect(router.bind("tcp://127.0.0.1:*"));
    running proxy([&] { return zmq_proxy(router, router, nullptr); });
    peer.send("echo");
    EXPECT_EQ("echo", peer.recv());
    ctx_.shutdown();
    EXPECT_EQ(ETERM, proxy.error());
}

class device_test : public proxy_test, public ::testing::WithParamInterface<int> {};

TEST_P(device_test, is_a_proxy_without_capture)
{
    prepare_requests();
    running device([&] { return zmq_device(GetParam(), front_, back_); });
    round_trip("question", "answer");
    ctx_.shutdown();
    EXPECT_EQ(-1, device.result());
    EXPECT_EQ(ETERM, device.error());
}

INSTANTIATE_TEST_SUITE_P(kinds, device_test, ::testing::Values(ZMQ_STREAMER, ZMQ_FORWARDER, ZMQ_QUEUE));

TEST_F(proxy_test, needs_both_sockets)
{
    socket one = ctx_.open(ZMQ_ROUTER);
    EXPECT_EQ(-1, zmq_proxy(nullptr, one, nullptr));
    EXPECT_EQ(EFAULT, zmq_errno());
    EXPECT_EQ(-1, zmq_proxy(one, nullptr, nullptr));
    EXPECT_EQ(EFAULT, zmq_errno());
    EXPECT_EQ(-1, zmq_proxy_steerable(nullptr, one, nullptr, nullptr));
    EXPECT_EQ(EFAULT, zmq_errno());
}

TEST_F(proxy_test, steerable_without_control_is_a_proxy)
{
    prepare_requests();
    running proxy([&] { return zmq_proxy_steerable(front_, back_, nullptr, nullptr); });
    round_trip("question", "answer");
    ctx_.shutdown();
    EXPECT_EQ(ETERM, proxy.error());
}

class steerable_proxy_test : public proxy_test {
protected:
    void SetUp() override
    {
        control_ = ctx_.open(ZMQ_PAIR);
        steering_ = ctx_.open(ZMQ_PAIR);
        steering_.connect(control_.bind(unique_inproc()));
    }

    int run() { return zmq_proxy_steerable(front_, back_, nullptr, control_); }

    /// The eight figures of a STATISTICS reply. libzmq 4.3.5 alone acknowledges other commands on a PAIR by an empty
    /// message; such messages are passed over.
    std::vector<std::uint64_t> statistics()
    {
        steering_.send("STATISTICS");
        parts reply;
        do {
            reply = steering_.recv_parts();
        } while (reply == parts{""});
        std::vector<std::uint64_t> figures;
        for (const std::string& frame : reply) {
            std::uint64_t figure = 0;
            EXPECT_EQ(sizeof figure, frame.size());
            std::memcpy(&figure, frame.data(), std::min(sizeof figure, frame.size()));
            figures.push_back(figure);
        }
        return figures;
    }

    socket control_;
    socket steering_;
};

TEST_F(steerable_proxy_test, terminate_ends_it_smoothly)
{
    prepare_requests();
    running proxy([&] { return run(); });
    round_trip("question", "answer");
    steering_.send("TERMINATE");
    EXPECT_EQ(0, proxy.result());
}

TEST_F(steerable_proxy_test, pause_holds_messages_back_until_resume)
{
    prepare_pipeline();
    running proxy([&] { return run(); });
    near_.send("before");
    EXPECT_EQ("before", far_.recv());
    steering_.send("PAUSE");
    // STATISTICS is answered in order, so that PAUSE has been taken by then.
    statistics();
    near_.send("while paused");
    expect_no_message_for(far_, 100);
    steering_.send("RESUME");
    EXPECT_EQ("while paused", far_.recv());
    steering_.send("TERMINATE");
    EXPECT_EQ(0, proxy.result());
}

TEST_F(steerable_proxy_test, terminate_ends_a_paused_one)
{
    prepare_pipeline();
    running proxy([&] { return run(); });
    steering_.send("PAUSE");
    steering_.send("TERMINATE");
    EXPECT_EQ(0, proxy.result());
}

TEST_F(steerable_proxy_test, statistics_count_messages_and_bytes)
{
    prepare_pipeline();
    running proxy([&] { return run(); });
    EXPECT_EQ(std::vector<std::uint64_t>(8, 0), statistics());
    for (int i = 0; i < 10; ++i) near_.send(std::string(100, 's'));
    for (int i = 0; i < 10; ++i) far_.recv();
    const auto figures = statistics();
    // Received and sent by the front, then received and sent by the back: messages and bytes each.
    EXPECT_EQ((std::vector<std::uint64_t>{10, 1000, 0, 0, 0, 0, 10, 1000}), figures);
    steering_.send("TERMINATE");
    EXPECT_EQ(0, proxy.result());
}

TEST_F(steerable_proxy_test, statistics_count_each_part)
{
    prepare_pipeline();
    running proxy([&] { return run(); });
    near_.send_parts({"1", "22", "333"});
    near_.send("4444");
    EXPECT_EQ((parts{"1", "22", "333"}), far_.recv_parts());
    EXPECT_EQ("4444", far_.recv());
    EXPECT_EQ((std::vector<std::uint64_t>{4, 10, 0, 0, 0, 0, 4, 10}), statistics());
    steering_.send("TERMINATE");
    EXPECT_EQ(0, proxy.result());
}

TEST_F(steerable_proxy_test, a_rep_answers_every_command)
{
    prepare_pipeline();
    socket control = ctx_.open(ZMQ_REP), steering = ctx_.open(ZMQ_REQ);
    steering.connect(control.bind(unique_inproc()));
    running proxy([&] { return zmq_proxy_steerable(front_, back_, nullptr, control); });
    for (const char* command : {"PAUSE", "RESUME", "no command", "TERMINATE"}) {
        steering.send(command);
        EXPECT_EQ("", steering.recv()) << command;
    }
    EXPECT_EQ(0, proxy.result());
}

// As the manual says, and libzmq does, 4.3.5 excepted.
TEST_F(steerable_proxy_test, other_control_sockets_answer_statistics_alone)
{
    prepare_pipeline();
    for (const int type : {ZMQ_PAIR, ZMQ_DEALER}) {
        socket control = ctx_.open(type), steering = ctx_.open(type);
        steering.connect(control.bind(unique_inproc()));
        running proxy([&] { return zmq_proxy_steerable(front_, back_, nullptr, control); });
        for (const char* command : {"PAUSE", "no command", "RESUME", "STATISTICS"}) steering.send(command);
        EXPECT_EQ(8U, steering.recv_parts().size()) << "nothing before";
        steering.send("TERMINATE");
        EXPECT_EQ(0, proxy.result());
        expect_no_message(steering);
    }
}

// PUB and SUB have a topic in front, ROUTER a routing id.
TEST_F(steerable_proxy_test, each_frame_of_a_message_may_be_a_command)
{
    prepare_pipeline();
    for (const int type : {ZMQ_PAIR, ZMQ_ROUTER}) {
        socket control = ctx_.open(type), steering = ctx_.open(type == ZMQ_ROUTER ? ZMQ_DEALER : type);
        steering.connect(control.bind(unique_inproc()));
        running proxy([&] { return zmq_proxy_steerable(front_, back_, nullptr, control); });
        near_.send("before");
        EXPECT_EQ("before", far_.recv());
        steering.send_parts({"topic", "TERMINATE"});
        EXPECT_EQ(0, proxy.result());
    }
}

// libzmq ends with EFSM at the second frame.
TEST_F(steerable_proxy_test, a_rep_answers_a_command_of_several_frames_once_in_zlink)
{
    prepare_pipeline();
    socket control = ctx_.open(ZMQ_REP), steering = ctx_.open(ZMQ_REQ);
    steering.connect(control.bind(unique_inproc()));
    running proxy([&] { return zmq_proxy_steerable(front_, back_, nullptr, control); });
    for (const char* command : {"no command", "PAUSE", "RESUME", "STATISTICS", "TERMINATE"}) {
        steering.send_parts({"topic", command, ""});
        const std::size_t frames = std::string_view(command) == "STATISTICS" ? 8 : 1;
        EXPECT_EQ(frames, steering.recv_parts().size()) << command;
    }
    EXPECT_EQ(0, proxy.result());
}

// libzmq's ends with the process.
TEST_F(steerable_proxy_test, one_socket_for_both_sides_is_steered_in_zlink)
{
    socket router = ctx_.open(ZMQ_ROUTER), peer = ctx_.open(ZMQ_DEALER);
    peer.connect(router.bind("tcp://127.0.0.1:*"));
    running proxy([&] { return zmq_proxy_steerable(router, router, nullptr, control_); });
    peer.send("echo");
    EXPECT_EQ("echo", peer.recv());
    steering_.send("PAUSE");
    EXPECT_EQ(8U, statistics().size());
    peer.send("while paused");
    expect_no_message_for(peer, 50);
    steering_.send("RESUME");
    EXPECT_EQ("while paused", peer.recv());
    steering_.send("TERMINATE");
    EXPECT_EQ(0, proxy.result());
}

TEST_F(steerable_proxy_test, messages_do_not_wait_for_the_end_of_the_commands)
{
    prepare_pipeline();
    ASSERT_TRUE(back_.writable(patience_ms));
    near_.send("message");
    ASSERT_TRUE(front_.readable(patience_ms));
    for (int i = 0; i < 100; ++i) steering_.send("no command");
    steering_.send("TERMINATE");
    EXPECT_EQ(0, run());
    EXPECT_EQ("message", far_.recv());
}

// libzmq waits for room.
TEST_F(steerable_proxy_test, statistics_without_room_are_lost_as_a_whole_in_zlink)
{
    prepare_pipeline();
    socket control = ctx_.open(ZMQ_PAIR), steering = ctx_.open(ZMQ_PAIR);
    control.set(ZMQ_SNDHWM, 1);
    steering.set(ZMQ_RCVHWM, 1);
    steering.connect(control.bind(unique_inproc()));
    for (int i = 0; i < 10; ++i) steering.send("STATISTICS");
    steering.send("TERMINATE");
    EXPECT_EQ(0, zmq_proxy_steerable(front_, back_, nullptr, control));
    const std::vector<parts> answers = steering.drain();
    EXPECT_LT(0U, answers.size());
    EXPECT_GT(10U, answers.size());
    for (const parts& answer : answers) EXPECT_EQ(8U, answer.size());
}

// libzmq ends with ENOTSUP when it cannot answer.
TEST_F(steerable_proxy_test, control_sockets_that_cannot_send_steer_in_zlink)
{
    prepare_pipeline();
    socket control = ctx_.open(ZMQ_PULL), steering = ctx_.open(ZMQ_PUSH);
    steering.connect(control.bind(unique_inproc()));
    running proxy([&] { return zmq_proxy_steerable(front_, back_, nullptr, control); });
    for (const char* command : {"STATISTICS", "PAUSE", "no command", "RESUME"}) steering.send(command);
    near_.send("x");
    EXPECT_EQ("x", far_.recv());
    steering.send("TERMINATE");
    EXPECT_EQ(0, proxy.result());
}

TEST_F(steerable_proxy_test, statistics_cover_both_directions)
{
    prepare_requests();
    running proxy([&] { return run(); });
    round_trip("12345", "123");
    const auto figures = statistics();
    ASSERT_EQ(8U, figures.size());
    EXPECT_LT(0U, figures[0]);
    EXPECT_LT(0U, figures[2]);
    EXPECT_EQ(figures[0], figures[6]) << "what came in front went out behind";
    EXPECT_EQ(figures[1], figures[7]);
    EXPECT_EQ(figures[4], figures[2]) << "and the other way round";
    EXPECT_EQ(figures[5], figures[3]);
    EXPECT_EQ(figures[1] - figures[5], 2U) << "the bodies differ by two bytes";
    steering_.send("TERMINATE");
    EXPECT_EQ(0, proxy.result());
}

TEST_F(steerable_proxy_test, ends_with_the_context)
{
    prepare_requests();
    running proxy([&] { return run(); });
    round_trip("question", "answer");
    ctx_.shutdown();
    EXPECT_EQ(-1, proxy.result());
    EXPECT_EQ(ETERM, proxy.error());
}

TEST_F(steerable_proxy_test, can_be_steered_by_a_subscription)
{
    prepare_pipeline();
    socket publisher = ctx_.open(ZMQ_PUB);
    socket control = ctx_.open(ZMQ_SUB);
    control.subscribe("");
    control.connect(publisher.bind(unique_inproc()));
    sync_subscription(publisher, control, "TERMINATE");
    running proxy([&] { return zmq_proxy_steerable(front_, back_, nullptr, control); });
    near_.send("x");
    EXPECT_EQ("x", far_.recv());
    publisher.send("TERMINATE");
    EXPECT_EQ(0, proxy.result());
}

TEST_F(steerable_proxy_test, back_pressure_reaches_the_sender)
{
    front_ = ctx_.open(ZMQ_PULL);
    back_ = ctx_.open(ZMQ_PUSH);
    near_ = ctx_.open(ZMQ_PUSH);
    far_ = ctx_.open(ZMQ_PULL);
    for (socket* s : {&front_, &back_, &near_, &far_}) {
        s->set(ZMQ_SNDHWM, 5);
        s->set(ZMQ_RCVHWM, 5);
    }
    near_.connect(front_.bind(unique_inproc()));
    far_.connect(back_.bind(unique_inproc()));
    running proxy([&] { return run(); });
    int sent = 0;
    while (near_.writable(200)) {
        ASSERT_EQ(0, near_.try_send(std::to_string(sent)));
        ASSERT_LT(++sent, 1000) << "no back-pressure";
    }
    EXPECT_GE(sent, 20);
    EXPECT_LE(sent, 25) << "both queues, and what the proxy has in hand";
    for (int i = 0; i < sent; ++i) ASSERT_EQ(std::to_string(i), far_.recv());
    steering_.send("TERMINATE");
    EXPECT_EQ(0, proxy.result());
}

}  // namespace
}  // namespace zlink::test
