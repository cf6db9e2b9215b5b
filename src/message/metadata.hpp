// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Properties of the connection that a message came over (RFC 37 metadata, and the peer's address), shared by all
// messages of that connection. Or a long group of a message (RFC 48), with the properties of its connection behind it.
// Immutable once shared; the last reference frees.
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

    /// A group, and the properties of `behind`, which may be null. Null when memory is short. One reference.
    [[nodiscard]] static metadata* create_group(std::string_view group, metadata* behind) noexcept;

    void add_ref(std::uint32_t n = 1) noexcept { refs_.fetch_add(n, std::memory_order_relaxed); }

    void release(std::uint32_t n = 1) noexcept
    {
        if (refs_.fetch_sub(n, std::memory_order_acq_rel) != n) return;
        metadata* const behind = behind_;
        delete this;
        if (behind) behind->release();
    }

    /// The value of the property of exactly this name, zero-terminated, or null. Lives as long as the metadata.
    [[nodiscard]] const char* find(std::string_view name) const noexcept
    {
        for (const auto& [key, value] : properties_) {
            if (key == name) return value.c_str();
        }
        return behind_ ? behind_->find(name) : nullptr;
    }

    /// Empty: these are the properties of a connection. Zero-terminated; lives as long as the metadata.
    [[nodiscard]] const std::string& group() const noexcept { return group_; }
    /// The properties of the connection; with a group, they may be null.
    [[nodiscard]] metadata* properties() noexcept { return group_.empty() ? this : behind_; }

    [[nodiscard]] const std::vector<property>& all() const noexcept { return properties_; }

private:
    explicit metadata(std::vector<property> properties) noexcept : properties_(std::move(properties)) {}
    ~metadata() = default;

    std::vector<property> properties_;
    std::string group_;
    metadata* behind_ = nullptr;          ///< with a group: the connection's; one reference
    std::atomic<std::uint32_t> refs_{1};  ///< partners: the last release() acquires what earlier ones released
};

inline metadata* metadata::create_group(std::string_view group, metadata* behind) noexcept
{
    try {
        std::string text(group);
        auto* const made = new (std::nothrow) metadata({});
        if (!made) return nullptr;
        made->group_ = std::move(text);
        if (behind) behind->add_ref();
        made->behind_ = behind;
        return made;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

}  // namespace zlink::message
