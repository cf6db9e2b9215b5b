// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "support/allowed_peers.hpp"

#include "support/certificates.hpp"
#include "support/failure.hpp"
#include "support/key_file.hpp"
#include "support/key_source.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr int let_in = 200;
constexpr std::size_t raw_key_length = 32;

std::string_view trimmed(std::string_view text)
{
    const auto begin = text.find_first_not_of(blanks);
    const auto end = text.find_last_not_of(blanks);
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

// Takes the first word off the text.
std::string_view next_word(std::string_view& text)
{
    text = trimmed(text);
    const auto end = std::min(text.find_first_of(blanks), text.size());
    const auto word = text.substr(0, end);
    text = trimmed(text.substr(end));
    return word;
}

// Takes as long whatever is the same and whatever isn't.
bool equal_in_constant_time(std::string_view one, std::string_view other)
{
    unsigned difference = one.size() == other.size() ? 0 : 1;
    for (std::size_t at = 0; at < one.size(); ++at) {
        const auto theirs = other.empty() ? '\0' : other[at % other.size()];
        difference |= static_cast<unsigned char>(one[at]) ^ static_cast<unsigned char>(theirs);
    }
    return difference == 0;
}

std::string counted(std::size_t count, const char* what)
{
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

peer_answer refused(std::string why, std::string peer)
{
    return {400, std::move(why), "", std::move(peer)};
}

}  // namespace

allowed_peers allowed_peers::parse(const std::string& path, std::string_view text)
{
    allowed_peers rules;
    std::size_t number = 0;
    for (std::string_view rest = text; !rest.empty();) {
        const auto end = std::min(rest.find('\n'), rest.size());
        const auto line = trimmed(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        ++number;
        if (!line.empty() && line[0] != '#') {
            rules.take_line(line, fmt::format("{}:{}", path, number));
        }
    }
    return rules;
}

void allowed_peers::take_line(std::string_view line, const std::string& where)
{
    const auto rule = next_word(line);
    if (rule == "curve") {
        take_key(line, where);
    } else if (rule == "plain") {
        take_user(line, where);
    } else if (rule == "tls") {
        take_certificate(line, where);
    } else if (rule == "null" && line.empty()) {
        null_ = true;
    } else if (rule == "allow") {
        take_address(line, allow_, where);
    } else if (rule == "deny") {
        take_address(line, deny_, where);
    } else {
        throw failure(fmt::format("{}: a rule is 'curve KEY [NAME]', 'plain USER PASSWORD', 'tls @FILE [NAME]', 'tls "
                                  "SUBJECT', 'null', 'allow ADDRESS' or 'deny ADDRESS'",
                                  where));  // not quoted: there may be a password in it
    }
}

void allowed_peers::take_key(std::string_view rest, const std::string& where)
{
    const std::string typed(next_word(rest));
    if (typed == "any" && rest.empty()) {
        any_key_ = true;
        return;
    }
    std::string key;
    try {
        key = read_public_key(fmt::format("{}: curve", where), typed);
    } catch (const usage_failure& problem) {
        throw failure(problem.what());  // the arguments are right
    }
    if (key != typed) {
        files_.insert(typed.substr(1));
    }
    const std::string name = rest.empty() ? key : std::string(rest);
    if (!keys_.emplace(key, name).second) {
        throw failure(fmt::format("{}: this key has a rule already; leave one of them out", where));
    }
}

void allowed_peers::take_certificate(std::string_view rest, const std::string& where)
{
    if (rest == "any") {
        any_certificate_ = true;
        return;
    }
    if (!rest.starts_with('@')) {
        if (rest.find('=') == std::string_view::npos) {
            throw failure(
                fmt::format("{}: write 'tls @FILE [NAME]', 'tls CN=joe,O=Example' (a certificate's subject) or "
                            "'tls any'",
                            where));
        }
        subjects_.emplace(rest);
        return;
    }
    const std::string path(next_word(rest).substr(1));
    const secret content = read_whole_file(fmt::format("{}: tls", where), path);
    const auto der = certificate_in(content.text());
    if (!der) {
        throw failure(fmt::format(
            "{}: there is no certificate in {}; it takes PEM ('zlink keygen --tls DIR' makes some)", where, path));
    }
    files_.insert(path);
    if (!certificates_.emplace(*der, rest.empty() ? subject_of(*der) : std::string(rest)).second) {
        throw failure(fmt::format("{}: this certificate has a rule already; leave one of them out", where));
    }
}

void allowed_peers::take_user(std::string_view rest, const std::string& where)
{
    const std::string user(next_word(rest));
    if (user.empty() || rest.empty()) {
        throw failure(fmt::format("{}: write 'plain USER PASSWORD' or 'plain USER @FILE'", where));
    }
    secret password(rest.starts_with('@') ? "" : std::string(rest));
    if (rest.starts_with('@')) {
        password = read_password(fmt::format("{}: plain", where), std::string(rest));
        files_.emplace(rest.substr(1));
    } else {
        passwords_ = true;
    }
    if (!users_.emplace(user, std::move(password)).second) {
        throw failure(fmt::format("{}: user '{}' has a password already; leave one of them out", where, user));
    }
}

void allowed_peers::take_address(std::string_view rest, std::vector<address_rule>& list, const std::string& where)
{
    const auto rule = address_rule::parse(rest);
    if (!rule) {
        throw failure(
            fmt::format("{}: '{}' is not an address; write one like 192.0.2.1, 192.0.2.0/24, 2001:db8::/32, ipc, "
                        "uid:1000 or gid:100",
                        where, rest));
    }
    list.push_back(*rule);
}

bool allowed_peers::may_come_from(std::string_view address) const
{
    if (address.empty() && !(allow_.empty() && deny_.empty())) {
        return false;  // a peer that isn't known may be any, a denied one among them
    }
    const auto matches = [&](const address_rule& rule) { return rule.matches(address); };
    return std::ranges::none_of(deny_, matches) && (allow_.empty() || std::ranges::any_of(allow_, matches));
}

peer_answer allowed_peers::answer(const peer_question& question) const
{
    if (!may_come_from(question.address)) {
        return refused("not from this address", fmt::format("{} peer", question.mechanism));
    }
    if (question.mechanism == "CURVE" && question.credentials.size() == 1) {
        return answer_curve(question);
    }
    if (question.mechanism == "PLAIN" && question.credentials.size() == 2) {
        return answer_plain(question);
    }
    if (question.mechanism == "TLS" && question.credentials.size() == 1) {
        return answer_tls(question);
    }
    if (question.mechanism == "NULL" && question.credentials.empty()) {
        return null_ ? peer_answer{let_in, "OK", "anonymous", "peer without credentials"}
                     : refused("credentials are wanted", "peer without credentials");
    }
    return refused("credentials of another form are wanted", fmt::format("{} peer", printable(question.mechanism)));
}

peer_answer allowed_peers::answer_plain(const peer_question& question) const
{
    const auto& user = question.credentials[0];
    const auto found = users_.find(user);
    const std::string peer = fmt::format("user '{}'", printable(user));
    // An unknown name takes as long as a wrong password, and is told the same.
    const std::string_view password = found == users_.end() ? std::string_view("?") : found->second.text();
    const bool same = equal_in_constant_time(question.credentials[1], password);
    return found != users_.end() && same ? peer_answer{let_in, "OK", user, peer}
                                         : refused("wrong name or password", peer);
}

peer_answer allowed_peers::answer_curve(const peer_question& question) const
{
    const auto& raw = question.credentials[0];
    if (raw.size() != raw_key_length) {
        return refused("a key has 32 octets", "CURVE peer");
    }
    std::array<char, key_length + 1> digits{};
    zmq_z85_encode(digits.data(), reinterpret_cast<const std::uint8_t*>(raw.data()), raw.size());
    const std::string key(digits.data());
    const auto found = keys_.find(key);
    if (found == keys_.end()) {
        const std::string peer = fmt::format("key {}", key);
        return any_key_ ? peer_answer{let_in, "OK", key, peer} : refused("this key isn't among those allowed", peer);
    }
    return {let_in, "OK", found->second,
            found->second == key ? fmt::format("key {}", key) : fmt::format("key {} ({})", key, found->second)};
}

// The library has checked already which authority signed it.
peer_answer allowed_peers::answer_tls(const peer_question& question) const
{
    const auto& certificate = question.credentials[0];
    if (certificate.empty()) {
        return refused("a certificate is wanted", "peer without a certificate");
    }
    const std::string subject = subject_of(certificate);
    const std::string peer = fmt::format("certificate of '{}'", printable(subject));
    if (const auto found = certificates_.find(certificate); found != certificates_.end()) {
        return {let_in, "OK", found->second,
                found->second == subject ? peer : fmt::format("{} ({})", peer, found->second)};
    }
    const bool known = any_certificate_ || (!subject.empty() && subjects_.contains(subject));
    return known ? peer_answer{let_in, "OK", subject, peer}
                 : refused("this certificate isn't among those allowed", peer);
}

std::string allowed_peers::summary() const
{
    std::string text = any_key_ ? "any key" : counted(keys_.size(), "key");
    text += ", " + counted(users_.size(), "user");
    if (knows_certificates()) {
        text += ", " + (any_certificate_ ? "any certificate"
                                         : counted(certificates_.size() + subjects_.size(), "certificate"));
    }
    text += null_ ? ", peers without credentials" : "";
    text += allow_.empty() ? ", from every address" : ", from " + counted(allow_.size(), "address rule");
    return deny_.empty() ? text : text + " but " + counted(deny_.size(), "denied");
}

}  // namespace zlink::tool
