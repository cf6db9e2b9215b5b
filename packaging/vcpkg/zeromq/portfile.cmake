# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# An overlay port in the place of vcpkg's zeromq: `vcpkg install zeromq --overlay-ports=packaging/vcpkg`. It builds the
# checkout that it lies in, or the one that ZLINK_SOURCE names.

if(DEFINED ENV{ZLINK_SOURCE})
    set(SOURCE_PATH "$ENV{ZLINK_SOURCE}")
else()
    get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)
endif()
if(NOT EXISTS "${SOURCE_PATH}/include/zlink.h")
    message(FATAL_ERROR "${SOURCE_PATH} has no zlink: let the environment variable ZLINK_SOURCE name a checkout, and "
        "VCPKG_KEEP_ENV_VARS name that variable.")
endif()

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES
    sodium ZLINK_CURVE
    tls ZLINK_TLS
    draft ZLINK_DRAFTS)
string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" dynamic shared)
string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" static static)

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS ${features} -DZLINK_SHARED=${shared} -DZLINK_STATIC=${static} -DZLINK_ASIO=OFF -DZLINK_PREFIXED=OFF
        -DZLINK_BUILD_TOOLS=OFF -DZLINK_BUILD_TESTS=OFF -DZLINK_BUILD_PERF=OFF -DZLINK_BUILD_BENCHMARKS=OFF
        -DZLINK_WERROR=OFF)
vcpkg_cmake_install()
vcpkg_copy_pdbs()
vcpkg_cmake_config_fixup(PACKAGE_NAME zlink CONFIG_PATH lib/cmake/zlink DO_NOT_DELETE_PARENT_CONFIG_PATH)
vcpkg_cmake_config_fixup(PACKAGE_NAME ZeroMQ CONFIG_PATH lib/cmake/ZeroMQ)
vcpkg_fixup_pkgconfig()

file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/vcpkg-cmake-wrapper.cmake" DESTINATION "${CURRENT_PACKAGES_DIR}/share/zeromq")
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/NOTICE")
