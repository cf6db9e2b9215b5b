# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Headers, libraries, the tool, examples, libzmq.pc and CMake packages. The packages are ZeroMQ (targets libzmq and
# libzmq-static, as libzmq's own package has them) and zlink (the same libraries as zlink::zlink and
# zlink::zlink-static).
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(TARGETS ${zlink_libraries} EXPORT ZeroMQTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE
        DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/zlink)
# What a user of packages looks for. CMAKE_INSTALL_DOCDIR would be named after the project around.
set(zlink_doc_dir ${CMAKE_INSTALL_DATAROOTDIR}/doc/zlink)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE DESTINATION ${zlink_doc_dir})
if(EXISTS ${PROJECT_SOURCE_DIR}/examples)  # packages may carry the library alone
    install(FILES ${PROJECT_SOURCE_DIR}/examples/hello.c ${PROJECT_SOURCE_DIR}/examples/hello.py
        DESTINATION ${zlink_doc_dir}/examples)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/guide DESTINATION ${zlink_doc_dir}/examples
        PATTERN __pycache__ EXCLUDE)
endif()
if(TARGET zlink_tls_module)
    install(TARGETS zlink_tls_module LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})  # libzmq.so looks next to itself
endif()
if(TARGET zlink)
    install(TARGETS zlink RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    if(TARGET zlink_demo_peer)
        install(TARGETS zlink_demo_peer RUNTIME DESTINATION libexec/zlink)  # the tool's own: nobody else calls it
    endif()
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake)
install(EXPORT ZeroMQTargets DESTINATION ${package_dir}/ZeroMQ)

foreach(package IN ITEMS ZeroMQ zlink)
    configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/${package}Config.cmake.in
        ${PROJECT_BINARY_DIR}/cmake/${package}Config.cmake INSTALL_DESTINATION ${package_dir}/${package}
        PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
endforeach()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/ZeroMQConfigVersion.cmake
    VERSION ${ZLINK_LIBZMQ_VERSION} COMPATIBILITY AnyNewerVersion)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/zlinkConfigVersion.cmake
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
foreach(package IN ITEMS ZeroMQ zlink)
    install(FILES ${PROJECT_BINARY_DIR}/cmake/${package}Config.cmake
                  ${PROJECT_BINARY_DIR}/cmake/${package}ConfigVersion.cmake
        DESTINATION ${package_dir}/${package})
endforeach()

# Relative to the file's own place, so that an installed tree can be moved.
file(RELATIVE_PATH pc_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
set(zlink_pc_private "")
if(ZLINK_CURVE)
    set(zlink_pc_private "-lsodium ")
endif()
if(ZLINK_TLS)
    string(APPEND zlink_pc_private "-lssl -lcrypto ")
endif()
set(zlink_pc_flags "")
if(ZLINK_DRAFTS)
    set(zlink_pc_flags " -DZMQ_BUILD_DRAFT_API=1")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/libzmq.pc.in ${PROJECT_BINARY_DIR}/cmake/libzmq.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/libzmq.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The last of the rules: what is installed, also by earlier versions, for `./build.sh uninstall`. Relative to the
# prefix.
set(installed_list ${package_dir}/zlink/installed_files.txt)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/cmake/list_installed.cmake @ONLY CONTENT [[
list(APPEND CMAKE_INSTALL_MANIFEST_FILES ${CMAKE_INSTALL_PREFIX}/@installed_list@)
set(list $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/@installed_list@)
set(files)
if(EXISTS ${list})
    file(STRINGS ${list} files)
endif()
foreach(file IN LISTS CMAKE_INSTALL_MANIFEST_FILES)
    file(RELATIVE_PATH file ${CMAKE_INSTALL_PREFIX} ${file})
    list(APPEND files ${file})
endforeach()
list(REMOVE_DUPLICATES files)
list(JOIN files "\n" lines)
file(WRITE ${list} "${lines}\n")
]])
install(SCRIPT ${PROJECT_BINARY_DIR}/cmake/list_installed.cmake)
