// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/stream.hpp"

#include <array>

namespace zlink::transport {

namespace {

constexpr std::size_t read_size = 2 * 1024;
constexpr int most_reads = 16;

}  // namespace

void stream::end_with(std::span<const std::byte> last) noexcept
{
    const iovec piece{const_cast<std::byte*>(last.data()), last.size()};
    if (write(&piece, 1).octets == last.size()) discard_input(*this);
}

void discard_input(stream& from) noexcept
{
    std::array<std::byte, read_size> rest;
    const iovec piece{rest.data(), rest.size()};
    for (int i = 0; i < most_reads && from.read(&piece, 1).state == io_outcome::status::more; ++i) {
    }
}

}  // namespace zlink::transport
