// PUSH to a zmq_proxy of PULL and PUSH, and on to PULL; the proxy has a thread of its own.
#include "harness/run.hpp"
#include "harness/zmq_ends.hpp"

#include <string>
#include <thread>

namespace {

// The last PULL and, in its process, the proxy in front of it.
class receiver_behind_proxy : public bench::single_lane {
public:
    receiver_behind_proxy(bench::zmq_context& context, const bench::settings& of)
        : context_(context),
          transport_(of.transport),
          front_(context, ZMQ_PULL, of),
          back_(context, ZMQ_PUSH, of),
          socket_(context, ZMQ_PULL, of)
    {}
    ~receiver_behind_proxy()
    {
        context_.shut_down();  // the only thing that ends a zmq_proxy
        if (proxy_.joinable()) proxy_.join();
    }
    receiver_behind_proxy(const receiver_behind_proxy&) = delete;
    receiver_behind_proxy& operator=(const receiver_behind_proxy&) = delete;

    [[nodiscard]] std::string bind()
    {
        socket_.connect(back_.bind(transport_));
        const std::string endpoint = front_.bind(transport_);
        proxy_ = std::thread([this] {
            while (zmq_proxy(front_.get(), back_.get(), nullptr) != 0 && zmq_errno() == EINTR) {
            }
            if (zmq_errno() != ETERM) bench::fail_call("zmq_proxy");
        });
        return endpoint;
    }
    void connect(const std::string&) {}

    void send(const char*, std::size_t) {}
    [[nodiscard]] std::size_t receive(bench::inbox& in) { return bench::receive(socket_, in); }

private:
    bench::zmq_context& context_;
    std::string transport_;
    bench::zmq_handle front_;
    bench::zmq_handle back_;
    bench::zmq_handle socket_;
    std::thread proxy_;
};

struct proxy_pattern : bench::pattern_defaults {
    static constexpr const char* name = "PROXY";
    static constexpr bool two_way = false;
    using context = bench::zmq_context;
    using sender = bench::socket_end<ZMQ_PUSH>;
    using receiver = receiver_behind_proxy;
};

}  // namespace

int main(int argc, char** argv)
{
    return bench::run<proxy_pattern>(argc, argv);
}
