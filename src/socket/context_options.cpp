// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Ranges are those of libzmq 4.3.5: any number that is not negative, except where a comment says otherwise.
#include "socket/context_options.hpp"

#include "base/last_error.hpp"
#include "base/option_values.hpp"

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include <zmq.h>

#include <zlink.h>

#include <charconv>
#include <cstdint>
#include <new>
#include <optional>

namespace zlink::socket {
namespace {

constexpr int largest_max_sockets = 65535;
constexpr std::size_t longest_name_prefix = 16;

/// The prefix is a text, but zmq_ctx_set can give it only as a number, and zmq_ctx_get can read it only as one.
int leading_number(const std::string& text)
{
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

errc set_name_prefix(context_options& options, const option_input& input)
{
    if (const auto number = input.as<int>()) {
        options.threads.name_prefix = std::to_string(*number);
        return errc::none;
    }
    if (input.size() < 1 || input.size() > longest_name_prefix) {
        return errc::invalid_argument;
    }
    options.threads.name_prefix = input.text();
    return errc::none;
}

errc set_max_queued_bytes(context_options& options, const option_input& input)
{
    const auto narrow = input.as<int>();
    const auto octets = narrow ? std::optional<std::int64_t>(*narrow) : input.as<std::int64_t>();
    if (!octets || *octets < 0) {
        tell_failure("ZLINK_MAX_QUEUED_BYTES is an int64_t (zmq_ctx_set_ext()) or an int, and not negative");
        return errc::invalid_argument;
    }
    options.cap->set_limit(std::uint64_t(*octets));
    return errc::none;
}

errc get_max_queued_bytes(const context_options& options, const option_output& output)
{
    const auto octets = std::int64_t(options.cap->limit());
    if (output.room() == sizeof(int) && octets <= INT_MAX) return output.put(int(octets));
    return output.put(octets);
}

errc set_number(context_options& options, int option, int value)
{
    switch (option) {
    case ZMQ_IO_THREADS: options.io_threads = value; return errc::none;
    case ZMQ_MAX_SOCKETS:
        if (value < 1) {
            return errc::invalid_argument;
        }
        options.max_sockets = value;
        return errc::none;
    case ZMQ_IPV6: options.ipv6 = value != 0; return errc::none;
    case ZMQ_BLOCKY: options.blocky = value != 0; return errc::none;
    case ZMQ_MAX_MSGSZ: options.max_msgsz = value; return errc::none;
    case ZMQ_ZERO_COPY_RECV: options.zero_copy_recv = value != 0; return errc::none;
    case ZMQ_THREAD_SCHED_POLICY: options.threads.sched_policy = value; return errc::none;
    case ZMQ_THREAD_PRIORITY: options.threads.priority = value; return errc::none;
    case ZMQ_THREAD_AFFINITY_CPU_ADD: options.threads.cpus.insert(value); return errc::none;
    case ZMQ_THREAD_AFFINITY_CPU_REMOVE:
        return options.threads.cpus.erase(value) != 0 ? errc::none : errc::invalid_argument;
    default: return errc::invalid_argument;
    }
}

}  // namespace

errc set_option(context_options& options, int option, const void* value, std::size_t size)
{
    const option_input input{value, size};
    if (input.is_broken()) {
        return errc::invalid_argument;
    }
    try {
        if (option == ZMQ_THREAD_NAME_PREFIX) {
            return set_name_prefix(options, input);
        }
        if (option == ZLINK_MAX_QUEUED_BYTES) {
            return set_max_queued_bytes(options, input);
        }
        const auto number = input.as<int>();
        return number && *number >= 0 ? set_number(options, option, *number) : errc::invalid_argument;
    } catch (const std::bad_alloc&) {
        return errc::out_of_memory;
    }
}

errc get_option(const context_options& options, int option, void* value, std::size_t* size)
{
    const option_output output{value, size};
    if (output.is_broken()) {
        return errc::invalid_argument;
    }
    switch (option) {
    case ZMQ_IO_THREADS: return output.put(options.io_threads);
    case ZMQ_MAX_SOCKETS: return output.put(options.max_sockets);
    case ZMQ_SOCKET_LIMIT: return output.put(largest_max_sockets);
    case ZMQ_IPV6: return output.put(static_cast<int>(options.ipv6));
    case ZMQ_BLOCKY: return output.put(static_cast<int>(options.blocky));
    case ZMQ_MAX_MSGSZ: return output.put(options.max_msgsz);
    case ZMQ_MSG_T_SIZE: return output.put(static_cast<int>(sizeof(zmq_msg_t)));
    case ZMQ_ZERO_COPY_RECV: return output.put(static_cast<int>(options.zero_copy_recv));
    case ZMQ_THREAD_SCHED_POLICY: return output.put(options.threads.sched_policy);
    case ZLINK_MAX_QUEUED_BYTES: return get_max_queued_bytes(options, output);
    case ZMQ_THREAD_NAME_PREFIX:
        if (output.room() == sizeof(int)) {
            return output.put(leading_number(options.threads.name_prefix));
        }
        return output.put_unmeasured(options.threads.name_prefix);
    default: return errc::invalid_argument;
    }
}

errc set_option(context_options& options, int option, int value)
{
    return set_option(options, option, &value, sizeof value);
}

errc get_option(const context_options& options, int option, int& value)
{
    std::size_t size = sizeof value;
    return get_option(options, option, &value, &size);
}

}  // namespace zlink::socket
