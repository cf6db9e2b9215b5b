// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "cli/security_options.hpp"

#include "support/failure.hpp"
#include "support/key_source.hpp"
#include "support/loaded_library.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <zlink.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

constexpr const char* group = "Security";
constexpr const char* zap_domain = "global";  // one handler, one domain
constexpr std::size_t longest_user = 255;     // RFC 24, RFC 1929

void set(socket& target, int option, const char* name, std::string_view value)
{
    // socket::set() would quote the value.
    if (zmq_setsockopt(target.handle(), option, value.data(), value.size()) != 0) {
        throw failure(fmt::format("setting {} failed: {}", name, zmq_strerror(zmq_errno())));
    }
}

void add_text(CLI::App& command, const char* name, std::string& target, const char* label, const std::string& purpose)
{
    command.add_option(name, target, purpose)->type_name(label)->group(group);
}

void add_proxy_options(CLI::App& command, security_options& typed)
{
    add_text(command, "--socks-proxy", typed.socks_proxy, "HOST:PORT",
             "Connect through this SOCKS5 proxy, which looks up the endpoints' names");
    add_text(command, "--socks-user", typed.socks_user, "NAME", "Log in there by name and password, unencrypted");
    add_text(command, "--socks-password", typed.socks_password, "@FILE|env:NAME",
             fmt::format("The password: the file's first line (default: env:{})", socks_password_variable));
}

void add_tls_options(CLI::App& command, security_options& typed)
{
    add_text(command, "--tls-ca", typed.tls_ca, "FILE",
             "tls://: certificates that vouch for the peer's (default: the system's)");
    add_text(command, "--tls-cert", typed.tls_cert, "FILE",
             "tls://: own certificate; who binds needs one ('zlink keygen --tls DIR' makes some for trials)");
    add_text(command, "--tls-key", typed.tls_key, "FILE", "tls://: its key (default: in the file of the certificate)");
    add_text(command, "--tls-key-password", typed.tls_key_password, "@FILE|env:NAME",
             fmt::format("tls://: what the key is encrypted with: the file's first line (default: env:{})",
                         tls_key_password_variable));
    add_text(command, "--tls-host", typed.tls_host, "NAME",
             "tls://: the name in the server's certificate (default: the endpoint's host)");
    command.add_flag("--insecure", typed.insecure, "tls://: whoever the server is")->group(group);
}

}  // namespace

void add_stream_security_options(CLI::App& command, security_options& typed)
{
    add_tls_options(command, typed);
    add_proxy_options(command, typed);
}

void add_security_options(CLI::App& command, security_options& typed)
{
    add_text(command, "--curve-server-key", typed.curve_server_key, "KEY|@FILE",
             "Encrypt: the peer is a CURVE server with this public key");
    command.add_flag("--curve-server", typed.curve_server, "Encrypt: be the CURVE server; needs --curve-secret")
        ->group(group);
    add_text(command, "--curve-secret", typed.curve_secret, "@FILE|env:NAME",
             fmt::format("Own secret key (default: env:{}; without that a client makes one for once)",
                         curve_secret_variable));
    add_text(command, "--curve-public", typed.curve_public, "KEY|@FILE",
             "Own public key (default: the one that belongs to the secret)");
    add_text(command, "--plain-user", typed.plain_user, "NAME", "Log in by name and password, unencrypted");
    add_text(command, "--plain-password", typed.plain_password, "@FILE|env:NAME",
             fmt::format("The password: the file's first line (default: env:{})", plain_password_variable));
    command.add_flag("--plain-server", typed.plain_server, "Ask peers for name and password; needs --auth")
        ->group(group);
    add_text(command, "--auth", typed.auth, "FILE", "Let in only peers that this file allows ('zlink auth --help')");
    add_stream_security_options(command, typed);
}

credentials::credentials(const security_options& typed) : auth_(typed.auth)
{
    if (typed.curve_server && typed.plain_server) {
        throw usage_failure("give --curve-server or --plain-server, not both");
    }
    if (!typed.curve_server_key.empty() && !typed.plain_user.empty()) {
        throw usage_failure("give --curve-server-key or --plain-user, not both");
    }
    read_curve(typed);
    read_plain(typed);
    read_tls(typed);
    read_socks(typed);
}

void credentials::read_socks(const security_options& typed)
{
    if (typed.socks_proxy.empty() && (!typed.socks_user.empty() || !typed.socks_password.empty())) {
        throw usage_failure(fmt::format("{} needs --socks-proxy HOST:PORT, the proxy to log in at",
                                        typed.socks_user.empty() ? "--socks-password" : "--socks-user"));
    }
    proxy_ = typed.socks_proxy;
    if (typed.socks_user.empty()) {
        if (!typed.socks_password.empty()) throw usage_failure("--socks-password needs --socks-user NAME");
        return;
    }
    if (typed.socks_user.size() > longest_user) {
        throw usage_failure(
            fmt::format("--socks-user takes up to {} octets, not {}", longest_user, typed.socks_user.size()));
    }
    proxy_user_ = typed.socks_user;
    proxy_password_ = read_password("--socks-password", typed.socks_password, socks_password_variable);
}

void credentials::set_socks(socket& target) const
{
    if (proxy_.empty()) return;
    target.set(ZMQ_SOCKS_PROXY, proxy_);
    if (proxy_user_.empty()) return;
    target.set(ZMQ_SOCKS_USERNAME, proxy_user_);
    set(target, ZMQ_SOCKS_PASSWORD, "ZMQ_SOCKS_PASSWORD", proxy_password_.text());
}

void credentials::read_tls(const security_options& typed)
{
    if (typed.insecure && (!typed.tls_ca.empty() || !typed.tls_host.empty())) {
        throw usage_failure(
            "--insecure asks nothing of the server's certificate; leave it out, or --tls-ca and --tls-host");
    }
    if (!typed.tls_key.empty() && typed.tls_cert.empty()) {
        throw usage_failure("--tls-key needs --tls-cert FILE, the certificate that it belongs to");
    }
    if (!typed.tls_key_password.empty() && typed.tls_cert.empty()) {
        throw usage_failure("--tls-key-password needs --tls-cert FILE, the certificate whose key it is of");
    }
    insecure_ = typed.insecure;
    if (!typed.tls_cert.empty()) {
        key_password_ = read_password("--tls-key-password", typed.tls_key_password, tls_key_password_variable);
    }
    const auto add = [&](int option, const std::string& value) {
        if (!value.empty()) tls_.emplace_back(option, value);
    };
    add(ZMQ_TLS_CA_FILE, typed.tls_ca);
    add(ZMQ_TLS_CERT_FILE, typed.tls_cert);
    add(ZMQ_TLS_KEY_FILE, typed.tls_key);
    add(ZMQ_TLS_HOSTNAME, typed.tls_host);
    if ((insecure_ || !tls_.empty()) && zmq_has("tls") == 0) {
        throw failure(fmt::format("{} has no tls; build it with OpenSSL, or leave --tls-... out", library_path()));
    }
}

void credentials::set_tls(socket& target) const
{
    for (const auto& [option, value] : tls_) {
        target.set(option, value);
    }
    if (!key_password_.empty()) {
        set(target, ZMQ_TLS_KEY_PASSWORD, "ZMQ_TLS_KEY_PASSWORD", key_password_.text());
    }
    if (insecure_) {
        target.set(ZMQ_TLS_VERIFY, 0);
    }
}

void credentials::read_curve(const security_options& typed)
{
    if (!typed.curve_server && typed.curve_server_key.empty()) {
        if (!typed.curve_secret.empty() || !typed.curve_public.empty()) {
            throw usage_failure(fmt::format("{} needs --curve-server-key KEY, the key of the server to talk to, or "
                                            "--curve-server to be the server",
                                            typed.curve_secret.empty() ? "--curve-public" : "--curve-secret"));
        }
        return;
    }
    need_curve();
    if (!typed.curve_server_key.empty()) {
        client_ = mechanism::curve;
        server_key_ = read_public_key("--curve-server-key", typed.curve_server_key);
    }
    secret_key_ = read_secret_key("--curve-secret", typed.curve_secret);
    if (typed.curve_server) {
        server_ = mechanism::curve;
        if (secret_key_.empty()) {
            throw usage_failure(fmt::format("--curve-server needs the server's secret key: --curve-secret @FILE or "
                                            "env:NAME, or the variable {}; 'zlink keygen NAME' makes keys",
                                            curve_secret_variable));
        }
    }
    const std::string given = typed.curve_public.empty() ? "" : read_public_key("--curve-public", typed.curve_public);
    if (secret_key_.empty()) {
        if (!given.empty()) {
            throw usage_failure(
                fmt::format("--curve-public needs its secret key, too: --curve-secret @FILE or env:NAME, "
                            "or the variable {}",
                            curve_secret_variable));
        }
        key_pair pair = new_key_pair();
        public_key_ = pair.public_key;
        secret_key_ = std::move(pair.secret_key);
        return;
    }
    public_key_ = public_key_of(secret_key_);
    if (!given.empty() && given != public_key_) {
        throw failure(fmt::format("--curve-public {} isn't the key that belongs to the secret, which is {}; leave the "
                                  "option out, or give the other secret",
                                  given, public_key_));
    }
}

void credentials::read_plain(const security_options& typed)
{
    if (typed.plain_server) {
        server_ = mechanism::plain;
        if (auth_.empty()) {
            throw usage_failure("--plain-server needs --auth FILE, a list of users: without one nobody is let in");
        }
    }
    if (typed.plain_user.empty()) {
        if (!typed.plain_password.empty()) {
            throw usage_failure("--plain-password needs --plain-user NAME; a server's users are in the file of --auth");
        }
        return;
    }
    if (typed.plain_user.size() > longest_user) {
        throw usage_failure(
            fmt::format("--plain-user takes up to {} octets, not {}", longest_user, typed.plain_user.size()));
    }
    client_ = mechanism::plain;
    user_ = typed.plain_user;
    password_ = read_password("--plain-password", typed.plain_password);
    if (password_.empty()) {
        throw usage_failure(fmt::format("--plain-user needs a password: --plain-password @FILE or env:NAME, or the "
                                        "variable {}",
                                        plain_password_variable));
    }
}

bool credentials::the_role_is_server() const
{
    if (server_ != mechanism::null && client_ != mechanism::null) {
        throw usage_failure(fmt::format("a socket is a server or a client: give {} or {}, not both",
                                        server_ == mechanism::curve ? "--curve-server" : "--plain-server",
                                        client_ == mechanism::curve ? "--curve-server-key" : "--plain-user"));
    }
    if (client_ != mechanism::null && !auth_.empty()) {
        throw usage_failure("--auth is for the server, which asks who its clients are; leave it out here");
    }
    return client_ == mechanism::null;
}

void credentials::set_keys(socket& target) const
{
    set(target, ZMQ_CURVE_PUBLICKEY, "ZMQ_CURVE_PUBLICKEY", public_key_);
    set(target, ZMQ_CURVE_SECRETKEY, "ZMQ_CURVE_SECRETKEY", secret_key_.text());
}

// The question about a client's certificate comes before the mechanism's, which NULL leaves out without a domain.
void credentials::ask_about_peers(socket& target, const auth_handler& handler, const endpoint_lists& endpoints) const
{
    const auto over_tls = [](const std::string& at) { return at.starts_with("tls://") || at.starts_with("wss://"); };
    const bool tls_alone =
        !endpoints.bind.empty() && endpoints.connect.empty() && std::ranges::all_of(endpoints.bind, over_tls);
    const bool by_certificate = handler.knows_certificates() && std::ranges::any_of(endpoints.bind, over_tls);
    const bool by_mechanism = server_ != mechanism::null || handler.allows_null();
    if (!by_mechanism && !(by_certificate && tls_alone)) {
        throw failure(fmt::format("--auth {}: without --curve-server or --plain-server peers show no credentials, and "
                                  "the file lets in none of "
                                  "those; give one of them, {}or add the line 'null'",
                                  auth_,
                                  handler.knows_certificates() ? "listen at tls:// and wss:// endpoints alone, " : ""));
    }
    target.set(ZMQ_ZAP_ENFORCE_DOMAIN, 1);  // should the handler end, nobody is let in
    if (by_certificate) {
        target.set(ZMQ_TLS_ZAP_CLIENT_CERT, 1);
    }
    if (by_mechanism) {
        set(target, ZMQ_ZAP_DOMAIN, "ZMQ_ZAP_DOMAIN", zap_domain);
    }
}

void credentials::make_server(socket& target, const std::optional<auth_handler>& handler,
                              const endpoint_lists& endpoints) const
{
    set_tls(target);
    set_socks(target);
    if (handler) {
        ask_about_peers(target, *handler, endpoints);
    }
    if (server_ == mechanism::plain) {
        target.set(ZMQ_PLAIN_SERVER, 1);
    } else if (server_ == mechanism::curve) {
        target.set(ZMQ_CURVE_SERVER, 1);
        set_keys(target);
    }
}

void credentials::make_client(socket& target) const
{
    set_tls(target);
    set_socks(target);
    if (client_ == mechanism::plain) {
        set(target, ZMQ_PLAIN_USERNAME, "ZMQ_PLAIN_USERNAME", user_);
        set(target, ZMQ_PLAIN_PASSWORD, "ZMQ_PLAIN_PASSWORD", password_.text());
    } else if (client_ == mechanism::curve) {
        set(target, ZMQ_CURVE_SERVERKEY, "ZMQ_CURVE_SERVERKEY", server_key_);
        set_keys(target);
    }
}

void credentials::start_handler(std::optional<auth_handler>& handler, const context& owner, bool quiet,
                                bool verbose) const
{
    if (auth_.empty()) {
        return;
    }
    handler.emplace(owner, auth_, quiet, verbose);
}

}  // namespace zlink::tool
