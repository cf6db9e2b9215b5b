// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Forks of a process whose threads are inside OpenSSL: the child finds no lock of it held, or says that it cannot use
// it.
#include "base/process_generation.hpp"
#include "support/kernel_calls.hpp"
#include "support/memory_transport/memory_stream.hpp"
#include "support/sleeping_thread.hpp"
#include "support/tls_certificates.hpp"
#include "transport/tls/credentials.hpp"
#include "transport/tls/fork_gate.hpp"
#include "transport/tls/tls_stream.hpp"
#include "unit/failures.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace zlink::transport::tls {
namespace {

using status = io_outcome::status;
using test::authority;

constexpr unsigned patience_s = 60;

/// Of a child that is killed if it hangs: its exit status, or -1.
int await(pid_t child)
{
    int ended = -1;
    if (child < 0 || ::waitpid(child, &ended, 0) != child || !WIFEXITED(ended)) return -1;
    return WEXITSTATUS(ended);
}

std::atomic<bool> watched{false}, fork_has_begun{false};

// Handlers that are registered later run earlier: before the gate's.
void watch_begin_of_forks()
{
    const auto begun = [] { fork_has_begun = true; };
    if (!watched.exchange(true)) {
        EXPECT_EQ(0, ::pthread_atfork(begun, nullptr, nullptr));
    }
    fork_has_begun = false;
}

tls_options server_options()
{
    tls_options options;
    options.cert_file = authority::shared_certificate().file;
    options.key_file = authority::shared_certificate().key;
    return options;
}

tls_options client_options()
{
    tls_options options;
    options.ca_file = authority::of_this_process().file();
    return options;
}

/// A server and a client from files to the end of their handshake.
bool shake_hands()
{
    credentials of_server{role::server, "", 0, {"zmtp/3.1", "tcp"}},
        of_client{role::client, "127.0.0.1", 1, {"zmtp/3.1", "tcp"}};
    const auto server_keys = of_server.get(server_options()), client_keys = of_client.get(client_options());
    if (!server_keys || !client_keys) return false;
    const auto script = memory::parse_script("read=100000");
    auto ends = memory::make_streams(*script, *script);
    tls_stream server(std::move(ends.first), *server_keys, role::server, "tls");
    tls_stream client(std::move(ends.second), *client_keys, role::client, "tls");
    char octet = 'x';
    const iovec piece{&octet, 1};
    for (int i = 0; i < 100; ++i) {
        for (tls_stream* end : {&client, &server}) {
            (void)end->read(&piece, 1);
            if (end->has_pending_output()) (void)end->write(nullptr, 0);
        }
        if (!client.handshake_in_progress() && !server.handshake_in_progress()) return true;
    }
    return false;
}

TEST(tls_fork_test, waits_until_nobody_is_inside)
{
    watch_begin_of_forks();
    std::atomic<bool> inside{false}, outside{false};
    const std::atomic<pid_t> forks{zlink::test::thread_id()};
    std::thread busy([&] {
        {
            const fork_gate::pass pass;
            EXPECT_TRUE(bool(pass));
            inside = true;
            while (!fork_has_begun) std::this_thread::yield();
            // A fork that waits sleeps in between; one that does not, in await(), and its child has the old value.
            EXPECT_TRUE(test::comes_to_sleep(forks));
            outside = true;
        }
    });
    while (!inside) std::this_thread::yield();
    const pid_t child = ::fork();
    if (child == 0) ::_exit(outside && bool(fork_gate::pass()) ? 0 : 1);
    EXPECT_EQ(0, await(child));
    EXPECT_TRUE(bool(fork_gate::pass()));
    busy.join();
}

TEST(tls_fork_test, does_not_wait_for_ever_and_then_the_child_says_that_it_has_no_tls)
{
    ASSERT_TRUE(shake_hands()) << test::last_failure();
    std::atomic<bool> inside{false}, over{false};
    std::thread stuck([&] {
        const fork_gate::pass pass;
        inside = true;
        while (!over) std::this_thread::yield();
    });
    while (!inside) std::this_thread::yield();
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(patience_s);
        credentials keys{role::server, "", 0, {"zmtp/3.1", "tcp"}};
        if (keys.get(server_options())) ::_exit(1);
        if (test::last_failure().find("forked") == std::string::npos) ::_exit(2);
        // Nor do its children wait for the thread that it does not have.
        const pid_t grandchild = ::fork();
        if (grandchild == 0) ::_exit(bool(fork_gate::pass()) ? 1 : 0);
        ::_exit(await(grandchild) == 0 ? 0 : 3);
    }
    EXPECT_EQ(0, await(child));
    over = true;
    stuck.join();
    EXPECT_TRUE(shake_hands()) << test::last_failure();
}

TEST(tls_fork_test, who_reads_a_file_holds_up_no_fork)
{
    std::atomic<bool> reading{false}, over{false};
    std::thread reader([&] {
        const fork_gate::pass pass;
        const fork_gate::pause outside;
        reading = true;
        while (!over) std::this_thread::yield();
    });
    while (!reading) std::this_thread::yield();
    const pid_t child = ::fork();
    if (child == 0) ::_exit(bool(fork_gate::pass()) ? 0 : 1);
    EXPECT_EQ(0, await(child));
    over = true;
    reader.join();
}

// Under sanitizers there is no such test: their own locks stay locked in a child, unlike malloc's.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(tls_fork_test, children_of_a_process_that_is_busy_with_tls_have_it_too)
{
    watch_forks();  // contexts do
    ASSERT_TRUE(shake_hands()) << test::last_failure();
    std::atomic<bool> over{false};
    std::vector<std::thread> busy;
    for (int i = 0; i < 3; ++i) {
        busy.emplace_back([&] {
            // Threads that end take leave of OpenSSL.
            while (!over) std::thread([] { EXPECT_TRUE(shake_hands()) << test::last_failure(); }).join();
        });
    }
    for (int i = 0; i < 200 && !testing::Test::HasFailure(); ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            ::alarm(patience_s);
            ::_exit(shake_hands() ? 0 : 1);
        }
        EXPECT_EQ(0, await(child)) << "child " << i;
    }
    over = true;
    for (std::thread& each : busy) each.join();
}
#endif

}  // namespace
}  // namespace zlink::transport::tls
