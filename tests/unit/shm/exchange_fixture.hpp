// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Two sides that agree on shared memory, without a stream between them.
#pragma once

#include "shm/exchange.hpp"
#include "zmtp/command.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace zlink::shm::test {

/// So many octets of a size go through the stream before there is a segment for it.
constexpr std::size_t until_worth_it = 16 * 1024 * 1024;

inline std::string octets_of(std::size_t size, int seed)
{
    std::string s(size, '\0');
    for (std::size_t i = 0; i < size; ++i) s[i] = char(i * 7 + i / 256 + std::size_t(seed));
    return s;
}

class side final : public exchange_owner {
public:
    explicit side(const settings& s = {.least = 1024, .most = 64 * 1024 * 1024},
                  incoming_bodies incoming = incoming_bodies::copied,
                  sending_memory::readers readers = sending_memory::readers::one)
        : limits(std::make_shared<budget>(s)),
          talk(limits, *this, incoming, readers)
    {}
    /// Another connection of the same publisher.
    explicit side(std::shared_ptr<budget> of)
        : limits(std::move(of)),
          talk(limits, *this, incoming_bodies::declined, sending_memory::readers::many)
    {}

    // exchange_owner
    [[nodiscard]] bool send_exchange(const command& what, unique_fd descriptor) noexcept override
    {
        sent.push_back({what, std::move(descriptor)});
        return true;
    }
    void expect_descriptors(bool expects) noexcept override { expecting = expects; }
    [[nodiscard]] unique_fd take_descriptor() noexcept override { return std::move(come); }

    /// A command comes here. `passes`: with its descriptor.
    [[nodiscard]] bool hear(const command& what, unique_fd descriptor, bool passes = true)
    {
        if (descriptor && passes) {
            EXPECT_TRUE(expecting) << "the descriptor would be lost";
            come = std::move(descriptor);
        }
        std::vector<std::byte> frame;
        append_command(frame, what);
        const auto c = zmtp::parse_command(std::span(frame).subspan(2));
        return talk.on_command(c->name, c->data);
    }
    [[nodiscard]] bool hear(command_kind kind, std::uint32_t id) { return hear({kind, {id, 0, 0}}, {}); }

    void offer()
    {
        while (talk.offer_segment()) {
        }
    }
    /// As the writer of bodies does: asks for a segment if there is none. The reference, or none.
    std::optional<body_reference> put(const std::string& body, std::uint64_t distribution = 0)
    {
        const auto* const at = reinterpret_cast<const std::byte*>(body.data());
        const auto where = talk.out().put(at, body.size(), distribution);
        if (!where && talk.out().wants_segment()) offer();
        return where;
    }
    /// The body, or what is wrong with the reference.
    std::string get(const body_reference& r, message::buffer** keep = nullptr)
    {
        auto body = talk.in().body_of(r);
        if (!body) return "error " + std::to_string(to_errno(body.error()));
        std::string s(reinterpret_cast<const char*>((*body)->data()), (*body)->capacity());
        if (keep) {
            *keep = *body;
        } else {
            (*body)->release();
        }
        return s;
    }

    struct message {
        command what;
        unique_fd descriptor;
    };
    std::deque<message> sent;
    bool expecting = false;
    unique_fd come;
    std::shared_ptr<budget> limits;
    exchange talk;
};

/// Passes on what the sides have said, until they are silent. False: one of them has violated the protocol.
inline bool pass_on(side& one, side& other, bool descriptors = true)
{
    while (!one.sent.empty() || !other.sent.empty()) {
        for (auto [from, to] : {std::pair(&one, &other), std::pair(&other, &one)}) {
            if (from->sent.empty()) continue;
            side::message m = std::move(from->sent.front());
            from->sent.pop_front();
            if (!to->hear(m.what, std::move(m.descriptor), descriptors)) return false;
        }
    }
    return true;
}

/// Sends bodies of a size until `from` has a segment for them.
inline void agree(side& from, side& to, std::size_t size)
{
    const std::string body = octets_of(size, 1);
    for (std::size_t octets = 0; octets <= until_worth_it + 10 * size; octets += size) {
        if (const auto where = from.put(body)) {
            EXPECT_EQ(body, to.get(*where));
            return;
        }
        ASSERT_TRUE(pass_on(from, to));
    }
    FAIL() << "no segment";
}

/// Sends more than a segment is worth. None of it goes by shared memory.
inline void never_agree(side& from, side& to, std::size_t size, bool descriptors = true)
{
    const std::string body = octets_of(size, 1);
    for (std::size_t octets = 0; octets <= 2 * until_worth_it + 10 * size; octets += size) {
        ASSERT_FALSE(from.put(body));
        ASSERT_TRUE(pass_on(from, to, descriptors));
    }
}

inline std::string error_text(errc e)
{
    return "error " + std::to_string(to_errno(e));
}

}  // namespace zlink::shm::test
