// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// PUB to one SUB that wants everything. PUB blocks when the high-water mark is reached, so that nothing is dropped.
#include "harness/run.hpp"
#include "harness/zmq_ends.hpp"

#include <string>

namespace {

class subscriber : public bench::socket_end<ZMQ_SUB> {
public:
    subscriber(bench::zmq_context& context, const bench::settings& of) : socket_end(context, of)
    {
        socket().set(ZMQ_SUBSCRIBE, std::string());
    }
};

struct pubsub_pattern : bench::pattern_defaults {
    static constexpr const char* name = "PUBSUB";
    static constexpr bool two_way = false;
    static constexpr bool repeats_hello = true;
    using context = bench::zmq_context;
    using sender = bench::socket_end<ZMQ_PUB>;
    using receiver = subscriber;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run<pubsub_pattern>(argc, argv);
}
