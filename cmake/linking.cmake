# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

# zlink_link_shared(<target> <version script>): how the shared objects are linked. What the script does not name stays
# inside; calls from inside to exported functions are direct; all symbols are there.
include(CheckLinkerFlag)
check_linker_flag(CXX LINKER:-Bsymbolic-functions ZLINK_LINKER_BINDS_FUNCTIONS)  # zig's linker does not know it

function(zlink_link_shared target version_script)
    target_link_options(${target} PRIVATE LINKER:--version-script=${version_script} LINKER:-O1 LINKER:--as-needed
        LINKER:-z,relro LINKER:-z,now)
    if(ZLINK_LINKER_BINDS_FUNCTIONS)
        target_link_options(${target} PRIVATE LINKER:-Bsymbolic-functions)
    endif()
    if(NOT ZLINK_SANITIZE)  # the sanitizer's run-time library supplies symbols at load time
        target_link_options(${target} PRIVATE LINKER:-z,defs)
    endif()
    if(ZLINK_STATIC_LIBSTDCXX)
        target_link_options(${target} PRIVATE -static-libstdc++)
    endif()
endfunction()
