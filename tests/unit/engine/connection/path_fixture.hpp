// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What a path of a connection's traffic works on, without a thread. It has a worker whose loop only the test drives, a
// pipe, and a stream whose outcomes the test sets. The socket's end of the pipe is the test's.
#pragma once

#include "base/unique_fd.hpp"
#include "engine/connection/traffic_context.hpp"
#include "runtime/driver.hpp"
#include "unit/engine/recording_host.hpp"
#include "unit/pipe/lane_fixture.hpp"
#include "unit/runtime/asked_of_epoll.hpp"

#include <gtest/gtest.h>

#include <sys/timerfd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
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
    std::function<void()> on_full;  ///< a write finds no room: this may make some
    errc read_error = errc::none;
    errc write_error = errc::none;
    bool ended = false;  ///< behind `input`
    bool waits_for_input = false;
    bool lends = true;
    bool takes_all = true;
    bool keeps = false;          ///< `input` is the stream's own already: no readiness tells of it
    std::string own;             ///< octets of the stream's own that wait
    std::size_t most = endless;  ///< octets of one read
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
            const std::size_t n = std::min({to[i].iov_len, input.size() - got, most - got});
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
        if (room == 0 && on_full) on_full();
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
    [[nodiscard]] bool pending() const noexcept override { return keeps && !input.empty(); }
    [[nodiscard]] bool has_unread_octets() const noexcept override { return !input.empty(); }
    [[nodiscard]] int descriptor() const noexcept override { return -1; }
    [[nodiscard]] bool supports_inline_io() const noexcept override { return lends; }
    [[nodiscard]] bool short_read_takes_all() const noexcept override { return takes_all; }
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
    /// `yields`: threads that wait yield first.
    explicit path_fixture(bool yields = false) : worker_(yields)
    {
        options_.type = zmtp::socket_type::dealer;
        EXPECT_TRUE(worker_.loop().open());
        EXPECT_TRUE(interest_.add(descriptor_.get()));
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

    /// What epoll is asked to report of the stream's descriptor.
    [[nodiscard]] std::uint32_t asked_for()
    {
        return runtime::test::asked_of_epoll(worker_.loop().descriptor(), descriptor_.get());
    }
    /// The worker's loop runs until `done`. False: that does not come.
    template <class Done>
    [[nodiscard]] bool run_until(Done done)
    {
        runtime::driver driver(worker_.loop(), no_work_);
        const auto end = runtime::clock::now() + patience;
        while (!done() && runtime::clock::now() < end) (void)driver.step_or_sleep(patience);
        return done();
    }
    /// The worker's loop runs until it has nothing to do; for how long.
    std::chrono::nanoseconds run_until_idle()
    {
        runtime::driver driver(worker_.loop(), no_work_);
        std::chrono::nanoseconds pause{};
        while (pause <= pause.zero()) pause = driver.step({});
        return pause;
    }

    /// Of a connection whose peer has that version. `wraps`: see traffic_context.
    [[nodiscard]] traffic_context context(zmtp::protocol_version version, bool wraps = false)
    {
        return {.worker = worker_,
                .host = ref_,
                .endpoints = endpoints_,
                .options = options_,
                .stream = stream_,
                .frames = zmtp_framing(),
                .interest = interest_,
                .version = version,
                .wraps = wraps,
                .end = &end_};
    }

    // path_owner
    void on_output() noexcept override { ++outputs_; }
    void on_silence() noexcept override { ++silences_; }
    void on_pause_over() noexcept override { ++rests_over_; }
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

    class noting_handler final : public runtime::descriptor_handler {
    public:
        std::uint32_t reported = 0;

    private:
        void on_ready(std::uint32_t events) noexcept override { reported |= events; }
    };
    class no_work final : public runtime::work_source {
        bool begin() noexcept override { return false; }
        bool piece() noexcept override { return false; }
        bool has_work() noexcept override { return false; }
        bool prepare_to_sleep() noexcept override { return false; }
    };
    class unattended final : public pipe::activation_queue {
        void wake() noexcept override {}
    };

    static pipe::pipe& make_pipe(std::uint64_t limit)
    {
        return *pipe::pipe::create({limit, limit, transport::data_path_settings{}.writev_threshold});
    }

    static constexpr std::uint64_t hwm = 4;

    recording_host host_;
    const host_ref ref_{host_};
    const endpoint_pair endpoints_{"here", "there", true};
    session_options options_;
    io_worker worker_;
    scripted_stream stream_;
    no_work no_work_;
    noting_handler handler_;
    const unique_fd descriptor_{
        ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)};  ///< stands for the stream's: never ready
    descriptor_interest interest_{worker_.loop(), handler_, runtime::input::unawaited};
    pipe::pipe& pipe_ = make_pipe(hwm);
    pipe::pipe_end& socket_end_ = pipe_.first();
    pipe::pipe_end& end_ = pipe_.second();
    unattended* const queue_ = new unattended;
    traffic_context at_ = context(zmtp::protocol_version::zmtp_3_1);
    int outputs_ = 0;
    int silences_ = 0;
    int rests_over_ = 0;
    int held_written_ = 0;
    int parked_read_ = 0;
    bool goes_on_ = true;
};

}  // namespace zlink::engine::test
