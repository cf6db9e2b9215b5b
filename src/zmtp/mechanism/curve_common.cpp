// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Commands of CURVE and their boxes.
#include "zmtp/mechanism/curve_common.hpp"

#include "base/byte_order.hpp"
#include "zmtp/mechanism/curve_client.hpp"
#include "zmtp/mechanism/curve_server.hpp"

#include <algorithm>
#include <cstring>

namespace zlink::zmtp::curve {

bool begins_with(std::span<const std::byte> body, std::string_view name) noexcept
{
    return body.size() >= name.size() && std::memcmp(body.data(), name.data(), name.size()) == 0;
}

crypto::nonce short_nonce(std::string_view prefix, std::uint64_t number) noexcept
{
    crypto::nonce nonce{};
    std::memcpy(nonce.data(), prefix.data(), prefix.size());
    store_be64(nonce.data() + prefix.size(), number);
    return nonce;
}

crypto::nonce long_nonce(std::string_view prefix, std::span<const std::byte> random) noexcept
{
    crypto::nonce nonce{};
    std::memcpy(nonce.data(), prefix.data(), prefix.size());
    std::ranges::copy(random, nonce.begin() + std::ptrdiff_t(prefix.size()));
    return nonce;
}

crypto::nonce new_long_nonce(std::string_view prefix, crypto::random_source& source,
                             std::span<std::byte, long_nonce_size> random) noexcept
{
    source.fill(random);
    return long_nonce(prefix, random);
}

crypto::public_key field_reader::take_key() noexcept
{
    crypto::public_key key{};
    std::ranges::copy(take(key.size()), key.begin());
    return key;
}

std::uint64_t field_reader::take_number() noexcept
{
    return load_be64(take(number_size).data());
}

void field_writer::put(std::span<const std::byte> octets) noexcept
{
    to_ = std::ranges::copy(octets, to_).out;
}

void field_writer::put_number(std::uint64_t number) noexcept
{
    store_be64(to_, number);
    to_ += number_size;
}

void field_writer::put_box(const crypto::secret_key& key, const crypto::nonce& nonce,
                           std::span<const std::byte> text) noexcept
{
    crypto::seal_box(key, nonce, text, to_);
    to_ += boxed(text.size());
}

mechanism_failure failure_of(handshake_error error)
{
    return {error, std::string(to_text(error)), 0};
}

std::unique_ptr<mechanism> make(const local_peer& local)
{
    if (local.security_or_default().as_server) return std::make_unique<server>(local, crypto::system_random());
    return std::make_unique<client>(local, crypto::system_random());
}

}  // namespace zlink::zmtp::curve
