// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Sends itself a message by the C++ API and prints the version of libzmq's that the library has.
#include <zlink/zlink.hpp>

#include <zmq.h>

#include <cstdio>

int main()
{
    zlink::io_group group;
    zlink::socket left(group, zlink::socket_type::pair), right(group, zlink::socket_type::pair);
    left.bind("inproc://consumer");
    right.connect("inproc://consumer");
    left.send(zlink::message("hello"));
    if (right.receive().view() != "hello") return 1;
    int major = 0, minor = 0, patch = 0;
    zmq_version(&major, &minor, &patch);
    std::printf("%d.%d.%d\n", major, minor, patch);
}
