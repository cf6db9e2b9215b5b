// PUB to N SUBs (BENCH_PEERS), that one thread reads in turn. Throughput counts deliveries; PUB blocks rather than drop.
#include "harness/run.hpp"
#include "harness/zmq_ends.hpp"

#include <string>
#include <vector>

namespace {

class subscribers {
public:
    subscribers(bench::zmq_context& context, const bench::settings& of)
    {
        for (unsigned i = 0; i < of.peers; ++i) {
            sockets_.emplace_back(context, ZMQ_SUB, of);
            sockets_.back().set(ZMQ_SUBSCRIBE, std::string());
        }
        lane_ = of.peers - 1;
    }

    [[nodiscard]] std::string bind() { return {}; }  // PUB does
    void connect(const std::string& endpoint)
    {
        for (bench::zmq_handle& socket : sockets_) socket.connect(endpoint);
    }

    void send(const char*, std::size_t) {}
    [[nodiscard]] std::size_t receive(char* octets, std::size_t capacity)
    {
        if (++lane_ == sockets_.size()) lane_ = 0;
        return bench::receive_frame(sockets_[lane_].get(), octets, capacity);
    }

    [[nodiscard]] unsigned lanes() const { return static_cast<unsigned>(sockets_.size()); }
    [[nodiscard]] unsigned lane() const { return lane_; }
    void again() { lane_ = (lane_ == 0 ? lanes() : lane_) - 1; }

private:
    std::vector<bench::zmq_handle> sockets_;
    unsigned lane_;
};

struct fan_out_pattern : bench::pattern_defaults {
    static constexpr const char* name = "FAN_OUT";
    static constexpr bool two_way = false;
    static constexpr bool sender_binds = true;
    static constexpr bool repeats_hello = true;
    static unsigned copies(const bench::settings& of) { return of.peers; }
    using context = bench::zmq_context;
    using sender = bench::socket_end<ZMQ_PUB>;
    using receiver = subscribers;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run<fan_out_pattern>(argc, argv);
}
