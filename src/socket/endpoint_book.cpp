// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/endpoint_book.hpp"

#include "socket/pipe_record.hpp"

#include <algorithm>

namespace zlink::socket {

void endpoint_book::add(endpoint_record record)
{
    const std::uint64_t id = record.id;
    const auto added = records_.emplace(id, std::move(record)).first;
    try {
        texts_.emplace(added->second.text, id);
    } catch (...) {
        records_.erase(added);
        throw;
    }
}

void endpoint_book::erase(std::uint64_t id) noexcept
{
    const auto found = records_.find(id);
    if (found == records_.end()) return;
    texts_.erase({found->second.text, id});
    records_.erase(found);
}

void endpoint_book::clear() noexcept
{
    texts_.clear();
    records_.clear();
}

endpoint_record* endpoint_book::find(std::uint64_t id) noexcept
{
    const auto found = records_.find(id);
    return found == records_.end() ? nullptr : &found->second;
}

bool endpoint_book::has(std::string_view text) const noexcept
{
    const auto first = texts_.lower_bound({text, 0});
    return first != texts_.end() && first->first == text;
}

std::vector<std::uint64_t> endpoint_book::with_text(std::string_view text) const
{
    std::vector<std::uint64_t> ids;
    for (auto at = texts_.lower_bound({text, 0}); at != texts_.end() && at->first == text; ++at)
        ids.push_back(at->second);
    return ids;
}

void endpoint_book::prepare_to_join(std::uint64_t id)
{
    endpoint_record* record = find(id);
    if (record && !record->bound) record->pipes.reserve(record->pipes.size() + 1);
}

void endpoint_book::join(pipe::pipe_end& end) noexcept
{
    endpoint_record* record = find(record_of(end).endpoint_id);
    if (record && !record->bound) record->pipes.push_back(&end);
}

void endpoint_book::leave(const pipe::pipe_end& end) noexcept
{
    endpoint_record* record = find(record_of(end).endpoint_id);
    if (!record) return;
    std::erase(record->pipes, &end);
    if (record->connects_inproc() && record->pipes.empty()) erase(record->id);
}

}  // namespace zlink::socket
