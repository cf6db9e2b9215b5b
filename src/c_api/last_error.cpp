// zlink_last_error(): failures in words.
#include "base/last_error.hpp"
#include "zlink.h"

const char* zlink_last_error(void)
{
    return zlink::last_failure();
}
