// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Room in a vector that is appended to again and again. reserve(size() + n) asks for exactly that much: so each append
// moves all that is there, and n of them take n * n steps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace zlink {

/// Room for `more` elements behind the last. The room at least doubles if it grows. May throw std::bad_alloc.
template <class T>
void grow_for(std::vector<T>& v, std::size_t more)
{
    if (v.capacity() - v.size() < more) v.reserve(std::max(v.size() + more, 2 * v.capacity()));
}

}  // namespace zlink
