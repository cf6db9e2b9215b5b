// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Options of a socket and of its context, set and read in any order, at any time of their lives, with values of any
// length. A call that fails changes nothing. What is read fits, is the same in whatever room it can be read, and can be
// set again. Two sockets that have been told the same say the same.
#include "harmless_options.hpp"
#include "hosted_context.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <span>
#include <string>

using namespace zlink;
using fuzz::octets;

namespace {

constexpr std::size_t enough = 16 * 1024;

/// Says which option it was.
void require(bool holds, const char* what, int option)
{
    if (holds) return;
    std::fprintf(stderr, "option %d: %s\n", option, what);
    std::abort();
}

std::optional<octets> read(void* socket, int option, std::size_t room)
{
    octets value(room);
    std::size_t size = room;
    if (zmq_getsockopt(socket, option, value.data(), &size) != 0) {
        const int error = zmq_errno();
        require(error == EINVAL || error == ETERM || error == EMFILE, "an errno that is not documented", option);
        return std::nullopt;
    }
    require(size <= room, "is longer than its room", option);
    value.resize(size);
    return value;
}

constexpr std::size_t key = 32, key_as_text = 41;

/// In the room that it wants: numbers and keys take no more than their own.
std::optional<octets> read(void* socket, int option)
{
    for (const std::size_t room : {enough, sizeof(std::int64_t), sizeof(int), key}) {
        if (auto value = read(socket, option, room)) return value;
    }
    return std::nullopt;
}

/// It is another one each time, or for each socket.
bool is_fleeting(int option)
{
    switch (option) {
    case ZMQ_FD:
    case ZMQ_EVENTS:
    case ZMQ_THREAD_SAFE:
    case ZMQ_LAST_ENDPOINT:
    case ZMQ_USE_FD:
    case ZLINK_FD: return true;
    default: return false;
    }
}

class world {
public:
    explicit world(fuzz::input in) : in_(in)
    {
        int type = in_.choice() % 21;
        for (void*& s : twins_) {
            s = zmq_socket(context_.handle(), type);
            fuzz::require(s != nullptr);
        }
    }
    world(const world&) = delete;
    world& operator=(const world&) = delete;
    ~world()
    {
        for (void* s : twins_) {
            if (s) fuzz::require(zmq_close(s) == 0);
        }
    }

    void run()
    {
        for (int i = 0; i < 200 && !in_.rest().empty(); ++i) {
            const std::uint8_t what = in_.choice();
            if (what < 160) {
                set();
            } else if (what < 200) {
                get();
            } else if (what < 230) {
                set_of_context();
            } else {
                grow_older(what);
            }
        }
    }

private:
    void set()
    {
        const int option = fuzz::option_number(in_);
        const octets value = fuzz::harmless(option, fuzz::any_value(in_), descriptors_);
        const auto before = read_both(option);
        const int first = zmq_setsockopt(twins_[0], option, value.data(), value.size());
        const int error = first == 0 ? 0 : zmq_errno();
        require(error == 0 || error == EINVAL || error == ETERM || error == ENOTSUP, "an errno that is not documented",
                option);
        const int second = zmq_setsockopt(twins_[1], option, value.data(), value.size());
        if (is_fleeting(option)) return;
        require(first == second, "one socket takes it, the other does not", option);
        const auto after = read(twins_[0], option);
        require(after == read(twins_[1], option), "the sockets differ", option);
        if (first != 0) require(after == before, "was changed by a call that failed", option);
        if (first != 0 || !after) return;
        // A text is read with a NUL behind it, which is not a part of it.
        const bool same = stays(option, *after, after->size()) || (!after->empty() && after->back() == std::byte{0} &&
                                                                   stays(option, *after, after->size() - 1));
        require(same, "is another one, or fails, when it is set again", option);
    }
    /// Of the first. The other one is read as well: a call may tell a socket of its context's end, or make a descriptor.
    template <class... Room>
    std::optional<octets> read_both(int option, Room... room) const
    {
        auto of_first = read(twins_[0], option, room...);
        (void)read(twins_[1], option, room...);
        return of_first;
    }
    bool stays(int option, const octets& value, std::size_t size)
    {
        bool all = true;
        for (void* s : twins_) {
            all = zmq_setsockopt(s, option, value.data(), size) == 0 && all;
            all = read(s, option) == value && all;
        }
        return all;
    }
    void get()
    {
        const int option = fuzz::option_number(in_);
        const std::size_t room = in_.choice();
        const auto with_room = read_both(option);
        const auto little = read_both(option, room);
        if (is_fleeting(option) || room == key_as_text) return;
        require(!little || little == with_room, "depends on the room", option);
        require(!little || with_room, "can be read in that room alone", option);
    }
    void set_of_context()
    {
        const int choice = in_.choice() % 91;
        const int option = choice == 90 ? ZLINK_MAX_QUEUED_BYTES : choice;
        const int value = fuzz::harmless_number(option, std::int8_t(in_.choice()) * (in_.choice() & 1 ? 4096 : 1));
        const int before = zmq_ctx_get(context_.handle(), option);
        if (zmq_ctx_set(context_.handle(), option, value) == 0) return;
        require(zmq_errno() == EINVAL, "an errno of the context that is not documented", option);
        require(zmq_ctx_get(context_.handle(), option) == before, "of the context was changed all the same", option);
    }
    void grow_older(std::uint8_t what)
    {
        for (std::size_t i = 0; i < twins_.size(); ++i) {
            const std::string endpoint = (what & 1 ? "inproc://a" : "inproc://b") + std::to_string(i);
            if (what < 240) {
                (void)zmq_bind(twins_[i], endpoint.c_str());
            } else if (what < 250) {
                (void)zmq_connect(twins_[i], endpoint.c_str());
            }
        }
        if (what == 255 && in_.choice() < 16) (void)zmq_ctx_shutdown(context_.handle());
        context_.step();
    }

    fuzz::lent_descriptors descriptors_;
    fuzz::input in_;
    fuzz::hosted_context context_;
    std::array<void*, 2> twins_{};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    world(fuzz::input(data, size)).run();
    return 0;
}
