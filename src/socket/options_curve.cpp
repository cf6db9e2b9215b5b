// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Rows of the option table: the keys of CURVE, as 32 octets or in Z85.
#include "base/z85.hpp"
#include "crypto/keys.hpp"
#include "socket/option_table.hpp"
#include "socket/options.hpp"

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include <zmq.h>

#include <array>
#include <cstring>
#include <memory>
#include <string_view>

namespace zlink::socket::option_table {

namespace {

using crypto::key_size;
using engine::mechanism_kind;

static_assert(int(mechanism_kind::curve) == ZMQ_CURVE);

constexpr std::size_t text_size = z85_size(key_size);

/// The length tells the two forms apart; that of a text may count the zero at its end.
bool read_key(const option_input& input, crypto::wiped_octets<key_size>& key)
{
    switch (input.size()) {
    case key_size: std::memcpy(key.data(), input.bytes().data(), key_size); return true;
    case text_size: return decode_z85(input.bytes(), key.data());
    case text_size + 1: return input.text().size() == text_size && decode_z85(input.text(), key.data());
    default: return false;
    }
}

errc show_key(crypto::key_view key, const option_output& output)
{
    if (output.room() == key_size) return output.put_bytes(key.data(), key_size);
    if (output.room() != text_size + 1) return errc::invalid_argument;
    std::array<char, text_size + 1> text{};
    encode_z85(key, text.data());
    const errc put = output.put_bytes(text.data(), text.size());
    crypto::wipe(std::as_writable_bytes(std::span(text)));
    return put;
}

/// Stores the key by `store`, and chooses CURVE.
template <class Store>
errc set_key(socket_options& options, const option_input& input, Store store)
{
    crypto::wiped_octets<key_size> key;
    if (!read_key(input, key)) {
        return errc::invalid_argument;
    }
    store(options.security.curve, key);
    options.security.mechanism = mechanism_kind::curve;
    return errc::none;
}

errc set_public_key(const row&, socket_options& options, const option_input& input)
{
    return set_key(options, input, [](auto& curve, const auto& key) { curve.public_key = key; });
}

errc get_public_key(const socket_options& options, const option_output& output)
{
    return show_key(options.security.curve.public_key, output);
}

errc set_secret_key(const row&, socket_options& options, const option_input& input)
{
    return set_key(options, input, [](auto& curve, const auto& key) {
        curve.own = std::make_shared<const crypto::key_pair>(crypto::key_pair_of(key));
    });
}

errc get_secret_key(const socket_options& options, const option_output& output)
{
    const auto& own = options.security.curve.own;
    return show_key(own ? own->secret.octets() : crypto::key_view(crypto::public_key{}), output);
}

/// A socket that wants a server is a client.
errc set_server_key(const row&, socket_options& options, const option_input& input)
{
    const errc error = set_key(options, input, [](auto& curve, const auto& key) { curve.server_key = key; });
    if (error == errc::none) options.security.as_server = false;
    return error;
}

errc get_server_key(const socket_options& options, const option_output& output)
{
    return show_key(options.security.curve.server_key, output);
}

constexpr row curve_table[] = {
    with(ZMQ_CURVE_SERVER, set_server<mechanism_kind::curve>, get_server<mechanism_kind::curve>),
    with(ZMQ_CURVE_PUBLICKEY, set_public_key, get_public_key),
    with(ZMQ_CURVE_SECRETKEY, set_secret_key, get_secret_key),
    with(ZMQ_CURVE_SERVERKEY, set_server_key, get_server_key),
};

}  // namespace

constinit const rows curve_rows{curve_table};

}  // namespace zlink::socket::option_table
