// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "support/memory_transport/stream_script.hpp"

#include <charconv>

namespace zlink::transport::memory {

namespace {

bool set(stream_script& script, std::string_view name, std::size_t value)
{
    const struct {
        std::string_view name;
        std::size_t stream_script::*member;
    } sizes[] = {
        {"room", &stream_script::room},   {"read", &stream_script::read},   {"write", &stream_script::write},
        {"again", &stream_script::again}, {"hold", &stream_script::hold},   {"ack", &stream_script::ack},
        {"fail", &stream_script::fail},   {"close", &stream_script::close}, {"times", &stream_script::times},
    };
    for (const auto& size : sizes) {
        if (size.name == name) {
            script.*size.member = value;
            return true;
        }
    }
    if (name != "seed") return false;
    script.seed = std::uint32_t(value);
    return true;
}

}  // namespace

std::optional<stream_script> parse_script(std::string_view text)
{
    stream_script script;
    while (!text.empty()) {
        const std::string_view item = text.substr(0, text.find('&'));
        text.remove_prefix(item.size() == text.size() ? item.size() : item.size() + 1);
        const std::size_t equals = item.find('=');
        if (equals == std::string_view::npos) return std::nullopt;
        std::size_t value = 0;
        const char* const end = item.data() + item.size();
        const auto parsed = std::from_chars(item.data() + equals + 1, end, value);
        if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
        if (!set(script, item.substr(0, equals), value)) return std::nullopt;
    }
    return script;
}

}  // namespace zlink::transport::memory
