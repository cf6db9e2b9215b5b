// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The functions are of the draft API, which a libzmq may be built without: they are looked up at run time.
#include "support/message_address.hpp"

#include "support/failure.hpp"
#include "support/loaded_library.hpp"
#include "support/text.hpp"

#include <charconv>
#include <cstdint>

#include <fmt/format.h>

namespace zlink::tool {
namespace {

template <class Function>
Function& draft_function(const char* name)
{
    auto* const found = reinterpret_cast<Function*>(library_function(name));
    if (found == nullptr) {
        throw failure(fmt::format("{} has no {}, a function of the draft API; 'zlink version' shows the library in use",
                                  library_path(), name));
    }
    return *found;
}

std::uint32_t to_number(const std::string& address)
{
    std::uint32_t number = 0;
    const char* const end = address.data() + address.size();
    const auto [stop, error] = std::from_chars(address.data(), end, number);
    if (error != std::errc{} || stop != end || number == 0) {
        throw usage_failure(
            fmt::format("'{}' is not a peer's number; messages that arrive begin with the number of their "
                        "sender",
                        printable(address)));
    }
    return number;
}

}  // namespace

address_form form_of_addresses(int type)
{
    switch (type) {
    case ZMQ_SERVER:
    case ZMQ_PEER: return address_form::number;
    case ZMQ_RADIO:
    case ZMQ_DISH: return address_form::group;
    default: return address_form::none;
    }
}

void need_addresses(address_form form)
{
    if (form != address_form::none) {
        (void)draft_function<decltype(zmq_msg_group)>("zmq_msg_group");
    }
}

std::string address_of(zmq_msg_t& message, address_form form)
{
    if (form == address_form::number) {
        static auto& routing_id = draft_function<decltype(zmq_msg_routing_id)>("zmq_msg_routing_id");
        return std::to_string(routing_id(&message));
    }
    static auto& group = draft_function<decltype(zmq_msg_group)>("zmq_msg_group");
    return group(&message);
}

void set_address(zmq_msg_t& message, address_form form, const std::string& address)
{
    if (form == address_form::number) {
        static auto& set_routing_id = draft_function<decltype(zmq_msg_set_routing_id)>("zmq_msg_set_routing_id");
        set_routing_id(&message, to_number(address));
        return;
    }
    static auto& set_group = draft_function<decltype(zmq_msg_set_group)>("zmq_msg_set_group");
    if (set_group(&message, address.c_str()) != 0) {
        throw usage_failure(
            fmt::format("the group '{}' is longer than {} bytes", printable(address), ZMQ_GROUP_MAX_LENGTH));
    }
}

void join_group(void* socket, const std::string& group)
{
    if (draft_function<decltype(zmq_join)>("zmq_join")(socket, group.c_str()) != 0) {
        const bool twice = zmq_errno() == EINVAL && group.size() <= ZMQ_GROUP_MAX_LENGTH;
        throw usage_failure(fmt::format("cannot join the group '{}': {}", printable(group),
                                        twice ? "it is given twice" : zmq_strerror(zmq_errno())));
    }
}

std::string connect_peer(void* socket, const std::string& endpoint)
{
    const auto number = draft_function<decltype(zmq_connect_peer)>("zmq_connect_peer")(socket, endpoint.c_str());
    return number == 0 ? "" : std::to_string(number);
}

}  // namespace zlink::tool
