// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// CURVE keys as text: in Z85 (RFC 32), in CZMQ's certificates (ZPL, RFC 4), and as `zlink keygen` prints them.
#pragma once

#include "support/secret.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace zlink::tool {

inline constexpr std::size_t key_length = 40;  // digits of a key

struct key_pair {
    std::string public_key;
    secret secret_key;
};

// 40 digits of Z85.
bool is_key(std::string_view text);

// A new pair, whose public key begins with a letter or a digit: on a command line it is neither an option nor an @FILE.
// Throws a failure where the library has no CURVE.
key_pair new_key_pair();

// The public key that belongs to it, in Z85.
std::string public_key_of(const secret& secret_key);

// Throws a failure that names the library and the cure when it has no CURVE.
void need_curve();

enum class key_kind { public_key, secret_key };

// The key in the text of a file: of a certificate the one asked for, otherwise the one line that is a key. Nothing when
// it isn't there.
std::optional<std::string> find_key(std::string_view text, key_kind kind);

// The text of a certificate; with the secret key if there is one.
std::string certificate_text(std::string_view name, std::string_view public_key, std::string_view secret_key);

}  // namespace zlink::tool
