// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A connection's I/O for tests of what lies above it. A class that needs more than nothing derives from it.
#pragma once

#include "pipe/pipe.hpp"

#include <gtest/gtest.h>

namespace zlink::pipe::test {

/// It neither reads nor writes.
class idle_io : public inline_io {
public:
    write_outcome write_inline(bool) noexcept override { return write_outcome::done; }
    write_outcome write_large(bool) noexcept override { return write_outcome::hand_over; }
    read_outcome read_inline() noexcept override { return read_outcome::nothing; }
    bool waits_for_io() const noexcept override { return false; }
    bool has_more() const noexcept override { return false; }
    void pause_reading() noexcept override {}
    void resume_reading() noexcept override {}
    int descriptor() const noexcept override { return -1; }
    unsigned neighbours() const noexcept override { return 1; }

protected:
    ~idle_io() = default;
};

/// As the I/O thread does at the end of a connection.
inline void withdraw(shared_io& io)
{
    EXPECT_TRUE(io.read_token.take_or_ask() && io.write_token.take_or_ask());
    io.withdraw();
}

}  // namespace zlink::pipe::test
