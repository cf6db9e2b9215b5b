// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sockets in use while a thread, or the process, is ending. They are used by destructors of the program's own
// thread_local and static objects that were made before the first call. These end after whatever the library keeps for
// the thread.
#include "support/sleeping_thread.hpp"
#include "support/zmq_fixture.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

namespace zlink::test {
namespace {

// Calls at its end.
struct at_the_end {
    ~at_the_end()
    {
        if (call) call();
    }
    std::function<void()> call;
};

class ended_threads_test : public ::testing::TestWithParam<const char*> {
protected:
    static bool secured() { return std::string(GetParam()).starts_with("tls"); }
    static bool here() { return !secured() || zmq_has("tls"); }

    // Two sockets that have spoken to each other.
    static void connect(socket& one, socket& other)
    {
        if (secured()) {
            know_certificates(one);
            know_certificates(other);
        }
        const std::string endpoint = GetParam();
        other.connect(one.bind(endpoint.starts_with("inproc") ? unique_inproc() : endpoint));
        exchange(one, other, 2);
    }

    static void exchange(socket& one, socket& other, int count)
    {
        for (int i = 0; i < count; ++i) {
            const std::string text(std::size_t(1 + i * 37 % 3000), char('a' + i % 26));
            other.send(text);
            ASSERT_EQ(text, one.recv());
            one.send(text);
            ASSERT_EQ(text, other.recv());
        }
    }
};

// Each of the two would take the other's wake-ups, had the ending thread's way of sleeping gone to the new one.
TEST_P(ended_threads_test, a_thread_sleeps_in_its_last_destructor_while_another_begins)
{
    if (!here()) return;
    context ctx;
    socket one = ctx.open(ZMQ_PAIR), other = ctx.open(ZMQ_PAIR);
    socket new_one = ctx.open(ZMQ_PAIR), new_other = ctx.open(ZMQ_PAIR);
    connect(one, other);
    connect(new_one, new_other);
    constexpr int rounds = 20;
    const auto receive = [](socket& s) {
        for (int i = 0; i < rounds; ++i) {
            ASSERT_EQ(std::to_string(i), s.recv());
            s.send("heard");
        }
    };
    std::atomic<pid_t> ending_id{0}, beginning_id{0};
    std::thread ending([&] {
        thread_local at_the_end last;
        last.call = [&] {
            ending_id = ::gettid();
            receive(one);
        };
        // The library's own come after it.
        zmq_pollitem_t item{one, 0, ZMQ_POLLIN, 0};
        EXPECT_EQ(0, zmq_poll(&item, 1, 1));
    });
    EXPECT_TRUE(comes_to_sleep(ending_id));
    std::thread beginning([&] {
        beginning_id = ::gettid();
        receive(new_one);
    });
    for (int i = 0; i < rounds; ++i) {
        EXPECT_TRUE(comes_to_sleep(ending_id));
        EXPECT_TRUE(comes_to_sleep(beginning_id));
        new_other.send(std::to_string(i));
        EXPECT_EQ("heard", new_other.recv());
        other.send(std::to_string(i));
        EXPECT_EQ("heard", other.recv());
        if (HasFailure()) break;
    }
    ending.join();
    beginning.join();
}

TEST_P(ended_threads_test, a_thread_receives_in_its_last_destructor)
{
    if (!here()) return;
    context ctx;
    socket one = ctx.open(ZMQ_PAIR), other = ctx.open(ZMQ_PAIR);
    connect(one, other);
    std::thread ending([&] {
        thread_local at_the_end last;
        last.call = [&] { exchange(one, other, 500); };
        exchange(one, other, 500);
    });
    ending.join();
    exchange(one, other, 10);
}

// After main(), in a process of its own.
TEST_P(ended_threads_test, a_process_receives_in_destructors_of_static_objects)
{
    if (!here()) return;
    constexpr int well = 7;
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto end = [] {
        static at_the_end last;
        context ctx;
        socket one = ctx.open(ZMQ_PAIR), other = ctx.open(ZMQ_PAIR);
        connect(one, other);
        exchange(one, other, 100);
        last.call = [&] {
            exchange(one, other, 500);
            one.close();
            other.close();
            ctx.terminate();
            ::_exit(HasFailure() ? 1 : well);
        };
        std::exit(1);
    };
    EXPECT_EXIT(end(), ::testing::ExitedWithCode(well), "");
}

INSTANTIATE_TEST_SUITE_P(over, ended_threads_test,
                         ::testing::Values("inproc://*", "tcp://127.0.0.1:*", "ipc://*", "tls://127.0.0.1:*"),
                         [](const auto& test) { return std::string(test.param, std::string(test.param).find(':')); });

}  // namespace
}  // namespace zlink::test
