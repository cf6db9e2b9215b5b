// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The file of allowed peers, read again when it, or a file that it refers to, has changed.
#pragma once

#include "support/allowed_peers.hpp"

#include <map>
#include <string>
#include <tuple>

#include <sys/stat.h>

namespace zlink::tool {

// For one thread at a time.
class auth_file {
public:
    // Reads it; throws a failure for what is wrong with it.
    explicit auth_file(std::string path, bool quiet);

    // The rules in force: those of the file as it is now. Of one that can't be read or has a mistake nothing is taken;
    // that is said once, and the rules from before stay.
    const allowed_peers& rules();

private:
    // What changes with a file's content.
    using stamp = std::tuple<dev_t, ino_t, off_t, time_t, long, time_t, long>;

    void load();
    std::map<std::string, stamp> stamps() const;

    std::string path_;
    bool quiet_;
    allowed_peers rules_;
    std::map<std::string, stamp> seen_;
    bool settled_ = false;
};

}  // namespace zlink::tool
