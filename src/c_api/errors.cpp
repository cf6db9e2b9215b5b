// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_errno() and zmq_strerror(): errors as the caller's thread sees them, and texts for them.
#include "zmq.h"

#include <cerrno>
#include <cstring>

int zmq_errno(void)
{
    return errno;
}

const char* zmq_strerror(int errnum)
{
    switch (errnum) {
    case EFSM: return "Operation cannot be accomplished in current state";
    case ENOCOMPATPROTO: return "The protocol is not compatible with the socket type";
    case ETERM: return "Context was terminated";
    case EMTHREAD: return "No thread available";
    case EHOSTUNREACH: return "Host unreachable";
    default: return std::strerror(errnum);
    }
}
