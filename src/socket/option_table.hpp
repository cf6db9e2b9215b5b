// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The parts of a row of the option table: a range, a field reached through member pointers, and generic setters and
// getters for it. The rows are in options.cpp, options_connection.cpp, options_pattern.cpp, options_security.cpp,
// options_curve.cpp and options_tls.cpp.
#pragma once

#include "base/errc.hpp"
#include "base/socket_types.hpp"
#include "socket/option_values.hpp"
#include "socket/options.hpp"

#include <chrono>
#include <climits>
#include <span>
#include <type_traits>

namespace zlink::socket::option_table {

constexpr socket_types every_type = types_that(nullptr);

/// As the lowest value: no limit.
constexpr int any = INT_MIN;

/// A step of a path that is not a member: it leads to the options that only one transport has.
template <class Options>
struct part {};

template <class From, class Class, class Member>
constexpr auto& step(From& from, Member Class::*member)
{
    return from.*member;
}

template <class Options>
const Options& step(const transport::stream_options& from, part<Options>)
{
    return from.of<Options>();
}

/// For access that writes at once.
template <class Options>
Options& step(transport::stream_options& from, part<Options>)
{
    return from.change<Options>();
}

/// Walks member pointers: at<&socket_options::stream, &stream_options::backlog>(options) is options.stream.backlog.
template <auto First, auto... Rest>
constexpr auto& at(auto& options)
{
    auto& next = step(options, First);
    if constexpr (sizeof...(Rest) == 0) {
        return next;
    } else {
        return at<Rest...>(next);
    }
}

template <class Rep, class Period>
void store(std::chrono::duration<Rep, Period>& field, int value)
{
    field = std::chrono::milliseconds(value);
}

inline void store(int& field, int value)
{
    field = value;
}

inline void store(bool& field, int value)
{
    field = value != 0;
}

template <class Rep, class Period>
int load(const std::chrono::duration<Rep, Period>& field)
{
    return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(field).count());
}

inline int load(int field)
{
    return field;
}

struct row {
    int option;
    socket_types accepted_by;
    int lowest;
    int highest;
    errc (*set)(const row&, socket_options&, const option_input&);  ///< null: read only
    errc (*get)(const socket_options&, const option_output&);       ///< null: can only be set
    bool at_once;
};

using rows = std::span<const row>;

extern const rows connection_rows;
extern const rows pattern_rows;
extern const rows security_rows;
extern const rows curve_rows;  ///< with ZLINK_CURVE
extern const rows tls_rows;    ///< with ZLINK_TLS

template <auto... Path>
errc set_number(const row& rule, socket_options& options, const option_input& input)
{
    const auto value = input.as<int>();
    if (!value || *value < rule.lowest || *value > rule.highest) {
        return errc::invalid_argument;
    }
    store(at<Path...>(options), *value);
    return errc::none;
}

template <auto... Path>
errc get_number(const socket_options& options, const option_output& output)
{
    return output.put(load(at<Path...>(options)));
}

template <auto... Path>
errc set_wide(const row&, socket_options& options, const option_input& input)
{
    auto& field = at<Path...>(options);
    const auto value = input.as<std::remove_reference_t<decltype(field)>>();
    if (!value) {
        return errc::invalid_argument;
    }
    field = *value;
    return errc::none;
}

template <auto... Path>
errc get_wide(const socket_options& options, const option_output& output)
{
    return output.put(at<Path...>(options));
}

template <auto... Path>
errc set_filter(const row&, socket_options& options, const option_input& input)
{
    auto& filter = at<Path...>(options);
    if (input.is_null()) {
        filter.clear();
        return errc::none;
    }
    const auto value = input.as<typename std::remove_reference_t<decltype(filter)>::value_type>();
    if (!value) {
        return errc::invalid_argument;
    }
    filter.insert(*value);
    return errc::none;
}

/// Text, or a message that is sent on some event: any octets. If there are none, the text or message is not set.
template <auto... Path>
errc set_text(const row&, socket_options& options, const option_input& input)
{
    at<Path...>(options) = input.bytes();
    return errc::none;
}

inline void choose_mechanism(socket_options& options, engine::mechanism_kind mechanism, bool as_server)
{
    options.security.mechanism = mechanism;
    options.security.as_server = as_server;
}

/// 1: the server of that mechanism; 0: no mechanism.
template <engine::mechanism_kind Mechanism>
errc set_server(const row&, socket_options& options, const option_input& input)
{
    const auto value = input.as<int>();
    if (value != 0 && value != 1) {
        return errc::invalid_argument;
    }
    choose_mechanism(options, *value ? Mechanism : engine::mechanism_kind::null, *value != 0);
    return errc::none;
}

template <engine::mechanism_kind Mechanism>
errc get_server(const socket_options& options, const option_output& output)
{
    return output.put(int(options.security.mechanism == Mechanism && options.security.as_server));
}

/// Most options: an int within a range, for every socket type, for later binds and connects, readable.
template <auto... Path>
constexpr row number(int option, int lowest, int highest = INT_MAX)
{
    return {option, every_type, lowest, highest, set_number<Path...>, get_number<Path...>, false};
}

/// A change reaches open endpoints and pipes.
constexpr row at_once(row rule)
{
    rule.at_once = true;
    return rule;
}

/// Cannot be read back.
constexpr row set_only(row rule)
{
    rule.get = nullptr;
    return rule;
}

/// Options that one pattern looks at: changed at once, and cannot be read back.
template <auto... Path>
constexpr row pattern_number(int option, socket_types accepted_by, int highest = INT_MAX)
{
    return {option, accepted_by, 0, highest, set_number<Path...>, nullptr, true};
}

constexpr row setter(int option, socket_types accepted_by, decltype(row::set) set, bool at_once = false)
{
    return {option, accepted_by, 0, INT_MAX, set, nullptr, at_once};
}

constexpr row with(int option, decltype(row::set) set, decltype(row::get) get)
{
    return {option, every_type, 0, INT_MAX, set, get, false};
}

}  // namespace zlink::socket::option_table
