# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# libzlink.so.0: the objects of libzmq.so.5 under names that no libzmq has, so that a process may have both. The linker
# gives each function of the headers a second name, zlink_ in front of the first, and only the second ones are shown.
# Calls inside of the library are as they were. The headers of include/zlink map the names by macros. Functions of the
# C++ API keep their names and get a version of their own (prefixed.map).

set(prefixed_names "")
set(prefixed_macros "")
foreach(header IN ITEMS zmq zlink)
    set(file ${zlink_public_root}/${header}.h)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(STRINGS ${file} declarations REGEX "^Z[A-Z]+_EXPORT ")
    foreach(declaration IN LISTS declarations)
        if(NOT declaration MATCHES "^Z[A-Z]+_EXPORT [^(]*[ *](z[a-z]+_[a-z0-9_]+)\\(")
            message(FATAL_ERROR "${file}: which function does this declare? ${declaration}")
        endif()
        if(NOT CMAKE_MATCH_1 IN_LIST prefixed_names)  # some are declared twice, for different systems
            list(APPEND prefixed_names ${CMAKE_MATCH_1})
            string(APPEND prefixed_macros "#define ${CMAKE_MATCH_1} zlink_${CMAKE_MATCH_1}\n")
        endif()
    endforeach()
endforeach()

add_library(libzlink SHARED ${zlink_objects})
target_link_libraries(libzlink PRIVATE Threads::Threads zlink_flags zlink_sodium)
zlink_use_tls(libzlink MODULE)
if(ZLINK_TLS)
    # Not the module of libzmq.so: packages that have either library do not share a file.
    zlink_add_tls_module(zlink_prefixed_tls_module zlink0-tls)
    target_compile_definitions(libzlink PRIVATE ZLINK_TLS_MODULE="libzlink0-tls.so")
    add_dependencies(libzlink zlink_prefixed_tls_module)
endif()

set(version_script ${PROJECT_SOURCE_DIR}/cmake/prefixed.map)
set_target_properties(libzlink PROPERTIES OUTPUT_NAME zlink LINKER_LANGUAGE CXX
    VERSION 0.${PROJECT_VERSION_MINOR}.${PROJECT_VERSION_PATCH} SOVERSION 0 LINK_DEPENDS ${version_script})
zlink_link_shared(libzlink ${version_script})
list(TRANSFORM prefixed_names REPLACE "(.+)" "LINKER:--defsym=zlink_\\1=\\1" OUTPUT_VARIABLE second_names)
target_link_options(libzlink PRIVATE ${second_names})

# --- headers --------------------------------------------------------------------------------------------------------

set(prefixed_headers ${PROJECT_BINARY_DIR}/prefixed/zlink)
target_include_directories(libzlink INTERFACE ${PROJECT_BINARY_DIR}/prefixed)

# zlink_prefixed_header(<name> <what comes first>)
function(zlink_prefixed_header name first)
    file(READ ${zlink_public_root}/${name}.h text)
    string(REGEX REPLACE "^(/\\*[^\n]*\n/\\*[^\n]*\n)" "\\1${first}" text "${text}")
    file(WRITE ${prefixed_headers}/${name}.new "${text}")
    configure_file(${prefixed_headers}/${name}.new ${prefixed_headers}/${name}.h COPYONLY)  # or untouched
    file(REMOVE ${prefixed_headers}/${name}.new)
endfunction()

zlink_prefixed_header(zmq "
/* zmq.h for libzlink.so.0: every function has zlink_ in front of its name, so that it is never libzmq's. */
#ifndef ZLINK_PREFIXED
#define ZLINK_PREFIXED
#if defined __ZMQ_H_INCLUDED__ || defined ZLINK_H_INCLUDED
#error \"zmq.h or zlink.h was included before zlink/zmq.h: a source file uses one library\"
#endif
${prefixed_macros}#endif
")
zlink_prefixed_header(zlink "\n#include \"zmq.h\"\n")
zlink_prefixed_header(zmq_utils "")

# The C++ API's are the same for both libraries, and lie beside these.
file(GLOB cpp_headers CONFIGURE_DEPENDS RELATIVE ${zlink_public_root} ${zlink_public_root}/zlink/*.hpp)
foreach(header IN LISTS cpp_headers)
    configure_file(${zlink_public_root}/${header} ${PROJECT_BINARY_DIR}/prefixed/${header} COPYONLY)
endforeach()
