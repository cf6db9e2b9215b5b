// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Certificates to try tls with: an authority that vouches for a server and a client, and is forgotten at once.
#pragma once

#include "support/secret.hpp"

#include <string>
#include <vector>

namespace zlink::tool {

struct trial_file {
    std::string name;
    secret text;  // PEM
    bool is_secret;
};

// ca.pem, server.pem, server.key, client.pem, client.key; the server's certificate has these names and addresses.
// Throws a failure.
std::vector<trial_file> make_trial_certificates(const std::vector<std::string>& hosts);

}  // namespace zlink::tool
