// A number that nobody outside of this process knows, for hashes of what strangers choose.
#pragma once

#include <cstdint>

namespace zlink {

/// The same whenever it is asked for. Needs no system call and cannot fail.
[[nodiscard]] std::uint64_t process_secret() noexcept;

}  // namespace zlink
