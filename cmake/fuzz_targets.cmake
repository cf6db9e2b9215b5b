# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Which fuzz targets there are, and what they need besides the library: for the fuzzers (cmake/fuzz.cmake) and for
# ctest, which replays their seeds (tests/CMakeLists.txt).

file(GLOB zlink_fuzz_targets CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/*_fuzz.cpp)
if(NOT ZLINK_CURVE)
    list(FILTER zlink_fuzz_targets EXCLUDE REGEX "/(box|curve)[^/]*$")
endif()
if(NOT ZLINK_TLS)
    list(FILTER zlink_fuzz_targets EXCLUDE REGEX "/tls[^/]*$")
endif()

# Streams in memory, and a table of transports that go over them in place of the library's.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/memory_transport/*.cpp)
list(FILTER sources EXCLUDE REGEX "/memory_registry")
add_library(fuzz_streams OBJECT EXCLUDE_FROM_ALL ${sources} ${PROJECT_SOURCE_DIR}/fuzz/memory_registry.cpp)
target_include_directories(fuzz_streams PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(fuzz_streams PRIVATE zlink_transport)
if(ZLINK_TLS)
    target_compile_definitions(fuzz_streams PRIVATE ZLINK_TLS)
endif()

function(zlink_fuzz_needs target)
    if(target MATCHES "socket_fuzz$")
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:fuzz_streams>)
    endif()
    if(target MATCHES "^tls_socket")
        target_link_libraries(${target} PRIVATE OpenSSL::SSL)
    endif()
endfunction()
