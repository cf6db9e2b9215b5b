// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Where keys and passwords on a command line come from: public ones stand there, secrets in a file or in the
// environment.
#pragma once

#include "support/key_file.hpp"
#include "support/secret.hpp"

#include <string>

namespace zlink::tool {

// What a secret option takes besides: this variable, when the option isn't given.
inline constexpr const char* curve_secret_variable = "ZLINK_CURVE_SECRET";
inline constexpr const char* plain_password_variable = "ZLINK_PLAIN_PASSWORD";
inline constexpr const char* socks_password_variable = "ZLINK_SOCKS_PASSWORD";
inline constexpr const char* tls_key_password_variable = "ZLINK_TLS_KEY_PASSWORD";

// The whole file, which may be a pipe. Throws a failure that begins with what it is read for.
secret read_whole_file(const std::string& purpose, const std::string& path);

// Says it when others than the owner may read that file.
void warn_of_readers(const std::string& path);

// KEY or @FILE. A key that begins with @ is taken for one unless there is such a file.
std::string read_public_key(const std::string& option, const std::string& text);

// @FILE or env:NAME; empty: the variable named above or given, and an empty result when that isn't set either.
secret read_secret_key(const std::string& option, const std::string& text);
secret read_password(const std::string& option, const std::string& text,
                     const char* variable = plain_password_variable);

}  // namespace zlink::tool
