// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// CLIENT to SERVER. Four threads share the sending socket.
#include "draft_patterns.hpp"
#include "shared_socket.hpp"

namespace {

struct shared_client_server : bench::client_server {
    static constexpr const char* name = "SHARED_CLIENT_SERVER";
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run_shared<shared_client_server>(argc, argv);
}
