// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink_send_parts() and zlink_recv_parts() with strings.
#pragma once

#include "support/zmq_socket.hpp"

#include <cerrno>
#include <cstring>
#include <vector>

namespace zlink::test {

/// Messages in an array, closed at the end.
class message_array {
public:
    explicit message_array(std::size_t count) : all_(count)
    {
        for (zmq_msg_t& m : all_) zmq_msg_init(&m);
    }
    explicit message_array(const parts& content) : message_array(content.size())
    {
        for (std::size_t i = 0; i < content.size(); ++i) {
            zmq_msg_close(&all_[i]);
            zmq_msg_init_buffer(&all_[i], content[i].data(), content[i].size());
        }
    }
    message_array(const message_array&) = delete;
    message_array& operator=(const message_array&) = delete;
    ~message_array()
    {
        for (zmq_msg_t& m : all_) zmq_msg_close(&m);
    }

    zmq_msg_t* data() { return all_.data(); }
    std::size_t size() const { return all_.size(); }
    std::string text(std::size_t i)
    {
        return {static_cast<const char*>(zmq_msg_data(&all_[i])), zmq_msg_size(&all_[i])};
    }
    parts first(std::size_t count)
    {
        parts content;
        for (std::size_t i = 0; i < count; ++i) content.push_back(text(i));
        return content;
    }

private:
    std::vector<zmq_msg_t> all_;
};

/// 0 or the errno.
inline int send_whole(void* s, const parts& content, int flags = 0)
{
    message_array all(content);
    return zlink_send_parts(s, all.data(), all.size(), flags) == 0 ? 0 : zmq_errno();
}

/// Empty, with errno: there is none, or it has more parts than `room`.
inline parts receive_whole(void* s, int flags = 0, std::size_t room = 8)
{
    message_array all(room);
    std::size_t count = room;
    if (zlink_recv_parts(s, all.data(), &count, flags) != 0) return {};
    return all.first(count);
}

}  // namespace zlink::test
