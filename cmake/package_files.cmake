# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Run while a package is put together: the files besides libraries and headers, as `cmake --install` has them. Manual
# pages of libzmq's functions get the section 3zlink (`man zmq_poll` finds it), because libzmq3-dev has files of the
# plain names. Given: kinds, package, source, build.

cmake_policy(VERSION 3.22)  # cpack has set none
set(root $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX})
get_filename_component(staged ${root}/../../zlink-staged ABSOLUTE)

# Copies those of the patterns to a folder of the package, manual pages compressed.
function(take destination)
    file(GLOB files ${ARGN})
    foreach(file IN LISTS files)
        get_filename_component(name ${file} NAME)
        if(destination MATCHES "^share/man/man([37])$")
            set(section ${CMAKE_MATCH_1})
            if(name MATCHES "^zmq")
                string(REGEX REPLACE "\\.${section}$" ".${section}zlink" name ${name})
                string(REGEX REPLACE "\\.${section}\\.gz$" ".${section}zlink.gz" name ${name})
            endif()
        endif()
        file(MAKE_DIRECTORY ${root}/${destination})
        execute_process(COMMAND ${CMAKE_COMMAND} -E copy ${file} ${root}/${destination}/${name}
            COMMAND_ERROR_IS_FATAL ANY)
        if(destination MATCHES "^share/man/" AND NOT name MATCHES "\\.gz$")
            execute_process(COMMAND gzip -9nf ${root}/${destination}/${name} COMMAND_ERROR_IS_FATAL ANY)
        endif()
    endforeach()
endfunction()

if("copyright" IN_LIST kinds)
    file(READ ${source}/NOTICE notice)
    file(READ ${source}/LICENSE licence)
    set(folder ${root}/share/doc/${package})
    file(WRITE ${folder}/copyright "${notice}\n${licence}")
    list(REMOVE_ITEM kinds copyright)
endif()

if(kinds)
    file(REMOVE_RECURSE ${staged})
    execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=DESTDIR
        ${CMAKE_COMMAND} --install ${build} --prefix ${staged} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
    set(share ${staged}/share)
    if("documents" IN_LIST kinds)
        file(COPY ${share}/doc/zlink/ DESTINATION ${root}/share/doc/${package})  # folders of examples, too
    endif()
    if("manual_of_library" IN_LIST kinds)
        take(share/man/man3 ${share}/man/man3/*)
        take(share/man/man7 ${share}/man/man7/*)
    endif()
    if("manual_of_tool" IN_LIST kinds)
        take(share/man/man1 ${share}/man/man1/*)
    endif()
    if("completion" IN_LIST kinds)
        take(share/bash-completion/completions ${share}/bash-completion/completions/*)
        take(share/zsh/vendor-completions ${share}/zsh/site-functions/* ${share}/zsh/vendor-completions/*)
        take(share/fish/vendor_completions.d ${share}/fish/vendor_completions.d/*)
    endif()
    file(REMOVE_RECURSE ${staged})
endif()
