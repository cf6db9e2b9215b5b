// One connected descriptor on its I/O thread: handshake, then traffic between the kernel and a pipe, until it is
// closed. Composes the protocol machines, the reader and the writer; owns no policy (retry, linger: session).
//
// Threads: everything runs on the worker's thread, but for the inline_io members, which an application thread calls
// while it holds the pipe's token. The descriptor is closed, and this object destroyed, only when the worker holds
// both tokens.
#pragma once

#include "base/process_generation.hpp"
#include "base/unique_fd.hpp"
#include "engine/connection_reader.hpp"
#include "engine/connection_writer.hpp"
#include "engine/io_worker.hpp"
#include "engine/session_host.hpp"
#include "engine/session_options.hpp"
#include "zmtp/handshake.hpp"
#include "zmtp/heartbeat.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

namespace zlink::engine {

/// Why a connection ended.
enum class ending : std::uint8_t {
    lost,              ///< closed by the peer, or an error of the network
    handshake_failed,  ///< lost (or refused by ERROR) before traffic
    protocol_error,    ///< the peer broke the protocol
    timed_out,         ///< handshake or heartbeat limit
    finished,          ///< we closed it, all was written
};

/// The session, as its connection sees it. Worker's thread.
class connection_owner {
public:
    /// The handshake is done. Returns the I/O end of the pipe to serve, or null to give the connection up.
    [[nodiscard]] virtual pipe::pipe_end* on_established(zmtp::remote_peer& peer) noexcept = 0;
    /// The descriptor is closed; the connection may be destroyed (not inside the call: the owner posts that).
    virtual void on_ended(ending why) noexcept = 0;

protected:
    ~connection_owner() = default;
};

class connection final : public runtime::descriptor_handler, public pipe::inline_io, private command_handler {
public:
    connection(io_worker& worker, connection_owner& owner, host_ref host, const session_options& options, unique_fd fd,
               endpoint_pair endpoints);
    ~connection();

    /// Begins the handshake (raw: traffic).
    void start() noexcept;

    /// pipe_end's events, passed on by the session.
    void on_pipe_events(std::uint32_t events) noexcept;

    /// Ends once everything in the outbound lane is written.
    void finish() noexcept;
    /// Ends now.
    void abort(ending why) noexcept;

    [[nodiscard]] bool established() const noexcept { return phase_ == phase::traffic; }
    [[nodiscard]] const endpoint_pair& endpoints() const noexcept { return endpoints_; }

    // pipe::inline_io
    [[nodiscard]] write_outcome write_inline() noexcept override;
    [[nodiscard]] read_outcome read_inline() noexcept override;
    [[nodiscard]] bool expects_small() const noexcept override { return reader_->expects_small(); }
    void pause_reading() noexcept override;
    void resume_reading() noexcept override;
    [[nodiscard]] int descriptor() const noexcept override { return fd_.get(); }

private:
    enum class phase : std::uint8_t { handshake, traffic, closing, closed };

    void on_ready(std::uint32_t events) noexcept override;
    [[nodiscard]] bool on_command(std::span<const std::byte> body) noexcept override;

    void advance_handshake() noexcept;
    void read_handshake() noexcept;
    bool write_handshake() noexcept;
    void handshake_failed() noexcept;
    void establish(std::span<const std::byte> unread) noexcept;
    void read_traffic() noexcept;
    void read_raw() noexcept;
    void want_reading() noexcept;
    void write_traffic() noexcept;
    void failed_reading(connection_reader::outcome what) noexcept;
    void set_interest(std::uint32_t set, std::uint32_t clear) noexcept;
    void rearm() noexcept;
    void try_close() noexcept;
    void start_heartbeat() noexcept;
    void on_heartbeat() noexcept;
    void watch_parking() noexcept;
    void on_parking_timer() noexcept;
    void schedule_heartbeat() noexcept;
    [[nodiscard]] bool deliver_subscription(bool subscribe, std::span<const std::byte> topic) noexcept;
    void tell_reader() noexcept;
    [[nodiscard]] bool offers_inline_io() const noexcept;
    [[nodiscard]] bool drained_or_finishing() const noexcept;

    io_worker& worker_;
    connection_owner& owner_;
    host_ref host_;
    const session_options& options_;
    unique_fd fd_;
    endpoint_pair endpoints_;
    phase phase_ = phase::handshake;
    ending ending_ = ending::lost;
    bool finishing_ = false;
    bool added_ = false;

    std::unique_ptr<zmtp::handshake> handshake_;
    zmtp::protocol_version version_ = zmtp::protocol_version::zmtp_3_1;

    pipe::pipe_end* end_ = nullptr;  ///< the pipe served, from establish() on
    std::optional<connection_reader> reader_;
    std::optional<connection_writer> writer_;
    std::unique_ptr<zmtp::v1_decoder> v1_decoder_;
    std::vector<std::byte> commands_out_;  ///< PING and PONG on their way to the writer
    bool read_paused_ = false;             ///< the inbound lane is full
    bool write_blocked_ = false;           ///< the kernel is full

    // What epoll is asked for. Changed by the worker and, for reading, by the holder of the read token.
    std::mutex interest_mutex_;
    std::uint32_t interest_ = 0;

    std::optional<zmtp::heartbeat> heartbeat_;
    std::atomic<bool> traffic_seen_{false};  ///< any thread read something since the heartbeat looked
    boost::asio::steady_timer timer_;        ///< handshake limit, then heartbeats
    std::chrono::steady_clock::time_point heartbeat_at_{};
    boost::asio::steady_timer parking_timer_;
    std::uint32_t parkings_seen_ = 0;
    std::shared_ptr<bool> alive_;  ///< false once destroyed: for timer handlers on their way

    // Inline I/O, application side
    const std::uint64_t generation_ = process_generation();
    receive_arena inline_arena_;
    std::uint64_t inline_reads_seen_ = 0;
    std::uint64_t last_inline_ns_ = 0;
};

}  // namespace zlink::engine
