// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Records of tls as a peer cuts them. Whole ones alone reach the machine, in order, however the octets come; what waits
// is less than a record. In place of OpenSSL a machine whose records hold their octets as they are.
#include "transport/tls/tls_stream.hpp"

#include "fuzz_input.hpp"

#include <cstring>
#include <string>

using namespace zlink;
using namespace zlink::transport;
using status = io_outcome::status;

namespace {

constexpr int handshake_type = 22, data_type = 23, alert_type = 21;

class toy_machine final : public tls::machine {
public:
    step handshake(tls::exchange& through) noexcept override
    {
        if (through.in.empty()) return {state::wants_input};
        const int type = take(through);
        if (type == alert_type) return {state::closed};
        return {type == handshake_type ? state::done : state::failed};
    }
    step open(tls::exchange& through, std::byte* to, std::size_t room) noexcept override
    {
        if (body_.empty()) {
            const int type = take(through);
            if (type == alert_type) return {state::closed};
            if (type != data_type) return {state::failed};
            if (body_.empty()) return {state::wants_input};
        }
        const std::size_t size = std::min(room, body_.size());
        std::memcpy(to, body_.data(), size);
        body_ = body_.substr(size);
        return {state::done, size};
    }
    step seal(tls::exchange&, const std::byte*, std::size_t size) noexcept override { return {state::done, size}; }
    [[nodiscard]] std::size_t opened() const noexcept override { return body_.size(); }
    void close(tls::exchange&) noexcept override {}
    [[nodiscard]] errc failure() const noexcept override { return errc::protocol_error; }
    void tell_failure(tls::text_sink& to) const noexcept override { to.put("toy"); }
    void tell_properties(tls::property_sink&) const override {}
    [[nodiscard]] bool tell_certificate(tls::text_sink&) const noexcept override { return true; }

private:
    // One record and nothing else, or what is no record at all. Returns its type; -1: it is none.
    int take(tls::exchange& through) noexcept
    {
        const auto in = through.in;
        through.in = {};
        const auto at = [&](std::size_t i) { return std::to_integer<std::size_t>(in[i]); };
        fuzz::require(in.size() >= tls::record_header);
        if (in.size() != tls::record_header + (at(3) << 8 | at(4)) || at(1) != 3) return -1;
        body_.assign(reinterpret_cast<const char*>(in.data()) + tls::record_header, in.size() - tls::record_header);
        return int(at(0));
    }

    std::string body_;
};

class toy_context final : public tls::context {
public:
    tls::machine* make_machine() noexcept override { return new toy_machine; }
};

/// Gives the peer's octets in pieces of one size.
class script final : public stream {
public:
    script(std::span<const std::byte> octets, std::size_t piece) : octets_(octets), piece_(piece) {}
    [[nodiscard]] io_outcome read(const iovec* to, int) noexcept override
    {
        if (octets_.empty()) return {status::closed};
        const std::size_t size = std::min({to->iov_len, octets_.size(), piece_});
        std::memcpy(to->iov_base, octets_.data(), size);
        octets_ = octets_.subspan(size);
        return {status::blocked, size};
    }
    [[nodiscard]] io_outcome write(const iovec*, int) noexcept override { return {status::blocked}; }
    [[nodiscard]] bool has_unread_octets() const noexcept override { return false; }
    [[nodiscard]] int descriptor() const noexcept override { return -1; }
    [[nodiscard]] std::string local_endpoint() const override { return {}; }
    [[nodiscard]] std::string peer_endpoint() const override { return {}; }
    void add_properties(std::vector<std::pair<std::string, std::string>>&) const override {}

private:
    std::span<const std::byte> octets_;
    std::size_t piece_;
};

struct ending {
    std::string octets;
    status how = status::more;
    bool operator==(const ending&) const = default;
};

ending read_all(std::span<const std::byte> octets, std::size_t piece, std::size_t room)
{
    tls::tls_stream from(std::make_unique<script>(octets, piece), std::make_shared<toy_context>(), tls::role::server,
                         "tls");
    ending out;
    std::string to(room, '\0');
    // Each read takes a piece, or gives what has been taken, or ends it.
    for (std::size_t i = 0; i < 4 * octets.size() + 10; ++i) {
        const iovec pieces{to.data(), to.size()};
        const io_outcome got = from.read(&pieces, 1);
        fuzz::require(got.octets <= room);
        out.octets.append(to, 0, got.octets);
        out.how = got.state;
        if (got.state == status::closed || got.state == status::failed) return out;
    }
    fuzz::require(false);
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::input in(data, size);
    const std::size_t piece = 1 + in.choice(), room = 1 + in.choice();
    const ending at_once = read_all(in.rest(), in.rest().size() + 1, 100'000);
    const ending in_pieces = read_all(in.rest(), piece, room);
    fuzz::require(at_once == in_pieces);
    return 0;
}
