# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# zlink_folder(<name> [<folder it may include>...] [asio] [public])
#
# Makes the target zlink_<name> of src/<name>: an object library, or an interface library while the folder holds
# headers only. Every folder sees base. `asio` admits Asio to its own files, `public` the public headers.

set(zlink_include_root ${PROJECT_SOURCE_DIR}/src)
set(zlink_public_root ${PROJECT_SOURCE_DIR}/include)
set(zlink_object_targets "")

function(zlink_folder name)
    set(target zlink_${name})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${zlink_include_root}/${name}/*.cpp)
    if(name STREQUAL "crypto" AND NOT ZLINK_CURVE)
        set(sources "")
    endif()
    if(zlink_asio_found)
        list(FILTER sources EXCLUDE REGEX "/runtime/threaded_lookups\\.cpp$")
    else()
        list(FILTER sources EXCLUDE REGEX "/runtime/asio_lookups\\.cpp$")
    endif()
    # The TLS library's part, and where it comes from: cmake/tls.cmake.
    list(FILTER sources EXCLUDE REGEX "/transport/tls/(openssl/.*|module_loader|linked_provider)\\.cpp$")
    if(NOT ZLINK_TLS)
        list(FILTER sources EXCLUDE REGEX "/transport/(tls|wss)/.*\\.cpp$")
    endif()
    if(ZLINK_CURVE)
        list(FILTER sources EXCLUDE REGEX "/c_api/curve_unavailable\\.cpp$")
    else()
        list(FILTER sources EXCLUDE REGEX "/(zmtp/mechanism/curve_[a-z]+|c_api/curve|socket/options_curve)\\.cpp$")
    endif()

    if(sources)
        add_library(${target} OBJECT ${sources})
        set(scope PUBLIC)
        target_compile_options(${target} PRIVATE -fno-semantic-interposition)
        set_target_properties(${target} PROPERTIES
            POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
        set(zlink_object_targets ${zlink_object_targets} ${target} PARENT_SCOPE)
    else()
        add_library(${target} INTERFACE)
        set(scope INTERFACE)
    endif()

    if(ZLINK_FILES_ALONE)
        set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
    elseif(name STREQUAL "crypto")  # some of its files are compiled for other processors, and all of them wipe their stacks
        set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
    elseif(name STREQUAL "transport")  # tests put another table in place of this one
        set_source_files_properties(${zlink_include_root}/transport/registry.cpp PROPERTIES
            SKIP_UNITY_BUILD_INCLUSION ON)
    endif()

    target_include_directories(${target} ${scope} ${zlink_include_root})
    target_link_libraries(${target} ${scope} zlink_flags)
    if(name STREQUAL "crypto")
        target_link_libraries(${target} ${scope} zlink_sodium)
    endif()
    if(ZLINK_USDT AND name STREQUAL "base")
        target_compile_definitions(${target} ${scope} ZLINK_USDT)
    endif()
    if(ZLINK_TLS AND name STREQUAL "transport")
        target_compile_definitions(${target} PRIVATE ZLINK_TLS)
    endif()
    if(CMAKE_UNITY_BUILD AND NOT ZLINK_FILES_ALONE AND sources AND "public" IN_LIST ARGN)
        # Where several files are compiled as one, zmq.h may be included before the file that needs all of it.
        target_compile_definitions(${target} PRIVATE ZMQ_BUILD_DRAFT_API=)
    endif()
    foreach(needed IN LISTS ARGN)
        if(needed STREQUAL "public")
            target_include_directories(${target} ${scope} ${zlink_public_root})
        elseif(needed STREQUAL "asio")
            target_link_libraries(${target} PRIVATE zlink_asio)
        else()
            target_link_libraries(${target} ${scope} zlink_${needed})
        endif()
    endforeach()
    if(NOT name STREQUAL "base")
        target_link_libraries(${target} ${scope} zlink_base)
    endif()
endfunction()
