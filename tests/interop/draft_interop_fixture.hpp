// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the tests of the draft API's socket types with a libzmq that has them share.
#pragma once

#include "addressed_messages.hpp"
#include "interop_fixture.hpp"

namespace zlink::test {

// One message of ours, as frames (addressed_messages.hpp).
inline bool give(socket& ours, const parts& frames, const place& where = place::current())
{
    if (!send_addressed(ours, frames)) {
        fail_at(where, "sending");
        return false;
    }
    return true;
}

inline parts take(socket& ours, const place& where = place::current())
{
    auto frames = recv_addressed(ours);
    if (!frames) {
        fail_at(where, "receiving");
        return {""};
    }
    return *frames;
}

// Compares without printing megabytes when it is wrong.
inline bool take_exactly(socket& ours, const parts& wanted, const place& where = place::current())
{
    const parts got = take(ours, where);
    if (got == wanted) {
        return true;
    }
    ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line()))
        << "wrong message: address " << got.front().substr(0, 20) << ", body of " << got.back().size();
    return false;
}

// The draft API's transports that both libraries have. `ws` stands for framings other than ZMTP's.
enum class draft_transport { tcp, ipc, ws };

inline std::string name_of(draft_transport kind)
{
    return kind == draft_transport::tcp ? "tcp" : kind == draft_transport::ipc ? "ipc" : "ws";
}

class draft_interop_test : public interop_test {
protected:
    static constexpr draft_transport all_transports[] = {draft_transport::tcp, draft_transport::ipc,
                                                         draft_transport::ws};

    static peer_process start(const std::string& type, const place& where = place::current())
    {
        return peer_process(type, draft_libzmq_peer, where);
    }

    std::string wildcard(draft_transport kind)
    {
        return kind == draft_transport::ipc ? "ipc://" + directory_.file("s") : name_of(kind) + "://127.0.0.1:*";
    }

    // Joins our socket and the peer's; returns the endpoint.
    std::string meet(socket& ours, peer_process& theirs, draft_transport kind, bool we_bind)
    {
        secure(ours, we_bind);
        secure(theirs, !we_bind);
        if (we_bind) {
            const std::string endpoint = ours.bind(wildcard(kind));
            theirs.ask("connect " + endpoint);
            return endpoint;
        }
        const std::string endpoint = theirs.ask("bind " + wildcard(kind));
        ours.connect(endpoint);
        return endpoint;
    }
};

// The peer's DISH joins the group; then we send to it until that is in effect, and leave no message behind. Its last
// two groups tell it: "sync" and "ready".
inline void await_member(socket& ours, peer_process& theirs, const std::string& group)
{
    theirs.ask("join " + group);
    theirs.ask("join ready");
    theirs.ask("join sync");
    theirs.tell("until sync");
    for (int i = 0; i < patience_ms / 10 && !theirs.answered(10); ++i) {
        give(ours, {"sync", ""});
    }
    theirs.reply();
    theirs.tell("until ready");
    give(ours, {"ready", ""});
    theirs.reply();
    theirs.ask("leave ready");
    theirs.ask("leave sync");
}

// The other way round.
inline void join_until_heard(socket& ours, peer_process& theirs, const std::string& group)
{
    for (const std::string& one : {group, std::string("ready"), std::string("sync")}) {
        EXPECT_EQ(0, zmq_join(ours, one.c_str())) << one;
    }
    for (int i = 0; i < patience_ms / 10 && !ours.readable(10); ++i) {
        theirs.ask("post sync -");
    }
    theirs.ask("post ready -");
    while (!::testing::Test::HasFailure() && take(ours).front() != "ready") {
    }
    EXPECT_EQ(0, zmq_leave(ours, "ready"));
    EXPECT_EQ(0, zmq_leave(ours, "sync"));
}

}  // namespace zlink::test
