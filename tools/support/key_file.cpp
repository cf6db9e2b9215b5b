// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "support/key_file.hpp"

#include "support/failure.hpp"
#include "support/loaded_library.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text)
{
    const auto begin = text.find_first_not_of(blanks);
    const auto end = text.find_last_not_of(blanks);
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

// What stands behind the name in `name = "value"` or in `name value`.
std::optional<std::string_view> value_of(std::string_view line, std::string_view name)
{
    if (!line.starts_with(name)) {
        return std::nullopt;
    }
    line.remove_prefix(name.size());
    std::string_view value = trimmed(line);
    if (value.size() == line.size() && !value.starts_with('=')) {
        return std::nullopt;  // another word, which only begins so
    }
    if (value.size() != key_length && value.starts_with('=')) {  // a key may begin with it
        value = trimmed(value.substr(1));
    }
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front()) {
        value = value.substr(1, value.size() - 2);
    }
    return value;
}

}  // namespace

bool is_key(std::string_view text)
{
    if (text.size() != key_length) {
        return false;
    }
    std::array<std::uint8_t, 32> octets{};
    const std::string digits(text);
    const bool decoded = zmq_z85_decode(octets.data(), digits.c_str()) != nullptr;
    explicit_bzero(octets.data(), octets.size());
    return decoded;
}

void need_curve()
{
    if (zmq_has("curve") == 0) {
        throw failure(fmt::format("{} was built without CURVE; run a library that has it ('zlink version' lists "
                                  "capabilities), or do without encryption",
                                  library_path()));
    }
}

key_pair new_key_pair()
{
    need_curve();
    std::array<char, key_length + 1> public_key{};
    std::array<char, key_length + 1> secret_key{};
    do {
        if (zmq_curve_keypair(public_key.data(), secret_key.data()) != 0) {
            throw failure(fmt::format("zmq_curve_keypair failed: {}", zmq_strerror(zmq_errno())));
        }
    } while (std::isalnum(static_cast<unsigned char>(public_key[0])) == 0);
    key_pair pair{public_key.data(), secret(secret_key.data())};
    explicit_bzero(secret_key.data(), secret_key.size());
    return pair;
}

std::string public_key_of(const secret& secret_key)
{
    need_curve();
    std::array<char, key_length + 1> public_key{};
    if (zmq_curve_public(public_key.data(), secret_key.text().c_str()) != 0) {
        throw failure(fmt::format("zmq_curve_public failed: {}", zmq_strerror(zmq_errno())));
    }
    return public_key.data();
}

std::optional<std::string> find_key(std::string_view text, key_kind kind)
{
    const bool wants_secret = kind == key_kind::secret_key;
    const std::array<std::string_view, 2> names = wants_secret
                                                      ? std::array<std::string_view, 2>{"secret-key", "secret"}
                                                      : std::array<std::string_view, 2>{"public-key", "public"};
    std::optional<std::string> bare;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        for (const auto name : names) {
            if (const auto value = value_of(line, name); value && is_key(*value)) {
                return std::string(*value);
            }
        }
        if (is_key(line)) {
            if (bare) {
                return std::nullopt;  // which of them?
            }
            bare = std::string(line);
        }
    }
    return bare;
}

std::string certificate_text(std::string_view name, std::string_view public_key, std::string_view secret_key)
{
    std::string text = fmt::format("# CURVE {} of a ZeroMQ peer, made by zlink keygen at {}\n",
                                   secret_key.empty() ? "public key" : "key pair", utc_time_now());
    text += secret_key.empty() ? "# Give it to the peers on a way that nobody can change it on.\n"
                               : "# Keep this file to yourself: whoever has it can pass for you.\n";
    text += fmt::format("\nmetadata\n    name = \"{}\"\ncurve\n    public-key = \"{}\"\n", name, public_key);
    if (!secret_key.empty()) {
        text += fmt::format("    secret-key = \"{}\"\n", secret_key);
    }
    return text;
}

}  // namespace zlink::tool
