// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/endpoint_table.hpp"

#include "socket/pipe_record.hpp"

#include <algorithm>
#include <utility>

namespace zlink::socket {

void endpoint_table::add(endpoint_record record)
{
    const std::uint64_t id = record.id;
    const auto added = records_.emplace(id, std::move(record)).first;
    try {
        texts_.emplace(added->second.text, id);
    } catch (...) {
        records_.erase(added);
        throw;
    }
    next_id_ = std::max(next_id_, id + 1);
}

void endpoint_table::erase(std::uint64_t id) noexcept
{
    const auto found = records_.find(id);
    if (found == records_.end()) return;
    for (pipe::pipe_end* end = found->second.first_pipe; end; end = record_of(*end).next_of_endpoint)
        record_of(*end).endpoint = nullptr;
    texts_.erase({found->second.text, id});
    records_.erase(found);
}

void endpoint_table::clear() noexcept
{
    texts_.clear();
    records_.clear();
}

endpoint_record* endpoint_table::find(std::uint64_t id) noexcept
{
    const auto found = records_.find(id);
    return found == records_.end() ? nullptr : &found->second;
}

bool endpoint_table::has(std::string_view text) const noexcept
{
    const auto first = texts_.lower_bound({text, 0});
    return first != texts_.end() && first->first == text;
}

std::vector<std::uint64_t> endpoint_table::with_text(std::string_view text) const
{
    std::vector<std::uint64_t> ids;
    for (auto at = texts_.lower_bound({text, 0}); at != texts_.end() && at->first == text; ++at)
        ids.push_back(at->second);
    return ids;
}

void endpoint_table::join(pipe::pipe_end& end) noexcept
{
    pipe_record& joins = record_of(end);
    endpoint_record* record = find(joins.endpoint_id);
    if (!record || record->bound) return;
    joins.endpoint = record;
    joins.next_of_endpoint = std::exchange(record->first_pipe, &end);
}

void endpoint_table::leave(pipe::pipe_end& end) noexcept
{
    pipe_record& leaves = record_of(end);
    endpoint_record* record = std::exchange(leaves.endpoint, nullptr);
    if (!record) return;
    pipe::pipe_end** at = &record->first_pipe;
    while (*at != &end) at = &record_of(**at).next_of_endpoint;
    *at = leaves.next_of_endpoint;
    if (record->connects_to_name() && !record->first_pipe) erase(record->id);
}

}  // namespace zlink::socket
