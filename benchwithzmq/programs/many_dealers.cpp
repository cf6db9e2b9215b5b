// N DEALERs (BENCH_PEERS), which one thread uses in turn, to one ROUTER.
#include "harness/run.hpp"
#include "harness/zmq_ends.hpp"

#include <string>
#include <vector>

namespace {

constexpr std::size_t id_size = 4;

// Socket number i has the routing id "D" and i in three octets.
class dealers {
public:
    dealers(bench::zmq_context& context, const bench::settings& of)
    {
        for (unsigned i = 0; i < of.peers; ++i) {
            const char id[id_size] = {'D', static_cast<char>(i >> 16), static_cast<char>(i >> 8), static_cast<char>(i)};
            sockets_.emplace_back(context, ZMQ_DEALER, of);
            sockets_.back().set(ZMQ_ROUTING_ID, std::string(id, sizeof id));
        }
        lane_ = of.peers - 1;
    }

    [[nodiscard]] std::string bind() { return {}; }  // ROUTER does
    void connect(const std::string& endpoint)
    {
        for (bench::zmq_handle& socket : sockets_) socket.connect(endpoint);
    }

    void send(const char* octets, std::size_t size)
    {
        if (++lane_ == sockets_.size()) lane_ = 0;
        bench::send_frame(sockets_[lane_].get(), octets, size);
    }
    // The answer to what was sent last.
    [[nodiscard]] std::size_t receive(char* octets, std::size_t capacity)
    {
        return bench::receive_frame(sockets_[lane_].get(), octets, capacity);
    }

    [[nodiscard]] unsigned lanes() const { return static_cast<unsigned>(sockets_.size()); }

private:
    std::vector<bench::zmq_handle> sockets_;
    unsigned lane_;
};

// Answers to whom it received from last.
class crowd_router {
public:
    crowd_router(bench::zmq_context& context, const bench::settings& of)
        : socket_(context, ZMQ_ROUTER, of),
          transport_(of.transport),
          lanes_(of.peers)
    {}

    [[nodiscard]] std::string bind() { return socket_.bind(transport_); }
    void connect(const std::string&) {}

    void send(const char* octets, std::size_t size)
    {
        bench::send_frame(socket_.get(), id_, sizeof id_, ZMQ_SNDMORE);
        bench::send_frame(socket_.get(), octets, size);
    }
    [[nodiscard]] std::size_t receive(char* octets, std::size_t capacity)
    {
        if (bench::receive_frame(socket_.get(), id_, sizeof id_) != sizeof id_ || id_[0] != 'D' || lane() >= lanes_)
            [[unlikely]] {
            bench::fail(bench::exit_status::failed, "a message came from a peer of another name");
        }
        return bench::receive_frame(socket_.get(), octets, capacity);
    }

    [[nodiscard]] unsigned lanes() const { return lanes_; }
    [[nodiscard]] unsigned lane() const
    {
        const auto octet = [this](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(id_[i])); };
        return octet(1) << 16 | octet(2) << 8 | octet(3);
    }
    void again() {}

private:
    bench::zmq_handle socket_;
    std::string transport_;
    unsigned lanes_;
    char id_[id_size]{};
};

struct many_dealers_pattern : bench::pattern_defaults {
    static constexpr const char* name = "MANY_DEALERS";
    using context = bench::zmq_context;
    using sender = dealers;
    using receiver = crowd_router;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run<many_dealers_pattern>(argc, argv);
}
