// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "stats/labels.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <string>
#include <vector>

namespace zlink::stats {

namespace {

struct named {
    std::uint64_t number;
    std::string name;
};

std::vector<std::string> labels_of(socket_labels& book, std::initializer_list<named> sockets)
{
    process_report report;
    for (const auto& [number, name] : sockets) {
        socket_report one;
        one.numbers.number = number;
        one.numbers.name = name;
        one.numbers.type = socket_type::router;
        report.sockets.push_back(one);
    }
    book.assign(report);
    std::vector<std::string> labels;
    for (const auto& one : report.sockets) labels.push_back(one.label);
    return labels;
}

using texts = std::vector<std::string>;

TEST(socket_labels_test, a_label_is_the_name_or_the_type_and_the_number)
{
    socket_labels book;
    EXPECT_EQ((texts{"feed", "ROUTER-2"}), labels_of(book, {{1, "feed"}, {2, ""}}));
}

TEST(socket_labels_test, equal_names_have_their_numbers)
{
    socket_labels book;
    EXPECT_EQ((texts{"a", "a-2", "a-3", "a-2-4", "ROUTER-6", "ROUTER-6-6"}),
              labels_of(book, {{1, "a"}, {2, "a"}, {3, "a"}, {4, "a-2"}, {5, "ROUTER-6"}, {6, ""}}));
}

TEST(socket_labels_test, a_label_stays_when_others_go)
{
    socket_labels book;
    EXPECT_EQ((texts{"a", "a-2"}), labels_of(book, {{1, "a"}, {2, "a"}}));
    EXPECT_EQ((texts{"a-2"}), labels_of(book, {{2, "a"}}));
    EXPECT_EQ((texts{"a-2", "a"}), labels_of(book, {{2, "a"}, {3, "a"}}));
    EXPECT_EQ((texts{"b", "a"}), labels_of(book, {{2, "b"}, {3, "a"}}));  // it was renamed
}

TEST(socket_labels_test, many_of_one_name_are_different)
{
    socket_labels book;
    process_report report;
    for (std::uint64_t i = 1; i <= 20'000; ++i) {
        socket_report one;
        one.numbers.number = i;
        one.numbers.name = i % 2 ? "a" : "a-" + std::to_string(i + 1);
        report.sockets.push_back(one);
    }
    book.assign(report);
    std::set<std::string> all;
    for (const auto& one : report.sockets) all.insert(one.label);
    EXPECT_EQ(report.sockets.size(), all.size());
}

}  // namespace

}  // namespace zlink::stats
