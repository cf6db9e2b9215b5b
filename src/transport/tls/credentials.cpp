// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tls/credentials.hpp"

#include "base/last_error.hpp"
#include "base/process_generation.hpp"
#include "base/process_secret.hpp"
#include "transport/tls/tls_provider.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

namespace zlink::transport::tls {

namespace {

// The first time, the thread that opens the endpoint is told. Later such a caller does not exist, and the text is told
// as a failure of a connection.
class kept_text final : public text_sink {
public:
    explicit kept_text(bool later) noexcept : later_(later) {}
    void put(std::string_view text) noexcept override
    {
        if (!later_) return tell_failure(text);
        try {
            tell_failure_of_connection("tls: the certificates of before stay in use: " + std::string(text));
        } catch (...) {
            tell_failure_of_connection(text);
        }
    }

private:
    const bool later_;
};

// Distinguishes two secret texts for as long as the process lives, and reveals neither of them to a reader of its
// memory.
using fingerprint = std::array<std::uint64_t, 2>;
fingerprint fingerprint_of(const std::string& text) noexcept
{
    const sip_key key = process_key();
    fingerprint f{1, 2};
    for (std::uint64_t& sum : f) {
        sum = sip_hash(key, sum, text.size());
        for (std::size_t at = 0; at < text.size(); at += sizeof sum) {
            std::uint64_t word = 0;
            std::memcpy(&word, text.data() + at, std::min(text.size() - at, sizeof word));
            sum = sip_hash(key, sum, word);
        }
    }
    return f;
}

}  // namespace

credentials::stamp credentials::stamp_of(const std::string& file)
{
    struct stat found {};
    if (file.empty() || ::stat(file.c_str(), &found) != 0) return {};
    constexpr std::int64_t second = 1'000'000'000;
    return {found.st_ino, found.st_mtim.tv_sec * second + found.st_mtim.tv_nsec, found.st_size};
}

// The contexts that clients of the same server with the same options share. OpenSSL 3.0 takes longer to make a context
// than for a handshake, and a client that comes back resumes its session. The latest is kept, for programs that connect
// again and again.
class credentials::clients_in_use {
    // Options to compare with, without their secrets: texts of certificates may hold their key, too.
    struct known_options {
        explicit known_options(const tls_options& o)
            : key_password(fingerprint_of(o.key_password)),
              cert_pem(fingerprint_of(o.cert_pem)),
              key_pem(fingerprint_of(o.key_pem)),
              open{.cert_file = o.cert_file,
                   .key_file = o.key_file,
                   .key_password = {},
                   .ca_file = o.ca_file,
                   .cert_pem = {},
                   .key_pem = {},
                   .trust_pem = o.trust_pem,
                   .trust_system = o.trust_system,
                   .hostname = o.hostname,
                   .verify = o.verify,
                   .require_client_certificate = o.require_client_certificate,
                   .request_client_certificate = o.request_client_certificate}
        {}
        bool operator==(const known_options&) const = default;

        fingerprint key_password;
        fingerprint cert_pem;
        fingerprint key_pem;
        tls_options open;
    };

public:
    static clients_in_use& of_this_process()
    {
        // Never destroyed: I/O threads may be at work when the process ends. A child of fork makes its own, as the lock
        // of the parent's may be held for ever.
        static std::atomic<clients_in_use*> it{nullptr};
        clients_in_use* current = it.load(std::memory_order_acquire);
        if (current && current->generation_ == process_generation()) return *current;
        auto made = std::make_unique<clients_in_use>();
        if (!it.compare_exchange_strong(current, made.get(), std::memory_order_acq_rel)) return *current;
        return *made.release();
    }

    [[nodiscard]] result<std::shared_ptr<context>> find_or_make(const credentials& who, const tls_options& options,
                                                                const std::vector<stamp>& now)
    {
        const known_options known(options);
        if (auto found = find(who, known, now)) return found;
        // Files are read, which may take some time: other threads are not held up.
        auto made = who.make(options);
        if (!made) return made;
        if (auto found = find(who, known, now)) return found;
        const std::lock_guard lock(mutex_);
        entries_.push_back({who.host_, who.port_, who.protocol_, now, known, *made});
        latest_ = *made;
        return made;
    }

private:
    [[nodiscard]] std::shared_ptr<context> find(const credentials& who, const known_options& options,
                                                const std::vector<stamp>& now)
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(entries_, [](const entry& e) { return e.made.expired(); });
        for (const entry& e : entries_) {
            const bool same = e.host == who.host_ && e.port == who.port_ && e.protocol == who.protocol_ &&
                              e.stamps == now && e.options == options;
            if (auto made = same ? e.made.lock() : nullptr) return latest_ = std::move(made);
        }
        return nullptr;
    }

    struct entry {
        std::string host;
        std::uint16_t port;
        carried_protocol protocol;
        std::vector<stamp> stamps;
        known_options options;
        std::weak_ptr<context> made;
    };

    const std::uint64_t generation_ = process_generation();
    std::mutex mutex_;  ///< held only for moments
    std::vector<entry> entries_;
    std::shared_ptr<context> latest_;
};

result<std::shared_ptr<context>> credentials::make(const tls_options& options) const
{
    const auto with = find_provider();
    if (!with) return with.error();
    kept_text why(made_ != nullptr);
    const auto made = (*with)->make_context({role_, options, host_, protocol_}, why);
    if (!made) return made.error();
    return std::shared_ptr<context>(*made);
}

result<std::shared_ptr<context>> credentials::find_or_make(const tls_options& options,
                                                           const std::vector<stamp>& now) const
{
    return role_ == role::client ? clients_in_use::of_this_process().find_or_make(*this, options, now) : make(options);
}

result<std::shared_ptr<context>> credentials::get(const tls_options& options)
{
    std::vector<stamp> now{stamp_of(options.cert_file), stamp_of(options.key_file), stamp_of(options.ca_file)};
    const std::lock_guard lock(mutex_);
    if (made_ && now == stamps_) return made_;
    auto made = find_or_make(options, now);
    // One new file of a pair does not work yet: the other file changes the stamps again.
    if (!made && !made_) return made;
    if (made) made_ = std::move(*made);
    stamps_ = std::move(now);
    return made_;
}

}  // namespace zlink::transport::tls
