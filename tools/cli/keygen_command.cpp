// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink keygen: CURVE keys, printed or as files, and certificates for trials of tls. A secret is written to a file of
// its own mode before it gets its name, and takes no name that is taken.
#include "cli/command.hpp"

#include "support/failure.hpp"
#include "support/key_file.hpp"
#include "support/key_source.hpp"
#include "support/status_line.hpp"
#include "support/trial_certificates.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace zlink::tool {
namespace {

constexpr mode_t for_everybody = 0644;
constexpr mode_t for_the_owner = 0600;

struct keygen_options {
    std::string name;
    std::string format = "zpl";
    std::string public_of;
    bool force = false;
    std::string tls;
    std::vector<std::string> hosts;
};

[[noreturn]] void fail_writing(const std::string& path, int error)
{
    if (error == EEXIST) {
        throw failure(fmt::format("{} is there already; choose another name, or --force replaces it", path));
    }
    throw failure(fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

bool write_all(int file, std::string_view text)
{
    while (!text.empty()) {
        const auto written = ::write(file, text.data(), text.size());
        if (written < 0 && errno != EINTR) {
            return false;
        }
        text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
    return ::fsync(file) == 0 || errno == EINVAL;
}

// All of it under that name, or nothing.
void write_file(const std::string& path, std::string_view text, mode_t mode, bool force)
{
    std::string draft = path + ".XXXXXX";
    const int file = ::mkostemp(draft.data(), O_CLOEXEC);  // mode 0600
    if (file < 0) {
        fail_writing(path, errno);
    }
    int error = write_all(file, text) && ::fchmod(file, mode) == 0 ? 0 : errno;
    if (::close(file) != 0 && error == 0) {
        error = errno;
    }
    // link() refuses a name that is taken, rename() takes it over.
    if (error == 0 && (force ? ::rename(draft.c_str(), path.c_str()) : ::link(draft.c_str(), path.c_str())) != 0) {
        error = errno;
    }
    ::unlink(draft.c_str());
    if (error != 0) {
        fail_writing(path, error);
    }
}

void check_free(const std::string& path)
{
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0) {
        fail_writing(path, EEXIST);
    }
}

exit_status print(const std::string& line)
{
    const bool printed = std::fwrite(line.data(), 1, line.size(), stdout) == line.size() && std::fflush(stdout) == 0;
    return printed ? exit_status::success : throw failure("the keys could not be printed; check standard output");
}

exit_status make_files(const keygen_options& options)
{
    const std::string hidden = options.name + "_secret";
    if (!options.force) {
        check_free(options.name);
        check_free(hidden);
    }
    const key_pair pair = new_key_pair();
    const auto slash = options.name.rfind('/');
    const std::string name = slash == std::string::npos ? options.name : options.name.substr(slash + 1);
    const bool zpl = options.format == "zpl";
    const secret private_text(zpl ? certificate_text(name, pair.public_key, pair.secret_key.text())
                                  : pair.secret_key.text() + "\n");
    write_file(hidden, private_text.text(), for_the_owner, options.force);
    try {
        write_file(options.name, zpl ? certificate_text(name, pair.public_key, "") : pair.public_key + "\n",
                   for_everybody, options.force);
    } catch (const failure&) {
        if (!options.force) {
            ::unlink(hidden.c_str());  // half a pair is of no use
        }
        throw;
    }
    say("{}: public key, to give to the peers; {}: secret key, to keep\n", options.name, hidden);
    return print(fmt::format("public {}\n", pair.public_key));
}

exit_status make_certificates(const keygen_options& options)
{
    if (!options.name.empty() || !options.public_of.empty()) {
        throw usage_failure("--tls makes certificates, not keys of CURVE: leave NAME and --public-of out");
    }
    std::vector<std::string> hosts = options.hosts;
    if (hosts.empty()) {
        hosts = {"localhost", "127.0.0.1", "::1"};
    }
    if (::mkdir(options.tls.c_str(), 0700) != 0 && errno != EEXIST) {
        throw failure(fmt::format("cannot make the directory {}: {}", options.tls, std::strerror(errno)));
    }
    const std::vector<trial_file> files = make_trial_certificates(hosts);
    for (const trial_file& file : files) {
        if (!options.force) {
            check_free(options.tls + "/" + file.name);
        }
    }
    for (const trial_file& file : files) {
        write_file(options.tls + "/" + file.name, file.text.text(), file.is_secret ? for_the_owner : for_everybody,
                   options.force);
    }
    say("{0}: ca.pem vouches for the others, and its key is gone; who binds takes --tls-cert {0}/server.pem --tls-key "
        "{0}/server.key, who connects --tls-ca {0}/ca.pem\n",
        options.tls);
    return exit_status::success;
}

exit_status generate(const keygen_options& options)
{
    if (!options.tls.empty()) {
        return make_certificates(options);
    }
    if (!options.hosts.empty()) {
        throw usage_failure("--host is a name in the certificates of --tls DIR");
    }
    if (!options.public_of.empty()) {
        if (!options.name.empty()) {
            throw usage_failure("give NAME or --public-of, not both: one makes keys, the other makes none");
        }
        return print(fmt::format("{}\n", public_key_of(read_secret_key("--public-of", options.public_of))));
    }
    if (!options.name.empty()) {
        return make_files(options);
    }
    const key_pair pair = new_key_pair();
    const secret lines(fmt::format("public {}\nsecret {}\n", pair.public_key, pair.secret_key.text()));
    return print(lines.text());
}

}  // namespace

void add_keygen_command(command_line& line)
{
    auto* command = add_command(line, "keygen", "Make CURVE keys, or certificates for trials of tls");
    auto options = std::make_shared<keygen_options>();
    command->add_option("NAME", options->name,
                        "Write the files NAME (public) and NAME_secret (mode 0600); without it the keys are printed");
    command
        ->add_option("--format", options->format,
                     "Of the files: zpl (CZMQ's certificates, which pyzmq reads as well) or z85 (the key alone)")
        ->check(unnamed(CLI::IsMember({"zpl", "z85"})))
        ->type_name("FORMAT")
        ->capture_default_str();
    command->add_option("--public-of", options->public_of, "Print the public key of this secret key instead")
        ->type_name("@FILE|env:NAME");
    command
        ->add_option("--tls", options->tls,
                     "Write into this directory instead: ca.pem, and server and client certificates (.pem, .key)")
        ->type_name("DIR");
    command
        ->add_option("--host", options->hosts,
                     "With --tls: name or address of the server (default: localhost, 127.0.0.1, ::1)")
        ->type_name("NAME");
    command->add_flag("--force", options->force, "Replace files that are there");
    command->footer(
        "Examples:\n"
        "  zlink keygen                          print a pair, in Z85\n"
        "  zlink keygen server                   write server and server_secret\n"
        "  zlink keygen --public-of @server_secret\n"
        "  zlink keygen --tls trial              write ca.pem, server.pem, server.key, client.pem, client.key\n"
        "Give keys that you type in single quotes: Z85 has characters that shells take for their own.");
    command->callback([options, &line] { line.chosen = [options] { return generate(*options); }; });
}

}  // namespace zlink::tool
