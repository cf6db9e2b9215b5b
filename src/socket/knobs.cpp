// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "socket/knobs.hpp"

#include "transport/registry.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace zlink::socket {
namespace {

constexpr data_path_settings default_settings;

struct size_knob {
    const char* name;
    std::size_t data_path_settings::*field;
    const char* description;
};

constexpr size_knob size_knobs[] = {
    {"ZMQ_ASIO_IN_BATCH_SIZE", &data_path_settings::in_batch, "most bytes per read"},
    {"ZMQ_ASIO_OUT_BATCH_SIZE", &data_path_settings::out_batch, "most bytes gathered per write"},
    {"ZMQ_ASIO_OUT_BATCH_SIZE_SMALL", &data_path_settings::out_batch_small,
     "most bytes gathered per write when the batch starts with a large frame"},
    {"ZMQ_ASIO_OUT_WRITEV_THRESHOLD", &data_path_settings::writev_threshold,
     "body size in bytes from which a body is referenced, not copied"},
};

/// "_TCP"
std::string suffix_of(const transport::transport& over)
{
    std::string suffix = "_";
    for (const char c : over.scheme()) {
        suffix += static_cast<char>(c - 'a' + 'A');
    }
    return suffix;
}

/// 0 for anything but a positive decimal number that an int holds.
std::size_t parse_size(const char* text)
{
    if (text == nullptr) {
        return 0;
    }
    const char* const end = text + std::strlen(text);
    std::size_t size = 0;
    const auto [stop, failure] = std::from_chars(text, end, size);
    return failure == std::errc{} && stop == end && size <= INT_MAX ? size : 0;
}

std::string show_size(std::size_t size)
{
    return size == 0 ? "none" : std::to_string(size);
}

/// A setting and where it came from.
struct sourced_size {
    std::size_t size;
    const char* source;
};

constexpr const char* from_default = "default";
constexpr const char* from_environment = "environment";

sourced_size read_size(const knobs::environment& lookup, const std::string& name, const sourced_size& otherwise)
{
    const std::size_t size = parse_size(lookup(name.c_str()));
    return size == 0 ? otherwise : sourced_size{size, from_environment};
}

}  // namespace

knobs::knobs(const environment& lookup)
{
    const auto all = transport::transports();
    settings_.resize(all.size());
    for (const size_knob& knob : size_knobs) {
        const std::string default_value = show_size(default_settings.*knob.field);
        const auto plain = read_size(lookup, knob.name, {default_settings.*knob.field, from_default});
        rows_.push_back({knob.name, show_size(plain.size), default_value, plain.source, knob.description});
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::string name = knob.name + suffix_of(*all[i]);
            data_path_settings own = default_settings;
            all[i]->adapt(own);
            const sourced_size own_default{own.*knob.field, from_default};
            const auto special = read_size(lookup, name, plain.source == from_default ? own_default : plain);
            settings_[i].*knob.field = special.size;
            rows_.push_back({name, show_size(special.size), show_size(own_default.size), special.source,
                             std::string{knob.description} + ", on " + std::string{all[i]->scheme()}});
        }
    }

    for (std::size_t i = 0; i < all.size(); ++i) {
        const transport::transfer_cap* const cap = all[i]->obeyed_transfer_cap();
        if (!cap) continue;
        const auto limit = read_size(lookup, cap->knob, {default_settings.max_transfer, from_default});
        settings_[i].max_transfer = limit.size;
        if (std::ranges::find(rows_, cap->knob, &knob_row::name) != rows_.end()) continue;  // of the transport below
        rows_.push_back({cap->knob, show_size(limit.size), show_size(default_settings.max_transfer), limit.source,
                         cap->description});
    }

    const auto read_switch = [&](const char* name, bool& value, const char* description) {
        const bool default_value = value;
        const char* text = lookup(name);
        const std::string_view given = text == nullptr ? "" : text;
        const bool valid = given == "0" || given == "1";
        if (valid) {
            value = given == "1";
        }
        rows_.push_back(
            {name, value ? "1" : "0", default_value ? "1" : "0", valid ? from_environment : from_default, description});
    };
    read_switch("ZLINK_CHECK_THREADS", check_threads_,
                "1: a second thread inside a call on a socket that is not shared gets EFSM");
    read_switch("ZLINK_CRYPTO_SIMD", crypto_simd_, "0: boxes of CURVE by libsodium alone");
    read_switch("ZLINK_FENCES", force_fences_, "1: wake-ups by fences even where membarrier works");
    read_switch("ZLINK_INLINE", inline_io_, "0: only I/O threads read and write connections");
    read_switch("ZLINK_SPIN", spin_, "0: threads sleep at once instead of yielding for a moment first");

    bool shares_bodies = true;
    read_switch("ZLINK_SHM", shares_bodies, "0: bodies go to peers on this host through sockets alone");
    const auto read_bound = [&](const char* name, std::uint64_t& value, const char* description) {
        const auto found = read_size(lookup, name, {std::size_t(value), from_default});
        rows_.push_back({name, show_size(found.size), show_size(std::size_t(value)), found.source, description});
        value = found.size;
    };
    bool borrows = false;
    read_switch("ZLINK_SHM_BORROW", borrows,
                "1: programs get large bodies of peers on this host where they lie, without a copy");
    if (borrows) shared_bodies_->incoming = shm::incoming_bodies::borrowed;
    read_bound("ZLINK_SHM_MAX", shared_bodies_->most, "most bytes of shared memory that a socket makes for its bodies");
    read_bound("ZLINK_SHM_MIN", shared_bodies_->least, "body size in bytes from which a body goes by shared memory");
    if (!shares_bodies) shared_bodies_.reset();

    const char* const place = lookup("ZLINK_STATS");
    stats_place_ = place ? place : "";
    const bool serves = !stats_place_.empty();
    rows_.push_back({"ZLINK_STATS", serves ? stats_place_ : "none", "none", serves ? from_environment : from_default,
                     "where statistics are served: the path of a socket file, or a loopback address with a port"});
}

data_path_settings knobs::settings_for(const transport::transport& over) const noexcept
{
    return settings_[transport::index_of(over)];
}

const knobs& process_knobs()
{
    // Never destroyed, even when the process ends: I/O threads of a context that was never terminated may still use it.
    // A program that runs with more rights than its caller (setuid) opens nothing that its caller names.
    static const knobs& instance = *new knobs([](const char* name) {
        return std::string_view(name) == "ZLINK_STATS" ? ::secure_getenv(name) : std::getenv(name);
    });
    return instance;
}

data_path_settings settings_for(const transport::transport& over)
{
    return process_knobs().settings_for(over);
}

data_path_settings settings_for(const transport::transport& over, const engine::connection_options& explicit_options)
{
    data_path_settings settings = settings_for(over);
    if (explicit_options.in_batch_size != 0) {
        settings.in_batch = explicit_options.in_batch_size;
    }
    if (explicit_options.out_batch_size != 0) {
        settings.out_batch = explicit_options.out_batch_size;
    }
    return settings;
}

}  // namespace zlink::socket
