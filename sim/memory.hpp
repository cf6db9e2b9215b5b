// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Memory of a run: operator new and delete, and the library's own calls of malloc(). All that the program and the
// library have taken is listed, so what is left at the end is seen. In calls of the library memory may be short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace zlink::sim {

/// The program and the library have, and the simulation does not.
struct memory_left {
    std::size_t blocks = 0, octets = 0;
    std::string places;  ///< a line for each, of the first ones: octets, number of the allocation, who has called
};

/// What was taken since the world began and has not been given back. Left out are static objects, and what the library
/// keeps for the next one who needs it: memory of sockets, waiters, counters.
[[nodiscard]] memory_left left_in_memory();

/// While it is there the current fiber is in a call of the library, where memory may be short.
class library_call {
public:
    library_call() noexcept;
    ~library_call();
    library_call(const library_call&) = delete;
    library_call& operator=(const library_call&) = delete;

private:
    bool before_;
};

}  // namespace zlink::sim
