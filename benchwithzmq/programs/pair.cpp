// PAIR to PAIR.
#include "harness/run.hpp"
#include "harness/zmq_ends.hpp"

namespace {

struct pair_end : bench::plain_end {
    pair_end(bench::zmq_context& context, const bench::settings& of) : plain_end(context, of, ZMQ_PAIR) {}
};

struct pair_pattern : bench::pattern_defaults {
    static constexpr const char* name = "PAIR";
    using context = bench::zmq_context;
    using sender = pair_end;
    using receiver = pair_end;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run<pair_pattern>(argc, argv);
}
