// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The CURVE key functions of a build without encryption: both answer ENOTSUP, in accord with zmq_has("curve") == 0.
#include "c_api/failing.hpp"
#include "zmq.h"

#include <cerrno>

int zmq_curve_keypair(char* /*public_key*/, char* /*secret_key*/)
{
    zlink::c_api::set_errno(ENOTSUP);
    return -1;
}

int zmq_curve_public(char* /*public_key*/, const char* /*secret_key*/)
{
    zlink::c_api::set_errno(ENOTSUP);
    return -1;
}
