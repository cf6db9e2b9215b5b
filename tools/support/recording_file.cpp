// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "support/recording_file.hpp"

#include "support/failure.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace zlink::tool {
namespace {

int keep_open(std::FILE*)
{
    return 0;
}

std::FILE* open_new(const std::string& path, bool overwrite)
{
    if (path == "-") {
        if (isatty(STDOUT_FILENO) == 1) {
            throw failure("a recording is binary and standard output is a terminal; give a file, or a pipe behind '-'",
                          exit_status::usage);
        }
        return fdopen(dup(STDOUT_FILENO), "wb");
    }
    const int descriptor =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (overwrite ? O_TRUNC : O_EXCL), 0666);  // less the umask
    if (descriptor < 0) {
        throw failure(
            fmt::format("cannot write {}: {}; {}", path, std::strerror(errno),
                        errno == EEXIST ? "give another name, or --overwrite" : "give a path that can be written"));
    }
    return fdopen(descriptor, "wb");
}

}  // namespace

recording_file::recording_file(const std::string& path, bool overwrite) : path_(path), file_(open_new(path, overwrite))
{
    if (!file_) {
        fail();
    }
}

void recording_file::fail() const
{
    throw failure(fmt::format("cannot write {}: {}; what is in it so far is whole up to the last message", path_,
                              std::strerror(errno)));
}

void recording_file::write(std::string_view octets)
{
    if (std::fwrite(octets.data(), 1, octets.size(), file_.get()) != octets.size()) {
        fail();
    }
}

void recording_file::flush()
{
    if (std::fflush(file_.get()) != 0) {
        fail();
    }
}

void recording_file::close()
{
    if (std::fclose(file_.release()) != 0) {
        fail();
    }
}

octet_file::octet_file(const std::string& path)
    : path_(path),
      file_(path == "-" ? stdin : std::fopen(path.c_str(), "rbe"), path == "-" ? keep_open : std::fclose)
{
    if (!file_) {
        throw failure(fmt::format("cannot read {}: {}; check the path", path, std::strerror(errno)));
    }
}

std::size_t octet_file::read(char* to, std::size_t size)
{
    const std::size_t got = std::fread(to, 1, size, file_.get());
    if (got == 0 && std::ferror(file_.get()) != 0) {
        throw failure(fmt::format("cannot read {}: {}", path_, std::strerror(errno)));
    }
    return got;
}

}  // namespace zlink::tool
