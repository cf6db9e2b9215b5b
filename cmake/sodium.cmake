# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# libsodium, which src/crypto wraps. zlink_sodium is what a program links that holds our objects; without CURVE it is
# empty, and so is src/crypto. pkg-config tells where libsodium is, if both are there; it is not needed.

add_library(zlink_sodium INTERFACE)
if(ZLINK_CURVE)
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
        pkg_check_modules(zlink_libsodium QUIET libsodium)
    endif()
    set(zlink_sodium_names sodium)
    if(ZLINK_SODIUM_STATIC)
        set(zlink_sodium_names libsodium.a)
        target_compile_definitions(zlink_sodium INTERFACE SODIUM_STATIC)
    endif()
    find_path(zlink_sodium_include sodium.h HINTS ${zlink_libsodium_INCLUDE_DIRS} NO_CACHE)
    find_library(zlink_sodium_library NAMES ${zlink_sodium_names} HINTS ${zlink_libsodium_LIBRARY_DIRS} NO_CACHE)
    if(NOT zlink_sodium_include OR NOT zlink_sodium_library)
        message(FATAL_ERROR
                "zlink needs libsodium for CURVE: apt-get install libsodium-dev. Or build without: -DZLINK_CURVE=OFF.")
    endif()
    target_include_directories(zlink_sodium SYSTEM INTERFACE ${zlink_sodium_include})
    target_link_libraries(zlink_sodium INTERFACE ${zlink_sodium_library})
    target_compile_definitions(zlink_flags INTERFACE ZLINK_CURVE)
endif()
