// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What rows of a table of options are made of: a range, a field reached through member pointers, and generic setters
// and getters for it.
#pragma once

#include "base/option_row.hpp"

#include <chrono>
#include <climits>
#include <type_traits>

namespace zlink::option_table {

constexpr socket_types every_type = types_that(nullptr);

/// As the lowest value: no limit.
constexpr int any = INT_MIN;

// A path leads from the table's struct to a field. Its steps are member pointers, or of a type that has both functions
// in a namespace of its own (transport::part).

template <class From, class Class, class Member>
constexpr auto& step(From& from, Member Class::*member)
{
    return from.*member;
}

/// Only declared: the struct that a path with this first step begins at.
template <class Class, class Member>
Class beginning_of(Member Class::*first);

template <auto First>
using root = decltype(beginning_of(First));

/// Walks a path: at<&socket_options::stream, &stream_options::backlog>(options) is options.stream.backlog.
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

template <auto First, auto... Rest>
errc set_number(const option_row<root<First>>& rule, root<First>& options, const option_input& input)
{
    const auto value = input.as<int>();
    if (!value || *value < rule.lowest || *value > rule.highest) {
        return errc::invalid_argument;
    }
    store(at<First, Rest...>(options), *value);
    return errc::none;
}

template <auto First, auto... Rest>
errc get_number(const root<First>& options, const option_output& output)
{
    return output.put(load(at<First, Rest...>(options)));
}

template <auto First, auto... Rest>
errc set_wide(const option_row<root<First>>&, root<First>& options, const option_input& input)
{
    auto& field = at<First, Rest...>(options);
    const auto value = input.as<std::remove_reference_t<decltype(field)>>();
    if (!value) {
        return errc::invalid_argument;
    }
    field = *value;
    return errc::none;
}

template <auto First, auto... Rest>
errc get_wide(const root<First>& options, const option_output& output)
{
    return output.put(at<First, Rest...>(options));
}

template <auto First, auto... Rest>
errc set_filter(const option_row<root<First>>&, root<First>& options, const option_input& input)
{
    auto& filter = at<First, Rest...>(options);
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
template <auto First, auto... Rest>
errc set_text(const option_row<root<First>>&, root<First>& options, const option_input& input)
{
    at<First, Rest...>(options) = input.bytes();
    return errc::none;
}

/// A character string of at most `Longest` characters.
template <std::size_t Longest, auto First, auto... Rest>
errc set_string(const option_row<root<First>>&, root<First>& options, const option_input& input)
{
    if (input.text().size() > Longest) return errc::invalid_argument;
    at<First, Rest...>(options) = input.text();
    return errc::none;
}

template <auto First, auto... Rest>
errc get_string(const root<First>& options, const option_output& output)
{
    return output.put_text(at<First, Rest...>(options));
}

/// Most options: an int within a range, for every socket type, for later binds and connects, readable.
template <auto First, auto... Rest>
constexpr option_row<root<First>> number(int option, int lowest, int highest = INT_MAX)
{
    return {option, every_type, lowest, highest, set_number<First, Rest...>, get_number<First, Rest...>, false};
}

template <class Options>
constexpr option_row<Options> at_once(option_row<Options> rule)
{
    rule.at_once = true;
    return rule;
}

/// Cannot be read back.
template <class Options>
constexpr option_row<Options> set_only(option_row<Options> rule)
{
    rule.get = nullptr;
    return rule;
}

template <class Options>
constexpr option_row<Options> setter(int option, socket_types accepted_by,
                                     errc (*set)(const option_row<Options>&, Options&, const option_input&),
                                     bool at_once = false)
{
    return {option, accepted_by, 0, INT_MAX, set, nullptr, at_once};
}

template <class Options>
constexpr option_row<Options> with(int option, std::type_identity_t<decltype(option_row<Options>::set)> set,
                                   errc (*get)(const Options&, const option_output&))
{
    return {option, every_type, 0, INT_MAX, set, get, false};
}

/// A character string of at most `Longest` characters, readable.
template <std::size_t Longest, auto First, auto... Rest>
constexpr option_row<root<First>> string(int option)
{
    return with<root<First>>(option, set_string<Longest, First, Rest...>, get_string<First, Rest...>);
}

}  // namespace zlink::option_table
