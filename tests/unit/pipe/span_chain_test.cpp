// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pipe/span_chain.hpp"

#include <gtest/gtest.h>

#include <array>

namespace zlink::pipe::test {
namespace {

class span_chain_test : public testing::Test {
protected:
    /// As the writer starts span `i`: with ten octets of its own.
    span& begin(std::size_t i)
    {
        spans_[i].begin = at(10 * i);
        spans_[i].published.store(at(10 * i));
        return spans_[i];
    }
    void end_span(std::size_t i, std::size_t octets) { spans_[i].end.store(at(10 * i + octets)); }
    std::ptrdiff_t shown(std::size_t i) { return spans_[i].published.load() - spans_[i].begin; }
    std::byte* at(std::size_t n) { return octets_.data() + n; }

    std::array<std::byte, 40> octets_{};
    std::array<span, 4> spans_;
    span sentinel_;
    span_chain chain_{sentinel_};
};

TEST_F(span_chain_test, publishes_in_the_tail)
{
    chain_.link(&begin(0));
    EXPECT_EQ(&spans_[0], sentinel_.next.load());
    EXPECT_TRUE(chain_.shows_tail()) << "nothing of the sentinel is hidden";
    chain_.show_in_tail(at(4));
    EXPECT_EQ(4, shown(0));
}

TEST_F(span_chain_test, shows_a_message_in_several_spans_at_once)
{
    chain_.link(&begin(0));
    chain_.show_in_tail(at(2));
    end_span(0, 10);
    chain_.link(&begin(1));
    end_span(1, 10);
    chain_.link(&begin(2));
    EXPECT_FALSE(chain_.shows_tail());
    EXPECT_EQ(&spans_[0], chain_.visible());
    EXPECT_EQ(&spans_[2], chain_.tail());
    EXPECT_EQ(2, shown(0));
    EXPECT_EQ(0, shown(1));

    chain_.show(at(23));
    EXPECT_EQ(10, shown(0));
    EXPECT_EQ(10, shown(1));
    EXPECT_EQ(3, shown(2));
    EXPECT_TRUE(chain_.shows_tail());
}

TEST_F(span_chain_test, names_no_span_that_the_reader_may_free)
{
    chain_.link(&begin(0));
    chain_.show_in_tail(at(5));
    end_span(0, 5);
    chain_.link(&begin(1));
    EXPECT_EQ(&spans_[1], chain_.visible());
    EXPECT_TRUE(chain_.shows_tail());
}

TEST_F(span_chain_test, begins_anew)
{
    chain_.link(&begin(0));
    chain_.restart(&sentinel_);
    EXPECT_EQ(&sentinel_, chain_.tail());
    EXPECT_TRUE(chain_.shows_tail());
    chain_.link(&begin(1));
    EXPECT_EQ(&spans_[1], sentinel_.next.load());
}

}  // namespace
}  // namespace zlink::pipe::test
