# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# zlink_folder(<name> [<folder it may include>...] [asio] [public])
#
# Makes the target zlink_<name> of src/<name>: an object library, or an interface library while the folder holds
# headers only. Every folder sees base. `asio` admits Boost.Asio, `public` the public headers.

set(zlink_include_root ${PROJECT_SOURCE_DIR}/src)
set(zlink_public_root ${PROJECT_SOURCE_DIR}/include)
set(zlink_object_targets "")

function(zlink_folder name)
    set(target zlink_${name})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${zlink_include_root}/${name}/*.cpp)
    if(name STREQUAL "crypto" AND NOT ZLINK_CURVE)
        set(sources "")
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

    target_include_directories(${target} ${scope} ${zlink_include_root})
    target_link_libraries(${target} ${scope} zlink_flags)
    if(name STREQUAL "crypto")
        target_link_libraries(${target} ${scope} zlink_sodium)
    endif()
    if(ZLINK_TLS AND name STREQUAL "transport")
        target_compile_definitions(${target} PRIVATE ZLINK_TLS)
    endif()
    foreach(needed IN LISTS ARGN)
        if(needed STREQUAL "public")
            target_include_directories(${target} ${scope} ${zlink_public_root})
        else()
            target_link_libraries(${target} ${scope} zlink_${needed})
        endif()
    endforeach()
    if(NOT name STREQUAL "base")
        target_link_libraries(${target} ${scope} zlink_base)
    endif()
endfunction()
