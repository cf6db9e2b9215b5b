# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Asio, used header-only, which looks names up: Boost's, the standalone one, or none. Without Asio a thread of zlink's
# does the same (src/runtime/threaded_lookups.cpp). Looks for headers rather than for packages of CMake, as not all
# distributions have those.

set(ZLINK_ASIO AUTO CACHE STRING "What looks names up (BOOST, STANDALONE, OFF, or AUTO: the first that is there)")
set_property(CACHE ZLINK_ASIO PROPERTY STRINGS AUTO BOOST STANDALONE OFF)
string(TOUPPER "${ZLINK_ASIO}" zlink_asio_wanted)
if(zlink_asio_wanted STREQUAL "ON")
    set(zlink_asio_wanted AUTO)
endif()
if(NOT zlink_asio_wanted MATCHES "^(AUTO|BOOST|STANDALONE|OFF)$")
    message(FATAL_ERROR "ZLINK_ASIO is BOOST, STANDALONE, OFF or AUTO, not '${ZLINK_ASIO}'.")
endif()

# zlink_header_version(<variable> <folder> <file> <macro>): the number that the header defines, or 0.
function(zlink_header_version variable folder file macro)
    set(version 0)
    if(folder AND EXISTS ${folder}/${file})
        file(STRINGS ${folder}/${file} line REGEX "#define ${macro} [0-9]+")
        string(REGEX MATCH "${macro} ([0-9]+)" line "${line}")
        if(CMAKE_MATCH_1)
            set(version ${CMAKE_MATCH_1})
        endif()
    endif()
    set(${variable} ${version} PARENT_SCOPE)
endfunction()

set(zlink_asio_found OFF)
set(zlink_asio_seen "")
if(zlink_asio_wanted MATCHES "^(AUTO|BOOST)$")
    find_path(Boost_INCLUDE_DIR boost/asio.hpp)
    zlink_header_version(version "${Boost_INCLUDE_DIR}" boost/version.hpp BOOST_VERSION)
    string(APPEND zlink_asio_seen " Boost: ${version}.")
    if(version GREATER_EQUAL 107400)
        set(zlink_asio_found BOOST)
    endif()
endif()
if(NOT zlink_asio_found AND zlink_asio_wanted MATCHES "^(AUTO|STANDALONE)$")
    find_path(ZLINK_ASIO_INCLUDE_DIR asio.hpp)
    mark_as_advanced(ZLINK_ASIO_INCLUDE_DIR)
    zlink_header_version(version "${ZLINK_ASIO_INCLUDE_DIR}" asio/version.hpp ASIO_VERSION)
    string(APPEND zlink_asio_seen " Asio: ${version}.")
    if(version GREATER_EQUAL 101800)
        set(zlink_asio_found STANDALONE)
    endif()
endif()

if(NOT zlink_asio_found AND NOT zlink_asio_wanted MATCHES "^(AUTO|OFF)$")
    message(FATAL_ERROR "ZLINK_ASIO=${ZLINK_ASIO} needs headers of Boost 1.74 or Asio 1.18, or newer (found:"
        "${zlink_asio_seen} 0: none). Debian and Ubuntu: apt-get install libboost-dev or libasio-dev. Elsewhere: "
        "-DBoost_INCLUDE_DIR= or -DZLINK_ASIO_INCLUDE_DIR=<directory>. Without either: -DZLINK_ASIO=OFF.")
endif()

# The program's own Asio, of whatever version and with whatever settings, is another one. Ours has a namespace of its
# own, also in the static library. Per-thread pointers of Asio are thread-local memory everywhere, as on x86. A pthread
# key, which is what other processors get, is deleted when the process ends while I/O threads still use it.
add_library(zlink_asio INTERFACE)
if(zlink_asio_found STREQUAL "BOOST")
    target_include_directories(zlink_asio SYSTEM INTERFACE ${Boost_INCLUDE_DIR})
    target_compile_definitions(zlink_asio INTERFACE BOOST_ASIO_HEADER_ONLY BOOST_ASIO_NO_DEPRECATED
        BOOST_ASIO_DISABLE_VISIBILITY BOOST_ASIO_HAS_THREAD_KEYWORD_EXTENSION=1 asio=zlink_asio)
elseif(zlink_asio_found STREQUAL "STANDALONE")
    target_include_directories(zlink_asio SYSTEM INTERFACE ${ZLINK_ASIO_INCLUDE_DIR})
    target_compile_definitions(zlink_asio INTERFACE ZLINK_ASIO_STANDALONE ASIO_STANDALONE ASIO_HEADER_ONLY
        ASIO_NO_DEPRECATED ASIO_DISABLE_VISIBILITY ASIO_HAS_THREAD_KEYWORD_EXTENSION=1 asio=zlink_asio)
endif()
if(PROJECT_IS_TOP_LEVEL)
    message(STATUS "zlink: names are looked up by Asio: ${zlink_asio_found}")
endif()
