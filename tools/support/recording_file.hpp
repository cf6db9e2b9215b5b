// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Files of messages: one being written, one being read. '-' is standard output or input.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace zlink::tool {

// Being written. Throws a failure that names the file, the cause and the cure.
class recording_file {
public:
    recording_file(const std::string& path, bool overwrite);

    void write(std::string_view octets);
    void flush();
    void close();

private:
    struct closer {
        void operator()(std::FILE* file) const noexcept { std::fclose(file); }
    };
    [[noreturn]] void fail() const;

    std::string path_;
    std::unique_ptr<std::FILE, closer> file_;
};

// Being read: any file, from its beginning.
class octet_file {
public:
    // Throws a failure that names the file, the cause and the cure.
    explicit octet_file(const std::string& path);

    // Up to so many octets; 0 at the end. Throws a failure.
    std::size_t read(char* to, std::size_t size);

private:
    std::string path_;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace zlink::tool
