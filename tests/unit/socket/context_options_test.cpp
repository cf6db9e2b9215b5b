// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/context_options.hpp"

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include <zmq.h>

#include <climits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::socket {
namespace {

struct number_case {
    const char* name;
    int option;
    int default_value;
    std::vector<int> accepted;
    std::vector<int> rejected;
};

class context_number_test : public testing::TestWithParam<number_case> {};

TEST_P(context_number_test, reads_its_default_and_every_value_in_range)
{
    const number_case& test = GetParam();
    context_options options;
    int read = 77;
    ASSERT_EQ(get_option(options, test.option, read), errc::none);
    EXPECT_EQ(read, test.default_value);
    for (const int value : test.accepted) {
        EXPECT_EQ(set_option(options, test.option, value), errc::none) << value;
        ASSERT_EQ(get_option(options, test.option, read), errc::none);
        EXPECT_EQ(read, value);
    }
}

TEST_P(context_number_test, refuses_values_out_of_range_and_keeps_the_old_one)
{
    const number_case& test = GetParam();
    context_options options;
    for (const int value : test.rejected) {
        EXPECT_EQ(set_option(options, test.option, value), errc::invalid_argument) << value;
    }
    int read = 77;
    ASSERT_EQ(get_option(options, test.option, read), errc::none);
    EXPECT_EQ(read, test.default_value);
}

TEST_P(context_number_test, refuses_other_sizes_than_that_of_int)
{
    const number_case& test = GetParam();
    context_options options;
    const long long value = 1;
    EXPECT_EQ(set_option(options, test.option, &value, sizeof value), errc::invalid_argument);
    EXPECT_EQ(set_option(options, test.option, &value, 2), errc::invalid_argument);
    EXPECT_EQ(set_option(options, test.option, nullptr, sizeof(int)), errc::invalid_argument);
    long long room = 0;
    std::size_t size = sizeof room;
    EXPECT_EQ(get_option(options, test.option, &room, &size), errc::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(all, context_number_test,
                         testing::Values(number_case{"io_threads", ZMQ_IO_THREADS, 1, {0, 2, 16}, {-1, INT_MIN}},
                                         number_case{"max_sockets", ZMQ_MAX_SOCKETS, 1023, {1, 5000, 65535}, {0, -1}},
                                         number_case{"ipv6", ZMQ_IPV6, 0, {1, 0}, {-1}},
                                         number_case{"blocky", ZMQ_BLOCKY, 1, {0, 1}, {-1}},
                                         number_case{"max_msgsz", ZMQ_MAX_MSGSZ, INT_MAX, {0, 1000, INT_MAX}, {-1}},
                                         number_case{"zero_copy_recv", ZMQ_ZERO_COPY_RECV, 1, {0, 1}, {-1}},
                                         number_case{"sched_policy", ZMQ_THREAD_SCHED_POLICY, -1, {0, 2}, {-1}}),
                         [](const auto& test) { return std::string{test.param.name}; });

TEST(context_options_test, flags_take_any_number_that_is_not_negative_as_true)
{
    context_options options;
    ASSERT_EQ(set_option(options, ZMQ_IPV6, 17), errc::none);
    EXPECT_TRUE(options.ipv6);
    int read = 0;
    ASSERT_EQ(get_option(options, ZMQ_IPV6, read), errc::none);
    EXPECT_EQ(read, 1);
}

TEST(context_options_test, limits_can_be_read_and_not_set)
{
    context_options options;
    int read = 0;
    ASSERT_EQ(get_option(options, ZMQ_SOCKET_LIMIT, read), errc::none);
    EXPECT_EQ(read, 65535);
    ASSERT_EQ(get_option(options, ZMQ_MSG_T_SIZE, read), errc::none);
    EXPECT_EQ(read, 64);
    EXPECT_EQ(set_option(options, ZMQ_MSG_T_SIZE, 64), errc::invalid_argument);
}

TEST(context_options_test, thread_priority_shares_its_number_with_the_socket_limit_and_so_cannot_be_read)
{
    context_options options;
    int read = 0;
    EXPECT_EQ(set_option(options, ZMQ_THREAD_PRIORITY, 5), errc::none);
    EXPECT_EQ(options.threads.priority, 5);
    ASSERT_EQ(get_option(options, ZMQ_THREAD_PRIORITY, read), errc::none);
    EXPECT_EQ(read, 65535);
    EXPECT_EQ(set_option(options, ZMQ_THREAD_PRIORITY, -1), errc::invalid_argument);
}

TEST(context_options_test, processors_are_added_once_and_removed_only_if_there)
{
    context_options options;
    EXPECT_EQ(set_option(options, ZMQ_THREAD_AFFINITY_CPU_ADD, 3), errc::none);
    EXPECT_EQ(set_option(options, ZMQ_THREAD_AFFINITY_CPU_ADD, 3), errc::none);
    EXPECT_EQ(options.threads.cpus, std::set<int>{3});
    EXPECT_EQ(set_option(options, ZMQ_THREAD_AFFINITY_CPU_REMOVE, 2), errc::invalid_argument);
    EXPECT_EQ(set_option(options, ZMQ_THREAD_AFFINITY_CPU_REMOVE, 3), errc::none);
    EXPECT_EQ(set_option(options, ZMQ_THREAD_AFFINITY_CPU_REMOVE, 3), errc::invalid_argument);
    EXPECT_EQ(set_option(options, ZMQ_THREAD_AFFINITY_CPU_ADD, -1), errc::invalid_argument);
}

TEST(context_options_test, name_prefix_is_a_number_or_a_short_text)
{
    context_options options;
    int number = 77;
    ASSERT_EQ(get_option(options, ZMQ_THREAD_NAME_PREFIX, number), errc::none);
    EXPECT_EQ(number, 0);

    ASSERT_EQ(set_option(options, ZMQ_THREAD_NAME_PREFIX, 1234), errc::none);
    EXPECT_EQ(options.threads.name_prefix, "1234");
    ASSERT_EQ(get_option(options, ZMQ_THREAD_NAME_PREFIX, number), errc::none);
    EXPECT_EQ(number, 1234);

    const std::string_view text = "gateway";
    ASSERT_EQ(set_option(options, ZMQ_THREAD_NAME_PREFIX, text.data(), text.size()), errc::none);
    char room[16] = {};
    std::size_t size = sizeof room;
    ASSERT_EQ(get_option(options, ZMQ_THREAD_NAME_PREFIX, room, &size), errc::none);
    EXPECT_EQ(size, sizeof room) << "stays as given, as in libzmq";
    EXPECT_EQ(std::string_view(room), text);

    const std::string seventeen(17, 'x');
    EXPECT_EQ(set_option(options, ZMQ_THREAD_NAME_PREFIX, seventeen.data(), 17), errc::invalid_argument);
    EXPECT_EQ(set_option(options, ZMQ_THREAD_NAME_PREFIX, seventeen.data(), 0), errc::invalid_argument);
    EXPECT_EQ(set_option(options, ZMQ_THREAD_NAME_PREFIX, seventeen.data(), 16), errc::none);
    size = 5;
    EXPECT_EQ(get_option(options, ZMQ_THREAD_NAME_PREFIX, room, &size), errc::invalid_argument);
}

TEST(context_options_test, unknown_options_are_refused)
{
    context_options options;
    int value = 0;
    for (const int option : {-1, 0, 11, 99, INT_MAX}) {
        EXPECT_EQ(set_option(options, option, 1), errc::invalid_argument) << option;
        EXPECT_EQ(get_option(options, option, value), errc::invalid_argument) << option;
    }
}

}  // namespace
}  // namespace zlink::socket
