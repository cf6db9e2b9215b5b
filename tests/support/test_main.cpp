// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// main() of all test programs: GoogleTest's, but a run without tests fails, and so does a filter of which a part
// matches none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// As GoogleTest has it: '*' stands for any text, '?' for one character.
bool matches(std::string_view pattern, std::string_view name)
{
    if (pattern.empty()) return name.empty();
    if (pattern.front() == '*') {
        return matches(pattern.substr(1), name) || (!name.empty() && matches(pattern, name.substr(1)));
    }
    return !name.empty() && (pattern.front() == '?' || pattern.front() == name.front()) &&
           matches(pattern.substr(1), name.substr(1));
}

std::vector<std::string> names_of_all_tests()
{
    std::vector<std::string> names;
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    for (int s = 0; s < all.total_test_suite_count(); ++s) {
        const testing::TestSuite& suite = *all.GetTestSuite(s);
        for (int t = 0; t < suite.total_test_count(); ++t) {
            names.push_back(std::string(suite.name()) + "." + suite.GetTestInfo(t)->name());
        }
    }
    return names;
}

/// The patterns of a filter up to its '-': those of tests to run.
std::vector<std::string_view> wanted_patterns(std::string_view filter)
{
    filter = filter.substr(0, filter.find('-'));
    std::vector<std::string_view> patterns;
    while (!filter.empty()) {
        const std::string_view pattern = filter.substr(0, filter.find(':'));
        if (!pattern.empty()) patterns.push_back(pattern);
        filter.remove_prefix(std::min(filter.size(), pattern.size() + 1));
    }
    return patterns;
}

/// False, with words on stderr, if a pattern of the filter matches no test: whatever it once named has gone, unnoticed.
bool each_pattern_matches(std::string_view filter)
{
    const std::vector<std::string> names = names_of_all_tests();
    bool each = true;
    for (const std::string_view pattern : wanted_patterns(filter)) {
        bool any = false;
        for (const std::string& name : names) any = any || matches(pattern, name);
        if (any) continue;
        std::fprintf(stderr, "no test matches '%.*s'\n", static_cast<int>(pattern.size()), pattern.data());
        each = false;
    }
    return each;
}

}  // namespace

int main(int argc, char** argv)
{
    testing::InitGoogleTest(&argc, argv);
    if (!each_pattern_matches(GTEST_FLAG_GET(filter))) return 1;
    if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();  // ctest asks before it runs them
    const int status = RUN_ALL_TESTS();
    if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
        std::fputs("no test ran\n", stderr);
        return 1;
    }
    return status;
}
