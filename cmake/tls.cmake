# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# OpenSSL, which src/transport/tls/openssl wraps: in a module that libzmq.so loads at the first tls or wss endpoint, and
# in libzmq.a. Programs that link libzmq.so have nothing to do with OpenSSL. Without ZLINK_TLS there is no tls at all.

# AUTO: it is built if OpenSSL is there.
if(ZLINK_TLS)
    find_package(OpenSSL 3.0 QUIET)
    if(OPENSSL_FOUND)
        set(ZLINK_TLS ON)
    elseif(ZLINK_TLS STREQUAL "AUTO")
        message(STATUS "zlink: no tls, as OpenSSL 3 is missing (apt-get install libssl-dev)")
        set(ZLINK_TLS OFF)
    else()
        message(FATAL_ERROR
                "zlink needs OpenSSL 3 for tls: apt-get install libssl-dev. Or build without: -DZLINK_TLS=OFF.")
    endif()
endif()

if(ZLINK_TLS)
    file(GLOB sources CONFIGURE_DEPENDS ${zlink_include_root}/transport/tls/openssl/*.cpp)
    add_library(zlink_openssl OBJECT ${sources})
    target_include_directories(zlink_openssl PRIVATE ${zlink_include_root})
    target_link_libraries(zlink_openssl PRIVATE zlink_flags OpenSSL::SSL)
    set_target_properties(zlink_openssl PROPERTIES
        POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)

    # What differs between libzmq.so and libzmq.a: where OpenSSL comes from.
    set(zlink_tls_loader ${zlink_include_root}/transport/tls/module_loader.cpp)
    set(zlink_tls_linked ${zlink_include_root}/transport/tls/linked_provider.cpp $<TARGET_OBJECTS:zlink_openssl>)
endif()

# zlink_use_tls(<library> MODULE|LINKED)
function(zlink_use_tls library how)
    if(NOT ZLINK_TLS)
        return()
    endif()
    if(how STREQUAL "MODULE")
        target_sources(${library} PRIVATE ${zlink_tls_loader})
        target_link_libraries(${library} PRIVATE ${CMAKE_DL_LIBS})
        add_dependencies(${library} zlink_tls_module)
    else()
        target_sources(${library} PRIVATE ${zlink_tls_linked})
        target_link_libraries(${library} INTERFACE
            $<BUILD_INTERFACE:OpenSSL::SSL> $<INSTALL_INTERFACE:ssl> $<INSTALL_INTERFACE:crypto>)
    endif()
    target_include_directories(${library} PRIVATE ${zlink_include_root})
    set_target_properties(${library} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# zlink_add_tls_module(<target> <file name>): what a shared library loads from its own folder.
function(zlink_add_tls_module target name)
    add_library(${target} MODULE $<TARGET_OBJECTS:zlink_openssl>
                ${zlink_include_root}/transport/tls/fork_gate.cpp)
    target_include_directories(${target} PRIVATE ${zlink_include_root})
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    target_link_libraries(${target} PRIVATE OpenSSL::SSL zlink_flags)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE CXX)
    zlink_link_shared(${target} ${PROJECT_SOURCE_DIR}/cmake/tls_module.map)
endfunction()

if(ZLINK_TLS AND ZLINK_SHARED)
    zlink_add_tls_module(zlink_tls_module zlink-tls)
endif()
