// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A mark is "zping" and hex digits, so that it can be seen in a dump: "zping RRRRRRRRNNNNNNNNNN".
#include "pure/ping_ledger.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <system_error>

namespace zlink::tool {
namespace {

constexpr std::string_view word = "zping ";
constexpr std::size_t run_digits = 8;
constexpr std::size_t number_digits = 10;

std::string mark(std::uint64_t run, std::uint64_t number)
{
    char text[64];
    const int size = std::snprintf(text, sizeof text, "%s%08llx%010llx", word.data(),
                                   static_cast<unsigned long long>(run & 0xffffffff),
                                   static_cast<unsigned long long>(number & 0xffffffffff));
    return {text, std::size_t(size)};
}

std::optional<std::uint64_t> number_of(std::string_view payload, std::uint64_t run)
{
    const auto digits = word.size() + run_digits;
    std::uint64_t number = 0;
    if (payload.size() < digits + number_digits) {
        return std::nullopt;
    }
    const char* const begin = payload.data() + digits;
    const auto [end, error] = std::from_chars(begin, begin + number_digits, number, 16);
    const bool whole = error == std::errc{} && end == begin + number_digits;
    return whole && payload.starts_with(mark(run, number)) ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string ping_ledger::send(std::uint64_t now)
{
    under_way_.emplace(++sent_, now);
    std::string payload = mark(run_, sent_);
    payload.resize(std::max(size_, payload.size()), '.');
    return payload;
}

std::optional<ping_ledger::answer> ping_ledger::receive(std::string_view payload, std::uint64_t now)
{
    const auto number = number_of(payload, run_);
    const auto found = number ? under_way_.find(*number) : under_way_.begin();
    if (found == under_way_.end()) {
        return std::nullopt;  // too late, or never asked for
    }
    const std::uint64_t took = now > found->second ? now - found->second : 0;
    const answer result{found->first, took, number.has_value() && payload.size() == size_};
    under_way_.erase(found);
    times_.add(took);
    return result;
}

std::optional<std::uint64_t> ping_ledger::lose_before(std::uint64_t time)
{
    const auto oldest = under_way_.begin();
    if (oldest == under_way_.end() || oldest->second >= time) {
        return std::nullopt;
    }
    const std::uint64_t number = oldest->first;
    under_way_.erase(oldest);
    ++lost_;
    return number;
}

}  // namespace zlink::tool
