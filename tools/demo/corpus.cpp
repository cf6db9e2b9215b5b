// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Gathering happens once, in the demo itself; its peers read the one file that it leaves.
#include "demo/corpus.hpp"

#include "support/failure.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

namespace zlink::tool::demo {
namespace {

namespace files = std::filesystem;

constexpr std::size_t longest_corpus = std::size_t{16} << 20U;

std::string read_all(const std::string& path)
{
    std::error_code error;
    std::ifstream file(path, std::ios::binary);
    if (!file || files::is_directory(path, error)) {
        throw failure(fmt::format("cannot read {}: {}; give --input a readable file", path,
                                  file ? "it is a directory" : std::strerror(errno)));
    }
    std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return bytes;
}

void add_sources(const files::path& root, std::vector<std::string>& inputs)
{
    std::error_code error;
    for (const char* name : {"README.md", "include", "src", "docs"}) {
        const auto path = root / name;
        if (files::is_regular_file(path, error)) {
            inputs.push_back(path);
        }
        if (!files::is_directory(path, error)) {
            continue;
        }
        for (const auto& entry : files::recursive_directory_iterator(path, error)) {
            if (entry.is_regular_file(error)) {
                inputs.push_back(entry.path());
            }
        }
    }
    std::sort(inputs.begin(), inputs.end());
}

}  // namespace

corpus::corpus(const std::string& path) : bytes_(read_all(path))
{
    if (bytes_.size() <= largest_content) {
        throw failure(fmt::format("{} is too short for a corpus: {} bytes", path, bytes_.size()));
    }
}

std::string_view corpus::cut(std::uint64_t place, std::size_t size) const
{
    return std::string_view(bytes_).substr(place % (bytes_.size() - size), size);
}

std::vector<std::string> default_inputs()
{
    std::vector<std::string> inputs;
    std::error_code error;
    auto folder = files::read_symlink("/proc/self/exe", error).parent_path();
    for (int up = 0; up < 4 && inputs.empty() && folder.has_relative_path(); ++up, folder = folder.parent_path()) {
        if (files::exists(folder / "include" / "zlink.h", error) && files::exists(folder / "src", error)) {
            add_sources(folder, inputs);
        }
    }
    for (const char* fallback : {"/usr/share/dict/words", "/etc/services", "/proc/self/exe"}) {
        if (inputs.empty() && files::is_regular_file(fallback, error)) {
            inputs.emplace_back(fallback);
        }
    }
    return inputs;
}

std::size_t gather(const std::vector<std::string>& inputs, const std::string& target)
{
    std::string bytes;
    for (const auto& path : inputs) {
        bytes += read_all(path);
        if (bytes.size() >= longest_corpus) {
            bytes.resize(longest_corpus);
            break;
        }
    }
    const std::size_t size = bytes.size();
    if (size == 0) {
        throw failure("the input is empty; give --input a file with something in it");
    }
    while (bytes.size() <= 2 * largest_content) {
        bytes += bytes.substr(0, 2 * largest_content);
    }
    std::ofstream file(target, std::ios::binary);
    if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush()) {
        throw failure(fmt::format("cannot write {}: {}; is the disk full?", target, std::strerror(errno)));
    }
    return size;
}

}  // namespace zlink::tool::demo
