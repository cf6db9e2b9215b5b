// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Options that single transports have of their own: a struct for each, in its folder, found by its type. This file does
// not know the structs.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace zlink::transport {

/// A value; copies share the structs, which do not change once they are there. One thread changes an object at a time,
/// but copies of it are independent.
class transport_options {
public:
    /// As set, or the default of `Options`. Valid until change<Options>(), and for the life of any copy made before
    /// that.
    template <class Options>
    [[nodiscard]] const Options& of() const noexcept
    {
        const auto found = std::ranges::find(slots_, key_of<Options>(), &slot::key);
        return found == slots_.end() ? defaults<Options>() : *static_cast<const Options*>(found->value.get());
    }

    /// The struct to be set: a copy of its own, so that older copies of the options keep the former values. Write to it
    /// before this object is copied. May throw std::bad_alloc: nothing has changed then.
    template <class Options>
    [[nodiscard]] Options& change()
    {
        auto changed = std::make_shared<Options>(of<Options>());
        Options& value = *changed;
        const auto found = std::ranges::find(slots_, key_of<Options>(), &slot::key);
        if (found != slots_.end()) {
            found->value = std::move(changed);
        } else {
            slots_.push_back({key_of<Options>(), std::move(changed)});
        }
        return value;
    }

private:
    struct slot {
        const void* key;
        std::shared_ptr<const void> value;
    };

    template <class Options>
    static constexpr char stands_for = 0;
    template <class Options>
    [[nodiscard]] static const void* key_of() noexcept
    {
        return &stands_for<Options>;
    }

    // Never destroyed: I/O threads may be at work when the process ends.
    template <class Options>
    static const Options& defaults() noexcept
    {
        union holder {
            holder() noexcept : value{} {}
            ~holder() {}
            Options value;
        };
        static const holder it;
        return it.value;
    }

    std::vector<slot> slots_;
};

}  // namespace zlink::transport
