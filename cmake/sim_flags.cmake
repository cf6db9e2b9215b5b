# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# The simulation (docs/simulation.md) compiles the library as for ThreadSanitizer: each atomic access is a call of
# __tsan_atomic..., which sim/ defines in place of the sanitizer's own library. So a fiber may lose its turn there. The
# source is the same as without: it must not see that it is instrumented.

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(FATAL_ERROR "the simulation needs GCC: configure with `cmake --preset sim`")
endif()
add_compile_options(-fsanitize=thread -U__SANITIZE_THREAD__ -Wno-tsan)
