// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Of a build without OpenSSL.
#include "support/failure.hpp"
#include "support/trial_certificates.hpp"

namespace zlink::tool {

std::vector<trial_file> make_trial_certificates(const std::vector<std::string>&)
{
    throw failure("this program was built without OpenSSL, which makes certificates; the command openssl does, too");
}

}  // namespace zlink::tool
