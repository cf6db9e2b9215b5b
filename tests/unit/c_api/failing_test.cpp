// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// How functions of the API fail, and the words for it: an errno, and a sentence with cause and cure.
#include "c_api/failing.hpp"

#include "c_api/handles.hpp"
#include "socket/words.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace zlink::c_api {
namespace {

using socket::endpoint_call;
using socket::sentence_of;
using socket::words_of_endpoint;
using socket::words_of_option;

bool has(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

// --- with errno
// --------------------------------------------------------------------------------------------------------

TEST(failing_test, sets_errno_and_notes_the_failure)
{
    errno = 0;
    EXPECT_EQ(-1, fail(ENODEV));
    EXPECT_EQ(ENODEV, errno);
    EXPECT_EQ(ENODEV, last_call_that_failed().error);
    EXPECT_EQ(-1, fail(errc::terminated));
    EXPECT_EQ(ETERM, errno);
}

TEST(failing_test, a_success_leaves_errno_alone)
{
    errno = ENODEV;
    EXPECT_EQ(0, answer(errc::none));
    EXPECT_EQ(ENODEV, errno);
    EXPECT_EQ(-1, answer(errc::busy));
    EXPECT_EQ(EBUSY, errno);
}

TEST(failing_test, an_exception_means_that_memory_is_short)
{
    EXPECT_EQ(0, guarded([] { return errc::none; }));
    EXPECT_EQ(-1, guarded([] { return errc::fsm; }));
    EXPECT_EQ(EFSM, errno);
    EXPECT_EQ(-1, guarded([]() -> errc { throw std::bad_alloc(); }));
    EXPECT_EQ(ENOMEM, errno);
    EXPECT_EQ(-1, guarded([]() -> errc { throw std::length_error("too long"); }));
    EXPECT_EQ(ENOMEM, errno);
}

TEST(handles_test, sizes_are_cut_to_an_int)
{
    EXPECT_EQ(0, as_int(0));
    EXPECT_EQ(INT_MAX, as_int(std::size_t(INT_MAX)));
    EXPECT_EQ(INT_MAX, as_int(std::size_t(INT_MAX) + 1));
}

TEST(handles_test, nothing_is_neither_a_socket_nor_a_context)
{
    EXPECT_FALSE(call_on(nullptr));
    EXPECT_EQ(ENOTSOCK, errno);
    EXPECT_EQ(nullptr, as_context(nullptr));
    EXPECT_EQ(EFAULT, errno);
}

TEST(handles_test, a_handle_is_not_one_of_another_kind)
{
    void* const context = zmq_ctx_new();
    void* const socket = zmq_socket(context, ZMQ_PAIR);
    {
        const call_on held(socket);
        ASSERT_TRUE(held);
        EXPECT_EQ(socket, &*held);
    }
    EXPECT_EQ(context, as_context(context));
    errno = 0;
    EXPECT_FALSE(call_on(context));
    EXPECT_EQ(ENOTSOCK, errno);
    EXPECT_EQ(nullptr, as_context(socket));
    EXPECT_EQ(EFAULT, errno);
    zmq_close(socket);
    zmq_ctx_term(context);
}

TEST(handles_test, a_message_is_one_while_it_is_initialised)
{
    zmq_msg_t msg;
    std::memset(&msg, 0, sizeof msg);
    EXPECT_EQ(nullptr, as_frame(static_cast<zmq_msg_t*>(nullptr)));
    EXPECT_EQ(EFAULT, errno);
    EXPECT_EQ(nullptr, as_frame(&msg));
    zmq_msg_init(&msg);
    EXPECT_EQ(&inside(&msg), as_frame(&msg));
    zmq_msg_close(&msg);
    EXPECT_EQ(nullptr, as_frame(&msg));
}

TEST(handles_test, octets_are_copied_and_counted)
{
    char to[8] = "???????";
    EXPECT_EQ(4, copy_and_return(to, "text", 4));
    EXPECT_STREQ("text???", to);
}

// --- in words
// ----------------------------------------------------------------------------------------------------------

TEST(words_test, errors_of_the_api_have_sentences_that_differ)
{
    EXPECT_STREQ("", sentence_of(0));
    std::set<std::string> sentences;
    const int errors[] = {EAGAIN, EINTR,        ETERM,    EFSM,   ENOTSUP, ENOTSOCK,
                          EFAULT, EHOSTUNREACH, EMTHREAD, ENOMEM, EMFILE,  EINVAL};
    for (const int error : errors) sentences.insert(sentence_of(error));
    EXPECT_EQ(std::size(errors), sentences.size());
    EXPECT_STREQ(zmq_strerror(EPIPE), sentence_of(EPIPE)) << "the system's";
}

TEST(words_test, name_the_call_and_the_endpoint)
{
    EXPECT_TRUE(
        words_of_endpoint(endpoint_call::bind, "tcp://*:1", EADDRINUSE).starts_with("cannot bind to 'tcp://*:1': "));
    for (const auto& [call, verb] :
         {std::pair(endpoint_call::connect, "cannot connect to "), std::pair(endpoint_call::unbind, "cannot unbind "),
          std::pair(endpoint_call::disconnect, "cannot disconnect ")})
        EXPECT_TRUE(words_of_endpoint(call, "inproc://x", ENOENT).starts_with(verb));
}

TEST(words_test, a_long_endpoint_is_cut)
{
    const std::string words = words_of_endpoint(endpoint_call::bind, "ipc://" + std::string(1000, 'x'), ENAMETOOLONG);
    EXPECT_TRUE(has(words, "xxx...'"));
    EXPECT_GT(500u, words.size());
}

TEST(words_test, tell_what_is_wrong_with_an_endpoint)
{
    const auto cause = [](std::string_view endpoint, endpoint_call call = endpoint_call::connect) {
        return words_of_endpoint(call, endpoint, EINVAL);
    };
    EXPECT_TRUE(has(cause("127.0.0.1:5555"), "it has no scheme"));
    EXPECT_TRUE(has(cause("://127.0.0.1:5555"), "it has no scheme"));
    EXPECT_TRUE(has(cause("tcp://"), "nothing follows its scheme"));
    for (const char* endpoint : {"tcp://127.0.0.1", "tcp://[::1]", "ws://127.0.0.1/path:1"})
        EXPECT_TRUE(has(cause(endpoint), "it has no port")) << endpoint;
    if (::zmq_has("tls") == 1) {
        EXPECT_TRUE(has(cause("tls://[::1]"), "it has no port"));
    }
    EXPECT_TRUE(has(cause("tcp://127.0.0.1:65536"), "'65536' is not a port"));
    EXPECT_TRUE(has(cause("tcp://127.0.0.1:*"), "'*' is not a port"));
    EXPECT_FALSE(has(cause("tcp://127.0.0.1:*", endpoint_call::bind), "is not a port"));
    EXPECT_TRUE(has(cause("tcp://127.0.0.1:x", endpoint_call::bind), "or * for a free one"));
    EXPECT_TRUE(has(cause("tcp://::1:5555"), "ZMQ_IPV6"));
    EXPECT_TRUE(has(cause("tcp://:5555"), "before the port"));
    EXPECT_TRUE(has(cause("ipc://@"), "none that ipc takes"));
    EXPECT_TRUE(has(cause("x", endpoint_call::unbind), "it is not an endpoint"));
}

TEST(words_test, tell_which_transports_there_are)
{
    const std::string words = words_of_endpoint(endpoint_call::bind, "pgm://x", EPROTONOSUPPORT);
    for (const char* scheme : {"tcp", "ipc", "inproc", "ws"}) EXPECT_TRUE(has(words, scheme)) << words;
}

TEST(words_test, tell_whether_an_option_was_set_or_read)
{
    EXPECT_TRUE(has(words_of_option(true, 999, 3, EINVAL), "option 999 is unknown, or takes no such value (3 octets)"));
    EXPECT_TRUE(has(words_of_option(false, 999, 3, EINVAL), "needs more room than 3 octets"));
    EXPECT_EQ(std::string("option 5: ") + sentence_of(ETERM), words_of_option(true, 5, 4, ETERM));
}

}  // namespace
}  // namespace zlink::c_api
