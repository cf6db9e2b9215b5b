// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a path of a connection's traffic works on, without a thread: a worker that does not run, a pipe, and a stream whose outcomes
// the test sets. The socket's end of the pipe is the test's.
#pragma once

#include "engine/connection/traffic_context.hpp"
#include "unit/engine/recording_host.hpp"
#include "unit/pipe/lane_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace zlink::engine::test {

/// Gives what `input` holds, and takes as much as `room` says.
class scripted_stream : public transport::stream {
public:
    static constexpr std::size_t endless = std::numeric_limits<std::size_t>::max();

    std::string input;
    std::string output;
    std::size_t room = endless;
    errc read_error = errc::none;
    errc write_error = errc::none;
    bool ended = false;  ///< behind `input`
    bool waits_for_input = false;
    bool lends = true;
    std::string own;  ///< octets of the stream's own that wait
    int reads = 0;
    int writes = 0;

    [[nodiscard]] transport::io_outcome read(const iovec* to, int count) noexcept override
    {
        using status = transport::io_outcome::status;
        ++reads;
        if (read_error != errc::none) return {status::failed, 0, read_error};
        if (input.empty()) return {ended ? status::closed : status::blocked};
        std::size_t got = 0;
        for (int i = 0; i < count; ++i) {
            const std::size_t n = std::min(to[i].iov_len, input.size() - got);
            std::memcpy(to[i].iov_base, input.data() + got, n);
            got += n;
        }
        input.erase(0, got);
        return {input.empty() && !ended ? status::blocked : status::more, got};
    }
    [[nodiscard]] transport::io_outcome write(const iovec* from, int count) noexcept override
    {
        using status = transport::io_outcome::status;
        ++writes;
        if (write_error != errc::none) return {status::failed, 0, write_error};
        put(own);
        own.clear();
        std::size_t written = 0;
        for (int i = 0; i < count; ++i) {
            const std::size_t n = std::min(from[i].iov_len, room);
            put({static_cast<const char*>(from[i].iov_base), n});
            written += n;
            if (n < from[i].iov_len) return {status::blocked, written};
        }
        return {status::more, written};
    }
    [[nodiscard]] bool write_waits_for_input() const noexcept override { return waits_for_input; }
    [[nodiscard]] bool has_pending_output() const noexcept override { return !own.empty(); }
    [[nodiscard]] bool has_unread_octets() const noexcept override { return !input.empty(); }
    [[nodiscard]] int descriptor() const noexcept override { return -1; }
    [[nodiscard]] bool supports_inline_io() const noexcept override { return lends; }
    [[nodiscard]] std::string local_endpoint() const override { return "here"; }
    [[nodiscard]] std::string peer_endpoint() const override { return "there"; }
    void add_properties(std::vector<std::pair<std::string, std::string>>&) const override {}

private:
    void put(std::string_view octets)
    {
        output += octets;
        if (room != endless) room -= std::min(room, octets.size());
    }
};

class path_fixture : public ::testing::Test, protected path_owner {
protected:
    path_fixture()
    {
        options_.type = zmtp::socket_type::dealer;
        end_.attach(*queue_);
        host_.adopt(socket_end_);
    }
    ~path_fixture() override
    {
        end_.writer.rollback();
        (void)end_.close();
        host_.close_all();
        drain(*queue_);
        queue_->release();
    }

    void send(const parts& message) { recording_host::send(socket_end_, message); }
    /// What the socket finds in its lane now.
    [[nodiscard]] std::optional<parts> received()
    {
        if (!socket_end_.reader.readable()) return std::nullopt;
        return host_.receive(socket_end_);
    }
    /// Events that the connection's end was told of since.
    [[nodiscard]] std::uint32_t events()
    {
        (void)queue_->take_all();
        return end_.take_events();
    }

    // path_owner
    void on_output() noexcept override { ++outputs_; }
    void on_silence() noexcept override { ++silences_; }
    void on_rest_over() noexcept override { ++rests_over_; }
    [[nodiscard]] bool write_held() noexcept override
    {
        ++held_written_;
        return goes_on_;
    }
    [[nodiscard]] bool read_parked() noexcept override
    {
        ++parked_read_;
        return goes_on_;
    }

    class nobody final : public runtime::descriptor_handler {
        void on_ready(std::uint32_t) noexcept override {}
    };
    class unattended final : public pipe::activation_queue {
        void wake() noexcept override {}
    };

    static pipe::pipe& make_pipe(std::uint64_t hwm)
    {
        return *pipe::pipe::create({hwm, hwm, transport::data_path_settings{}.writev_threshold});
    }

    static constexpr std::uint64_t hwm = 4;

    recording_host host_;
    const host_ref ref_{host_};
    const endpoint_pair endpoints_{"here", "there", true};
    session_options options_;
    io_worker worker_{false};
    scripted_stream stream_;
    nobody handler_;
    descriptor_interest interest_{worker_.loop(), handler_, runtime::input::unawaited};
    pipe::pipe& pipe_ = make_pipe(hwm);
    pipe::pipe_end& socket_end_ = pipe_.first();
    pipe::pipe_end& end_ = pipe_.second();
    unattended* const queue_ = new unattended;
    traffic_context at_{.worker = worker_,
                        .host = ref_,
                        .endpoints = endpoints_,
                        .options = options_,
                        .stream = stream_,
                        .frames = zmtp_framing(),
                        .interest = interest_,
                        .version = zmtp::protocol_version::zmtp_3_1,
                        .wraps = false,
                        .end = &end_};
    int outputs_ = 0;
    int silences_ = 0;
    int rests_over_ = 0;
    int held_written_ = 0;
    int parked_read_ = 0;
    bool goes_on_ = true;
};

}  // namespace zlink::engine::test
