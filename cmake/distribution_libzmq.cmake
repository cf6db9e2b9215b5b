# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# The distribution's libzmq, which tests and comparison have as a peer. A zlink that is installed may come first in the
# loader's cache. libzmq.so.5 may even be zlink's in the distribution's own folder. So its file is told by what it
# exports, and programs find it through a folder of the build that holds nothing else.

# zlink_find_libzmq(<variable> <folder>...): the file of the first libzmq.so.5 in these folders that is not zlink, or
# "".
function(zlink_find_libzmq variable)
    foreach(folder IN LISTS ARGN)
        file(GLOB files ${folder}/libzmq.so.5 ${folder}/libzmq.so.5.*)
        foreach(file IN LISTS files)
            file(REAL_PATH ${file} file)
            if(EXISTS ${file})
                file(STRINGS ${file} mark REGEX "zlink_version" LIMIT_COUNT 1)
                if(NOT mark)
                    set(${variable} ${file} PARENT_SCOPE)
                    return()
                endif()
            endif()
        endforeach()
    endforeach()
    set(${variable} "" PARENT_SCOPE)
endfunction()

# zlink_link_distribution_libzmq(<target>): the target runs on it, whatever ldconfig says; only LD_LIBRARY_PATH, which
# comes before a RUNPATH, puts another in its place.
function(zlink_link_distribution_libzmq target)
    target_link_libraries(${target} PRIVATE ${zlink_distribution_libzmq})
    target_link_options(${target} PRIVATE LINKER:--enable-new-dtags)
    set_target_properties(${target} PROPERTIES
        BUILD_RPATH ${zlink_distribution_folder} INSTALL_RPATH ${zlink_distribution_folder})
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
    return()
endif()

zlink_find_libzmq(zlink_distribution_libzmq /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib64 /usr/lib)
set(zlink_distribution_folder ${PROJECT_BINARY_DIR}/distribution)
file(REMOVE_RECURSE ${zlink_distribution_folder})
if(zlink_distribution_libzmq)
    file(MAKE_DIRECTORY ${zlink_distribution_folder})
    file(CREATE_LINK ${zlink_distribution_libzmq} ${zlink_distribution_folder}/libzmq.so.5 SYMBOLIC)
    # An upgrade gives the file another name: configure again.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${zlink_distribution_libzmq})
else()
    message(STATUS "The distribution's libzmq is missing (apt-get install libzmq5): 'zlink demo' will run with --no-libzmq "
        "only, and there will be no comp_std_zmq_* programs")
endif()
