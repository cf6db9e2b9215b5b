#include "crypto/box_functions.hpp"

namespace zlink::crypto {

const box_functions* avx2_box() noexcept
{
    return nullptr;
}

}  // namespace zlink::crypto
