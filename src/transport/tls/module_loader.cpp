// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// libzmq.so loads the TLS library's part when it is needed: programs without tls endpoints do not load OpenSSL.
#include "base/last_error.hpp"
#include "transport/tls/fork_gate.hpp"
#include "transport/tls/tls_provider.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <string_view>

namespace zlink::transport::tls {

namespace {

#ifndef ZLINK_TLS_MODULE  // libzlink.so has another one
#define ZLINK_TLS_MODULE "libzlink-tls.so"
#endif
constexpr const char* file_name = ZLINK_TLS_MODULE;

// The module's own OpenSSL takes precedence over symbols that the program exports under the same names (Node's binary
// does). Sanitizers have to be found in the program. musl has no such precedence.
#if defined(__has_feature)  // clang's word for them
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ZLINK_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ZLINK_SANITIZED
#endif
#if defined(ZLINK_SANITIZED) || !defined(RTLD_DEEPBIND)
constexpr int how = RTLD_NOW | RTLD_LOCAL;
#else
constexpr int how = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif

// In the directory of the file that this code is in; empty if that is not known. Never relative: the program may have
// changed its directory since, and any user may have put a file of that name there.
std::string module_path()
{
    Dl_info here{};
    if (dladdr(reinterpret_cast<const void*>(&module_path), &here) == 0 || here.dli_fname == nullptr) return {};
    const std::string_view file(here.dli_fname);
    std::string folder(file.substr(0, file.rfind('/') + 1));
    if (!folder.starts_with('/')) {
        char now[PATH_MAX];
        if (::getcwd(now, sizeof now) == nullptr || now[0] != '/') return {};
        folder = std::string(now) + '/' + folder;
    }
    return folder + file_name;
}

// Found when the library is loaded, in the directory at which a relative path of it begins. Never destroyed: I/O
// threads may be at work when the process ends.
const std::string& path_when_loaded = *new std::string(module_path());

result<const provider*> refuse(const std::string& why)
{
    tell_failure("tls cannot be had: " + why);
    return errc::protocol_not_supported;
}

std::string loader_error()
{
    const char* const why = dlerror();
    return why ? why : "unknown error of the loader";
}

// It stays loaded: OpenSSL cleans up when the process ends. Null: loader_error() has the reason.
get_provider open_module()
{
    void* const module = dlopen(path_when_loaded.c_str(), how);
    return module ? reinterpret_cast<get_provider>(dlsym(module, provider_function)) : nullptr;
}

result<const provider*> load()
{
    if (path_when_loaded.empty()) return refuse("it cannot be told where the library is");
    get_provider get = nullptr;
    {
        const fork_gate::pass inside;
        if (!inside) return refuse(fork_gate::broken_words);
        get = open_module();
    }
    if (!get) return refuse(loader_error());
    const provider* const found = get();
    if (std::string_view(found->build) != this_build)
        return refuse(path_when_loaded + " is of another build (" + found->build + ", not " + this_build + ")");
    return found;
}

}  // namespace

// Without a lock, which the child of a fork might find locked. If several threads load the module at once, each gets
// the same.
result<const provider*> find_provider()
{
    static constinit std::atomic<const provider*> known{nullptr};  // its own partner
    if (const provider* const it = known.load(std::memory_order_acquire)) return it;
    auto loaded = load();
    if (loaded) known.store(*loaded, std::memory_order_release);
    return loaded;
}

}  // namespace zlink::transport::tls
