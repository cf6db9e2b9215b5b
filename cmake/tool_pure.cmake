# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# tools/pure/: the parts of the command-line tool that need no socket and no library, its statistics and its parsers.
# Unit tests (tests/unit/tool) and fuzz targets link them, too.

file(GLOB zlink_tool_pure_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/pure/*.cpp)
add_library(zlink_tool_pure STATIC EXCLUDE_FROM_ALL ${zlink_tool_pure_sources})
target_include_directories(zlink_tool_pure PUBLIC ${PROJECT_SOURCE_DIR}/tools PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(zlink_tool_pure PRIVATE zlink_flags)
target_compile_options(zlink_tool_pure PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)  # GCC 12's bug 105651
