// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// One question to the ZAP handler of the context (RFC 27) and its answer. It uses a pipe of its own to the socket that
// has bound inproc://zeromq.zap.01, and behaves on it like a REQ.
//
// Worker's thread. Nothing blocks and nothing is waited for here: the party that asks has a time limit.
#pragma once

#include "engine/io_worker.hpp"
#include "engine/session_host.hpp"
#include "engine/session_options.hpp"
#include "pipe/pipe_client.hpp"
#include "transport/stream.hpp"
#include "zmtp/mechanism/mechanism.hpp"
#include "zmtp/zap.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zlink::engine {

/// The party that has asked. Worker's thread.
class zap_dialog_owner {
public:
    /// Once: the reply as it came, or that no reply will come any more. The dialog may be destroyed inside the call.
    virtual void on_zap_answer(const zmtp::mechanism_event& answer) noexcept = 0;

protected:
    ~zap_dialog_owner() = default;
};

class zap_dialog final : private pipe::pipe_client {
public:
    zap_dialog(io_worker& worker, zap_dialog_owner& owner) noexcept : worker_(worker), owner_(owner) {}
    zap_dialog(const zap_dialog&) = delete;
    zap_dialog& operator=(const zap_dialog&) = delete;
    /// The handler's answer is not needed any more.
    ~zap_dialog() { leave(); }

    enum class asked : std::uint8_t {
        yes,        ///< the owner is told
        nobody,     ///< the context has no handler
        no_memory,  ///< the question was not asked
    };
    /// Once. `stream` is the connection to the peer in question.
    [[nodiscard]] asked ask(session_host& host, const zmtp::zap_request& question, const session_options& options,
                            const transport::stream& stream) noexcept;

private:
    // pipe_client
    void on_pipe_events(std::uint32_t events) noexcept override;

    void write(const zmtp::zap_request& question, const session_options& options, const transport::stream& stream);
    void take(const pipe::incoming& frame) noexcept;
    void pass_on() noexcept;
    void leave() noexcept;

    io_worker& worker_;
    zap_dialog_owner& owner_;
    session_host* host_ = nullptr;   ///< lives as long as the owner
    pipe::pipe_end* end_ = nullptr;  ///< from ask() to the answer
    std::vector<std::vector<std::byte>> reply_;
    std::size_t reply_size_ = 0;
    bool nonsense_ = false;  ///< more than any reply may have: then no frame is kept
};

}  // namespace zlink::engine
