// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// See line.hpp.
#include "explore/line.hpp"

#include "harness/fail.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace explore {

namespace {

constexpr std::size_t stamp_size = sizeof(std::uint64_t);

// True if the call is to be made again; false if there is nothing to be had. Other errors end the program.
bool again(const char* call)
{
    const int error = zmq_errno();
    if (error == EINTR) return true;
    // EFSM: a REQ that waits for no answer, or for one.
    if (error == EAGAIN || error == ETERM || error == EHOSTUNREACH || error == ENOTSOCK || error == EFSM) return false;
    fail_call(call);
}

}  // namespace

void fail_call(const char* call)
{
    bench::fail(bench::exit_status::failed, "%s: %s", call, zmq_strerror(zmq_errno()));
}

std::string routing_id(bool front, unsigned number)
{
    return (front ? "f" : "b") + std::to_string(number);
}

unsigned number_of(const char* id, std::size_t size)
{
    unsigned number = 0;
    for (std::size_t i = 1; i < size; ++i) number = number * 10 + static_cast<unsigned>(id[i] - '0');
    return number;
}

std::string topic_name(unsigned topic)
{
    char name[16];
    std::snprintf(name, sizeof name, "t%03u/", topic);
    return name;
}

inbox::inbox(const workload& of)
    : messages_(of.api != api_kind::buffer),
      multipart_(of.may_be_multipart()),
      capacity_(of.largest() + 64)
{}

inbox::~inbox()
{
    drop_messages();
}

void inbox::drop_messages()
{
    for (unsigned i = 0; messages_ && i < frames_; ++i) zmq_msg_close(&held_[i]);
    frames_ = 0;
}

const char* inbox::data(unsigned frame) const
{
    if (!messages_) return buffers_[frame].get();
    return static_cast<const char*>(zmq_msg_data(const_cast<zmq_msg_t*>(&held_[frame])));
}

bool inbox::take_frame(void* socket, unsigned frame, int flags, bool& more)
{
    int size = -1;
    if (messages_) {
        zmq_msg_init(&held_[frame]);
        do size = zmq_msg_recv(&held_[frame], socket, flags);
        while (size < 0 && again("zmq_msg_recv"));
    } else {
        if (!buffers_[frame]) buffers_[frame] = std::make_unique_for_overwrite<char[]>(capacity_);
        do size = zmq_recv(socket, buffers_[frame].get(), capacity_, flags);
        while (size < 0 && again("zmq_recv"));
    }
    if (size < 0) return false;
    sizes_[frame] = static_cast<std::size_t>(size);
    frames_ = frame + 1;
    more = false;
    if (multipart_ && messages_) {
        more = zmq_msg_more(&held_[frame]) != 0;
    } else if (multipart_) {
        int value = 0;
        std::size_t length = sizeof value;
        if (zmq_getsockopt(socket, ZMQ_RCVMORE, &value, &length) != 0) return false;
        more = value != 0;
    }
    return true;
}

bool inbox::take(void* socket, int flags)
{
    drop_messages();
    bool more = true;
    for (unsigned frame = 0; more; ++frame) {
        if (frame == most_frames) bench::fail(bench::exit_status::failed, "a message has too many frames");
        if (!take_frame(socket, frame, frame == 0 ? flags : 0, more)) return false;
    }
    return true;
}

bool inbox::send_back(void* socket)
{
    for (unsigned frame = 0; frame < frames_; ++frame) {
        const int flags = frame + 1 < frames_ ? ZMQ_SNDMORE : 0;
        int sent = -1;
        do {
            sent = messages_ ? zmq_msg_send(&held_[frame], socket, flags)
                             : zmq_send(socket, buffers_[frame].get(), sizes_[frame], flags);
        } while (sent < 0 && again("zmq_send of an answer"));
        if (sent < 0) return false;
    }
    return true;
}

std::uint64_t inbox::due() const
{
    const unsigned last = frames_ - 1;
    std::uint64_t stamp = 0;
    if (sizes_[last] >= stamp_size) std::memcpy(&stamp, data(last) + sizes_[last] - stamp_size, stamp_size);
    return stamp;
}

std::size_t inbox::octets() const
{
    std::size_t sum = 0;
    for (unsigned i = 0; i < frames_; ++i) sum += sizes_[i];
    return sum;
}

outbox::outbox(const workload& of, unsigned number)
    : of_(of),
      state_((of.seed + 1) * 0x9e3779b97f4a7c15ULL + number),
      body_(of.largest() + 64, 'x')
{}

std::size_t outbox::draw()
{
    if (of_.range_to == 0 && of_.sizes.size() == 1) return of_.sizes[0];
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t random = state_ >> 33;
    if (of_.range_to != 0) return of_.range_from + random % (of_.range_to - of_.range_from + 1);
    return of_.sizes[random % of_.sizes.size()];
}

bool outbox::send_frame(void* socket, const char* octets, std::size_t size, std::uint64_t due, bool stamped, int flags)
{
    const bool stamps = stamped && size >= stamp_size;
    if (of_.api == api_kind::buffer) {
        if (stamps) std::memcpy(body_.data() + (octets - body_.data()) + size - stamp_size, &due, stamp_size);
        int sent = -1;
        do sent = zmq_send(socket, octets, size, flags);
        while (sent < 0 && again("zmq_send"));
        return sent >= 0;
    }
    zmq_msg_t message;
    char* memory = nullptr;
    if (of_.api == api_kind::message || size == 0) {
        if (zmq_msg_init_size(&message, size) != 0) fail_call("zmq_msg_init_size");
        memory = static_cast<char*>(zmq_msg_data(&message));
    } else {
        memory = static_cast<char*>(std::malloc(size));
        if (zmq_msg_init_data(&message, memory, size, [](void* data, void*) { std::free(data); }, nullptr) != 0) {
            fail_call("zmq_msg_init_data");
        }
    }
    if (size > 0) std::memcpy(memory, octets, size);
    if (stamps) std::memcpy(memory + size - stamp_size, &due, stamp_size);
    int sent = -1;
    do sent = zmq_msg_send(&message, socket, flags);
    while (sent < 0 && again("zmq_msg_send"));
    if (sent < 0) zmq_msg_close(&message);
    return sent >= 0;
}

bool outbox::send(void* socket, unsigned peer, unsigned topic, std::uint64_t due, int flags)
{
    if (next_ == 0) next_ = draw();
    int how = flags;
    const auto frame = [&](const char* octets, std::size_t size, bool last) {
        if (!send_frame(socket, octets, size, due, last, how | (last ? 0 : ZMQ_SNDMORE))) return false;
        how = 0;  // the first frame got in, so the others do
        return true;
    };
    if (of_.addressed()) {
        char id[16];
        const int length = std::snprintf(id, sizeof id, "b%u", peer);
        if (of_.api == api_kind::buffer) {
            int sent = -1;
            do sent = zmq_send(socket, id, static_cast<std::size_t>(length), how | ZMQ_SNDMORE);
            while (sent < 0 && again("zmq_send"));
            if (sent < 0) return false;
            how = 0;
        } else if (!frame(id, static_cast<std::size_t>(length), false)) {
            return false;
        }
    }
    if (of_.delimits() && !frame(body_.data(), 0, false)) return false;
    if (of_.topics > 0) std::snprintf(body_.data(), 6, "t%03u/", topic);
    std::size_t left = next_;
    for (unsigned part = of_.parts; part > 1; --part) {
        const std::size_t size = next_ / of_.parts;
        if (!frame(body_.data(), size, false)) return false;
        left -= size;
    }
    if (of_.topics > 0 && of_.parts == 1) body_[5] = 'x';
    if (!frame(body_.data(), left, true)) return false;
    last_ = next_;
    next_ = 0;
    return true;
}

}  // namespace explore
