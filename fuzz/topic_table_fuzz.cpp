// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Topics by prefix: whatever is added and removed, a message finds the same topics as by comparing it with each.
#include "pattern/routing/topic_table.hpp"

#include "fuzz_input.hpp"

#include <map>
#include <string>
#include <vector>

using namespace zlink;
using pattern::routing::topic_octets;
using pattern::routing::topic_table;

namespace {

using model = std::map<std::string, topic_table::id>;

topic_octets octets(const std::string& text)
{
    return std::as_bytes(std::span(text));
}

// Some octets, behind some of those used before: so topics begin alike, and messages with topics.
std::string next_text(fuzz::input& in, const std::string& before)
{
    std::string text = before.substr(0, in.choice());
    for (std::size_t i = in.choice() % 24; i > 0; --i) text.push_back(char(in.choice()));
    return text;
}

void check(const topic_table& table, const model& known, const std::string& message)
{
    std::vector<topic_table::id> expected, found;
    for (std::size_t n = 0; n <= message.size(); ++n) {
        const auto topic = known.find(message.substr(0, n));
        if (topic != known.end()) expected.push_back(topic->second);
    }
    table.match(octets(message), [&](topic_table::id id) {
        found.push_back(id);
        return true;
    });
    fuzz::require(found == expected);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::input in(data, size);
    topic_table table;
    model known;
    std::string text;
    while (!in.rest().empty()) {
        const bool add = in.choice() % 4 != 0;
        text = next_text(in, text);
        const auto there = known.find(text);
        if (add) {
            bool is_new = false;
            const topic_table::id id = table.insert(octets(text), is_new);
            fuzz::require(is_new == (there == known.end()) && (is_new || id == there->second));
            known[text] = id;
        } else if (there != known.end()) {
            table.erase(there->second);
            known.erase(there);
        } else {
            fuzz::require(table.find(octets(text)) == topic_table::none);
        }
        fuzz::require(table.size() == known.size());
        check(table, known, text);
        check(table, known, text + text);
    }
    for (const auto& [topic, id] : known) {
        std::string kept;
        table.append_text(id, kept);
        fuzz::require(kept == topic);
        check(table, known, topic);
    }
    return 0;
}
