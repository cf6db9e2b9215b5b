// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "support/auth_file.hpp"

#include "support/failure.hpp"
#include "support/key_source.hpp"
#include "support/status_line.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

namespace zlink::tool {
namespace {

// A second change within the clock's tick leaves no trace in the times. A file that was changed so recently is read
// again at the next question.
constexpr std::time_t seconds_to_settle = 2;

}  // namespace

auth_file::auth_file(std::string path, bool quiet) : path_(std::move(path)), quiet_(quiet)
{
    load();
}

const allowed_peers& auth_file::rules()
{
    const auto now = stamps();
    const bool changed = now != seen_;
    if (!changed && settled_) {
        return rules_;
    }
    const std::string before = rules_.summary();
    try {
        load();
        if (changed && !quiet_) {
            say("{} was read again: {}\n", path_, rules_.summary());
        }
    } catch (const failure& problem) {
        seen_ = now;
        if (changed) {
            say("zlink: {}; the rules from before stay: {}\n", problem.what(), before);
        }
    }
    return rules_;
}

void auth_file::load()
{
    const secret text = read_whole_file("allowed peers", path_);
    rules_ = allowed_peers::parse(path_, text.text());
    const auto before = std::exchange(seen_, stamps());
    if (rules_.has_passwords() && before != seen_) {
        warn_of_readers(path_);
    }
    const auto newest = std::ranges::max_element(
        seen_, {}, [](const auto& entry) { return std::max(std::get<3>(entry.second), std::get<5>(entry.second)); });
    const std::time_t last = std::max(std::get<3>(newest->second), std::get<5>(newest->second));
    settled_ = std::time(nullptr) - last > seconds_to_settle;
}

std::map<std::string, auth_file::stamp> auth_file::stamps() const
{
    std::map<std::string, stamp> found;
    const auto look = [&](const std::string& path) {
        struct stat status {};
        auto& entry = found[path];
        if (::stat(path.c_str(), &status) == 0) {
            entry = {status.st_dev,          status.st_ino,         status.st_size,        status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec};
        }
    };
    look(path_);
    for (const auto& path : rules_.files()) {
        look(path);
    }
    return found;
}

}  // namespace zlink::tool
