// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PAIR to PAIR, messages of three frames of the given size each.
#include "harness/run.hpp"
#include "harness/zmq_ends.hpp"

namespace {

constexpr std::size_t frame_count = 3;

// Takes the octets of a message in one piece; all frames but the last have the settings' size.
class multipart_end : public bench::socket_end<ZMQ_PAIR> {
public:
    multipart_end(bench::zmq_context& context, const bench::settings& of) : socket_end(context, of), frame_(of.size) {}

    void send(const char* octets, std::size_t size)
    {
        bench::send(socket(), octets, frame_, ZMQ_SNDMORE);
        bench::send(socket(), octets + frame_, frame_, ZMQ_SNDMORE);
        bench::send(socket(), octets + 2 * frame_, size - 2 * frame_);
    }

    [[nodiscard]] std::size_t receive(bench::inbox& in)
    {
        char* const octets = in.data();
        for (std::size_t i = 0; i < frame_count - 1; ++i) {
            if (bench::receive_part(socket(), octets + i * frame_, frame_) != frame_) [[unlikely]] {
                bench::fail(bench::exit_status::failed, "frame %zu of a message has another size", i);
            }
        }
        const std::size_t before = (frame_count - 1) * frame_;
        return before + bench::receive_part(socket(), octets + before, in.capacity() - before);
    }

private:
    std::size_t frame_;
};

struct multipart_pattern : bench::pattern_defaults {
    static constexpr const char* name = "MULTIPART";
    static constexpr std::size_t frames = frame_count;
    using context = bench::zmq_context;
    using sender = multipart_end;
    using receiver = multipart_end;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run<multipart_pattern>(argc, argv);
}
