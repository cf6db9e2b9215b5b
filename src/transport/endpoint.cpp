// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/endpoint.hpp"

#include "base/invariant.hpp"
#include "transport/registry.hpp"

#include <algorithm>
#include <utility>

namespace zlink::transport {

namespace {

struct split_endpoint {
    const transport* over;
    std::string_view address;
};

result<split_endpoint> split(std::string_view text)
{
    constexpr std::string_view delimiter = "://";
    const std::size_t position = text.find(delimiter);
    if (position == std::string_view::npos || position == 0 || text.find('\0') != std::string_view::npos) {
        return errc::invalid_argument;
    }
    const std::string_view address = text.substr(position + delimiter.size());
    if (address.empty()) {
        return errc::invalid_argument;
    }
    const transport* over = find_transport(text.substr(0, position));
    if (over == nullptr) {
        return errc::protocol_not_supported;
    }
    return split_endpoint{over, address};
}

using parser = result<std::shared_ptr<const address>> (transport::*)(std::string_view) const;

result<endpoint> parse(std::string_view text, parser how)
{
    const result<split_endpoint> parts = split(text);
    if (!parts) {
        return parts.error();
    }
    auto where = (parts->over->*how)(parts->address);
    if (!where) {
        return where.error();
    }
    return endpoint{std::string(text), parts->over, std::move(*where)};
}

}  // namespace

result<endpoint> parse_bind_endpoint(std::string_view text)
{
    return parse(text, &transport::parse_bind);
}

result<endpoint> parse_connect_endpoint(std::string_view text)
{
    return parse(text, &transport::parse_connect);
}

result<const transport*> transport_of(std::string_view text)
{
    const result<split_endpoint> parts = split(text);
    return parts ? result<const transport*>{parts->over} : result<const transport*>{parts.error()};
}

const transport* find_transport(std::string_view scheme) noexcept
{
    for (const transport* const row : transports()) {
        if (row->scheme() == scheme) {
            return row;
        }
    }
    return nullptr;
}

const transport& transport_of_names() noexcept
{
    const auto all = transports();
    const auto found = std::ranges::find_if(all, &transport::names);
    invariant([&] { return found != all.end(); });  // each build has one
    return **found;
}

std::size_t index_of(const transport& which) noexcept
{
    std::size_t index = 0;
    while (transports()[index] != &which) {
        ++index;
    }
    return index;
}

}  // namespace zlink::transport
