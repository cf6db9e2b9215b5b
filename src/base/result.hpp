// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A value or an errc, shaped like std::expected (C++23). Used wherever a call can fail; nothing in src/ throws
// across a layer.
#pragma once

#include "base/errc.hpp"

#include <new>
#include <type_traits>
#include <utility>
#include <variant>

namespace zlink {

template <class T>
class [[nodiscard]] result {
public:
    result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    result(errc error) : state_(std::in_place_index<1>, error) {}

    [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    [[nodiscard]] T& value() & noexcept { return *std::get_if<0>(&state_); }
    [[nodiscard]] const T& value() const& noexcept { return *std::get_if<0>(&state_); }
    [[nodiscard]] T&& value() && noexcept { return std::move(*std::get_if<0>(&state_)); }
    [[nodiscard]] T& operator*() & noexcept { return value(); }
    [[nodiscard]] const T& operator*() const& noexcept { return value(); }
    [[nodiscard]] T&& operator*() && noexcept { return std::move(*this).value(); }
    [[nodiscard]] T* operator->() noexcept { return std::get_if<0>(&state_); }
    [[nodiscard]] const T* operator->() const noexcept { return std::get_if<0>(&state_); }

    /// errc::none if there is a value.
    [[nodiscard]] errc error() const noexcept
    {
        const errc* e = std::get_if<1>(&state_);
        return e ? *e : errc::none;
    }

private:
    std::variant<T, errc> state_;
};

/// Success, or the reason of failure.
template <>
class [[nodiscard]] result<void> {
public:
    result() noexcept = default;
    result(errc error) noexcept : error_(error) {}

    [[nodiscard]] bool has_value() const noexcept { return error_ == errc::none; }
    explicit operator bool() const noexcept { return has_value(); }
    [[nodiscard]] errc error() const noexcept { return error_; }

private:
    errc error_ = errc::none;
};

}  // namespace zlink
