# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# The manual pages and the completions of the tool, written by Python from docs/man/ and the headers: the target `man`.
# Without Python 3.11 they are left out.

# zlink_manual(): makes the target and the rules to install what it writes.
function(zlink_manual)
    if(NOT ZLINK_MANUAL)
        return()
    endif()
    find_package(Python3 3.11 QUIET COMPONENTS Interpreter)
    if(NOT Python3_FOUND)
        if("$CACHE{ZLINK_MANUAL}" STREQUAL "ON")
            message(FATAL_ERROR "ZLINK_MANUAL=ON needs Python 3.11: apt-get install python3")
        endif()
        message(STATUS "zlink: no manual pages, as Python 3.11 is missing")
        return()
    endif()

    set(tool ${PROJECT_SOURCE_DIR}/tools/man_pages.py)
    set(folder ${PROJECT_BINARY_DIR}/manual)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/* ${PROJECT_SOURCE_DIR}/tools/manual/*.py)
    add_custom_command(OUTPUT ${folder}/written
        COMMAND ${Python3_EXECUTABLE} -B ${tool} ${folder}/man
        COMMAND ${Python3_EXECUTABLE} -B ${tool} --completions ${folder}/completions
        COMMAND ${CMAKE_COMMAND} -E touch ${folder}/written
        DEPENDS ${sources} ${tool} ${PROJECT_SOURCE_DIR}/docs/tool.md
                ${PROJECT_SOURCE_DIR}/include/zmq.h ${PROJECT_SOURCE_DIR}/include/zlink.h
        COMMENT "Writing the manual pages" VERBATIM)
    add_custom_target(man ALL DEPENDS ${folder}/written)
    if(TARGET zlink)
        add_dependencies(zlink man)  # so that who builds library and tool alone installs the pages as well
    endif()

    if(ZLINK_INSTALL)
        # OPTIONAL: who builds the library alone may install that all the same.
        install(DIRECTORY ${folder}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
        if(ZLINK_BUILD_TOOLS)
            install(FILES ${folder}/completions/zlink.bash RENAME zlink
                DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions OPTIONAL)
            install(FILES ${folder}/completions/_zlink
                DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions OPTIONAL)
        endif()
    endif()
endfunction()

zlink_manual()
