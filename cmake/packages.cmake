# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# Debian packages, made by `cpack -G DEB` (./build.sh packages) of what is built. docs/packages.md tells what each one
# is for. Their components are no part of `cmake --install`, because the folders are Debian's. What an installation has
# besides libraries and headers (manual pages, completion, documents) is taken from there by name: package_files.cmake.

if(NOT CMAKE_LIBRARY_ARCHITECTURE)
    return()  # not a Debian
endif()
set(deb_lib lib/${CMAKE_LIBRARY_ARCHITECTURE})
set(deb_scripts ${PROJECT_BINARY_DIR}/packages)

# zlink_package_files(<component> <kind>...): what package_files.cmake knows under these names.
function(zlink_package_files component)
    install(CODE "
        set(kinds ${ARGN})
        set(source ${PROJECT_SOURCE_DIR})
        set(build ${PROJECT_BINARY_DIR})
        set(package ${CPACK_DEBIAN_${component}_PACKAGE_NAME})
        include(${PROJECT_SOURCE_DIR}/cmake/package_files.cmake)" COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

set(CPACK_PACKAGE_NAME zlink)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # it would come before the summary of each package
set(CPACK_PACKAGE_VENDOR "the zlink authors")
set(CPACK_PACKAGE_CONTACT "the zlink authors <zlink@localhost>")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL COMPAT PREFIXED DEVELOPMENT TOOLS)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(deb_version ${PROJECT_VERSION}-1)

# --- zlink-libzmq5-compat: libzmq.so.5 in the place of Debian's -------------------------------------------------------

set(CPACK_DEBIAN_COMPAT_PACKAGE_NAME zlink-libzmq5-compat)
set(CPACK_DEBIAN_COMPAT_DESCRIPTION "zlink in the place of libzmq5
libzmq.so.5 by zlink, for programs that were built for libzmq. To go back,
install libzmq5 again.")
set(CPACK_DEBIAN_COMPAT_PACKAGE_PROVIDES "libzmq5 (= ${ZLINK_LIBZMQ_VERSION})")
set(CPACK_DEBIAN_COMPAT_PACKAGE_CONFLICTS libzmq5)
set(CPACK_DEBIAN_COMPAT_PACKAGE_REPLACES libzmq5)
# Not by CPack, which would put this package's name there: what is built with it also runs on libzmq5.
file(CONFIGURE OUTPUT ${deb_scripts}/compat/shlibs CONTENT "libzmq ${ZLINK_ABI_VERSION} libzmq5\n")
file(CONFIGURE OUTPUT ${deb_scripts}/compat/triggers CONTENT "activate-noawait ldconfig\n")
foreach(script IN ITEMS preinst postinst)
    configure_file(${PROJECT_SOURCE_DIR}/packaging/debian/compat.${script}.in ${deb_scripts}/compat/${script} @ONLY
        FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endforeach()
set(CPACK_DEBIAN_COMPAT_PACKAGE_CONTROL_EXTRA ${deb_scripts}/compat/shlibs ${deb_scripts}/compat/triggers
    ${deb_scripts}/compat/preinst ${deb_scripts}/compat/postinst)
install(TARGETS libzmq LIBRARY DESTINATION ${deb_lib} NAMELINK_SKIP COMPONENT COMPAT EXCLUDE_FROM_ALL)
zlink_package_files(COMPAT copyright)

# --- libzlink0: libzlink.so.0, beside libzmq --------------------------------------------------------------------------

set(CPACK_DEBIAN_PREFIXED_PACKAGE_NAME libzlink0)
set(CPACK_DEBIAN_PREFIXED_DESCRIPTION "ZeroMQ-compatible messaging library, beside libzmq
libzlink.so.0 has the functions of libzmq, each with zlink_ in front of its
name. A process may have both libraries.")
file(CONFIGURE OUTPUT ${deb_scripts}/prefixed/shlibs CONTENT "libzlink 0 libzlink0 (>= ${PROJECT_VERSION})\n")
file(CONFIGURE OUTPUT ${deb_scripts}/prefixed/triggers CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PREFIXED_PACKAGE_CONTROL_EXTRA ${deb_scripts}/prefixed/shlibs ${deb_scripts}/prefixed/triggers)
install(TARGETS libzlink LIBRARY DESTINATION ${deb_lib} NAMELINK_SKIP COMPONENT PREFIXED EXCLUDE_FROM_ALL)
zlink_package_files(PREFIXED copyright)

# --- libzlink-dev -----------------------------------------------------------------------------------------------------

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libzlink-dev)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "ZeroMQ-compatible messaging library, files for development
The headers zlink/zmq.h and zlink/zlink.h, those of the C++ API, and what is
needed to link libzlink.so.0. It may be installed beside libzmq3-dev.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libzlink0 (= ${deb_version})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
install(TARGETS libzlink LIBRARY DESTINATION ${deb_lib} NAMELINK_ONLY COMPONENT DEVELOPMENT EXCLUDE_FROM_ALL)
install(DIRECTORY ${prefixed_headers} DESTINATION include COMPONENT DEVELOPMENT EXCLUDE_FROM_ALL
    FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
set(zlink_pc_libdir ${deb_lib})
file(RELATIVE_PATH zlink_pc_prefix /prefix/${deb_lib}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/cmake/zlink.pc.in ${PROJECT_BINARY_DIR}/packages/zlink.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/packages/zlink.pc DESTINATION ${deb_lib}/pkgconfig
    COMPONENT DEVELOPMENT EXCLUDE_FROM_ALL)
# find_package(zlink) finds libzlink.so.0 there. What `cmake --install` writes is of libzmq.so.5.
include(CMakePackageConfigHelpers)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/zlinkBesideConfig.cmake.in
    ${PROJECT_BINARY_DIR}/packages/zlinkConfig.cmake INSTALL_DESTINATION ${deb_lib}/cmake/zlink INSTALL_PREFIX /usr)
install(FILES ${PROJECT_BINARY_DIR}/packages/zlinkConfig.cmake ${PROJECT_BINARY_DIR}/cmake/zlinkConfigVersion.cmake
    DESTINATION ${deb_lib}/cmake/zlink COMPONENT DEVELOPMENT EXCLUDE_FROM_ALL)
zlink_package_files(DEVELOPMENT copyright documents manual_of_library)

# --- zlink-tools ------------------------------------------------------------------------------------------------------

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME zlink-tools)
set(CPACK_DEBIAN_TOOLS_DESCRIPTION "command-line tool for ZeroMQ sockets
zlink sends, receives, forwards and watches messages of ZeroMQ sockets. The
package has a libzmq.so.5 of its own in /usr/lib/zlink, which programs use
only if LD_LIBRARY_PATH names that folder.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
install(TARGETS zlink RUNTIME DESTINATION bin COMPONENT TOOLS EXCLUDE_FROM_ALL)
install(TARGETS libzmq LIBRARY DESTINATION lib/zlink NAMELINK_SKIP COMPONENT TOOLS EXCLUDE_FROM_ALL)
if(TARGET zlink_demo_peer)
    install(TARGETS zlink_demo_peer RUNTIME DESTINATION libexec/zlink COMPONENT TOOLS EXCLUDE_FROM_ALL)
endif()
zlink_package_files(TOOLS copyright manual_of_tool completion)

if(ZLINK_TLS)
    install(TARGETS zlink_tls_module LIBRARY DESTINATION ${deb_lib} COMPONENT COMPAT EXCLUDE_FROM_ALL)
    install(TARGETS zlink_tls_module LIBRARY DESTINATION lib/zlink COMPONENT TOOLS EXCLUDE_FROM_ALL)
    install(TARGETS zlink_prefixed_tls_module LIBRARY DESTINATION ${deb_lib} COMPONENT PREFIXED EXCLUDE_FROM_ALL)
endif()

include(CPack)
set(zlink_packages ON)
