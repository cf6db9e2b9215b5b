// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

/**
 * @file zlink.hpp
 * The C++ API without Asio. asio.hpp has sockets with completion tokens.
 */
#pragma once

#include <zlink/error.hpp>
#include <zlink/io_group.hpp>
#include <zlink/message.hpp>
#include <zlink/monitor.hpp>
#include <zlink/multipart.hpp>
#include <zlink/options.hpp>
#include <zlink/poller.hpp>
#include <zlink/proxy.hpp>
#include <zlink/socket.hpp>
#include <zlink/statistics.hpp>
