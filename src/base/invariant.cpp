#include "base/invariant.hpp"

#include <cstdio>
#include <cstdlib>

namespace zlink {

void invariant_broken(const std::source_location& where) noexcept
{
    std::fprintf(stderr, "zlink: broken invariant: %s:%u: %s\n", where.file_name(), unsigned(where.line()),
                 where.function_name());
    std::abort();
}

}  // namespace zlink
