// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Certificates of peers, for the rules about them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace zlink::tool {

// The first certificate of a file in PEM, as DER; nothing: there is none. Throws a failure where this build has no
// OpenSSL.
std::optional<std::string> certificate_in(std::string_view pem);

// Whom a certificate (DER) is about, as Tls-Subject of messages has it: "CN=joe,O=Example". Empty: it can't be read.
std::string subject_of(std::string_view certificate);

}  // namespace zlink::tool
