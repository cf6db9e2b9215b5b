# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# libzmq.so.5 and libzmq.a, both from the same objects. The target names are those libzmq's own package exports.

set(zlink_objects "")
foreach(folder IN LISTS zlink_object_targets)
    list(APPEND zlink_objects $<TARGET_OBJECTS:${folder}>)
endforeach()
if(NOT zlink_objects)
    message(FATAL_ERROR "src/ holds no source file")
endif()

# The performance tools link the shared library, if there is one.
set(zlink_libraries "")
if(ZLINK_STATIC)
    add_library(libzmq-static STATIC ${zlink_objects})
    add_library(zlink::zlink-static ALIAS libzmq-static)
    list(APPEND zlink_libraries libzmq-static)
    set(zlink_library libzmq-static)
endif()
if(ZLINK_SHARED)
    add_library(libzmq SHARED ${zlink_objects})
    add_library(zlink::zlink ALIAS libzmq)
    list(APPEND zlink_libraries libzmq)
    set(zlink_library libzmq)
endif()

foreach(library IN LISTS zlink_libraries)
    set_target_properties(${library} PROPERTIES OUTPUT_NAME zmq LINKER_LANGUAGE CXX)
    target_include_directories(${library} INTERFACE
        $<BUILD_INTERFACE:${zlink_public_root}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

if(ZLINK_STATIC)
    target_compile_definitions(libzmq-static INTERFACE ZMQ_STATIC)
    # A project in C alone links with the C compiler, which knows nothing of the C++ runtime.
    target_link_libraries(libzmq-static PUBLIC Threads::Threads PRIVATE $<BUILD_INTERFACE:zlink_flags>
        INTERFACE stdc++ m)
    if(ZLINK_CURVE)
        target_link_libraries(libzmq-static INTERFACE $<BUILD_INTERFACE:zlink_sodium> $<INSTALL_INTERFACE:sodium>)
    endif()
    zlink_use_tls(libzmq-static LINKED)
endif()

if(ZLINK_SHARED)
    target_link_libraries(libzmq PRIVATE
        Threads::Threads $<BUILD_INTERFACE:zlink_flags> $<BUILD_INTERFACE:zlink_sodium>)
    zlink_use_tls(libzmq MODULE)

    set(version_script ${PROJECT_SOURCE_DIR}/cmake/zlink.map)
    set_target_properties(libzmq PROPERTIES
        VERSION ${ZLINK_FILE_VERSION} SOVERSION ${ZLINK_ABI_VERSION} LINK_DEPENDS ${version_script})
    zlink_link_shared(libzmq ${version_script})
endif()

# The C++ API: headers in include/zlink over functions of the same library. A program brings its own Asio, if any.
add_library(zlink_cpp INTERFACE)
add_library(zlink::cpp ALIAS zlink_cpp)
set_target_properties(zlink_cpp PROPERTIES EXPORT_NAME cpp)
target_compile_features(zlink_cpp INTERFACE cxx_std_20)
target_link_libraries(zlink_cpp INTERFACE ${zlink_library})
