// zmq_errno() and zmq_strerror(): errors as the caller's thread sees them, and texts for them.
#include "zmq.h"

#include <cerrno>
#include <cstring>

int zmq_errno(void)
{
    return errno;
}

const char *zmq_strerror(int errnum)
{
    switch (errnum) {
    case EFSM:
        return "Operation not possible in the socket's current state";
    case ENOCOMPATPROTO:
        return "Transport not compatible with the socket type";
    case ETERM:
        return "Context has been terminated";
    case EMTHREAD:
        return "No I/O thread available";
    default:
        return std::strerror(errnum);
    }
}
