# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Tracing points. AUTO: they are there if their header is.
include(CheckIncludeFileCXX)
if(ZLINK_USDT)
    check_include_file_cxx(sys/sdt.h ZLINK_HAS_SDT_H)
    if(ZLINK_HAS_SDT_H)
        set(ZLINK_USDT ON)
    elseif(ZLINK_USDT STREQUAL "AUTO")
        message(STATUS "zlink: no tracing points, as sys/sdt.h is missing (apt-get install systemtap-sdt-dev)")
        set(ZLINK_USDT OFF)
    else()
        message(FATAL_ERROR
                "zlink needs sys/sdt.h for tracing points: apt-get install systemtap-sdt-dev. Or build without: "
                "-DZLINK_USDT=OFF.")
    endif()
endif()
