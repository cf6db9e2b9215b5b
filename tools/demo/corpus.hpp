// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The real input of the demo: the bytes of files, from which the contents of all messages are cut.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::tool::demo {

// Largest content of a message.
constexpr std::size_t largest_content = std::size_t{1} << 20U;

class corpus {
public:
    // Takes the file as it is; it must hold more than largest_content bytes. Throws a failure.
    explicit corpus(const std::string& path);

    // size bytes from a place that place decides.
    std::string_view cut(std::uint64_t place, std::size_t size) const;

private:
    std::string bytes_;
};

// Which files stand for real input when the user names none: the sources around the executable, else a system file.
std::vector<std::string> default_inputs();

// Joins the files into one that is long enough for corpus; throws a failure for what can't be read.
// Returns how many bytes of input there were.
std::size_t gather(const std::vector<std::string>& inputs, const std::string& target);

}  // namespace zlink::tool::demo
