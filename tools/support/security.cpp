#include "support/security.hpp"

#include "support/text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace zlink::tool {
namespace {

// Socket options are CURVE_SERVER and so on; other programs' options are --curve-server, --username, --cert ...
constexpr std::array beginnings{"curve", "plain", "gssapi", "zap", "socks", "tls", "ssl", "wss", "security", "auth"};
constexpr std::array whole_words{"username",   "user",        "password",  "passwd",    "server-key",
                                 "public-key", "secret-key",  "serverkey", "publickey", "secretkey",
                                 "key",        "cert",        "cacert",    "cert-file", "key-file",
                                 "ca-file",    "certificate", "mechanism", "encrypt",   "client-key"};

bool is_first_word(std::string_view name, std::string_view word)
{
    return name.starts_with(word) && (name.size() == word.size() || name[word.size()] == '-');
}

}  // namespace

std::optional<std::string> refuse_security(std::string_view name, std::string_view shown)
{
    std::string plain = lower(name);
    std::replace(plain.begin(), plain.end(), '_', '-');
    if (plain.starts_with("zmq-")) {
        plain.erase(0, 4);
    }
    const bool known = std::ranges::any_of(beginnings, [&](const char* word) { return is_first_word(plain, word); }) ||
                       std::ranges::find(whole_words, plain) != whole_words.end();
    if (!known) {
        return std::nullopt;
    }
    return fmt::format("{} belongs to security, and zlink has no encryption or authentication yet; send over an SSH "
                       "tunnel or a VPN, or over ipc://",
                       shown);
}

}  // namespace zlink::tool
