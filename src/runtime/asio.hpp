// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The part of Asio that is used, Boost's or the standalone one: zlink::runtime::net. Included by .cpp files of runtime/
// alone.
#pragma once

#ifdef ZLINK_ASIO_STANDALONE

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/posix/stream_descriptor.hpp>

#include <system_error>

namespace zlink::runtime {

namespace net = ::asio;
using net_error = std::error_code;

}  // namespace zlink::runtime

#else

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

namespace zlink::runtime {

namespace net = ::boost::asio;
using net_error = boost::system::error_code;

}  // namespace zlink::runtime

#endif
