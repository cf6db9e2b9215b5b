// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "support/key_source.hpp"

#include "support/failure.hpp"
#include "support/status_line.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace zlink::tool {
namespace {

constexpr std::size_t longest_file = 65536;
constexpr std::size_t longest_password = 255;  // RFC 24, RFC 1929

[[noreturn]] void fail_file(const std::string& option, const std::string& path, int error)
{
    const char* const cure = error == ENOENT   ? "check the name"
                             : error == EACCES ? "run as the user who may read it"
                                               : "name a file";
    throw failure(fmt::format("{}: cannot read {}: {}; {}", option, path, std::strerror(error), cure));
}

// The text of a secret option: from its file, its variable, or the option's own variable.
struct found_secret {
    secret text;
    std::string where;  // for messages
    bool in_file = false;

    void warn() const
    {
        if (in_file) warn_of_readers(where);
    }
};

found_secret look_up(const std::string& option, const std::string& source, const char* variable)
{
    if (source.starts_with('@')) {
        return {read_whole_file(option, source.substr(1)), source.substr(1), true};
    }
    const bool named = source.starts_with("env:");
    if (!named && !source.empty()) {
        throw usage_failure(fmt::format("{} takes @FILE or env:NAME, not the secret itself, which every user of the "
                                        "machine could read in the command line; {} is read without the option",
                                        option, variable));
    }
    const std::string name = named ? source.substr(4) : variable;
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr && named) {
        throw failure(fmt::format("{}: the environment has no variable {}; export it, or give @FILE", option, name));
    }
    return {secret(value == nullptr ? "" : value), value == nullptr ? "" : "variable " + name};
}

std::string first_line(const std::string& text)
{
    const auto end = text.find_first_of("\r\n");
    return end == std::string::npos ? text : text.substr(0, end);
}

}  // namespace

secret read_whole_file(const std::string& purpose, const std::string& path)
{
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        fail_file(purpose, path, errno);
    }
    std::string text(longest_file + 1, '\0');  // of its size at once: growing would leave copies behind
    std::size_t size = 0;
    while (size < text.size()) {
        const auto got = ::read(file, text.data() + size, text.size() - size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            const int error = errno;
            ::close(file);
            fail_file(purpose, path, error);
        }
        if (got == 0) {
            break;
        }
        size += static_cast<std::size_t>(got);
    }
    ::close(file);
    if (size > longest_file) {
        wipe(text);
        throw failure(
            fmt::format("{}: {} is longer than {} octets; is it the right file?", purpose, path, longest_file));
    }
    text.resize(size);
    return secret(std::move(text));
}

// ssh would refuse it; mounted secrets of containers are often like this.
void warn_of_readers(const std::string& path)
{
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & (S_IRGRP | S_IROTH)) != 0) {
        say("zlink: other users may read the secret in {}; chmod 600 {}\n", path, path);
    }
}

std::string read_public_key(const std::string& option, const std::string& text)
{
    const bool names_file = text.starts_with('@') && (!is_key(text) || ::access(text.c_str() + 1, F_OK) == 0);
    if (names_file) {
        const std::string path = text.substr(1);
        const secret content = read_whole_file(option, path);
        if (auto key = find_key(content.text(), key_kind::public_key)) {
            return *key;
        }
        throw failure(fmt::format("{}: there is no public key in {}; it takes a certificate ('zlink keygen NAME' makes "
                                  "one) or one line with 40 characters of Z85",
                                  option, path));
    }
    if (!is_key(text)) {
        throw usage_failure(fmt::format("{} takes a key of 40 characters of Z85, or @FILE; '{}' has {}{}", option, text,
                                        text.size(),
                                        text.size() == key_length ? ", not all of Z85 (or is not a key)" : ""));
    }
    return text;
}

secret read_secret_key(const std::string& option, const std::string& text)
{
    const found_secret found = look_up(option, text, curve_secret_variable);
    if (found.where.empty()) {
        return {};
    }
    if (auto key = find_key(found.text.text(), key_kind::secret_key)) {
        found.warn();
        return secret(std::move(*key));
    }
    throw failure(fmt::format("{}: there is no secret key in {} ({} octets); it takes a certificate with a secret key "
                              "('zlink keygen NAME' makes NAME_secret) or 40 characters of Z85",
                              option, found.where, found.text.text().size()));
}

secret read_password(const std::string& option, const std::string& text, const char* variable)
{
    const found_secret found = look_up(option, text, variable);
    if (found.where.empty()) {
        return {};
    }
    secret password(first_line(found.text.text()));
    if (password.empty() || password.text().size() > longest_password) {
        throw failure(fmt::format("{}: the password in {} has {} octets; it takes 1 to {}, in the first line", option,
                                  found.where, password.text().size(), longest_password));
    }
    found.warn();
    return password;
}

}  // namespace zlink::tool
