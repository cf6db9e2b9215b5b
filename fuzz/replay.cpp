// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Stands in for libFuzzer where there is none: feeds the files and folders it is given to the fuzz target, after an
// empty input. Prints how many; a bad input ends it as it would end the fuzzer.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

bool replay(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> octets{std::istreambuf_iterator<char>(file), {}};
    if (!file) return false;
    // A copy of its own, so that a sanitizer sees reads past its end; the name is the last line if there is one.
    const std::vector<std::uint8_t> input(octets.begin(), octets.end());
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);
    (void)LLVMFuzzerTestOneInput(input.data(), input.size());
    return true;
}

}  // namespace

int main(int argc, char** argv)
{
    std::size_t inputs = 1;
    (void)LLVMFuzzerTestOneInput(nullptr, 0);
    for (int i = 1; i < argc; ++i) {
        std::vector<std::filesystem::path> paths{argv[i]};
        if (std::filesystem::is_directory(argv[i])) {
            paths.assign(std::filesystem::directory_iterator(argv[i]), std::filesystem::directory_iterator());
        }
        for (const auto& path : paths) {
            if (!replay(path)) {
                std::fprintf(stderr, "cannot read %s\n", path.c_str());
                return 1;
            }
            ++inputs;
        }
    }
    std::printf("%zu inputs\n", inputs);
    return inputs > 1 ? 0 : 1;
}
