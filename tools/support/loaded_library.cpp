// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink's own functions are looked up at run time: the same program also runs on another libzmq and says so.
#include "support/loaded_library.hpp"

#include <climits>
#include <cstdlib>

#include <dlfcn.h>
#include <fmt/format.h>
#include <zlink.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

template <class Function>
Function* find(const char* name)
{
    return reinterpret_cast<Function*>(library_function(name));
}

std::string text(const char* value)
{
    return value == nullptr ? "" : value;
}

}  // namespace

std::string library_path()
{
    Dl_info info{};
    const void* place = dlsym(RTLD_DEFAULT, "zmq_version");
    if (place == nullptr) {
        place = reinterpret_cast<const void*>(&zmq_version);  // linked statically
    }
    if (dladdr(place, &info) == 0 || info.dli_fname == nullptr) {
        return "unknown";
    }
    char resolved[PATH_MAX];
    return realpath(info.dli_fname, resolved) != nullptr ? resolved : info.dli_fname;
}

std::string api_version()
{
    int major = 0;
    int minor = 0;
    int patch = 0;
    zmq_version(&major, &minor, &patch);
    return fmt::format("{}.{}.{}", major, minor, patch);
}

std::optional<std::string> zlink_library_version()
{
    const auto version = find<decltype(zlink_version)>("zlink_version");
    if (version == nullptr) {
        return std::nullopt;
    }
    int major = 0;
    int minor = 0;
    int patch = 0;
    version(&major, &minor, &patch);
    return fmt::format("{}.{}.{}", major, minor, patch);
}

std::string last_failure()
{
    const auto last = find<decltype(zlink_last_error)>("zlink_last_error");
    return last == nullptr ? "" : text(last());
}

std::string next_connection_failure()
{
    static const auto next = find<decltype(zlink_connection_error)>("zlink_connection_error");
    static std::uint64_t position = 0;
    char words[1024] = "";
    return next != nullptr && next(&position, words, sizeof words) != 0 ? words : "";
}

void* library_function(const char* name)
{
    return dlsym(RTLD_DEFAULT, name);
}

std::vector<knob> library_knobs()
{
    std::vector<knob> result;
    const auto read = find<decltype(zlink_knob)>("zlink_knob");
    zlink_knob_t entry{};
    for (std::size_t at = 0; read != nullptr && read(at, &entry) == 0; ++at) {
        result.push_back({text(entry.name), text(entry.value), text(entry.default_value), text(entry.source),
                          text(entry.description)});
    }
    return result;
}

}  // namespace zlink::tool
