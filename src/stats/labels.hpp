// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The labels of sockets: each keeps its own for as long as it lives, whatever others come and go, so that the numbers
// of one are never taken for those of another.
#pragma once

#include "stats/report.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace zlink::stats {

/// Texts that are different: to one that is there already, "-" and a number are added.
class different_texts {
public:
    /// `number`: that is tried first; different for each call with the same text.
    [[nodiscard]] std::string add(std::string text, std::uint64_t number);
    void reserve_text(const std::string& text) { taken_.insert(text); }

private:
    std::unordered_set<std::string> taken_;
};

/// One thread.
class socket_labels {
public:
    /// Fills the labels in: ZLINK_NAME, or the type and the number, as "ROUTER-3". Of several sockets with one name, all
    /// but the first have their number behind it. A socket that is not in the report is forgotten.
    void assign(process_report& to);

private:
    struct entry {
        std::string name;  ///< for which it was made
        std::string label;
    };
    std::unordered_map<std::uint64_t, entry> known_;  ///< by the socket's number
};

}  // namespace zlink::stats
