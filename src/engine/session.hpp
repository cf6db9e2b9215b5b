// What stands between a pipe and its connections: one accepted connection, or an endpoint that is connected to again
// and again (retry with back-off, DNS on each try). Ends when the socket closes its end of the pipe and all is
// written or linger is over, when it is stopped, or when an accepted connection is lost.
//
// Threads: created on any thread; everything else on its worker, where it lives until it has ended.
#pragma once

#include "engine/connection.hpp"
#include "engine/io_worker.hpp"
#include "engine/session_host.hpp"
#include "engine/session_options.hpp"
#include "runtime/errand.hpp"
#include "runtime/latch.hpp"
#include "transport/tcp/tcp_address.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace zlink::engine {

class session final : public std::enable_shared_from_this<session>,
                      private connection_owner,
                      private pipe_client,
                      private runtime::descriptor_handler {
public:
    /// For an endpoint to connect to. `end` (may be null: ZMQ_IMMEDIATE) is the I/O end of a pipe whose other end the
    /// socket has already.
    session(io_worker& worker, host_ref host, std::shared_ptr<const session_options> options, runtime::latch& alive,
            transport::endpoint target, pipe::pipe_end* end);
    /// For an accepted descriptor.
    session(io_worker& worker, host_ref host, std::shared_ptr<const session_options> options, runtime::latch& alive,
            unique_fd accepted, endpoint_pair endpoints);
    ~session();

    /// Any thread.
    void start() noexcept;

    /// Any thread: writes what is queued for at most `linger` (negative: no limit), then ends. Later calls
    /// change nothing.
    void stop(std::chrono::milliseconds linger) noexcept;

    /// Worker: called once when the session has ended.
    std::function<void(session&)> on_gone;

private:
    // connection_owner
    [[nodiscard]] pipe::pipe_end* on_established(zmtp::remote_peer& peer) noexcept override;
    void on_ended(ending why) noexcept override;
    // pipe_client
    void on_pipe_events(std::uint32_t events) noexcept override;
    // descriptor_handler: a connect under way
    void on_ready(std::uint32_t events) noexcept override;

    void begin() noexcept;
    void try_connect() noexcept;
    void resolve() noexcept;
    void connect_next() noexcept;
    void connecting_failed(errc why, int closed = -1) noexcept;
    void connected(unique_fd fd) noexcept;
    void retry() noexcept;
    [[nodiscard]] std::chrono::milliseconds next_interval() noexcept;
    void stop_now() noexcept;
    void drop_gone() noexcept { gone_.reset(); }
    [[nodiscard]] bool limit_connecting() noexcept;
    [[nodiscard]] bool take_addresses(const boost::asio::ip::tcp::resolver::results_type& found) noexcept;
    void closed_by_socket() noexcept;
    void begin_linger(std::chrono::milliseconds linger) noexcept;
    void drop_connecting() noexcept;
    void tell_hiccup() noexcept;
    void finish() noexcept;
    [[nodiscard]] pipe::pipe_end* make_pipe(const zmtp::remote_peer& peer);
    [[nodiscard]] message::metadata* make_metadata(const zmtp::remote_peer& peer) const noexcept;
    [[nodiscard]] bool is_tcp() const noexcept;
    [[nodiscard]] bool has_messages() noexcept;

    io_worker& worker_;
    host_ref host_;
    std::shared_ptr<const session_options> options_;
    runtime::latch& alive_;
    std::optional<transport::endpoint> target_;  ///< none: accepted
    unique_fd accepted_;
    endpoint_pair endpoints_;

    pipe::pipe_end* end_ = nullptr;
    std::unique_ptr<connection> connection_;
    std::unique_ptr<connection> gone_;  ///< ended, and perhaps still on the stack

    // connecting
    unique_fd connecting_;
    bool connecting_added_ = false;
    std::vector<transport::tcp::tcp_address> candidates_;
    std::size_t next_candidate_ = 0;
    boost::asio::ip::tcp::resolver resolver_;
    boost::asio::steady_timer timer_;  ///< connect limit and retry
    boost::asio::steady_timer linger_timer_;
    std::uint64_t attempt_ = 0;  ///< tells answers of an earlier try from the current one's
    std::chrono::milliseconds interval_{0};
    std::minstd_rand random_;
    std::shared_ptr<session> self_;  ///< alive from begin() to finish()
    runtime::call_on<session> begin_{&session::begin};
    runtime::call_on<session> stop_{&session::stop_now};
    runtime::call_on<session> drop_gone_{&session::drop_gone};
    runtime::call_on<session> let_go_{nullptr};
    std::atomic<std::int64_t> stop_linger_{0};  ///< milliseconds
    bool had_connection_ = false;
    bool established_once_ = false;  ///< the current connection got through its handshake
    bool stopping_ = false;
    bool finished_ = false;
};

}  // namespace zlink::engine
