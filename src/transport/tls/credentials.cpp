#include "transport/tls/credentials.hpp"

#include "base/last_error.hpp"
#include "transport/tls/tls_provider.hpp"

#include <sys/stat.h>

#include <utility>

namespace zlink::transport::tls {

namespace {

class kept_text final : public text_sink {
public:
    void put(std::string_view text) noexcept override { tell_failure(text); }
};

}  // namespace

credentials::stamp credentials::stamp_of(const std::string& file)
{
    struct stat found {};
    if (file.empty() || ::stat(file.c_str(), &found) != 0) return {};
    constexpr std::int64_t second = 1'000'000'000;
    return {found.st_ino, found.st_mtim.tv_sec * second + found.st_mtim.tv_nsec, found.st_size};
}

result<std::shared_ptr<context>> credentials::get(const tls_options& options)
{
    const auto with = find_provider();
    if (!with) return with.error();
    std::vector<stamp> now{stamp_of(options.cert_file), stamp_of(options.key_file), stamp_of(options.ca_file)};
    const std::lock_guard lock(mutex_);
    if (made_ && now == stamps_) return made_;
    kept_text why;
    std::shared_ptr<context> made((*with)->make_context({role_, options, host_, protocol_}, why));
    // Half of a new pair of files is no pair: the other half changes the stamps again.
    if (!made && !made_) return errc::invalid_argument;
    if (made) made_ = std::move(made);
    stamps_ = std::move(now);
    return made_;
}

}  // namespace zlink::transport::tls
