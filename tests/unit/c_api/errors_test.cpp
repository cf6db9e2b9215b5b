// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_errno(), zmq_strerror(), the version functions and zmq_has(): what a program learns about the library.
#include "zlink.h"
#include "zmq.h"

#include <cerrno>
#include <climits>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <thread>

namespace {

TEST(errors_test, errno_is_that_of_the_calling_thread)
{
    errno = EAGAIN;
    std::thread([] {
        errno = EFSM;
        EXPECT_EQ(zmq_errno(), EFSM);
    }).join();
    EXPECT_EQ(zmq_errno(), EAGAIN);
}

TEST(errors_test, the_own_error_numbers_have_texts_of_their_own)
{
    std::set<std::string> texts;
    for (const int error : {EFSM, ENOCOMPATPROTO, ETERM, EMTHREAD, EHOSTUNREACH}) {
        const char* text = zmq_strerror(error);
        ASSERT_NE(text, nullptr);
        EXPECT_STRNE(text, std::strerror(error));
        texts.insert(text);
    }
    EXPECT_EQ(texts.size(), 5U);
}

TEST(errors_test, other_numbers_have_the_text_of_the_system)
{
    for (const int error : {0, EINVAL, EAGAIN, ENOTSOCK, EADDRINUSE, ENOTSUP, -1, INT_MAX}) {
        const std::string expected = std::strerror(error);
        EXPECT_EQ(zmq_strerror(error), expected) << error;
    }
}

TEST(version_test, is_that_of_the_headers)
{
    int major = -1;
    int minor = -1;
    int patch = -1;
    zmq_version(&major, &minor, &patch);
    EXPECT_EQ(ZMQ_MAKE_VERSION(major, minor, patch), ZMQ_VERSION);
    EXPECT_EQ(ZMQ_VERSION, 40305);

    zlink_version(&major, &minor, &patch);
    EXPECT_EQ(major, ZLINK_VERSION_MAJOR);
    EXPECT_EQ(minor, ZLINK_VERSION_MINOR);
    EXPECT_EQ(patch, ZLINK_VERSION_PATCH);
}

TEST(version_test, null_pointers_are_passed_over)
{
    int minor = -1;
    zmq_version(nullptr, &minor, nullptr);
    EXPECT_EQ(minor, ZMQ_VERSION_MINOR);
    zlink_version(nullptr, nullptr, nullptr);
}

TEST(has_test, tells_what_is_there)
{
    EXPECT_EQ(zmq_has("ipc"), 1);
    EXPECT_EQ(zmq_has("draft"), 1);
    EXPECT_EQ(zmq_has("ws"), 1);
    EXPECT_EQ(zmq_has("vsock"), 1);
    EXPECT_EQ(zmq_has("tls"), zmq_has("wss"));
    // As libzmq spells them.
    EXPECT_EQ(zmq_has("WS"), 1);
    EXPECT_EQ(zmq_has("WSS"), zmq_has("wss"));
    for (const char* absent : {"gssapi", "pgm", "norm", "tipc", "vmci"}) {
        EXPECT_EQ(zmq_has(absent), 0) << absent;
    }
}

TEST(has_test, answers_0_to_what_is_no_capability)
{
    EXPECT_EQ(zmq_has(""), 0);
    EXPECT_EQ(zmq_has("IPC"), 0);
    EXPECT_EQ(zmq_has("Ws"), 0);
    EXPECT_EQ(zmq_has("WSX"), 0);
    EXPECT_EQ(zmq_has("ipcx"), 0);
    EXPECT_EQ(zmq_has(nullptr), 0);
}

}  // namespace
