// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The list of those that live on an I/O thread.
#include "engine/resident.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace zlink::engine {
namespace {

class lodger final : public resident {
public:
    void describe(std::vector<unwritten>& to) override { to.push_back({}); }
    void drop() noexcept override { dropped = true; }
    bool dropped = false;
};

std::set<resident*> all_of(resident_list& list)
{
    std::set<resident*> all;
    list.for_each([&](resident& r) { EXPECT_TRUE(all.insert(&r).second); });
    return all;
}

TEST(resident_test, goes_on_after_a_shortage_without_work_unless_it_says_otherwise)
{
    lodger a;
    a.go_on_after_shortage();
    EXPECT_FALSE(a.dropped);
}

TEST(resident_test, shows_those_that_were_added_and_not_removed)
{
    lodger a, b, c;
    resident_list list;
    EXPECT_TRUE(all_of(list).empty());
    for (lodger* each : {&a, &b, &c}) list.add(*each);
    EXPECT_EQ((std::set<resident*>{&a, &b, &c}), all_of(list));
    list.remove(b);
    EXPECT_EQ((std::set<resident*>{&a, &c}), all_of(list));
    list.remove(c);
    list.remove(c);
    list.add(b);
    list.remove(a);
    EXPECT_EQ((std::set<resident*>{&b}), all_of(list));
    list.remove(b);
    EXPECT_TRUE(all_of(list).empty());
}

TEST(resident_test, may_be_removed_by_what_is_done_to_each)
{
    lodger a, b;
    resident_list list;
    list.add(a);
    list.add(b);
    list.for_each([&](resident& r) {
        list.remove(r);
        r.drop();
    });
    EXPECT_TRUE(a.dropped && b.dropped);
    EXPECT_TRUE(all_of(list).empty());
}

}  // namespace
}  // namespace zlink::engine
