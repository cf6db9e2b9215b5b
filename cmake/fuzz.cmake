# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# fuzz/<name>_fuzz.cpp becomes build-fuzz/bin/<name>_fuzz, linked with those objects of the library that it needs.
# Its corpus is fuzz/corpus/<name>/; in other builds ctest replays it (tests/CMakeLists.txt).

if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "libFuzzer comes with clang: configure with `cmake --preset fuzz`")
endif()

set(zlink_fuzzed "")
foreach(folder IN ITEMS base load message crypto pipe zmtp zws socks wire pattern runtime transport engine socket stats c_api
        cpp_api)
    get_target_property(type zlink_${folder} TYPE)
    if(type STREQUAL "OBJECT_LIBRARY")
        target_compile_options(zlink_${folder} PRIVATE -fsanitize=fuzzer-no-link)
        list(APPEND zlink_fuzzed $<TARGET_OBJECTS:zlink_${folder}>)
    endif()
    set_target_properties(zlink_${folder} PROPERTIES EXCLUDE_FROM_ALL ON)
endforeach()
if(zlink_fuzzed)
    add_library(zlink_fuzzed STATIC ${zlink_fuzzed})
    set_target_properties(zlink_fuzzed PROPERTIES LINKER_LANGUAGE CXX)
else()
    add_library(zlink_fuzzed INTERFACE)
endif()

if(zlink_fuzzed)
    zlink_use_tls(zlink_fuzzed MODULE)
    target_link_libraries(zlink_fuzzed PUBLIC zlink_sodium PRIVATE zlink_flags)
endif()

include(cmake/tool_pure.cmake)
target_compile_options(zlink_tool_pure PRIVATE -fsanitize=fuzzer-no-link)

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/*_fuzz.cpp)
if(NOT ZLINK_CURVE)
    list(FILTER sources EXCLUDE REGEX "/(box|curve)[^/]*$")
endif()
if(NOT ZLINK_TLS)
    list(FILTER sources EXCLUDE REGEX "/tls[^/]*$")
endif()
foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_include_directories(${name} PRIVATE ${zlink_include_root} ${PROJECT_SOURCE_DIR}/include)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(${name} PRIVATE zlink_flags zlink_fuzzed zlink_tool_pure Threads::Threads)
endforeach()
