# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# fuzz/<name>_fuzz.cpp becomes build-fuzz/bin/<name>_fuzz, linked with those objects of the library that it needs.
# Its corpus is fuzz/corpus/<name>/; in other builds ctest replays it (tests/CMakeLists.txt).
#
# ZLINK_FUZZ_ENGINE is what is linked in place of libFuzzer (.clusterfuzzlite/build.sh); then the environment's flags
# instrument the code. ZLINK_FUZZ_COVERAGE lets each run tell which lines it has met (docs/fuzzing.md).

if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "libFuzzer comes with clang: configure with `cmake --preset fuzz`")
endif()

set(ZLINK_FUZZ_ENGINE "" CACHE STRING "What runs the fuzz targets; libFuzzer if empty")
set(zlink_fuzz_options -fsanitize=fuzzer-no-link)
set(zlink_fuzz_engine -fsanitize=fuzzer)
if(ZLINK_FUZZ_ENGINE)
    set(zlink_fuzz_options "")
    separate_arguments(zlink_fuzz_engine UNIX_COMMAND "${ZLINK_FUZZ_ENGINE}")
endif()
if(ZLINK_FUZZ_COVERAGE)
    list(APPEND zlink_fuzz_options -fprofile-instr-generate -fcoverage-mapping)
    list(APPEND zlink_fuzz_engine -fprofile-instr-generate)
endif()

set(zlink_fuzzed "")
foreach(folder IN ITEMS base load message crypto pipe zmtp zws socks shm wire pattern runtime transport engine socket stats c_api
        cpp_api)
    get_target_property(type zlink_${folder} TYPE)
    if(type STREQUAL "OBJECT_LIBRARY")
        target_compile_options(zlink_${folder} PRIVATE ${zlink_fuzz_options})
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
    zlink_use_tls(zlink_fuzzed LINKED)  # a target is one file
    if(ZLINK_TLS)
        target_compile_options(zlink_openssl PRIVATE ${zlink_fuzz_options})
    endif()
    target_link_libraries(zlink_fuzzed PUBLIC zlink_sodium PRIVATE zlink_flags)
endif()

include(cmake/tool_pure.cmake)
target_compile_options(zlink_tool_pure PRIVATE ${zlink_fuzz_options})

include(cmake/fuzz_targets.cmake)
foreach(source IN LISTS zlink_fuzz_targets)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_include_directories(${name} PRIVATE ${zlink_include_root} ${PROJECT_SOURCE_DIR}/include)
    target_compile_options(${name} PRIVATE ${zlink_fuzz_options})
    target_link_libraries(${name} PRIVATE zlink_flags zlink_fuzzed zlink_tool_pure Threads::Threads
        ${zlink_fuzz_engine})
    zlink_fuzz_needs(${name})
endforeach()
