#include "runtime/crowding.hpp"

#include <time.h>

namespace zlink::runtime {

crowding::clock::duration crowding::own_time() noexcept
{
    timespec t{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

crowding& crowding::of_process() noexcept
{
    static crowding the_one;
    return the_one;
}

}  // namespace zlink::runtime
