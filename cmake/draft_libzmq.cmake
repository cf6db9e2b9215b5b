# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# A libzmq with its draft API, which tests and comparison have as a peer. ./build.sh builds it once (need_draft_libzmq)
# for all build directories. The library itself and its installation know nothing of it.
set(ZLINK_DRAFT_LIBZMQ ${PROJECT_SOURCE_DIR}/build/libzmq-draft CACHE PATH
    "Prefix of a libzmq that was built with drafts; ./build.sh prepares it")
set(zlink_draft_libzmq "")
if(EXISTS ${ZLINK_DRAFT_LIBZMQ}/lib/libzmq.so.5)
    set(zlink_draft_libzmq ${ZLINK_DRAFT_LIBZMQ}/lib/libzmq.so.5)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${zlink_draft_libzmq})
else()
    message(STATUS "There is no libzmq with drafts in ${ZLINK_DRAFT_LIBZMQ} (./build.sh or ./build.sh bench builds it): tests with it as "
        "the peer will fail, and the comparison has no comp_std_zmq_* programs for socket types of the draft API")
endif()

# zlink_link_draft_libzmq(<target>): the target runs on it; only LD_LIBRARY_PATH, which comes before a RUNPATH, puts
# another in its place.
function(zlink_link_draft_libzmq target)
    target_link_libraries(${target} PRIVATE ${zlink_draft_libzmq})
    target_link_options(${target} PRIVATE LINKER:--enable-new-dtags)
    set_target_properties(${target} PROPERTIES
        BUILD_RPATH ${ZLINK_DRAFT_LIBZMQ}/lib INSTALL_RPATH ${ZLINK_DRAFT_LIBZMQ}/lib)
endfunction()
