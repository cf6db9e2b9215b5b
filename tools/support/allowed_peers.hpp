// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Which peers may connect: the rules of a file, and the answer to a question of the library's (ZAP, RFC 27).
#pragma once

#include "support/address_rule.hpp"
#include "support/secret.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::tool {

struct peer_question {
    std::string address;
    std::string mechanism;  // NULL, PLAIN or CURVE; TLS before them
    std::vector<std::string>
        credentials;  // PLAIN: name and password; CURVE: the public key's 32 octets; TLS: DER or none
};

struct peer_answer {
    int status = 400;  // 200 lets the peer in
    std::string text;  // OK, or why not
    std::string who;   // becomes the User-Id of its messages
    std::string peer;  // the peer that asked, for people: never a password
};

// Rules, a line each; # at its beginning makes it a comment:
//   curve KEY|@FILE [NAME]   a client with this public key, known as NAME; `curve any`: any client with a key
//   plain USER PASSWORD|@FILE
//   tls @FILE [NAME]         a client with this certificate, known as NAME or by its subject
//   tls SUBJECT              one that is about this subject: CN=joe,O=Example; `tls any`: any that is vouched for
//   null                     peers that show nothing
//   allow ADDRESS            only from there, if there is one such rule: ADDRESS, ADDRESS/BITS, ipc, uid:N, gid:N
//   deny ADDRESS             not from there, whatever else is said
class allowed_peers {
public:
    // Throws a failure that names the file, the line and the cure.
    static allowed_peers parse(const std::string& path, std::string_view text);

    peer_answer answer(const peer_question& question) const;

    bool allows_null() const noexcept { return null_; }
    bool knows_certificates() const noexcept
    {
        return any_certificate_ || !certificates_.empty() || !subjects_.empty();
    }
    bool has_users() const noexcept { return !users_.empty(); }
    bool has_passwords() const noexcept { return passwords_; }  // in the file itself

    // "2 keys, 1 user, 3 address rules", and more of what is worth knowing.
    std::string summary() const;

    // Files that rules refer to.
    const std::set<std::string>& files() const noexcept { return files_; }

private:
    void take_line(std::string_view line, const std::string& where);
    void take_key(std::string_view rest, const std::string& where);
    void take_certificate(std::string_view rest, const std::string& where);
    void take_user(std::string_view rest, const std::string& where);
    void take_address(std::string_view rest, std::vector<address_rule>& list, const std::string& where);
    bool may_come_from(std::string_view address) const;
    peer_answer answer_plain(const peer_question& question) const;
    peer_answer answer_curve(const peer_question& question) const;
    peer_answer answer_tls(const peer_question& question) const;

    std::map<std::string, std::string> keys_;          // Z85 and name
    std::map<std::string, secret> users_;              // name and password
    std::map<std::string, std::string> certificates_;  // DER and name
    std::set<std::string> subjects_;
    std::vector<address_rule> allow_;
    std::vector<address_rule> deny_;
    std::set<std::string> files_;
    bool any_key_ = false;
    bool any_certificate_ = false;
    bool null_ = false;
    bool passwords_ = false;
};

}  // namespace zlink::tool
