// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What lies between two lanes of one direction, where messages are dropped on their way: conflation, drop_queue.
//
//   writer ->  written  -> pass() ->  relay  -> take() ->  read  -> reader
//
// For the writer and the reader these are lanes like any other. The writer's thread empties `written` after each
// message. Its reader counts as dormant, so a publishing thread wants to tell it, and calls pass() instead (pipe_end).
// The reader of `read` gets what is in the relay when it has come to the end.
#pragma once

#include "pipe/lane.hpp"
#include "pipe/lane_traffic.hpp"

#include <cstdint>

namespace zlink::pipe {

class lane_writer;

class relay {
public:
    explicit relay(bool wanted_by_reader = false) noexcept : of_reader(wanted_by_reader) {}
    relay(const relay&) = delete;
    relay& operator=(const relay&) = delete;
    virtual ~relay() = default;

    const bool of_reader;  ///< the reader's side counts what is dropped

    [[nodiscard]] virtual lane& written_lane() noexcept = 0;
    [[nodiscard]] virtual lane& read_lane() noexcept = 0;

    // Writer's thread

    /// Takes all that `writer`, of `written`, has published. True: the reader sleeps; the caller tells it.
    [[nodiscard]] virtual bool pass(lane_writer& writer) noexcept = 0;
    /// What is in the relay is the last.
    virtual void end() noexcept = 0;

    // Reader's thread

    /// Messages that take() would not give the end before.
    [[nodiscard]] virtual std::uint64_t waiting() const noexcept = 0;
    [[nodiscard]] virtual bool has_ended() const noexcept = 0;
    /// The first of the spans that follow those that were read: messages, or the end. Null: nothing yet.
    [[nodiscard]] virtual span* take() noexcept = 0;
    /// A message that was looked at and not taken gives way to a newer one.
    [[nodiscard]] virtual bool keeps_newest_alone() const noexcept = 0;

    // Any thread

    /// The part of what was written that was dropped for newer messages, and will not be read.
    [[nodiscard]] virtual traffic look_at_replaced() const noexcept = 0;
    /// The part that was dropped, as there was no room.
    [[nodiscard]] virtual traffic look_at_refused() const noexcept { return {}; }

    // The marks, if the relay has some: that in messages, and both sides' parts of that in octets. 0: none. The pipe's
    // two sides, each its own.

    virtual void set_hwm(std::uint64_t) noexcept {}
    virtual void set_octets_of_writer(std::uint64_t) noexcept {}
    virtual void set_octets_of_reader(std::uint64_t) noexcept {}
};

}  // namespace zlink::pipe
