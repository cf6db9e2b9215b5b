// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Certificates for tests of tls, made by the command openssl when they are first asked for, and gone with the process.
#pragma once

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace zlink::test {

/// Of the command's standard output and error; a failure is reported.
inline std::string output_of(const std::string& command)
{
    std::FILE* const output = ::popen((command + " 2>&1").c_str(), "r");
    if (output == nullptr) {
        ADD_FAILURE() << "cannot start " << command;
        return {};
    }
    std::string text;
    char piece[1024];
    while (const std::size_t n = std::fread(piece, 1, sizeof piece, output)) text.append(piece, n);
    if (::pclose(output) != 0) ADD_FAILURE() << command << ":\n" << text;
    return text;
}

inline std::string content_of(const std::string& file)
{
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

/// A certificate and its key, files of PEM.
struct certificate {
    std::string file;
    std::string key;
};

/// An authority that vouches for certificates of this process' hosts.
class authority {
public:
    authority()
    {
        char name[] = "/tmp/zlink-tls-XXXXXX";
        if (::mkdtemp(name) == nullptr) ADD_FAILURE() << "cannot make a directory";
        directory_ = name;
        output_of("openssl req -x509 " + new_key(path("ca.key")) + " -days 2 -subj '/CN=zlink test authority' -out " +
                  file());
    }
    authority(const authority&) = delete;
    authority& operator=(const authority&) = delete;
    ~authority()
    {
        std::error_code ignored;
        if (::getpid() == owner_) std::filesystem::remove_all(directory_, ignored);
    }

    [[nodiscard]] std::string file() const { return path("ca.pem"); }
    [[nodiscard]] std::string path(const std::string& name) const { return directory_ + "/" + name; }

    struct wish {
        std::string subject = "/CN=zlink test";
        std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1";
        std::string purpose = "serverAuth,clientAuth";
        int days = 2;
        std::time_t end = 0;  // to the second, in place of days
    };

    [[nodiscard]] certificate issue(const wish& what) const
    {
        const std::string number = std::to_string(next_++);
        const certificate made{path(number + ".pem"), path(number + ".key")};
        const std::string request = path(number + ".csr"), extensions = path(number + ".ext");
        std::ofstream(extensions) << "subjectAltName=" << what.names << "\nextendedKeyUsage=" << what.purpose << "\n";
        output_of("openssl req " + new_key(made.key) + " -subj '" + what.subject + "' -out " + request);
        if (what.end != 0) {
            sign_until(what.end, request, extensions, made.file);
        } else {
            output_of("openssl x509 -req -in " + request + " -CA " + file() + " -CAkey " + path("ca.key") +
                      " -set_serial " + number + " -days " + std::to_string(what.days) + " -extfile " + extensions +
                      " -out " + made.file);
        }
        return made;
    }
    [[nodiscard]] certificate issue() const { return issue(wish()); }

    /// One that all tests of a process may share; made once.
    static const authority& of_this_process()
    {
        static const authority it;
        return it;
    }
    static const certificate& shared_certificate()
    {
        static const certificate it = of_this_process().issue();
        return it;
    }

private:
    static std::string new_key(const std::string& file)
    {
        return "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout " + file;
    }

    // `openssl x509` knows days alone; `openssl ca` wants books to be kept.
    void sign_until(std::time_t end, const std::string& request, const std::string& extensions,
                    const std::string& to) const
    {
        const std::string books = to + ".ca";
        std::filesystem::create_directory(books);
        std::ofstream(books + "/index") << "";
        std::ofstream(books + "/serial") << "1000\n";
        std::ofstream(books + "/config") << "[ca]\ndefault_ca=own\n[own]\ndatabase=" << books
                                         << "/index\nserial=" << books << "/serial\nnew_certs_dir=" << books
                                         << "\ndefault_md=sha256\npolicy=any\n[any]\ncommonName=optional\n";
        std::tm utc{};
        char text[32] = "";
        std::strftime(text, sizeof text, "%Y%m%d%H%M%SZ", ::gmtime_r(&end, &utc));
        output_of("openssl ca -batch -config " + books + "/config -cert " + file() + " -keyfile " + path("ca.key") +
                  " -in " + request + " -extfile " + extensions + " -enddate " + text + " -out " + to);
    }

    const pid_t owner_ = ::getpid();
    std::string directory_;
    mutable std::atomic<int> next_{1};
};

}  // namespace zlink::test
