// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The data of a socket about a pipe: it lives as long as the pipe, which both ends keep.
#include "pipe/pipe_client.hpp"

#include "lane_fixture.hpp"
#include "pipe/pipe.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace zlink::pipe::test {
namespace {

class silent_queue final : public activation_queue {
    void wake() noexcept override {}
};

struct counted_record final : end_record {
    explicit counted_record(int& alive) : alive_(alive) { ++alive_; }
    ~counted_record() override { --alive_; }

private:
    int& alive_;
};

void discard_all(activation_queue& queue)
{
    for (pipe_end* end = queue.take_all(); end;) {
        pipe_end* const after = end->next_in_queue;
        end->discard();
        end = after;
    }
}

TEST(pipe_client_test, the_records_of_both_ends_go_with_the_pipe_and_not_before)
{
    auto* const queue = new silent_queue;
    int alive = 0;
    pipe* const joined = pipe::create({1, 1, 8192});
    pipe_end &one = joined->first(), &other = joined->second();
    for (pipe_end* const end : {&one, &other}) {
        end->attach(*queue);
        end->record = std::make_unique<counted_record>(alive);
        EXPECT_EQ(nullptr, end->client);
    }
    one.close();
    EXPECT_EQ(2, alive);
    other.close();
    discard_all(*queue);
    EXPECT_EQ(0, alive);
    queue->release();
}

}  // namespace
}  // namespace zlink::pipe::test
