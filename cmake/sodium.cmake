# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# libsodium, which src/crypto wraps. zlink_sodium is what a program links that holds our objects; without CURVE it is
# empty, and so is src/crypto.

add_library(zlink_sodium INTERFACE)
if(ZLINK_CURVE)
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(zlink_libsodium QUIET libsodium)
    if(NOT zlink_libsodium_FOUND)
        message(FATAL_ERROR
                "zlink needs libsodium for CURVE: apt-get install libsodium-dev. Or build without: -DZLINK_CURVE=OFF.")
    endif()
    target_include_directories(zlink_sodium SYSTEM INTERFACE ${zlink_libsodium_INCLUDE_DIRS})
    target_link_libraries(zlink_sodium INTERFACE ${zlink_libsodium_LINK_LIBRARIES})
    target_compile_definitions(zlink_flags INTERFACE ZLINK_CURVE)
endif()
