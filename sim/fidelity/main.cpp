// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Runs tests of the contract over the simulated kernel, one process and one world each. The same sources run over the
// real kernel (tests/conformance): where the two differ, the simulation is wrong.
//
//     zlink-sim-fidelity [--gtest_filter=...] [--seeds N]

#include "sim/process.hpp"
#include "sim/randomness.hpp"
#include "sim/world.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace zlink::sim;

std::vector<std::string> wanted_tests()
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

// Threads take turns as the seed says. Nothing goes wrong, as tests of the contract have limits of time.
circumstances mild(std::uint64_t seed)
{
    zlink::sim::random from(seed);
    circumstances c;
    c.points_per_switch = double(from.between(5, 200));
    c.stall = 0;
    c.delay = c.least_delay = microsecond;  // as on loopback
    c.longest = 600 * second;
    return c;
}

[[noreturn]] void simulate(const std::string& name, std::uint64_t seed)
{
    ::alarm(60);
    world w(seed, mild(seed));
    seed_libraries();
    int status = 1;
    GTEST_FLAG_SET(filter, name);
    w.run([&] { status = RUN_ALL_TESTS(); });
    std::fflush(nullptr);
    ::_exit(status);
}

}  // namespace

int main(int argc, char** argv)
{
    forbid_random_addresses(argv);
    testing::InitGoogleTest(&argc, argv);
    std::uint64_t seeds = 1;
    if (argc == 3 && std::strcmp(argv[1], "--seeds") == 0) seeds = std::strtoull(argv[2], nullptr, 10);
    const std::string filter = GTEST_FLAG_GET(filter);
    int runs = 0, failed = 0;
    for (const std::string& name : wanted_tests()) {
        if (filter != "*" && filter != name) continue;
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            std::fflush(nullptr);
            FILE* const output = std::tmpfile();
            const pid_t child = ::fork();
            if (child == 0) {
                if (output) ::dup2(::fileno(output), STDOUT_FILENO);
                simulate(name, seed);
            }
            int status = 0;
            (void)::waitpid(child, &status, 0);
            ++runs;
            if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
                if (output) std::fclose(output);
                continue;
            }
            ++failed;
            std::printf("FAILED: %s, seed %llu\n", name.c_str(), static_cast<unsigned long long>(seed));
            if (!output) continue;
            std::rewind(output);
            char line[1024];
            while (std::fgets(line, sizeof line, output)) std::fputs(line, stdout);
            std::fclose(output);
        }
    }
    std::printf("%d runs of tests of the contract over the simulated kernel, %d failed\n", runs, failed);
    return failed == 0 && runs != 0 ? 0 : 1;
}
