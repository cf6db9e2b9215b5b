// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A peer that shares memory: its commands, its descriptors and its references, right and wrong. Each octet of a body
// that comes can be read, no more memory is taken than allowed, and all of it is given back. Messages of this side go
// out by short writes, whole and in order, by the stream or as references.
#include "fill_room.hpp"
#include "fuzz_input.hpp"
#include "pipe/lane_reader.hpp"
#include "runtime/shared_memory.hpp"
#include "shm/exchange.hpp"
#include "wire/outbound.hpp"
#include "wire/zmtp_inbound.hpp"
#include "zmtp/command.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace zlink;

namespace {

constexpr std::uint64_t most = 256 * 1024;
constexpr std::size_t a_page = 4096;
constexpr std::size_t smallest_shared = 1000;

/// What a peer may pass as memory.
unique_fd some_descriptor(std::uint8_t kind, std::size_t size)
{
    constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | 0x0010 /* F_SEAL_FUTURE_WRITE */ | F_SEAL_SEAL;
    if (kind % 4 == 0) return unique_fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    unique_fd fd(int(::syscall(SYS_memfd_create, "fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING)));
    fuzz::require(bool(fd));
    const bool there = kind % 4 != 1;
    fuzz::require((there ? ::fallocate(fd.get(), 0, 0, off_t(size)) : ::ftruncate(fd.get(), off_t(size))) == 0);
    if (kind % 4 != 2) fuzz::require(::fcntl(fd.get(), F_ADD_SEALS, seals) == 0);
    return fd;
}

/// This side of the connection.
class here final : shm::exchange_owner, public wire::command_handler, wire::segment_maker {
public:
    here(std::shared_ptr<shm::budget> of, shm::incoming_bodies incoming) : talk(of, *this, incoming)
    {
        in.share_bodies(&talk.in());
        out.share_bodies(talk.out(), *this);
        out_reader.begin_octets();
    }
    void segment_wanted() noexcept override
    {
        while (talk.offer_segment()) {
        }
    }

    void put(std::span<const std::byte> body)
    {
        fuzz::require(out_writer.write({body.data(), body.size(), false}));
        out_writer.publish();
        waiting += message::header_size(body.size()) + body.size();
    }
    /// Each write takes at most so many octets.
    void write_all(std::size_t at_once)
    {
        const wire::outbound::limits l{.batch = 32 * 1024, .batch_after_large = 4 * 1024};
        for (;;) {
            pipe::owed_credit credit;
            iovec to[4];
            const auto batch = out.gather(out_reader, to, 4, l, credit);
            if (batch.count == 0) break;
            const std::size_t n = std::min(batch.octets, at_once);
            written += n;
            (void)out.accept(out_reader, n);
            fuzz::require(out.octets_to(wire::outbound::boundary::message, out_reader) <= waiting);
        }
        fuzz::require(out.at_boundary() && written <= waiting);
        written = waiting = 0;
    }

    bool send_exchange(const shm::command& what, unique_fd descriptor) noexcept override
    {
        fuzz::require(bool(descriptor) ==
                      (what.kind == shm::command_kind::arena || what.kind == shm::command_kind::returns));
        last = what;
        passed = std::move(descriptor);
        return true;
    }
    void expect_descriptors(bool expects) noexcept override
    {
        expecting = expects;
        if (!expects) come.reset();
    }
    unique_fd take_descriptor() noexcept override { return std::move(come); }
    bool on_command(std::span<const std::byte> body) noexcept override
    {
        const auto c = zmtp::parse_command(body);
        return c && (!c->name.starts_with(shm::name_prefix) || talk.on_command(c->name, c->data));
    }

    /// False: the connection is over.
    bool read(std::span<const std::byte> octets)
    {
        while (!octets.empty()) {
            wire::inbound::scratch spare;
            wire::inbound::room to;
            fuzz::require(in.prepare(arena, writer, spare, to));
            const std::size_t got = fuzz::fill(to, octets);
            const auto what = in.accept(got, got == to.octets, arena, writer, spare, this);
            if (what == wire::inbound::outcome::failed) return false;
        }
        return true;
    }
    void take_all()
    {
        while (reader.readable()) {
            pipe::incoming f{};
            fuzz::require(reader.next(f));
            for (std::size_t i = 0; i < f.size; ++i) sum += std::uint8_t(f.data[i]);
            (void)reader.pop(f);
        }
    }

    shm::exchange talk;
    pipe::lane lane;
    pipe::lane_writer writer{lane, 0, smallest_shared};
    pipe::lane_reader reader{lane, 0};
    wire::receive_arena arena;
    wire::zmtp_inbound in{wire::frame_limits{}};
    pipe::lane out_lane;
    pipe::lane_writer out_writer{out_lane, 0, smallest_shared};
    pipe::lane_reader out_reader{out_lane, 0};
    wire::outbound out{nullptr};
    std::size_t waiting = 0, written = 0;  ///< octets
    shm::command last;
    unique_fd passed, come;
    bool expecting = false;
    std::uint64_t sum = 0;  ///< so that the octets are read
};

void append_reference(std::vector<std::byte>& to, fuzz::input& in)
{
    const std::uint8_t how = in.choice();
    shm::body_reference r{in.choice(), in.choice(), in.choice(), std::uint64_t(in.choice()) * 37};
    if (how & 2) r.size = ~r.size;
    if (how & 4) r.slot = ~r.slot;
    if (how & 8) r.generation <<= 56;
    to.resize(to.size() + shm::reference_frame_size);
    shm::encode_reference_frame(to.data() + to.size() - shm::reference_frame_size, r, how & 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::input in(data, size);
    const std::uint8_t split = in.choice();
    const auto of = std::make_shared<shm::budget>(
        shm::settings{.least = smallest_shared, .most = most, .worth_a_segment = 4 * smallest_shared});
    const std::vector<std::byte> body(a_page * 2);
    {
        here side(of, split & 0x80 ? shm::incoming_bodies::borrowed : shm::incoming_bodies::copied);
        bool goes_on = true;
        while (goes_on && !in.rest().empty()) {
            std::vector<std::byte> octets;
            enum : std::uint8_t { put, command, segment, returns, reference, take, raw, kinds };
            switch (in.choice() % kinds) {
            case put: {
                const std::size_t wanted = in.choice() * 64u;
                side.put(std::span(body).first(std::min(wanted, body.size())));
                if (wanted % 128 == 0 || side.waiting > 8 * body.size())
                    side.write_all(split == 0 ? std::size_t(-1) : split * 97u);
                break;
            }
            case command: {
                const std::uint8_t kind = in.choice();
                shm::append_command(octets, {shm::command_kind(kind % 6),
                                             {in.choice(), in.choice(), std::uint64_t(in.choice()) * (a_page / 4)}});
                break;
            }
            case segment:
                if (side.last.kind == shm::command_kind::accept && side.expecting) {
                    const std::uint8_t kind = in.choice();
                    side.come = some_descriptor(kind, std::size_t(1 + in.choice() % 32) * a_page);
                }
                shm::append_command(octets, {shm::command_kind::arena, {side.last.segment.id, 0, 0}});
                break;
            case returns:
                if (side.expecting) side.come = some_descriptor(in.choice(), a_page);
                shm::append_command(octets, {shm::command_kind::returns, {side.last.segment.id, 0, 0}});
                break;
            case reference: append_reference(octets, in); break;
            case take: side.take_all(); break;
            case raw: {
                const auto some = in.take(in.choice());
                octets.assign(some.begin(), some.end());
                break;
            }
            default: break;
            }
            for (fuzz::parts parts(octets, split); goes_on && !parts.empty();) goes_on = side.read(parts.next());
            fuzz::require(of->taken.used() <= most && of->made.used() <= most);
        }
        side.take_all();
    }
    fuzz::require(of->taken.used() == 0 && of->made.used() == 0);
    return 0;
}
