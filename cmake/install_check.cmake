# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# The first of the rules: what cannot be written is said at once, and nothing is left half done.
set(zlink_folders "")
foreach(folder IN ITEMS INCLUDEDIR LIBDIR BINDIR DATADIR)
    list(APPEND zlink_folders "${CMAKE_INSTALL_${folder}}")
endforeach()
install(CODE "set(folders . ${zlink_folders})")
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
]])
