// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "wire/sealed_octets.hpp"

#include "base/invariant.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace zlink::wire {

namespace {

constexpr std::size_t smallest_room = 512;
constexpr std::size_t much = 1024 * 1024;

}  // namespace

sealed_octets::sealed_octets(std::unique_ptr<zmtp::sealer> how, frame_form form) noexcept
    : sealer_(std::move(how)),
      overhead_(sealer_->overhead()),
      form_(form)
{}

void sealed_octets::finish(std::span<const zmtp::frame_to_seal> frames) const noexcept
{
    if (!form_) return;
    for (const zmtp::frame_to_seal& f : frames) form_->finish_frame(f.to, f.body.size() + overhead_);
}

void sealed_octets::append(std::span<zmtp::frame_to_seal> frames, std::size_t octets)
{
    reserve(octets);
    std::byte* at = data() + used_;
    for (zmtp::frame_to_seal& f : frames) {
        f.to = begin_frame(at, form_, f.body.size() + overhead_);
        at = f.to + f.body.size() + overhead_;
    }
    used_ += octets;
    invariant([&] { return at == data() + used_; });
    sealer_->seal(frames);
    finish(frames);
}

void sealed_octets::seal_in_place(std::vector<std::byte>& frames)
{
    std::vector<std::byte> sealed;
    const auto each = [&](const auto& what) {
        for (std::size_t at = 0; at != frames.size();) {
            const zmtp::frame_to_seal f = frame_at(frames, at);
            at = std::size_t(f.body.data() - frames.data()) + f.body.size();
            what(f);
        }
    };
    std::size_t octets = 0;
    each([&](const zmtp::frame_to_seal& f) { octets += size_of(f.body.size()); });
    sealed.resize(octets);
    std::byte* at = sealed.data();
    each([&](zmtp::frame_to_seal f) {
        f.to = begin_frame(at, form_, f.body.size() + overhead_);
        at = f.to + f.body.size() + overhead_;
        sealer_->seal({&f, 1});
        finish({&f, 1});
    });
    frames.swap(sealed);
}

void sealed_octets::reserve(std::size_t octets)
{
    // Memory of an earlier batch that was much larger is freed.
    if (used_ == 0 && memory_ && memory_->capacity() > much && octets < memory_->capacity() / 8) drop();
    const std::size_t there = memory_ ? memory_->capacity() : 0;
    if (there - used_ >= octets) return;
    const std::size_t size = std::max({smallest_room, there + there / 2, used_ + octets});
    message::buffer* const larger =
        memory_ ? message::buffer::enlarge(memory_, used_, size) : message::buffer::allocate(size);
    if (!larger) throw std::bad_alloc();
    memory_ = larger;
}

void sealed_octets::shrink(std::size_t most) noexcept
{
    clear();
    if (memory_ && memory_->capacity() > most) drop();
}

void sealed_octets::drop() noexcept
{
    if (memory_) memory_->release();
    memory_ = nullptr;
}

}  // namespace zlink::wire
