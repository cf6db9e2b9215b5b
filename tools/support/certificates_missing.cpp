// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Of a build without OpenSSL.
#include "support/certificates.hpp"

#include "support/failure.hpp"

namespace zlink::tool {

std::optional<std::string> certificate_in(std::string_view)
{
    throw failure("this program was built without OpenSSL, which reads certificates; 'tls any' needs none");
}

std::string subject_of(std::string_view)
{
    return "";
}

}  // namespace zlink::tool
