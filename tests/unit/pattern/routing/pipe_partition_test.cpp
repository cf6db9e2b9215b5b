// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Pipes in a front and a back part: what moves, what stays, and whose turn it is.
#include "pattern/routing/pipe_partition.hpp"

#include "unit/pattern/routing/loose_pipes.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <vector>

namespace zlink::pattern::routing::test {
namespace {

class pipe_partition_test : public testing::Test {
protected:
    pipe_partition_test()
    {
        for (int i = 0; i < 5; ++i) {
            pipes_.push_back(std::make_unique<loose_pipe>());
            EXPECT_TRUE(partition_.add(end(i)));
        }
    }

    [[nodiscard]] pipe::pipe_end& end(int i) { return pipes_[std::size_t(i)]->near(); }
    /// The numbers of those in front, in the order of their turns.
    [[nodiscard]] std::vector<int> turns()
    {
        std::vector<int> order;
        for (std::size_t n = 0; n < partition_.front_size(); ++n, partition_.advance())
            order.push_back(number_of(partition_.current()));
        return order;
    }
    [[nodiscard]] int number_of(const pipe::pipe_end& of)
    {
        for (int i = 0; i < int(pipes_.size()); ++i) {
            if (&end(i) == &of) return i;
        }
        return -1;
    }

    std::vector<std::unique_ptr<loose_pipe>> pipes_;
    pipe_partition<&routing_record::fair_queue_index> partition_;
};

using numbers = std::vector<int>;

TEST_F(pipe_partition_test, new_pipes_are_in_front_in_their_order)
{
    EXPECT_EQ((numbers{0, 1, 2, 3, 4}), turns());
    EXPECT_EQ(5u, partition_.size());
    for (int i = 0; i < 5; ++i) {
        EXPECT_TRUE(partition_.contains(end(i)));
        EXPECT_TRUE(partition_.in_front(end(i)));
    }
}

TEST_F(pipe_partition_test, a_pipe_in_the_back_has_no_turn)
{
    partition_.to_back(end(1));
    partition_.to_back(end(1));
    EXPECT_EQ(4u, partition_.front_size());
    EXPECT_EQ(5u, partition_.size());
    EXPECT_FALSE(partition_.in_front(end(1)));
    EXPECT_TRUE(partition_.contains(end(1)));
    EXPECT_EQ((std::multiset<int>{0, 2, 3, 4}), [&] {
        const auto t = turns();
        return std::multiset<int>(t.begin(), t.end());
    }());
    partition_.to_front(end(1));
    partition_.to_front(end(1));
    EXPECT_EQ(5u, partition_.front_size());
}

TEST_F(pipe_partition_test, a_pipe_keeps_its_turn_when_another_leaves)
{
    partition_.set_current(end(4));
    partition_.to_back(end(1));
    EXPECT_EQ(4, number_of(partition_.current()));
    partition_.remove(end(0));
    EXPECT_EQ(4, number_of(partition_.current()));
}

TEST_F(pipe_partition_test, the_turn_of_a_pipe_that_leaves_goes_to_another_in_front)
{
    for (int left = 5; left > 1; --left) {
        partition_.to_back(partition_.current());
        ASSERT_TRUE(partition_.in_front(partition_.current()));
    }
}

TEST_F(pipe_partition_test, tells_whose_turn_it_will_be)
{
    partition_.set_current(end(3));
    for (std::size_t n = 0; n < 5; ++n) EXPECT_EQ(int((3 + n) % 5), number_of(partition_.ahead(n)));
    EXPECT_EQ(&routing_of(end(3)), &partition_.current_record());
}

TEST_F(pipe_partition_test, front_and_back_can_change_places)
{
    partition_.to_back(end(0));
    partition_.to_back(end(3));
    partition_.invert();
    for (int i = 0; i < 5; ++i) EXPECT_EQ(i == 0 || i == 3, partition_.in_front(end(i))) << i;
    partition_.invert();
    for (int i = 0; i < 5; ++i) EXPECT_EQ(i != 0 && i != 3, partition_.in_front(end(i))) << i;
}

TEST_F(pipe_partition_test, all_can_go_to_one_side)
{
    partition_.all_to_back();
    EXPECT_EQ(0u, partition_.front_size());
    partition_.to_front(end(2));
    EXPECT_EQ(numbers{2}, turns());
    partition_.all_to_front();
    EXPECT_EQ(5u, turns().size());
}

TEST_F(pipe_partition_test, a_pipe_that_was_removed_is_not_in_it)
{
    partition_.remove(end(2));
    partition_.remove(end(2));
    partition_.to_front(end(2));
    EXPECT_FALSE(partition_.contains(end(2)));
    EXPECT_FALSE(partition_.in_front(end(2)));
    EXPECT_EQ(4u, partition_.size());
}

TEST_F(pipe_partition_test, is_two_sets_whatever_moves)
{
    std::mt19937 random{1};
    std::set<int> front{0, 1, 2, 3, 4}, back;
    for (int step = 0; step < 5000; ++step) {
        const int i = int(random() % 5);
        switch (random() % 4) {
        case 0:
            partition_.to_front(end(i));
            if (back.erase(i)) front.insert(i);
            break;
        case 1:
            partition_.to_back(end(i));
            if (front.erase(i)) back.insert(i);
            break;
        case 2:
            partition_.remove(end(i));
            front.erase(i);
            back.erase(i);
            break;
        default:
            if (partition_.contains(end(i))) break;
            ASSERT_TRUE(partition_.add(end(i)));
            front.insert(i);
        }
        ASSERT_EQ(front.size(), partition_.front_size());
        ASSERT_EQ(front.size() + back.size(), partition_.size());
        for (int k = 0; k < 5; ++k) {
            ASSERT_EQ(front.contains(k), partition_.in_front(end(k)));
            ASSERT_EQ(front.contains(k) || back.contains(k), partition_.contains(end(k)));
        }
        const auto t = turns();
        ASSERT_EQ(front, std::set<int>(t.begin(), t.end()));
    }
}

}  // namespace
}  // namespace zlink::pattern::routing::test
