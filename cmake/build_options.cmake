# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# What is built: zlink's options, and libzmq's names for them. Each option is ON, OFF or AUTO. A value for zlink's name
# wins over one for libzmq's. AUTO is resolved each time CMake runs, so it is never a stale answer of the cache.
# docs/building.md has the table.

# zlink_option(<name> <what AUTO means> <text> [<libzmq's name>...])
function(zlink_option name automatic text)
    set(${name} AUTO CACHE STRING "${text} (ON, OFF or AUTO)")
    set_property(CACHE ${name} PROPERTY STRINGS AUTO ON OFF)
    set(value "${${name}}")
    if(value STREQUAL "AUTO")
        set(value ${automatic})
        foreach(theirs IN LISTS ARGN)
            if(DEFINED ${theirs})
                set(value "${${theirs}}")
                break()
            endif()
        endforeach()
    endif()
    if(value STREQUAL "AUTO")
        # left to the file that looks for what the option needs
    elseif(value)
        set(value ON)
    else()
        set(value OFF)
    endif()
    set(${name} ${value} PARENT_SCOPE)
endfunction()

# --- the library ----------------------------------------------------------------------------------------------------

zlink_option(ZLINK_SHARED ON "Build libzmq.so.5, the target libzmq" BUILD_SHARED)
zlink_option(ZLINK_STATIC ON "Build libzmq.a, the target libzmq-static" BUILD_STATIC)
if(NOT ZLINK_SHARED AND NOT ZLINK_STATIC)
    message(FATAL_ERROR "BUILD_SHARED and BUILD_STATIC are both OFF: nothing would be built.")
endif()

zlink_option(ZLINK_CURVE ON "Build the CURVE mechanism, which needs libsodium" ENABLE_CURVE WITH_LIBSODIUM)
if(ENABLE_CURVE AND ZLINK_CURVE AND DEFINED WITH_LIBSODIUM AND NOT WITH_LIBSODIUM)
    message(FATAL_ERROR "CURVE needs libsodium, but WITH_LIBSODIUM is OFF: set ENABLE_CURVE=OFF as well.")
endif()
zlink_option(ZLINK_SODIUM_STATIC OFF "Link libsodium.a into libzmq.so.5" WITH_LIBSODIUM_STATIC)
zlink_option(ZLINK_TLS AUTO "Build the tls transport, which needs OpenSSL 3" WITH_TLS)
zlink_option(ZLINK_USDT AUTO "Build tracing points (USDT), which need sys/sdt.h")
zlink_option(ZLINK_DRAFTS OFF "Let libzmq.pc define ZMQ_BUILD_DRAFT_API" ENABLE_DRAFTS)
zlink_option(ZLINK_STATIC_LIBSTDCXX OFF "Link libstdc++.a into libzmq.so.5")
zlink_option(ZLINK_WERROR ${PROJECT_IS_TOP_LEVEL} "Treat warnings as errors" LIBZMQ_WERROR)

set(ZLINK_SANITIZE "" CACHE STRING "Sanitizers for the whole build, for example address,undefined")
set(zlink_checks OFF)
if(PROJECT_IS_TOP_LEVEL AND (ZLINK_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug"))
    set(zlink_checks ON)
endif()
zlink_option(ZLINK_INVARIANTS ${zlink_checks} "Check what always has to hold, and abort where it does not")

# --- what comes with it: nothing in a project that includes zlink, unless it asks by zlink's names -------------------

set(zlink_their_tests "")
set(zlink_their_perf "")
set(zlink_their_manual "")
set(zlink_tools OFF)
set(zlink_tests OFF)
set(zlink_benchmarks OFF)
if(PROJECT_IS_TOP_LEVEL)
    set(zlink_their_tests ZMQ_BUILD_TESTS BUILD_TESTS)
    set(zlink_their_perf WITH_PERF_TOOL)
    set(zlink_their_manual WITH_DOC WITH_DOCS)

    # AUTO leaves out what would need a package that is missing.
    find_package(CLI11 QUIET)
    find_package(fmt QUIET)
    if(CLI11_FOUND AND fmt_FOUND)
        set(zlink_tools ON)
    endif()
    if(ZLINK_SHARED)
        set(zlink_benchmarks ON)
        find_package(GTest QUIET)
        if(ZLINK_STATIC AND GTest_FOUND AND zlink_tools AND EXISTS /usr/include/zmq.h AND NOT CMAKE_CROSSCOMPILING)
            set(zlink_tests ON)
        endif()
    endif()
endif()
zlink_option(ZLINK_BUILD_TOOLS ${zlink_tools} "Build the command-line tool, which needs CLI11 and fmt")
zlink_option(ZLINK_BUILD_TESTS ${zlink_tests} "Build the tests, which need GoogleTest and the system's libzmq"
    ${zlink_their_tests})
zlink_option(ZLINK_BUILD_BENCHMARKS ${zlink_benchmarks} "Build the comparison with libzmq")
zlink_option(ZLINK_BUILD_PERF ${PROJECT_IS_TOP_LEVEL} "Build local_thr, remote_thr and the like" ${zlink_their_perf})
set(zlink_prefixed OFF)
if(PROJECT_IS_TOP_LEVEL AND ZLINK_SHARED AND NOT ZLINK_SANITIZE)
    set(zlink_prefixed ON)
endif()
zlink_option(ZLINK_PREFIXED ${zlink_prefixed} "Build libzlink.so.0, every name of which begins with zlink_")
set(zlink_manual OFF)
if(PROJECT_IS_TOP_LEVEL AND EXISTS ${PROJECT_SOURCE_DIR}/tools/man_pages.py)  # packages may carry the library alone
    set(zlink_manual ON)
endif()
zlink_option(ZLINK_MANUAL ${zlink_manual} "Write the manual pages, which needs Python 3.11"
    ${zlink_their_manual})
zlink_option(ZLINK_BUILD_FUZZERS OFF "Build the fuzz targets alone (clang)")
zlink_option(ZLINK_FUZZ_COVERAGE OFF "Fuzz targets write down which lines they have met")
zlink_option(ZLINK_SIM OFF "Build the simulation alone (GCC, x86-64 or aarch64)")
zlink_option(ZLINK_INSTALL ${PROJECT_IS_TOP_LEVEL} "Generate install rules")

# Tests look into both libraries; the comparison and the tool run on whichever libzmq.so.5 the loader finds.
if(NOT (ZLINK_SHARED AND ZLINK_STATIC) AND ZLINK_BUILD_TESTS)
    message(STATUS "zlink: no tests, as they need both libraries")
    set(ZLINK_BUILD_TESTS OFF)
endif()
if(NOT ZLINK_SHARED)
    set(ZLINK_PREFIXED OFF)
    set(ZLINK_BUILD_TOOLS OFF)
    set(ZLINK_BUILD_BENCHMARKS OFF)
endif()

# --- libzmq's options without a meaning here ------------------------------------------------------------------------

set(zlink_passed_over "")
if(PROJECT_IS_TOP_LEVEL)
    # Their opposite would be true: ws and the draft API are always there, epoll is the only poller.
    if(DEFINED ENABLE_WS AND NOT ENABLE_WS)
        list(APPEND zlink_passed_over "ENABLE_WS=${ENABLE_WS} (ws is always there)")
    endif()
    if(DEFINED POLLER AND NOT POLLER MATCHES "^(epoll)?$")
        list(APPEND zlink_passed_over "POLLER=${POLLER} (it is epoll)")
    endif()
    foreach(theirs IN ITEMS WITH_NSS WITH_LIBBSD WITH_OPENPGM WITH_NORM WITH_VMCI WITH_MILITANT
            ENABLE_CPACK ENABLE_RADIX_TREE ENABLE_INTRINSICS ENABLE_EVENTFD LIBZMQ_PEDANTIC ZMQ_CV_IMPL)
        if(DEFINED ${theirs})
            list(APPEND zlink_passed_over "${theirs}=${${theirs}}")
        endif()
    endforeach()
endif()
if(zlink_passed_over)
    list(JOIN zlink_passed_over ", " zlink_passed_over)
    message(STATUS "zlink: without effect here: ${zlink_passed_over}")
endif()
