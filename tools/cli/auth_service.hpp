// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Answers a library's questions about peers (ZAP, RFC 27) by the rules of an auth_file.
#pragma once

#include "support/auth_file.hpp"
#include "support/socket.hpp"

#include <set>
#include <string>
#include <thread>

namespace zlink::tool {

// Answers every question that waits at a REP socket, without blocking. With `verbose` each answer is said, otherwise
// refusals alone, each peer's once; with `quiet` nothing.
class auth_service {
public:
    auth_service(std::string path, bool quiet, bool verbose);

    void answer_all(socket& asked);
    const allowed_peers& rules() { return file_.rules(); }

private:
    message answer(const message& question);
    void say_what_became(const peer_answer& given, const std::string& address);

    auth_file file_;
    bool quiet_;
    bool verbose_;
    std::set<std::string> said_;
};

// The handler of a context: a thread that serves inproc://zeromq.zap.01 from its making to its end. Made before the
// sockets that it decides about bind or connect; goes before the context does.
class auth_handler {
public:
    auth_handler(const context& owner, const std::string& path, bool quiet, bool verbose);
    ~auth_handler();
    auth_handler(const auth_handler&) = delete;
    auth_handler& operator=(const auth_handler&) = delete;

    // Whether peers that show no credentials are let in, as the file says when it is made.
    bool allows_null() const noexcept { return allows_null_; }

    // Whether there are rules about certificates, as the file says then.
    bool knows_certificates() const noexcept { return knows_certificates_; }

private:
    void serve();

    auth_service service_;
    bool allows_null_;
    bool knows_certificates_;
    socket asked_;
    int stop_;  // eventfd, readable when the thread is to end
    std::thread thread_;
};

}  // namespace zlink::tool
