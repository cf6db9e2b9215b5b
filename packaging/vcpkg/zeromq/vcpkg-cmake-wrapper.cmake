# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# What vcpkg runs for find_package(ZeroMQ): always our package, and both targets, whichever library was built. So a
# project that links libzmq, or libzmq-static, need not know vcpkg's linkage.

set(zeromq_arguments ${ARGS})
list(REMOVE_ITEM zeromq_arguments CONFIG NO_MODULE MODULE)
_find_package(${zeromq_arguments} CONFIG)
if(TARGET libzmq AND NOT TARGET libzmq-static)
    add_library(libzmq-static INTERFACE IMPORTED)
    set_target_properties(libzmq-static PROPERTIES INTERFACE_LINK_LIBRARIES libzmq)
elseif(TARGET libzmq-static AND NOT TARGET libzmq)
    add_library(libzmq INTERFACE IMPORTED)
    set_target_properties(libzmq PROPERTIES INTERFACE_LINK_LIBRARIES libzmq-static)
endif()
unset(zeromq_arguments)
