// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Parts of the API that other builds of libzmq have: pgm, norm, vmci, tipc and GSSAPI. The answers are those of a
// libzmq that is built without them.
#include "support/zmq_fixture.hpp"

namespace zlink::test {
namespace {

using absent_test = zmq_test;

TEST_F(absent_test, no_capability_tells_of_them)
{
    for (const char* name : {"pgm", "epgm", "norm", "vmci", "tipc", "gssapi"}) EXPECT_EQ(0, zmq_has(name)) << name;
}

TEST_F(absent_test, their_endpoints_are_of_no_known_transport)
{
    for (int type = ZMQ_PAIR; type <= ZMQ_CHANNEL; ++type) {
        socket s = ctx_.open(type);
        for (const char* endpoint : {"pgm://127.0.0.1;239.192.1.1:5555", "epgm://127.0.0.1;239.192.1.1:5555",
                                     "norm://127.0.0.1:5555", "vmci://1:5555", "tipc://{5555,0,0}"}) {
            for (const auto& call : {zmq_bind, zmq_connect, zmq_unbind, zmq_disconnect}) {
                errno = 0;
                EXPECT_EQ(-1, call(s, endpoint)) << type << ' ' << endpoint;
                EXPECT_EQ(EPROTONOSUPPORT, zmq_errno()) << type << ' ' << endpoint;
            }
        }
    }
}

struct absent_option {
    const char* name;
    int option;
    std::vector<int> values;  ///< such as a build that has the option takes
};

TEST_F(absent_test, their_options_are_unknown)
{
    const std::vector<absent_option> options{
        {"GSSAPI_SERVER", ZMQ_GSSAPI_SERVER, {0, 1}},
        {"GSSAPI_PLAINTEXT", ZMQ_GSSAPI_PLAINTEXT, {0, 1}},
        {"GSSAPI_PRINCIPAL", ZMQ_GSSAPI_PRINCIPAL, {0x41414141}},
        {"GSSAPI_SERVICE_PRINCIPAL", ZMQ_GSSAPI_SERVICE_PRINCIPAL, {0x41414141}},
        {"GSSAPI_PRINCIPAL_NAMETYPE",
         ZMQ_GSSAPI_PRINCIPAL_NAMETYPE,
         {ZMQ_GSSAPI_NT_HOSTBASED, ZMQ_GSSAPI_NT_USER_NAME, ZMQ_GSSAPI_NT_KRB5_PRINCIPAL}},
        {"GSSAPI_SERVICE_PRINCIPAL_NAMETYPE",
         ZMQ_GSSAPI_SERVICE_PRINCIPAL_NAMETYPE,
         {ZMQ_GSSAPI_NT_HOSTBASED, ZMQ_GSSAPI_NT_USER_NAME, ZMQ_GSSAPI_NT_KRB5_PRINCIPAL}},
        {"NORM_MODE", ZMQ_NORM_MODE, {ZMQ_NORM_FIXED, ZMQ_NORM_CC, ZMQ_NORM_CCL, ZMQ_NORM_CCE, ZMQ_NORM_CCE_ECNONLY}},
        {"NORM_UNICAST_NACK", ZMQ_NORM_UNICAST_NACK, {0, 1}},
        {"NORM_BUFFER_SIZE", ZMQ_NORM_BUFFER_SIZE, {2048}},
        {"NORM_SEGMENT_SIZE", ZMQ_NORM_SEGMENT_SIZE, {1400}},
        {"NORM_BLOCK_SIZE", ZMQ_NORM_BLOCK_SIZE, {16}},
        {"NORM_NUM_PARITY", ZMQ_NORM_NUM_PARITY, {4}},
        {"NORM_NUM_AUTOPARITY", ZMQ_NORM_NUM_AUTOPARITY, {0}},
        {"NORM_PUSH", ZMQ_NORM_PUSH, {0, 1}},
        {"VMCI_BUFFER_SIZE", ZMQ_VMCI_BUFFER_SIZE, {65536}},
        {"VMCI_BUFFER_MIN_SIZE", ZMQ_VMCI_BUFFER_MIN_SIZE, {128}},
        {"VMCI_BUFFER_MAX_SIZE", ZMQ_VMCI_BUFFER_MAX_SIZE, {262144}},
        {"VMCI_CONNECT_TIMEOUT", ZMQ_VMCI_CONNECT_TIMEOUT, {-1, 100}},
    };
    for (int type = ZMQ_PAIR; type <= ZMQ_CHANNEL; ++type) {
        socket s = ctx_.open(type);
        for (const absent_option& each : options) {
            for (const int value : each.values) {
                // In the low octets of a number of eight, for those that are as wide.
                const std::int64_t wide = value;
                for (const std::size_t size : {sizeof value, sizeof wide}) {
                    errno = 0;
                    EXPECT_EQ(-1, zmq_setsockopt(s, each.option, &wide, size)) << type << ' ' << each.name;
                    EXPECT_EQ(EINVAL, zmq_errno()) << type << ' ' << each.name;
                }
            }
            char room[256];
            for (std::size_t size : {sizeof(int), sizeof(std::uint64_t), sizeof room}) {
                errno = 0;
                EXPECT_EQ(-1, zmq_getsockopt(s, each.option, room, &size)) << type << ' ' << each.name;
                EXPECT_EQ(EINVAL, zmq_errno()) << type << ' ' << each.name;
            }
        }
        EXPECT_NE(ZMQ_GSSAPI, s.get_int(ZMQ_MECHANISM)) << type;
    }
}

}  // namespace
}  // namespace zlink::test
