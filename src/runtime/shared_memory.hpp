// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Memory that two processes share by a descriptor (memfd_create(2)). The one that makes it writes, the other one reads.
// Its size is sealed, so that no access can fail, and nobody else can get it for writing.
#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"

#include <cstddef>
#include <utility>

namespace zlink::runtime {

/// Owns a mapping.
class memory_map {
public:
    memory_map() noexcept = default;
    memory_map(std::byte* data, std::size_t size) noexcept : data_(data), size_(size) {}
    memory_map(memory_map&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
    memory_map& operator=(memory_map&& other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~memory_map();

    explicit operator bool() const noexcept { return data_ != nullptr; }
    [[nodiscard]] std::byte* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

struct made_memory {
    unique_fd descriptor;
    memory_map map;  ///< for writing
};

/// Whole pages, at least `size` octets.
[[nodiscard]] std::size_t whole_pages(std::size_t size) noexcept;

/// New memory of `size` octets, whole pages, all zero. All of it is allocated; then it is sealed. Errors: not_supported
/// if the kernel cannot seal it like that (before Linux 5.1), has no such call, or the process may make no file of that
/// size (RLIMIT_FSIZE); those of the calls, if memory is short or another limit is reached.
[[nodiscard]] result<made_memory> make_shared_memory(std::size_t size) noexcept;

/// The same by steps, of half a millisecond or so.
class memory_maker {
public:
    [[nodiscard]] static result<memory_maker> begin(std::size_t size) noexcept;
    /// True: all of it is there.
    [[nodiscard]] result<bool> step() noexcept;
    [[nodiscard]] result<made_memory> finish() noexcept;

private:
    memory_maker(unique_fd memory, std::size_t size) noexcept : memory_(std::move(memory)), size_(size) {}

    unique_fd memory_;
    std::size_t size_;
    std::size_t done_ = 0;
};

/// A second descriptor of such memory. Errors: too_many_files.
[[nodiscard]] result<unique_fd> another_descriptor(int descriptor) noexcept;

/// Maps memory that another process has made in that way, for reading. `size`: what it has to have, whole pages.
/// Error protocol_error: it is no such memory. Nothing that the other process does makes an access fail afterwards.
[[nodiscard]] result<memory_map> map_shared_memory(int descriptor, std::size_t size) noexcept;

/// Such memory, mapped so that this process may write: each page that it writes becomes its own copy. So does each page
/// of memory that the process locks (mlockall(2)).
class private_map {
public:
    private_map() noexcept = default;

    explicit operator bool() const noexcept { return bool(map_); }
    [[nodiscard]] std::byte* data() const noexcept { return map_.data(); }
    /// Drops copies among the pages of these octets, which are the other process's again. False: there are copies that
    /// cannot be dropped, as they are locked. Of the process that has made the map.
    [[nodiscard]] bool drop_copies(std::size_t offset, std::size_t size) const noexcept;

private:
    friend result<private_map> map_shared_memory_privately(int descriptor, std::size_t size) noexcept;
    explicit private_map(memory_map of) noexcept;
    [[nodiscard]] bool has_copies(const std::byte* at, std::size_t pages) const noexcept;

    memory_map map_;
    unique_fd page_map_;  ///< /proc/self/pagemap; empty: it cannot be read
};

/// As map_shared_memory().
[[nodiscard]] result<private_map> map_shared_memory_privately(int descriptor, std::size_t size) noexcept;

}  // namespace zlink::runtime
