// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The C++ API over tcp: messages a second that a coroutine takes, round trips between two coroutines, and how late
// timers are beside them. Modes that end in _hosted run connections on the program's io_context. `c` is the C API.
#include "cpp/measure.hpp"

#include <zlink/asio.hpp>
#include <zlink/awaitable.hpp>
#include <zlink/zlink.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <zmq.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

namespace {

namespace net = boost::asio;
using namespace std::chrono_literals;
using bench_cpp::arguments;
using bench_cpp::counter;

constexpr const char* modes = "c c_messages some some_hosted each each_hosted receive receive_hosted blocking ping_c "
                              "ping ping_hosted ping_threads "
                              "ping_hosted_threads timer timer_flood_hosted";

template <class Socket>
std::string bind(Socket& s)
{
    s.bind("tcp://127.0.0.1:*");
    return s.template get<zlink::opt::last_endpoint>();
}

/// Numbered messages from a thread, by the C API, until it is destroyed.
class flood {
public:
    flood(const std::string& endpoint, std::size_t size)
        : thread_([this, endpoint, size] {
              zlink::socket s(group_, zlink::socket_type::pair);
              s.set(zlink::opt::sndtimeo(20ms));
              s.set(zlink::opt::linger(0ms));
              s.connect(endpoint);
              std::vector<std::byte> content(size);
              for (std::uint64_t number = 0; !stop_;) {
                  std::memcpy(content.data(), &number, sizeof number);
                  if (zmq_send(s.native_handle(), content.data(), size, 0) >= 0) ++number;
              }
          })
    {}
    flood(const flood&) = delete;
    flood& operator=(const flood&) = delete;
    ~flood()
    {
        stop_ = true;
        thread_.join();
    }

private:
    zlink::io_group group_{1};
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

net::awaitable<void> take_some(zlink::async_socket& s, counter& count)
{
    std::array<zlink::message, 256> room;
    while (true) {
        const std::size_t n = co_await s.async_receive_some(room, net::use_awaitable);
        bool over = false;
        for (std::size_t i = 0; i < n; ++i) over |= count.took(room[i].bytes());
        if (over) co_return;
    }
}
net::awaitable<void> take_each(zlink::async_socket& s, counter& count)
{
    for (zlink::message m;;) {
        co_await s.async_receive(m, net::use_awaitable);
        if (count.took(m.bytes())) co_return;
    }
}
net::awaitable<void> take_by_receive(zlink::async_socket& s, counter& count)
{
    for (zlink::message m;;) {
        co_await zlink::receive(s, m);
        if (count.took(m.bytes())) co_return;
    }
}

void take_by_c_api(void* s, counter& count, std::size_t size)
{
    std::vector<std::byte> room(size + 1);
    for (bool over = false; !over;) {
        const int n = zmq_recv(s, room.data(), room.size(), 0);
        if (n < 0) bench_cpp::fail(zmq_strerror(zmq_errno()));
        over = count.took(std::span(room).first(std::size_t(n)));
    }
}

/// The same into messages, as the C++ API does.
void take_by_c_messages(void* s, counter& count)
{
    zmq_msg_t m;
    (void)zmq_msg_init(&m);
    for (bool over = false; !over;) {
        if (zmq_msg_recv(&m, s, 0) < 0) bench_cpp::fail(zmq_strerror(zmq_errno()));
        over = count.took({static_cast<const std::byte*>(zmq_msg_data(&m)), zmq_msg_size(&m)});
    }
    (void)zmq_msg_close(&m);
}

/// A socket on an io_context; its group is hosted, or has an I/O thread.
struct place {
    explicit place(bool hosted)
    {
        if (hosted) group = zlink::io_group(context);
        socket.emplace(context, group, zlink::socket_type::pair);
    }
    net::io_context context{1};
    zlink::io_group group{1};
    std::optional<zlink::async_socket> socket;
};

double throughput(const arguments& a, const std::string& how, bool hosted)
{
    counter count(a);
    if (how == "c" || how == "c_messages" || how == "blocking") {
        zlink::io_group group(1);
        zlink::socket s(group, zlink::socket_type::pair);
        const flood comes(bind(s), a.size);
        if (how == "c") {
            take_by_c_api(s.native_handle(), count, a.size);
        } else if (how == "c_messages") {
            take_by_c_messages(s.native_handle(), count);
        } else {
            for (zlink::message m; s.receive(m), !count.took(m.bytes());) {
            }
        }
        return count.per_second();
    }
    place p(hosted);
    const flood comes(bind(*p.socket), a.size);
    const auto take = how == "some" ? take_some : how == "each" ? take_each : take_by_receive;
    net::co_spawn(p.context, take(*p.socket, count), [&](std::exception_ptr) { p.context.stop(); });
    p.context.run();
    return count.per_second();
}

net::awaitable<void> ping(zlink::async_socket& s, counter& count, std::size_t size)
{
    const std::string content(size, 'x');
    zlink::message m;
    do {
        co_await zlink::send(s, zlink::message(content));
        co_await zlink::receive(s, m);
        if (m.size() != size) bench_cpp::fail("a message has another size");
    } while (!count.turned());
    co_await zlink::send(s, zlink::message("end"));
}
net::awaitable<void> pong(zlink::async_socket& s)
{
    for (zlink::message m;;) {
        co_await zlink::receive(s, m);
        if (m.view() == "end") co_return;
        co_await zlink::send(s, std::move(m));
    }
}

double round_trips(const arguments& a, bool hosted, bool threads)
{
    counter count(a);
    place first(hosted);
    std::optional<place> other;
    if (threads) other.emplace(hosted);
    std::optional<zlink::async_socket> second;
    if (!threads) second.emplace(first.context, first.group, zlink::socket_type::pair);
    zlink::async_socket& answers = threads ? *other->socket : *second;
    answers.connect(bind(*first.socket));
    net::io_context& place_of_answers = threads ? other->context : first.context;
    net::co_spawn(first.context, ping(*first.socket, count, a.size), net::detached);
    net::co_spawn(place_of_answers, pong(answers), [&](std::exception_ptr) {
        place_of_answers.stop();
        first.context.stop();
    });
    std::thread thread;
    if (threads) thread = std::thread([&] { other->context.run(); });
    first.context.run();
    if (thread.joinable()) thread.join();
    return count.per_second();
}

double round_trips_of_c_api(const arguments& a)
{
    counter count(a);
    zlink::io_group group(1);
    zlink::socket s(group, zlink::socket_type::pair), answers(group, zlink::socket_type::pair);
    answers.connect(bind(s));
    std::vector<char> content(a.size), room(a.size + 1);
    std::thread thread([&] {
        std::vector<char> own(a.size + 1);
        while (true) {
            const int n = zmq_recv(answers.native_handle(), own.data(), own.size(), 0);
            if (n <= 0 || std::string_view(own.data(), std::size_t(n)) == "end") return;
            (void)zmq_send(answers.native_handle(), own.data(), std::size_t(n), 0);
        }
    });
    do {
        (void)zmq_send(s.native_handle(), content.data(), content.size(), 0);
        if (zmq_recv(s.native_handle(), room.data(), room.size(), 0) != int(a.size))
            bench_cpp::fail("a message has another size");
    } while (!count.turned());
    (void)zmq_send(s.native_handle(), "end", 3, 0);
    thread.join();
    return count.per_second();
}

/// How late a timer of 1 ms is, in 99 of 100 cases.
net::awaitable<void> watch_timer(net::io_context& context, double seconds, double& p99_us)
{
    net::steady_timer timer(context);
    std::vector<double> late;
    const auto end = bench_cpp::steady::now() + std::chrono::duration<double>(seconds);
    while (bench_cpp::steady::now() < end) {
        timer.expires_after(1ms);
        co_await timer.async_wait(net::use_awaitable);
        late.push_back(std::chrono::duration<double, std::micro>(bench_cpp::steady::now() - timer.expiry()).count());
    }
    std::sort(late.begin(), late.end());
    p99_us = late.empty() ? 0 : late[late.size() * 99 / 100];
}

double timer(const arguments& a, bool flooded)
{
    place p(true);
    double p99_us = 0;
    arguments longer = a;
    longer.seconds = 3600;
    counter count(longer);
    std::optional<flood> comes;
    if (flooded) {
        comes.emplace(bind(*p.socket), a.size);
        net::co_spawn(p.context, take_each(*p.socket, count), net::detached);
    }
    net::co_spawn(p.context, watch_timer(p.context, a.seconds, p99_us), [&](std::exception_ptr) { p.context.stop(); });
    p.context.run();
    return p99_us;
}

}  // namespace

int main(int argc, char** argv)
{
    const arguments a = bench_cpp::parse(argc, argv, modes);
    constexpr std::string_view suffix = "_hosted";
    std::string how = a.mode;
    const std::size_t at = how.find(suffix);
    const bool hosted = at != std::string::npos;
    if (hosted) how.erase(at, suffix.size());
    if (how == "timer" || how == "timer_flood") {
        bench_cpp::print(a, "late_us_p99", timer(a, how == "timer_flood"));
    } else if (how == "ping_c") {
        bench_cpp::print(a, "round_trip_us", 1e6 / round_trips_of_c_api(a));
    } else if (how == "ping" || how == "ping_threads") {
        bench_cpp::print(a, "round_trip_us", 1e6 / round_trips(a, hosted, how == "ping_threads"));
    } else if (std::string_view(modes).find(a.mode) != std::string_view::npos) {
        bench_cpp::print(a, "messages_per_s", throughput(a, how, hosted));
    } else {
        bench_cpp::fail("there is no such mode");
    }
}
