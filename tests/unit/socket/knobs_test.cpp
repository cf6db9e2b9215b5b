// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/knobs.hpp"

#include "transport/data_path_settings.hpp"
#include "transport/registry.hpp"

#include <zlink.h>

#include <cerrno>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace zlink::socket {
namespace {

const transport::transport& of(std::string_view scheme)
{
    return *transport::find_transport(scheme);
}

knobs knobs_with(std::map<std::string, std::string> variables)
{
    return knobs{[variables = std::move(variables)](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    }};
}

const knob_row* find_row(const knobs& all, const std::string& name)
{
    for (const knob_row& row : all.rows()) {
        if (row.name == name) {
            return &row;
        }
    }
    return nullptr;
}

TEST(knobs_test, an_empty_environment_gives_the_defaults_on_every_transport)
{
    const knobs all = knobs_with({});
    for (const transport::transport* const over : transport::transports()) {
        const data_path_settings settings = all.settings_for(*over);
        EXPECT_GT(settings.in_batch, settings.out_batch);
        EXPECT_GT(settings.out_batch, settings.out_batch_small);
        EXPECT_GT(settings.writev_threshold, 0u);
        EXPECT_EQ(settings.max_transfer, 0u);
    }
    EXPECT_FALSE(all.force_fences());
    EXPECT_TRUE(all.inline_io());
    EXPECT_TRUE(all.spin());
    for (const knob_row& row : all.rows()) {
        EXPECT_EQ(row.source, "default") << row.name;
        EXPECT_EQ(row.value, row.default_value) << row.name;
    }
}

struct size_case {
    const char* variable;
    std::size_t data_path_settings::*field;
};

class size_knob_test : public testing::TestWithParam<size_case> {};

TEST_P(size_knob_test, the_plain_name_sets_every_transport)
{
    const auto [variable, field] = GetParam();
    const knobs all = knobs_with({{variable, "12345"}});
    EXPECT_EQ(all.settings_for(of("tcp")).*field, 12345u);
    EXPECT_EQ(all.settings_for(of("ipc")).*field, 12345u);
    EXPECT_EQ(all.settings_for(of("inproc")).*field, 12345u);
}

TEST_P(size_knob_test, a_transports_name_beats_the_plain_one)
{
    const auto [variable, field] = GetParam();
    const std::string name = variable;
    const knobs all =
        knobs_with({{name, "100"}, {name + "_TCP", "200"}, {name + "_IPC", "300"}, {name + "_INPROC", "400"}});
    EXPECT_EQ(all.settings_for(of("tcp")).*field, 200u);
    EXPECT_EQ(all.settings_for(of("ipc")).*field, 300u);
    EXPECT_EQ(all.settings_for(of("inproc")).*field, 400u);
}

TEST_P(size_knob_test, a_transports_name_leaves_the_others_alone)
{
    const auto [variable, field] = GetParam();
    const knobs before = knobs_with({});
    const knobs all = knobs_with({{std::string{variable} + "_IPC", "321"}});
    EXPECT_EQ(all.settings_for(of("ipc")).*field, 321u);
    EXPECT_EQ(all.settings_for(of("tcp")).*field, before.settings_for(of("tcp")).*field);
    EXPECT_EQ(all.settings_for(of("inproc")).*field, before.settings_for(of("inproc")).*field);
}

TEST_P(size_knob_test, invalid_values_count_as_unset)
{
    const auto [variable, field] = GetParam();
    const std::size_t before = knobs_with({}).settings_for(of("tcp")).*field;
    for (const char* bad : {"", "0", "-1", "-4096", "abc", "12x", " 12", "12 ", "1.5", "0x10", "1e3", "32K",
                            "99999999999", "99999999999999999999999"}) {
        EXPECT_EQ(knobs_with({{variable, bad}}).settings_for(of("tcp")).*field, before) << '"' << bad << '"';
        const knobs plain_valid = knobs_with({{variable, "777"}, {std::string{variable} + "_TCP", bad}});
        EXPECT_EQ(plain_valid.settings_for(of("tcp")).*field, 777u) << '"' << bad << '"';
    }
}

INSTANTIATE_TEST_SUITE_P(
    all, size_knob_test,
    testing::Values(size_case{"ZMQ_ASIO_IN_BATCH_SIZE", &data_path_settings::in_batch},
                    size_case{"ZMQ_ASIO_OUT_BATCH_SIZE", &data_path_settings::out_batch},
                    size_case{"ZMQ_ASIO_OUT_BATCH_SIZE_SMALL", &data_path_settings::out_batch_small},
                    size_case{"ZMQ_ASIO_OUT_WRITEV_THRESHOLD", &data_path_settings::writev_threshold}),
    [](const auto& test) { return std::string{test.param.variable}; });

TEST(knobs_test, the_transfer_cap_is_for_tcp_alone)
{
    const knobs all = knobs_with({{"ZMQ_ASIO_TCP_MAX_TRANSFER", "65536"}});
    EXPECT_EQ(all.settings_for(of("tcp")).max_transfer, 65536u);
    EXPECT_EQ(all.settings_for(of("ipc")).max_transfer, 0u);
    EXPECT_EQ(all.settings_for(of("inproc")).max_transfer, 0u);
    EXPECT_EQ(knobs_with({{"ZMQ_ASIO_TCP_MAX_TRANSFER", "no"}}).settings_for(of("tcp")).max_transfer, 0u);
}

TEST(knobs_test, explicit_socket_options_beat_the_environment)
{
    const data_path_settings before = settings_for(of("tcp"));
    engine::connection_options options;
    EXPECT_EQ(settings_for(of("tcp"), options).in_batch, before.in_batch);
    options.in_batch_size = 111;
    options.out_batch_size = 222;
    const data_path_settings settings = settings_for(of("tcp"), options);
    EXPECT_EQ(settings.in_batch, 111u);
    EXPECT_EQ(settings.out_batch, 222u);
    EXPECT_EQ(settings.writev_threshold, before.writev_threshold);
}

TEST(knobs_test, switches_take_0_and_1_and_nothing_else)
{
    const knobs turned =
        knobs_with({{"ZLINK_FENCES", "1"}, {"ZLINK_INLINE", "0"}, {"ZLINK_SPIN", "0"}, {"ZLINK_CRYPTO_SIMD", "0"}});
    EXPECT_FALSE(turned.crypto_simd());
    EXPECT_TRUE(turned.force_fences());
    EXPECT_FALSE(turned.inline_io());
    EXPECT_FALSE(turned.spin());
    EXPECT_EQ(find_row(turned, "ZLINK_SPIN")->value, "0");
    EXPECT_EQ(find_row(turned, "ZLINK_SPIN")->default_value, "1");
    EXPECT_EQ(find_row(turned, "ZLINK_SPIN")->source, "environment");

    const knobs odd = knobs_with({{"ZLINK_FENCES", "yes"}, {"ZLINK_INLINE", ""}, {"ZLINK_SPIN", "00"}});
    EXPECT_FALSE(odd.force_fences());
    EXPECT_TRUE(odd.inline_io());
    EXPECT_TRUE(odd.spin());
    EXPECT_TRUE(odd.crypto_simd());
    EXPECT_EQ(find_row(odd, "ZLINK_FENCES")->source, "default");
}

TEST(knobs_test, threads_are_checked_in_debug_builds_and_on_demand)
{
    EXPECT_EQ(knobs::is_debug_build, knobs_with({}).check_threads());
    EXPECT_TRUE(knobs_with({{"ZLINK_CHECK_THREADS", "1"}}).check_threads());
    EXPECT_FALSE(knobs_with({{"ZLINK_CHECK_THREADS", "0"}}).check_threads());
}

TEST(knobs_test, rows_tell_the_value_in_force_per_transport)
{
    const knobs all = knobs_with({{"ZMQ_ASIO_OUT_BATCH_SIZE", "1000"}, {"ZMQ_ASIO_OUT_BATCH_SIZE_IPC", "2000"}});
    const knobs untouched = knobs_with({});
    for (const auto& [name, value] : std::map<std::string, std::string>{{"ZMQ_ASIO_OUT_BATCH_SIZE", "1000"},
                                                                        {"ZMQ_ASIO_OUT_BATCH_SIZE_TCP", "1000"},
                                                                        {"ZMQ_ASIO_OUT_BATCH_SIZE_IPC", "2000"},
                                                                        {"ZMQ_ASIO_OUT_BATCH_SIZE_INPROC", "1000"}}) {
        const knob_row* row = find_row(all, name);
        ASSERT_NE(row, nullptr) << name;
        EXPECT_EQ(row->value, value) << name;
        EXPECT_EQ(row->default_value, find_row(untouched, name)->value) << name;
        EXPECT_EQ(row->source, "environment") << name;
        EXPECT_FALSE(row->description.empty()) << name;
    }
    EXPECT_EQ(find_row(all, "ZMQ_ASIO_IN_BATCH_SIZE")->source, "default");
    EXPECT_EQ(find_row(all, "ZMQ_ASIO_TCP_MAX_TRANSFER")->value, "none");
}

TEST(zlink_knob_test, lists_every_variable_once_and_then_ends)
{
    std::set<std::string> names;
    zlink_knob_t knob{};
    std::size_t count = 0;
    while (zlink_knob(count, &knob) == 0) {
        EXPECT_TRUE(names.insert(knob.name).second) << knob.name;
        EXPECT_STRNE(knob.value, "") << knob.name;
        EXPECT_STRNE(knob.description, "") << knob.name;
        ++count;
        ASSERT_LT(count, 1000u);
    }
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(names.size(), process_knobs().rows().size());
    for (const char* name : {"ZMQ_ASIO_IN_BATCH_SIZE", "ZMQ_ASIO_OUT_BATCH_SIZE_TCP", "ZMQ_ASIO_OUT_BATCH_SIZE_SMALL",
                             "ZMQ_ASIO_OUT_WRITEV_THRESHOLD_IPC", "ZMQ_ASIO_TCP_MAX_TRANSFER", "ZLINK_FENCES",
                             "ZLINK_INLINE", "ZLINK_SPIN", "ZLINK_CRYPTO_SIMD", "ZLINK_CHECK_THREADS"}) {
        EXPECT_TRUE(names.contains(name)) << name;
    }
}

TEST(zlink_knob_test, refuses_a_null_pointer)
{
    EXPECT_EQ(zlink_knob(0, nullptr), -1);
    EXPECT_EQ(errno, EFAULT);
}

}  // namespace
}  // namespace zlink::socket
