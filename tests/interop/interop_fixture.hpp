// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the interop tests share: where the two ends meet, and a fixture with our socket and a peer's.
#pragma once

#include "peer_process.hpp"
#include "seeded_content.hpp"
#include "support/curve_keys.hpp"
#include "support/zmq_fixture.hpp"
#include "zap_answers.hpp"

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace zlink::test {

enum class transport { tcp, ipc };

inline std::string sizes_text(const frame_sizes& sizes)
{
    std::string text;
    for (const std::size_t size : sizes) {
        text += (text.empty() ? "" : ",") + std::to_string(size);
    }
    return text;
}

// "SEED FIRST COUNT SIZES", the arguments of the peer's `send` and `recv`.
inline std::string seeded_arguments(unsigned seed, std::uint64_t first, std::uint64_t count, const frame_sizes& sizes)
{
    return std::to_string(seed) + " " + std::to_string(first) + " " + std::to_string(count) + " " + sizes_text(sizes);
}

// Receives one message and compares it, without printing megabytes when it is wrong.
inline bool recv_exactly(socket& ours, const parts& wanted, const place& where = place::current())
{
    const parts got = ours.recv_parts(where);
    if (got == wanted) {
        return true;
    }
    std::string sizes;
    for (const std::string& frame : got) {
        sizes += " " + std::to_string(frame.size());
    }
    ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line())) << "wrong message, frames of" << sizes;
    return false;
}

inline parts joined(const parts& envelope, parts body)
{
    body.insert(body.begin(), envelope.begin(), envelope.end());
    return body;
}

class interop_test : public zmq_test {
protected:
    interop_test() = default;
    ~interop_test() override
    {
        if (handler_) zmq_ctx_shutdown(ctx_);  // which ends its thread
    }

    std::string wildcard(transport kind)
    {
        return kind == transport::tcp ? "tcp://127.0.0.1:*" : "ipc://" + directory_.file("s");
    }

    // Joins our socket and the peer's; returns the endpoint.
    std::string join(socket& ours, peer_process& theirs, transport kind, bool we_bind)
    {
        secure(ours, we_bind);
        secure(theirs, !we_bind);
        std::string endpoint;
        if (we_bind) {
            endpoint = ours.bind(wildcard(kind));
            theirs.ask("connect " + endpoint);
        } else {
            endpoint = theirs.ask("bind " + wildcard(kind));
            ours.connect(endpoint);
        }
        return endpoint;
    }

    // A run of the tests may have everybody speak CURVE, or PLAIN: ZLINK_TEST_CURVE (or ZLINK_TEST_PLAIN)=binders, or
    // connectors, are the servers. A peer that is not joined is secured by the test.
    void secure(socket& ours, bool binds)
    {
        if (mechanism_ == mechanism::null) return;
        const bool serves = binds == binders_serve_;
        if (mechanism_ == mechanism::plain) {
            if (serves) {
                if (!handler_) handler_ = std::make_unique<zap_answers>(ctx_, "200", "joe");
                ours.set(ZMQ_PLAIN_SERVER, 1);
            } else {
                ours.set(ZMQ_PLAIN_USERNAME, "joe");
                ours.set(ZMQ_PLAIN_PASSWORD, "secret");
            }
        } else if (serves) {
            be_curve_server(ours, keys_->server);
        } else {
            be_curve_client(ours, keys_->client, keys_->server.open);
        }
    }
    void secure(peer_process& theirs, bool binds)
    {
        if (mechanism_ == mechanism::null) return;
        const bool serves = binds == binders_serve_;
        if (mechanism_ == mechanism::plain) {
            if (serves) {
                theirs.ask("zap 200 joe");
                theirs.set(ZMQ_PLAIN_SERVER, 1);
            } else {
                theirs.text(ZMQ_PLAIN_USERNAME, "joe");
                theirs.text(ZMQ_PLAIN_PASSWORD, "secret");
            }
        } else if (serves) {
            theirs.set(ZMQ_CURVE_SERVER, 1);
            theirs.text(ZMQ_CURVE_SECRETKEY, keys_->server.secret);
        } else {
            theirs.text(ZMQ_CURVE_PUBLICKEY, keys_->client.open);
            theirs.text(ZMQ_CURVE_SECRETKEY, keys_->client.secret);
            theirs.text(ZMQ_CURVE_SERVERKEY, keys_->server.open);
        }
    }

    temp_directory directory_;

private:
    struct keys {
        curve_keys server, client;
    };
    enum class mechanism { null, plain, curve };

    const char* const curve_servers_ = std::getenv("ZLINK_TEST_CURVE");
    const char* const plain_servers_ = std::getenv("ZLINK_TEST_PLAIN");
    const mechanism mechanism_ = curve_servers_   ? mechanism::curve
                                 : plain_servers_ ? mechanism::plain
                                                  : mechanism::null;
    const bool binders_serve_ = std::string_view(curve_servers_   ? curve_servers_
                                                 : plain_servers_ ? plain_servers_
                                                                  : "") == "binders";
    const std::unique_ptr<const keys> keys_ = curve_servers_ ? std::make_unique<const keys>() : nullptr;
    std::unique_ptr<zap_answers> handler_;
};

// Publishes until the peer's subscription, which must cover all, is in effect; leaves no message behind.
inline void await_subscriber(socket& ours, peer_process& theirs)
{
    theirs.tell("until sync");
    for (int i = 0; i < patience_ms / 10 && !theirs.answered(10); ++i) {
        ours.send("sync");
    }
    theirs.reply();
    theirs.tell("until ready");
    ours.send("ready");
    theirs.reply();
}

// The other way round.
inline void await_publisher(socket& ours, peer_process& theirs)
{
    for (int i = 0; i < patience_ms / 10 && !ours.readable(10); ++i) {
        theirs.ask("post sync");
    }
    theirs.ask("post ready");
    while (!::testing::Test::HasFailure() && ours.recv() != "ready") {
    }
}

}  // namespace zlink::test
