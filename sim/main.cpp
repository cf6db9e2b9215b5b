// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink-sim: runs programs in simulated worlds, one process each, and says which seed failed.

#include "sim/kernel.hpp"
#include "sim/memory.hpp"
#include "sim/process.hpp"
#include "sim/programs/program.hpp"
#include "sim/randomness.hpp"
#include "sim/settings.hpp"
#include "sim/shared_memory.hpp"
#include "sim/shrinker.hpp"
#include "sim/symbols.hpp"
#include "sim/world.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace {

using namespace zlink::sim;

struct options {
    std::uint64_t seed = 1, seeds = 1;
    double minutes = 0;
    std::string workload = "random";
    bool trace = false, twice = false, quiet = false, keep_going = false;
    bool shrink = false, speed = false, whole = false;
    double shrink_seconds = 60;
    unsigned patience = 120;  ///< seconds of real time for a run
};

struct result {
    std::uint64_t hash = 0, events = 0, switches = 0;
    nanos time = 0;
    bool ended = false;
};

int usage(FILE* to)
{
    std::fputs(
        "usage: zlink-sim [--workload NAME] [--seed N] [--seeds N | --minutes N] [--twice] [--trace]\n"
        "                 [--keep-going] [--patience SECONDS] [--quiet] [--set NAME=NUMBER]...\n"
        "                 [--shrink | --no-shrink] [--shrink-seconds N] [--speed]\n\n"
        "  --workload NAME     what runs, see below; default: random\n"
        "  --seed N            the first seed; default: 1\n"
        "  --seeds N           how many; default: 1\n"
        "  --minutes N         as many as there is time for\n"
        "  --twice             runs each seed twice, and compares the traces' hashes\n"
        "  --trace             prints what happens, to standard error\n"
        "  --keep-going        goes on after a seed that failed\n"
        "  --patience SECONDS  of real time, after which a run counts as hung; default: 120\n"
        "  --set NAME=NUMBER   in place of what is drawn: senders, messages, curve, reset, ... (docs/simulation.md)\n"
        "  --shrink            makes the first failing program smaller; default if --seed is given alone\n"
        "  --no-shrink         does not\n"
        "  --shrink-seconds N  at most; default: 60\n"
        "  --speed             prints virtual seconds for each second of the processor\n"
        "  --quiet             prints failures alone\n\n",
        to);
    std::fprintf(to, "names of --set:\n%s\nworkloads:\n", names_of_settings().c_str());
    for (const program& p : all_programs()) std::fprintf(to, "  %-14s %s\n", p.name, p.text);
    std::fputs(
        "\nExit status: 0 all runs ended well, 1 one failed, 2 wrong arguments. docs/simulation.md tells more.\n", to);
    return to == stdout ? 0 : 2;
}

// In the child.
void simulate(const program& what, std::uint64_t seed, const options& o, int to)
{
    ::alarm(o.patience);
    zlink::sim::random from(seed);
    circumstances how = circumstances::draw(from, what.trouble != program::bears::delays);
    if (what.trouble != program::bears::shortage) how.no_memory = 0;
    use_settings(how);
    world w(seed, how);
    if (o.trace) w.print_trace();
    // Bodies that are small enough for most workloads go by shared memory in half of the runs.
    if (zlink::sim::random(seed ^ 0x5a3d).chance(0.5)) ::setenv("ZLINK_SHM_MIN", "1000", 0);
    if (zlink::sim::random(seed ^ 0x5a3e).chance(0.3)) ::setenv("ZLINK_SHM_BORROW", "1", 0);
    seed_libraries();
    result r;
    w.run([&] {
        const nanos began = w.now();
        // A thread of its own, so that what it keeps for the thread is given back as well.
        crew program;
        program.start("program", [&] { what.run(from); });
        program.join();
        r.time = w.now() - began;
    });
    const int left = kernel::get().left_open();
    if (left != 0) w.fail(std::to_string(left) + " sockets, timers or epoll sets were left open");
    if (const memory_left memory = left_in_memory(); memory.blocks != 0) {
        w.fail(std::to_string(memory.blocks) + " blocks of memory, " + std::to_string(memory.octets) +
               " octets, were not given back\n" + memory.places);
    }
    if (const std::string shared = shared_memory_left(); !shared.empty()) {
        w.fail("shared memory was not given back\n" + shared);
    }
    r.hash = w.hash();
    r.events = w.events();
    r.switches = w.switches();
    r.ended = true;
    if (::write(to, &r, sizeof r) != ssize_t(sizeof r)) std::perror("zlink-sim");
    std::fflush(nullptr);
    ::_exit(0);
}

result run(const program& what, std::uint64_t seed, const options& o)
{
    result r;
    int ends[2];
    if (::pipe(ends) != 0) return r;
    std::fflush(nullptr);  // else the child prints what waits here as well
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        simulate(what, seed, o, ends[1]);
    }
    ::close(ends[1]);
    if (::read(ends[0], &r, sizeof r) != ssize_t(sizeof r)) r = {};
    ::close(ends[0]);
    int status = 0;
    (void)::waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        const int number = WTERMSIG(status);
        std::fprintf(stderr, "seed %" PRIu64 ": %s\n", seed,
                     number == SIGALRM ? "the run took too long (--patience)" : ::strsignal(number));
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) r.ended = false;
    return r;
}

// How a run of what the attempt says fails, in words.
std::string failure(const program& what, const attempt& a, const options& o)
{
    FILE* const output = std::tmpfile();
    if (!output) return {};
    std::fflush(nullptr);
    const int before = ::dup(STDERR_FILENO);
    ::dup2(::fileno(output), STDERR_FILENO);
    const settings mine = std::exchange(the_settings(), a.with);
    options quiet = o;
    quiet.trace = false;
    const bool ended = run(what, a.seed, quiet).ended;
    the_settings() = mine;
    std::fflush(nullptr);
    ::dup2(before, STDERR_FILENO);
    ::close(before);
    std::string text;
    std::rewind(output);
    char line[1024];
    while (std::fgets(line, sizeof line, output)) text += line;
    std::fclose(output);
    return ended ? std::string() : kind_of_failure(text);
}

void make_smaller(const program& what, std::uint64_t seed, const options& o, const char* command)
{
    const attempt failing{seed, the_settings()};
    const auto run_it = [&](const attempt& a) { return failure(what, a, o); };
    const std::string how = run_it(failing);
    if (how.empty()) return;
    const attempt smallest = shrink(failing, how, run_it, o.shrink_seconds);
    std::fprintf(stderr, "\nthe smallest program that fails in the same way:\n");
    the_settings() = smallest.with;
    (void)run(what, smallest.seed, o);
    std::fprintf(stderr, "again: %s --workload %s %s --no-shrink\n", command, what.name, words(smallest).c_str());
}

bool parse(int argc, char** argv, options& o)
{
    bool one_seed = false;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        const auto is_flag = [&](const char* text, bool& flag) { return name == text && (flag = true); };
        if (is_flag("--trace", o.trace) || is_flag("--twice", o.twice) || is_flag("--quiet", o.quiet) ||
            is_flag("--keep-going", o.keep_going) || is_flag("--shrink", o.shrink) || is_flag("--no-shrink", o.whole) ||
            is_flag("--speed", o.speed))
            continue;
        if (i + 1 == argc) return false;
        const std::string value = argv[++i];
        char* end = nullptr;
        if (name == "--seed") {
            o.seed = std::strtoull(value.c_str(), &end, 0);
            one_seed = true;
        } else if (name == "--seeds") {
            o.seeds = std::strtoull(value.c_str(), &end, 0);
        } else if (name == "--minutes") {
            o.minutes = std::strtod(value.c_str(), &end);
        } else if (name == "--shrink-seconds") {
            o.shrink_seconds = std::strtod(value.c_str(), &end);
        } else if (name == "--set") {
            const auto equals = value.find('=');
            if (equals == std::string::npos || equals + 1 == value.size()) return false;
            const std::string what = value.substr(0, equals);
            if (!is_setting(what)) {
                std::fprintf(stderr, "zlink-sim: --set: there is no '%s'. These are there:\n%s", what.c_str(),
                             names_of_settings().c_str());
                std::exit(2);
            }
            the_settings()[what] = std::strtod(value.c_str() + equals + 1, &end);
        } else if (name == "--patience") {
            o.patience = unsigned(std::strtoul(value.c_str(), &end, 0));
        } else if (name == "--workload") {
            o.workload = value;
            continue;
        } else {
            return false;
        }
        if (*end || value.empty()) return false;
    }
    // Alone: who asks for one seed wants to know why it fails.
    o.shrink = !o.whole && (o.shrink || (one_seed && o.seeds == 1 && o.minutes <= 0 && !o.trace && !o.quiet));
    return true;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc > 1 && std::strcmp(argv[1], "--help") == 0) return usage(stdout);
    options o;
    if (!parse(argc, argv, o)) return usage(stderr);
    const program* what = nullptr;
    for (const program& p : all_programs()) {
        if (o.workload == p.name) what = &p;
    }
    if (!what) return usage(stderr);
    forbid_random_addresses(argv);
    read_symbols();

    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    const auto elapsed = [&] { return std::chrono::duration<double>(clock::now() - begin).count(); };
    std::uint64_t runs = 0, events = 0, switches = 0, failed = 0;
    double time = 0;
    for (std::uint64_t seed = o.seed; o.minutes > 0 ? elapsed() < 60 * o.minutes : runs < o.seeds; ++seed) {
        const result r = run(*what, seed, o);
        ++runs;
        events += r.events;
        switches += r.switches;
        time += double(r.time) / 1e9;
        bool good = r.ended;
        if (good && o.twice) {
            const result again = run(*what, seed, o);
            good = again.hash == r.hash && again.ended;
            if (!good) std::fprintf(stderr, "seed %" PRIu64 ": runs otherwise the second time\n", seed);
        }
        if (o.seeds == 1 && good && !o.quiet) {
            std::printf("seed %" PRIu64 ": trace %016" PRIx64 "\n", seed, r.hash);
        }
        if (good) continue;
        ++failed;
        std::fprintf(stderr, "again: %s --workload %s --seed %" PRIu64 "\n", argv[0], what->name, seed);
        if (o.shrink && failed == 1) make_smaller(*what, seed, o, argv[0]);
        if (!o.keep_going) break;
    }
    if (!o.quiet || failed != 0) {
        std::printf("%s: %" PRIu64 " runs, %" PRIu64 " failed; %" PRIu64 " events, %" PRIu64
                    " turns, %.0f s of virtual time in %.1f s\n",
                    what->name, runs, failed, events, switches, time, elapsed());
    }
    if (o.speed) {
        rusage used{};
        ::getrusage(RUSAGE_CHILDREN, &used);
        const double seconds = double(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                               double(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
        std::printf("%.0f virtual seconds for each of %.2f seconds of the processor\n", time / seconds, seconds);
    }
    return failed == 0 ? 0 : 1;
}
