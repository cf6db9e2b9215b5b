// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// STREAM's roles: records one after another on a plain tcp connection, cut into chunks as the network likes. The
// sender is a STREAM socket or a bare tcp socket without any ZeroMQ.
#include "demo/role.hpp"
#include "demo/tcp_client.hpp"

#include "support/failure.hpp"

#include <functional>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool::demo {
namespace {

constexpr std::size_t most_bytes_under_way = std::size_t{2} << 20U;

// Puts chunks together and hands each complete record to the judge.
class record_assembler {
public:
    // False once the end was among them.
    bool add(std::string_view chunk)
    {
        buffer_.append(chunk);
        while (more_ && take_record()) {
        }
        buffer_.erase(0, at_);
        at_ = 0;
        return more_;
    }

    const judge& verdict() const noexcept { return verdict_; }
    std::uint64_t records() const noexcept { return records_; }
    std::size_t bytes() const noexcept { return bytes_; }

private:
    bool take_record()
    {
        const std::string_view rest = std::string_view(buffer_).substr(at_);
        if (rest.size() < sizeof(record_header)) {
            return false;
        }
        const auto header = read_header(rest);
        if (!header || header->content_size > largest_content) {
            throw failure(fmt::format("the byte stream is damaged after record {}", records_));
        }
        const std::size_t size = sizeof *header + header->content_size;
        if (rest.size() < size) {
            return false;
        }
        const std::string_view frame = rest.substr(0, size);
        more_ = verdict_.accept(*header, std::span(&frame, 1));
        at_ += size;
        bytes_ += size;
        ++records_;
        return more_;
    }

    std::string buffer_;
    std::size_t at_ = 0;
    std::size_t bytes_ = 0;
    std::uint64_t records_ = 0;
    judge verdict_;
    bool more_ = true;
};

// How the sender's bytes get out and the echo comes in.
struct byte_channel {
    std::function<void(std::string_view)> send;
    std::function<std::string()> receive;  // at least one byte, or throws
};

tally send_records(const role_options& options, const corpus& source, control& line, const byte_channel& channel)
{
    line.say("ready", "");
    if (!line.go(2 * options.stall_ms)) {
        throw failure("the other peer wasn't ready in time");
    }
    const auto window = traits_of(options.pattern).window;
    schedule timetable(options);
    record_assembler echo;
    record next;
    std::string bytes;
    std::uint64_t sent = 0;
    std::size_t bytes_sent = 0;
    for (record_kind kind = record_kind::paced; kind != record_kind::end; ++sent) {
        kind = timetable.next(sent);
        make(next, source, sent, kind, true);
        bytes.assign(reinterpret_cast<const char*>(&next.header), sizeof next.header);
        bytes += next.content[0];
        channel.send(bytes);
        bytes_sent += bytes.size();
        line.progress(sent);
        while (echo.records() <= sent && (kind != record_kind::burst || sent + 1 - echo.records() >= window ||
                                          bytes_sent - echo.bytes() > most_bytes_under_way)) {
            echo.add(channel.receive());
        }
    }
    tally result = echo.verdict().finish();
    result.sent = sent - 1;  // the end doesn't count
    return result;
}

message receive_chunk(socket& own, const role_options& options)
{
    message chunk;
    if (!own.receive(chunk, 0)) {
        throw failure(fmt::format("no bytes arrived for {} ms", options.stall_ms));
    }
    if (chunk.size() != 2) {
        throw failure(fmt::format("STREAM gave {} frames instead of an id and bytes", chunk.size()));
    }
    return chunk;
}

void send_chunk(socket& own, const role_options& options, const message& chunk)
{
    if (!own.send(chunk, 0)) {
        throw failure(fmt::format("the peer took no bytes for {} ms", options.stall_ms));
    }
}

}  // namespace

tally run_stream_sender(const role_options& options, const context& owner, const corpus& source, control& line)
{
    socket own(owner, ZMQ_STREAM);
    open_role(own, options, line);
    const std::string id = receive_chunk(own, options)[0];  // the notice that the connection stands
    return send_records(options, source, line,
                        {[&](std::string_view bytes) { send_chunk(own, options, {id, std::string(bytes)}); },
                         [&] { return receive_chunk(own, options)[1]; }});
}

tally run_raw_sender(const role_options& options, const corpus& source, control& line)
{
    tcp_client own(options.endpoint, options.stall_ms);
    return send_records(options, source, line,
                        {[&](std::string_view bytes) { own.send(bytes); }, [&] { return own.receive(); }});
}

tally run_stream_receiver(const role_options& options, const context& owner, control& line)
{
    socket own(owner, ZMQ_STREAM);
    open_role(own, options, line);
    line.say("ready", "");
    record_assembler arrived;
    for (bool more = true; more;) {
        const message chunk = receive_chunk(own, options);
        if (chunk[1].empty()) {
            continue;  // a connection came or went
        }
        more = arrived.add(chunk[1]);
        send_chunk(own, options, chunk);
        line.progress(arrived.records());
    }
    while (!receive_chunk(own, options)[1].empty()) {
        // the sender closes once it has the whole echo; leaving before that could cut it off
    }
    tally result = arrived.verdict().finish();
    result.sent = result.received;
    return result;
}

}  // namespace zlink::tool::demo
