// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Endpoints of a socket by id and text, and the pipes that belong to them.
#include "socket/endpoint_table.hpp"

#include "socket/pipe_record.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zlink::socket {
namespace {

using ids = std::vector<std::uint64_t>;

endpoint_record record_named(std::string text, std::uint64_t id, bool bound = false)
{
    return {std::move(text), id, bound, nullptr, nullptr, {}};
}

std::vector<pipe::pipe_end*> pipes_of(endpoint_table& book, std::uint64_t id)
{
    std::vector<pipe::pipe_end*> pipes;
    for (pipe::pipe_end* end = book.find(id)->first_pipe; end; end = record_of(*end).next_of_endpoint)
        pipes.push_back(end);
    return pipes;
}

TEST(endpoint_table_test, finds_by_id_and_text)
{
    endpoint_table book;
    book.add(record_named("tcp://a:1", 1));
    book.add(record_named("tcp://a:12", 2, true));
    book.add(record_named("tcp://a:1", 3));
    EXPECT_EQ("tcp://a:12", book.find(2)->text);
    EXPECT_EQ(nullptr, book.find(4));
    EXPECT_TRUE(book.has("tcp://a:1"));
    EXPECT_FALSE(book.has("tcp://a:"));
    EXPECT_FALSE(book.has("tcp://b:1"));
    EXPECT_EQ((ids{1, 3}), book.with_text("tcp://a:1"));
    book.erase(1);
    book.erase(1);
    EXPECT_EQ(ids{3}, book.with_text("tcp://a:1"));
    book.erase(3);
    EXPECT_FALSE(book.has("tcp://a:1"));
    book.clear();
    EXPECT_EQ(nullptr, book.find(2));
    EXPECT_FALSE(book.has("tcp://a:12"));
}

TEST(endpoint_table_test, never_gives_an_id_twice)
{
    endpoint_table book;
    EXPECT_EQ(1u, book.next_id());
    EXPECT_EQ(1u, book.next_id()) << "nothing was added";
    book.add(record_named("tcp://a:1", book.next_id()));
    EXPECT_EQ(2u, book.next_id());
    book.add(record_named("tcp://a:2", book.next_id()));
    book.erase(2);
    EXPECT_EQ(3u, book.next_id());
    book.clear();
    EXPECT_EQ(3u, book.next_id());
}

TEST(endpoint_table_test, keeps_the_last_text_when_its_endpoint_has_ended)
{
    endpoint_table book;
    EXPECT_EQ("", book.last_opened());
    book.add(record_named("tcp://a:1", 1));
    EXPECT_EQ("", book.last_opened()) << "it may fail yet";
    book.note_opened("tcp://a:1");
    book.erase(1);
    EXPECT_EQ("tcp://a:1", book.last_opened());
}

TEST(endpoint_table_test, knows_the_pipes_of_connected_endpoints)
{
    endpoint_table book;
    book.add(record_named("tcp://a:1", 1));
    book.add(record_named("tcp://a:2", 2, true));
    std::vector<pipe::pipe*> pipes;
    for (const std::uint64_t id : {1, 1, 2, 3}) {
        pipe::pipe* p = pipe::pipe::create({10, 10, 8192, false});
        ASSERT_TRUE(p);
        record_for(p->first()).endpoint_id = id;
        book.join(p->first());
        pipes.push_back(p);
    }
    EXPECT_EQ(2u, pipes_of(book, 1).size());
    EXPECT_TRUE(pipes_of(book, 2).empty()) << "of a bound endpoint there may be any number";
    // One that the pattern rejected and took in the end joins again.
    pipe::pipe_end& first = pipes[0]->first();
    book.leave(first);
    EXPECT_EQ((std::vector{&pipes[1]->first()}), pipes_of(book, 1));
    book.join(first);
    for (pipe::pipe* p : pipes) book.leave(p->first());
    EXPECT_TRUE(pipes_of(book, 1).empty());
    for (pipe::pipe* p : pipes) {
        p->second().close();
        p->first().close();
    }
}

TEST(endpoint_table_test, pipes_may_outlive_their_endpoint)
{
    endpoint_table book;
    book.add(record_named("tcp://a:1", 1));
    pipe::pipe* p = pipe::pipe::create({10, 10, 8192, false});
    ASSERT_TRUE(p);
    record_for(p->first()).endpoint_id = 1;
    book.join(p->first());
    book.erase(1);
    EXPECT_EQ(nullptr, record_of(p->first()).endpoint);
    book.leave(p->first());
    p->second().close();
    p->first().close();
}

TEST(endpoint_table_test, an_inproc_connection_ends_with_its_pipe)
{
    endpoint_table book;
    book.add({"inproc://x", 1, false, nullptr, nullptr, "x"});
    book.add({"inproc://x", 2, true, nullptr, nullptr, "x"});
    for (const std::uint64_t id : {1, 2}) {
        pipe::pipe* p = pipe::pipe::create({10, 10, 8192, false});
        ASSERT_TRUE(p);
        record_for(p->first()).endpoint_id = id;
        book.join(p->first());
        book.leave(p->first());
        p->second().close();
        p->first().close();
    }
    EXPECT_EQ(ids{2}, book.with_text("inproc://x"));
}

}  // namespace
}  // namespace zlink::socket
