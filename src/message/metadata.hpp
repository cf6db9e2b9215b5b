// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Properties of the connection that a message came over (RFC 37 metadata, and the peer's address), shared by all
// messages of that connection. Immutable once shared; the last reference frees.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zlink::message {

class metadata {
public:
    using property = std::pair<std::string, std::string>;

    /// Null when memory is short. One reference.
    [[nodiscard]] static metadata* create(std::vector<property> properties) noexcept
    {
        return new (std::nothrow) metadata(std::move(properties));
    }

    void add_ref(std::uint32_t n = 1) noexcept { refs_.fetch_add(n, std::memory_order_relaxed); }

    void release(std::uint32_t n = 1) noexcept
    {
        if (refs_.fetch_sub(n, std::memory_order_acq_rel) == n) delete this;
    }

    /// The value of the property of exactly this name, zero-terminated, or null. Lives as long as the metadata.
    [[nodiscard]] const char* find(std::string_view name) const noexcept
    {
        for (const auto& [key, value] : properties_) {
            if (key == name) return value.c_str();
        }
        return nullptr;
    }

    [[nodiscard]] const std::vector<property>& all() const noexcept { return properties_; }

private:
    explicit metadata(std::vector<property> properties) noexcept : properties_(std::move(properties)) {}
    ~metadata() = default;

    std::vector<property> properties_;
    std::atomic<std::uint32_t> refs_{1};  ///< partners: the last release() acquires what earlier ones released
};

}  // namespace zlink::message
