// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Messages of SERVER and PEER carry a peer's number, those of RADIO and DISH a group, in addition to their octets. In
// the tool it is their first frame.
#pragma once

#include <string>
#include <string_view>

#include <zmq.h>

namespace zlink::tool {

enum class address_form { none, number, group };

// Of a socket type.
address_form form_of_addresses(int type);

// Throws a failure if the library in use has no functions for such addresses.
void need_addresses(address_form form);

// The address of a received message as text.
std::string address_of(zmq_msg_t& message, address_form form);

// Throws a usage_failure for a number that is none, and for a group that is too long.
void set_address(zmq_msg_t& message, address_form form, const std::string& address);

// Throw a failure that names the cause. The socket is a DISH, or a PEER.
void join_group(void* socket, const std::string& group);
// The peer's number as text; empty with an errno: the endpoint cannot be connected to.
std::string connect_peer(void* socket, const std::string& endpoint);

}  // namespace zlink::tool
