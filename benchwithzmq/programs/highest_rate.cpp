// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The highest rate that is kept for BENCH_HOLD_SECONDS, of messages from DEALER to ROUTER (and back with BENCH_ECHO=1).
// Short trials narrow it down, a long one confirms it.
#include "fixed_rate.hpp"
#include "harness/own_process.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>

namespace {

constexpr const char* name = "HIGHEST_RATE";
constexpr std::uint64_t lowest = 100;
constexpr std::uint64_t beyond_all = 100'000'000;  // where nothing keeps up, so that it shows what is possible
constexpr double exact_enough = 1.03;

class search {
public:
    explicit search(const bench::settings& of)
        : settings_(of),
          seen_(static_cast<bench::rate_seen*>(
              ::mmap(nullptr, sizeof(bench::rate_seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)))
    {
        if (seen_ == MAP_FAILED) bench::fail(bench::exit_status::failed, "mmap: %s", std::strerror(errno));
    }
    ~search() { ::munmap(seen_, sizeof *seen_); }
    search(const search&) = delete;
    search& operator=(const search&) = delete;

    // In requests a second.
    std::uint64_t run()
    {
        const double shortly = std::clamp(settings_.hold / 10, 0.2, 1.0);
        (void)keeps(beyond_all, shortly);
        std::uint64_t low = 0;   // was kept
        std::uint64_t high = 0;  // was not
        for (auto rate = std::max(static_cast<std::uint64_t>(seen_->messages / shortly), lowest);
             low == 0 || high == 0;) {
            if (keeps(rate, shortly)) {
                low = rate;
                rate = rate * 5 / 4;
            } else if (rate == lowest) {
                bench::fail(bench::exit_status::failed, "not even %llu messages a second are kept",
                            static_cast<unsigned long long>(lowest));
            } else {
                high = rate;
                rate = std::max(rate * 3 / 4, lowest);
            }
        }
        while (static_cast<double>(high) > exact_enough * static_cast<double>(low)) {
            const std::uint64_t middle = std::midpoint(low, high);
            (keeps(middle, shortly) ? low : high) = middle;
        }
        for (unsigned tries = 0; tries < 12; ++tries) {
            if (keeps(low, settings_.hold)) return low;
            low = std::max(tries < 6 ? low * 9 / 10 : low / 2, lowest);
        }
        bench::fail(bench::exit_status::failed, "no rate that was kept for %g s was kept for %g s as well", shortly,
                    settings_.hold);
    }

    [[nodiscard]] const bench::rate_seen& seen() const { return *seen_; }

private:
    // In a process of its own: none of those it forks has had a context before.
    bool keeps(std::uint64_t rate, double seconds)
    {
        bench::settings of = settings_;
        of.rate = rate;
        of.seconds = seconds;
        bench::in_own_process([&] {
            bench::rig with(of);
            *seen_ = bench::run_at_rate(with, of);
        });
        bench::print_info("trial", std::to_string(rate) + (seen_->kept ? " kept for " : " not kept for ") +
                                       std::to_string(seconds) + " s");
        std::fflush(stdout);
        return seen_->kept;
    }

    const bench::settings& settings_;
    bench::rate_seen* seen_;
};

}  // namespace

int main(int argc, char** argv)
{
    bench::set_program_name(argv[0]);
    const bench::settings of = bench::parse_rate_settings(argc, argv);
    if (!of.throughput) bench::fail(bench::exit_status::usage, "the highest rate has no latency: --metrics throughput");
    bench::zmq_context::introduce(of);
    bench::print_settings(of);
    search highest(of);
    const auto rate = static_cast<double>(highest.run());
    bench::print_result(of, name, "throughput", rate);
    bench::print_result(of, name, "mb_per_s", rate * static_cast<double>(of.size) * 1e-6);
    bench::print_cpu(of, name, highest.seen().used, highest.seen().messages);
    return 0;
}
