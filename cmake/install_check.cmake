# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# The first of the rules: what cannot be written is said at once, and nothing is left half done. Likewise a libzmq that
# somebody else has installed there: its header and its libzmq.pc would be lost, now and with `./build.sh uninstall`.
set(zlink_folders "")
foreach(folder IN ITEMS INCLUDEDIR LIBDIR BINDIR DATADIR)
    list(APPEND zlink_folders "${CMAKE_INSTALL_${folder}}")
endforeach()
install(CODE "set(folders . ${zlink_folders})\nset(library_folder ${CMAKE_INSTALL_LIBDIR})")
install(CODE [[
foreach(folder IN LISTS folders)
    get_filename_component(place "${folder}" ABSOLUTE BASE_DIR "${CMAKE_INSTALL_PREFIX}")
    set(place "$ENV{DESTDIR}${place}")
    while(NOT EXISTS "${place}")
        get_filename_component(place "${place}" DIRECTORY)
    endwhile()
    execute_process(COMMAND test -d "${place}" -a -w "${place}" RESULT_VARIABLE refused)
    if(NOT refused EQUAL 0)
        message(FATAL_ERROR "${place} is no folder that you may write to: use sudo, or another --prefix")
    endif()
endforeach()

get_filename_component(place "${library_folder}" ABSOLUTE BASE_DIR "${CMAKE_INSTALL_PREFIX}")
set(installed "")
if(EXISTS "$ENV{DESTDIR}${place}/cmake/zlink/installed_files.txt")
    file(STRINGS "$ENV{DESTDIR}${place}/cmake/zlink/installed_files.txt" installed)
endif()
file(GLOB libraries "$ENV{DESTDIR}${place}/libzmq.so.5*" "$ENV{DESTDIR}${place}/libzmq.a")
foreach(library IN LISTS libraries)
    get_filename_component(name "${library}" NAME)
    file(RELATIVE_PATH name "${CMAKE_INSTALL_PREFIX}" "${place}/${name}")
    list(FIND installed "${name}" at)
    if(at EQUAL -1 AND NOT IS_SYMLINK "${library}")
        message(FATAL_ERROR "${library} is of another libzmq: remove that one first, or use another --prefix")
    endif()
endforeach()
]])
