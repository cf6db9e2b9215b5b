# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Compiler and linker settings of everything in this build; nothing here reaches a project that includes us.

if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12) OR
   (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14))
    message(FATAL_ERROR "zlink needs GCC 12 or Clang 14, or newer; this is ${CMAKE_CXX_COMPILER_ID} "
        "${CMAKE_CXX_COMPILER_VERSION}. Another one: -DCMAKE_CXX_COMPILER=g++-12 -DCMAKE_C_COMPILER=gcc-12.")
endif()

if(PROJECT_IS_TOP_LEVEL)
    if(NOT CMAKE_BUILD_TYPE)
        set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
    endif()
    set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
    set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
    set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

    find_program(ZLINK_CCACHE ccache)
    mark_as_advanced(ZLINK_CCACHE)
    if(ZLINK_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
        # The sloppiness is what ccache asks for with precompiled headers, which the tests use. Clones in other folders
        # find each other's results.
        set(launcher ${CMAKE_COMMAND} -E env
            CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
            CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${ZLINK_CCACHE})
        set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
        set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
    endif()
endif()

set(CMAKE_CXX_EXTENSIONS OFF)

# Linked by every target of ours.
add_library(zlink_flags INTERFACE)
target_compile_features(zlink_flags INTERFACE cxx_std_20)
target_compile_options(zlink_flags INTERFACE -Wall -Wextra -Wshadow -fno-plt)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 and 13 see overflows inside std::string where there are none (GCC bugs 105329, 105651). GCC 14 thinks that
    # std::vector deletes what it has not allocated, if push_back() comes after reserve().
    target_compile_options(zlink_flags INTERFACE -Wno-restrict -Wno-stringop-overflow
        $<$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,14>:-Wno-free-nonheap-object>)
endif()
if(ZLINK_WERROR)
    target_compile_options(zlink_flags INTERFACE -Werror)
endif()

if(ZLINK_INVARIANTS)
    target_compile_definitions(zlink_flags INTERFACE ZLINK_INVARIANTS)
endif()

if(ZLINK_SANITIZE)
    target_compile_options(zlink_flags INTERFACE -fsanitize=${ZLINK_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(zlink_flags INTERFACE -fsanitize=${ZLINK_SANITIZE})
    if(ZLINK_SANITIZE MATCHES "undefined")
        # The vptr check opens a pipe to look at memory, so it cries wolf where tests run out of descriptors.
        target_compile_options(zlink_flags INTERFACE -fno-sanitize-recover=all -fno-sanitize=vptr)
    endif()
    if(ZLINK_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(zlink_flags INTERFACE -Wno-tsan)  # Boost's fences; ours are read-modify-writes there
    endif()
endif()
