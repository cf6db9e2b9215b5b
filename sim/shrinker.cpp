// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "sim/shrinker.hpp"

#include <cctype>
#include <chrono>
#include <sstream>

namespace zlink::sim {

namespace {

struct step {
    const char* name;
    double values[4];  ///< from the smallest on; the first that fails in the same way is taken
    int count;
};

// What makes a failure easiest to follow comes first.
constexpr step steps[] = {
    {"senders", {1, 2}, 2},
    {"receivers", {1, 2}, 2},
    {"messages", {1, 2, 5, 20}, 4},
    {"io_threads", {1}, 1},
    {"reset", {0}, 1},
    {"refused", {0}, 1},
    {"no_files", {0}, 1},
    {"no_memory", {0}, 1},
    {"interrupted", {0}, 1},
    {"partition", {0}, 1},
    {"spurious", {0}, 1},
    {"clogged", {0}, 1},
    {"short_read", {0}, 1},
    {"short_write", {0}, 1},
    {"blocked_write", {0}, 1},
    {"stall", {0}, 1},
    {"curve", {0}, 1},
    {"named", {0}, 1},
    {"monitors", {0}, 1},
    {"churn", {0}, 1},
    {"compared", {0}, 1},
    {"heartbeat", {0}, 1},
    {"immediate", {0}, 1},
    {"send_bytes", {-1}, 1},
    {"send_mark", {1000}, 1},
    {"receive_mark", {1000}, 1},
    {"pauses", {0}, 1},
    {"largest", {1, 100}, 2},
    {"points_per_switch", {1e9, 3000, 400}, 3},
    {"switch_at_call", {0, 0.02, 0.1}, 3},
};

constexpr int seeds_of_each = 10;

}  // namespace

attempt shrink(attempt failing, const std::string& how, const failure_of& run, double seconds)
{
    using clock = std::chrono::steady_clock;
    const auto until = clock::now() + std::chrono::duration<double>(seconds);
    const auto fails = [&](attempt& candidate) {
        // What another number of threads draws is another run, so some more seeds are tried.
        for (int i = 0; i < seeds_of_each && clock::now() < until; ++i) {
            if (run(candidate) == how) return true;
            candidate.seed = failing.seed + std::uint64_t(i + 1) * 1'000'003;
        }
        return false;
    };
    for (bool smaller = true; smaller && clock::now() < until;) {
        smaller = false;
        for (const step& s : steps) {
            for (int v = 0; v < s.count; ++v) {
                const auto now = failing.with.find(s.name);
                if (now != failing.with.end() && now->second == s.values[v]) break;
                attempt candidate = failing;
                candidate.with[s.name] = s.values[v];
                if (!fails(candidate)) continue;
                failing = candidate;
                smaller = true;
                break;
            }
        }
    }
    return failing;
}

std::string words(const attempt& of)
{
    std::ostringstream s;
    s << "--seed " << of.seed;
    for (const auto& [name, value] : of.with) s << " --set " << name << '=' << value;
    return s.str();
}

std::string kind_of_failure(const std::string& output)
{
    std::istringstream lines(output);
    std::string line, kind;
    while (std::getline(lines, line)) {
        if (line.starts_with("seed ") || line.starts_with("zlink: ") || line.starts_with("terminate called")) break;
        line.clear();
    }
    bool in_number = false;
    for (const char c : line.substr(0, line.find('\n'))) {
        const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
        if (!digit) kind += c;
        if (digit && !in_number) kind += 'N';
        in_number = digit;
    }
    return kind;
}

}  // namespace zlink::sim
