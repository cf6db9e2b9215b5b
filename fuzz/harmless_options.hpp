// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Numbers and values of options for targets that open sockets: any, unless the machine or the fuzzer would suffer. No
// value names another host, a device or a file, takes one of the fuzzer's descriptors, or lets a context's end wait.
#pragma once

#include "local_endpoints.hpp"

#include <zlink.h>

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include <zmq.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

namespace zlink::fuzz {

using octets = std::vector<std::byte>;  // its allocation has just this size, so a sanitizer sees reads past its end

/// Descriptors that are given away, and may come back: what is left of them is closed.
class lent_descriptors {
public:
    lent_descriptors() = default;
    lent_descriptors(const lent_descriptors&) = delete;
    lent_descriptors& operator=(const lent_descriptors&) = delete;
    ~lent_descriptors()
    {
        for (const lent& one : all_) {
            struct stat now;
            if (::fstat(one.fd, &now) == 0 && now.st_ino == one.inode) ::close(one.fd);
        }
    }

    /// A listening socket, a file, or none.
    int lend(std::uint8_t kind)
    {
        int fd = -1;
        switch (kind % 4) {
        case 0: return -1;
        case 1: return 1 << 20;
        case 2: fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC); break;
        default: {
            fd = ::socket(kind & 4 ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
            if (fd >= 0 && (kind & 8)) (void)::listen(fd, 1);
            break;
        }
        }
        struct stat made;
        if (fd >= 0 && ::fstat(fd, &made) == 0) all_.push_back({fd, made.st_ino});
        return fd;
    }

private:
    struct lent {
        int fd;
        ino_t inode;
    };
    std::vector<lent> all_;
};

inline int option_number(input& in)
{
    const std::uint8_t which = in.choice();
    if (which < 130) return which;  // those of libzmq
    constexpr int others[] = {7001, 7002, 7003, 7004, 7005, 7006, 7007, 7008, 7009, 7101, 7201,
                              7301, -1,   7311, 7321, 7322, 7323, 7324, 7331, 7401, 7402};
    if (which < 200) return others[which % std::size(others)];
    int number = 0;
    const auto taken = in.take(sizeof number);
    std::memcpy(&number, taken.data(), taken.size());
    return number;
}

/// A number, of the size of int or int64_t, or octets.
inline octets any_value(input& in)
{
    const std::uint8_t form = in.choice();
    octets value;
    if (form < 128) {  // a small number
        const std::int64_t number = std::int8_t(in.choice());
        value.resize(form < 96 ? sizeof(int) : sizeof number);
        std::memcpy(value.data(), &number, value.size());
        return value;
    }
    const auto taken = in.take(form < 160 ? sizeof(int) : form < 170 ? sizeof(std::int64_t) : in.choice());
    value.assign(taken.begin(), taken.end());
    if (form >= 250) value.resize(256 + 16 * in.choice(), std::byte('a'));
    return value;
}

inline octets harmless(int option, octets value, lent_descriptors& descriptors)
{
    int number = 0;
    const bool is_number = value.size() == sizeof number;
    if (is_number) std::memcpy(&number, value.data(), sizeof number);
    const std::string_view text(reinterpret_cast<const char*>(value.data()), value.size());
    switch (option) {
    case ZMQ_LINGER:
        if (number > 1 || number == -1) number &= 1;
        break;
    case ZMQ_IN_BATCH_SIZE:
    case ZMQ_OUT_BATCH_SIZE: number = std::min(number, 1 << 16); break;
    case ZMQ_USE_FD: number = is_number ? descriptors.lend(std::uint8_t(number)) : 0; break;
    case ZMQ_SOCKS_PROXY:
        if (!are_local(text)) value.assign(3, std::byte(':'));
        return value;
    case ZMQ_BINDTODEVICE:
        if (!value.empty() && text != "lo") value[0] = std::byte('~');
        return value;
    default:
        if (option >= ZMQ_WSS_KEY_PEM) std::replace(value.begin(), value.end(), std::byte('/'), std::byte('_'));
        return value;
    }
    if (is_number) std::memcpy(value.data(), &number, sizeof number);
    return value;
}

/// Of a context.
inline int harmless_number(int option, int number)
{
    switch (option) {
    case ZMQ_IO_THREADS: return std::min(number, 3);
    case ZMQ_THREAD_PRIORITY:  // which is ZMQ_SOCKET_LIMIT, too
    case ZMQ_THREAD_SCHED_POLICY: return std::min(number, 0);
    default: return number;
    }
}

}  // namespace zlink::fuzz
