// Properties of the connection that a message came by (RFC 37 metadata, and the peer's address), shared by all
// messages of that connection. Immutable once shared; the last reference frees.
#pragma once

#include <atomic>
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

    void add_ref() noexcept { refs_.fetch_add(1, std::memory_order_relaxed); }

    void release() noexcept
    {
        if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

    /// The value of the property of exactly this name, zero-terminated, or null. Lives as long as the metadata.
    [[nodiscard]] const char* find(std::string_view name) const noexcept
    {
        for (const auto& [key, value] : properties_) {
            if (key == name) return value.c_str();
        }
        return nullptr;
    }

private:
    explicit metadata(std::vector<property> properties) noexcept : properties_(std::move(properties)) {}
    ~metadata() = default;

    std::vector<property> properties_;
    std::atomic<int> refs_{1};
};

}  // namespace zlink::message
