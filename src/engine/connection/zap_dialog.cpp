// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "engine/connection/zap_dialog.hpp"

#include "base/invariant.hpp"
#include "zmtp/handshake_frame.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace zlink::engine {

namespace {

// There is one request on each pipe.
constexpr std::string_view request_id = "1";

// A reply has seven frames; its metadata is not larger than that of a peer may be.
constexpr std::size_t most_frames = 7;
constexpr std::size_t most_octets = zmtp::max_handshake_frame;

// The address as messages name it: an IP address, or the kernel's data about a process.
std::string address_of(const transport::stream& stream)
{
    std::vector<std::pair<std::string, std::string>> properties;
    stream.add_properties(properties);
    const auto found = std::ranges::find(properties, "Peer-Address", &std::pair<std::string, std::string>::first);
    return found == properties.end() ? std::string() : std::move(found->second);
}

}  // namespace

zap_dialog::asked zap_dialog::ask(session_host& host, const zmtp::zap_request& question, const session_options& options,
                                  const transport::stream& stream) noexcept
{
    const result<pipe::pipe_end*> reached = host.reach_zap_handler();
    if (!reached) return asked::no_memory;
    if (!*reached) return asked::nobody;
    host_ = &host;
    end_ = *reached;
    end_->client = this;
    end_->attach(worker_.activations());
    try {
        write(question, options, stream);
    } catch (...) {
        leave();
        return asked::no_memory;
    }
    worker_.watch(*end_);
    return asked::yes;
}

void zap_dialog::write(const zmtp::zap_request& question, const session_options& options,
                       const transport::stream& stream)
{
    const std::string address = address_of(stream);
    zmtp::zap_envelope envelope;
    envelope.request_id = request_id;
    if (options.security) envelope.domain = options.security->zap_domain;
    envelope.address = address;
    // This socket's own, as libzmq has it: the peer has not told its own yet.
    envelope.routing_id = std::as_bytes(std::span(options.routing_id));
    const auto frames = zmtp::zap_request_frames(question, envelope);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const bool more = i + 1 < frames.size();
        if (!end_->writer.write({frames[i].data(), frames[i].size(), more})) throw std::bad_alloc();
    }
    end_->publish();
}

void zap_dialog::on_pipe_events(std::uint32_t) noexcept
{
    invariant([this] { return worker_.loop().on_loop_thread(); });
    for (pipe::incoming frame{}; end_->reader.next(frame);) {
        take(frame);
        end_->pop(frame);
        if (!frame.more) return pass_on();
    }
    if (!end_->reader.closed()) return worker_.watch(*end_);
    leave();
    owner_.on_zap_answer(zmtp::zap_gone{});
}

void zap_dialog::take(const pipe::incoming& frame) noexcept
{
    nonsense_ |= reply_.size() == most_frames || frame.size > most_octets - reply_size_;
    if (nonsense_) return;
    try {
        reply_.emplace_back(frame.data, frame.data + frame.size);
        reply_size_ += frame.size;
    } catch (...) {
        nonsense_ = true;  // a reply that could not be read admits no peer
    }
}

void zap_dialog::pass_on() noexcept
{
    leave();
    // The reply is moved out of this object, which may be destroyed in the call.
    const auto reply = std::move(reply_);
    std::array<zmtp::zap_frame, most_frames> frames;
    const std::size_t count = nonsense_ ? 0 : reply.size();
    std::copy_n(reply.begin(), count, frames.begin());
    owner_.on_zap_answer(zmtp::zap_reply{std::span(frames).first(count), request_id});
}

void zap_dialog::leave() noexcept
{
    invariant([this] { return worker_.loop().on_loop_thread(); });
    if (!end_) return;
    worker_.forget(*end_);
    host_->leave_zap_handler(*std::exchange(end_, nullptr));
}

}  // namespace zlink::engine
