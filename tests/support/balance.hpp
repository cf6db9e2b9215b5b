// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The statistics of a socket and those of its peers in this process must agree: no more has been
// received over a connection than was sent. (What is missing may be in the system's buffers. That nothing is missing in
// a lane is checked at its end, pipe/balance.hpp.)
#pragma once

#include <zlink.h>
#include <zmq.h>

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace zlink::test {

class balance {
public:
    static void add(void* socket)
    {
        const std::scoped_lock held(lock());
        sockets().push_back(socket);
    }

    static void remove(void* socket)
    {
        const std::scoped_lock held(lock());
        std::erase(sockets(), socket);
    }

    // Another thread may use the peers meanwhile: what does not agree at once has a moment to do so.
    static void expect_of(void* socket)
    {
        constexpr auto patience = std::chrono::seconds(10);
        const auto until = std::chrono::steady_clock::now() + patience;
        std::string wrong = disagreement(socket);
        while (!wrong.empty() && std::chrono::steady_clock::now() < until) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            wrong = disagreement(socket);
        }
        EXPECT_EQ("", wrong);
    }

private:
    static constexpr std::size_t most_sockets = 16, most_peers = 4;
    // On the stack: what a sanitizer keeps of freed memory would make each fork of the test slow.
    struct peers {
        zlink_peer_stats_t of[most_peers];
        std::size_t count = 0;

        const zlink_peer_stats_t* begin() const { return of; }
        const zlink_peer_stats_t* end() const { return of + count; }
    };

    // A child of fork has it free, though another thread may be about to open or close a socket.
    static std::mutex& lock()
    {
        static std::mutex one;
        static const int free_in_children =
            pthread_atfork([] { lock().lock(); }, [] { lock().unlock(); }, [] { lock().unlock(); });
        EXPECT_EQ(0, free_in_children);
        return one;
    }
    // Not destroyed: static objects may close sockets after it would be.
    static std::vector<void*>& sockets()
    {
        static auto& all = *new std::vector<void*>;
        return all;
    }

    // None if it has more, or is closed.
    static void look(void* socket, peers& found)
    {
        found.count = most_peers;
        found.of[0].size = sizeof found.of[0];
        if (zlink_socket_peers(socket, found.of, &found.count) != 0 || found.count > most_peers) found.count = 0;
    }

    static bool has_reconnected(void* socket)
    {
        zlink_stats_t stats{};
        stats.size = sizeof stats;
        return zlink_socket_stats(socket, &stats) != 0 || stats.reconnects != 0;
    }

    static bool are_joined(const zlink_peer_stats_t& one, const zlink_peer_stats_t& other)
    {
        const std::string_view endpoint = one.endpoint;
        return one.connected && other.connected && endpoint == other.endpoint && endpoint.starts_with("tcp:") &&
               one.address[0] != '\0' && std::strcmp(one.address, other.address) == 0;
    }

    static std::string disagreement(void* socket)
    {
        peers mine, theirs;
        look(socket, mine);
        if (mine.count == 0 || has_reconnected(socket)) return {};
        void* others[most_sockets];
        std::size_t count = 0;
        {
            const std::scoped_lock held(lock());
            if (sockets().size() > most_sockets) return {};
            count = sockets().size();
            std::copy(sockets().begin(), sockets().end(), others);
        }
        for (void* other : std::span(others, count)) {
            if (other == socket || has_reconnected(other)) continue;
            // The receiver is looked at first: what has been received was sent before.
            look(socket, mine);
            look(other, theirs);
            std::string wrong = disagreement(theirs, mine);
            if (wrong.empty()) {
                look(socket, mine);
                wrong = disagreement(mine, theirs);
            }
            if (!wrong.empty()) return wrong;
        }
        return {};
    }

    static std::string disagreement(const peers& sent, const peers& received)
    {
        for (const zlink_peer_stats_t& to : received) {
            for (const zlink_peer_stats_t& from : sent) {
                if (are_joined(from, to) && !covers(from.messages, to.messages)) return words(from, to);
            }
        }
        return {};
    }

    static bool covers(const zlink_message_counts_t& sender, const zlink_message_counts_t& receiver)
    {
        return sender.messages_sent >=
                   receiver.messages_received + receiver.messages_queued_in + sender.dropped_replaced &&
               sender.octets_sent >= receiver.octets_received + receiver.octets_queued_in;
    }

    static std::string words(const zlink_peer_stats_t& from, const zlink_peer_stats_t& to)
    {
        return std::string(from.endpoint) + ": " + std::to_string(from.messages.messages_sent) + " messages of " +
               std::to_string(from.messages.octets_sent) + " octets sent, but " +
               std::to_string(to.messages.messages_received) + " of " + std::to_string(to.messages.octets_received) +
               " received and " + std::to_string(to.messages.messages_queued_in) + " of " +
               std::to_string(to.messages.octets_queued_in) + " queued";
    }
};

}  // namespace zlink::test
