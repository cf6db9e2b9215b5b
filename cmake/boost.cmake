# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Boost.Asio, used header-only. Looks for the header rather than for Boost's CMake package: distributions differ in
# whether they ship one with the headers.

find_path(Boost_INCLUDE_DIR boost/asio.hpp)
set(zlink_boost_version 0)
if(Boost_INCLUDE_DIR)
    file(STRINGS ${Boost_INCLUDE_DIR}/boost/version.hpp line REGEX "#define BOOST_VERSION [0-9]+")
    string(REGEX MATCH "[0-9]+" zlink_boost_version "${line}")
endif()
if(zlink_boost_version LESS 108100)
    message(FATAL_ERROR "zlink needs the headers of Boost 1.81 or newer (found: ${zlink_boost_version}). "
        "Debian 12: apt-get install libboost1.81-dev. Ubuntu 24.04: apt-get install libboost1.83-dev. "
        "Elsewhere: -DBoost_INCLUDE_DIR=<directory that holds boost/asio.hpp>.")
endif()

# The program's own Boost.Asio, of whatever version and with whatever settings, is another one. Ours has a namespace of
# its own, also in the static library. Per-thread pointers of Asio are thread-local memory everywhere, as on x86. A
# pthread key, which is what other processors get, is deleted when the process ends while I/O threads still use it.
add_library(zlink_asio INTERFACE)
target_include_directories(zlink_asio SYSTEM INTERFACE ${Boost_INCLUDE_DIR})
target_compile_definitions(zlink_asio INTERFACE BOOST_ASIO_HEADER_ONLY BOOST_ASIO_NO_DEPRECATED
    BOOST_ASIO_DISABLE_VISIBILITY BOOST_ASIO_HAS_THREAD_KEYWORD_EXTENSION=1 asio=zlink_asio)
