// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// See workload.hpp.
#include "explore/workload.hpp"

#include "harness/fail.hpp"

#include <zmq.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace explore {

namespace {

using bench::exit_status;
using bench::fail;

template <class Value>
using words = std::vector<std::pair<std::string_view, Value>>;

template <class Value>
Value word(std::string_view name, std::string_view text, const words<Value>& known)
{
    for (const auto& [key, value] : known) {
        if (key == text) return value;
    }
    fail(exit_status::usage, "%s=%s is unknown", std::string(name).c_str(), std::string(text).c_str());
}

template <class Number>
Number number(std::string_view name, std::string_view text, double least, double most)
{
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || static_cast<double>(value) < least ||
        static_cast<double>(value) > most) {
        fail(exit_status::usage, "%s=%s is not a number from %g to %g", std::string(name).c_str(),
             std::string(text).c_str(), least, most);
    }
    return value;
}

constexpr double most_octets = 1 << 20;

// "64", "64,1000,7" or "33000-65536".
void read_sizes(workload& of, std::string_view text)
{
    if (const auto dash = text.find('-'); dash != text.npos) {
        of.range_from = number<std::size_t>("sizes", text.substr(0, dash), 1, most_octets);
        of.range_to =
            number<std::size_t>("sizes", text.substr(dash + 1), static_cast<double>(of.range_from), most_octets);
        return;
    }
    of.sizes.clear();
    while (true) {
        const auto comma = text.find(',');
        of.sizes.push_back(number<std::size_t>("sizes", text.substr(0, comma), 1, most_octets));
        if (comma == text.npos) return;
        text.remove_prefix(comma + 1);
    }
}

const words<int>& socket_types()
{
    static const words<int> types{{"PAIR", ZMQ_PAIR}, {"PUB", ZMQ_PUB},       {"SUB", ZMQ_SUB},      {"REQ", ZMQ_REQ},
                                  {"REP", ZMQ_REP},   {"DEALER", ZMQ_DEALER}, {"PULL", ZMQ_PULL},    {"PUSH", ZMQ_PUSH},
                                  {"XPUB", ZMQ_XPUB}, {"XSUB", ZMQ_XSUB},     {"ROUTER", ZMQ_ROUTER}};
    return types;
}

void read_words(workload& of, std::string_view name, std::string_view text)
{
    const words<bool> flag{{"0", false}, {"1", true}};
    if (name == "front")
        of.front = word(name, text, socket_types());
    else if (name == "back")
        of.back = word(name, text, socket_types());
    else if (name == "echo")
        of.echo = word(name, text, flag);
    else if (name == "spokes_bind")
        of.spokes_bind = word(name, text, flag);
    else if (name == "no_drop")
        of.no_drop = word(name, text, flag);
    else if (name == "stranger")
        of.stranger = word(name, text, flag);
    else if (name == "slow_first")
        of.slow_first = word(name, text, flag);
    else if (name == "transport")
        of.transport = word<std::string>(name, text, {{"tcp", "tcp"}, {"ipc", "ipc"}, {"inproc", "inproc"}});
    else if (name == "proxy")
        of.proxy = word<proxy_kind>(name, text,
                                    {{"none", proxy_kind::none},
                                     {"queue", proxy_kind::queue},
                                     {"streamer", proxy_kind::streamer},
                                     {"forwarder", proxy_kind::forwarder}});
    else if (name == "cores")
        of.cores = word<core_kind>(name, text,
                                   {{"any", core_kind::any}, {"one", core_kind::one}, {"apart", core_kind::apart}});
    else if (name == "load")
        of.load = word<load_kind>(
            name, text, {{"flood", load_kind::flood}, {"window", load_kind::window}, {"open", load_kind::open}});
    else if (name == "api")
        of.api = word<api_kind>(
            name, text, {{"buffer", api_kind::buffer}, {"message", api_kind::message}, {"data", api_kind::data}});
    else if (name == "wait")
        of.wait = word<wait_kind>(name, text,
                                  {{"receive", wait_kind::receive},
                                   {"poll", wait_kind::poll},
                                   {"descriptor", wait_kind::descriptor},
                                   {"poller", wait_kind::poller}});
    else if (name == "guest")
        of.guest = word<guest_kind>(
            name, text,
            {{"none", guest_kind::none}, {"descriptor", guest_kind::descriptor}, {"socket", guest_kind::socket}});
    else
        fail(exit_status::usage, "%s is unknown", std::string(name).c_str());
}

struct count_field {
    std::string_view name;
    unsigned workload::*field;
    double least;
    double most;
};

constexpr count_field counts[] = {
    {"fronts", &workload::fronts, 1, 1000},
    {"backs", &workload::backs, 1, 1000},
    {"front_threads", &workload::front_threads, 1, 1000},
    {"back_threads", &workload::back_threads, 1, 1000},
    {"topics", &workload::topics, 0, 1000},
    {"processes", &workload::processes, 1, 2},
    {"io_threads", &workload::io_threads, 1, 16},
    {"parts", &workload::parts, 1, 16},
    {"window", &workload::window, 1, 4096},
    {"burst", &workload::burst, 1, 100'000},
    {"think_us", &workload::think_us, 0, 100'000},
    {"work_us", &workload::work_us, 0, 100'000},
    {"nap_every", &workload::nap_every, 0, 1'000'000},
    {"nap_us", &workload::nap_us, 0, 100'000},
    {"take", &workload::take, 1, 10'000},
    {"warm_ms", &workload::warm_ms, 1, 60'000},
    {"measure_ms", &workload::measure_ms, 1, 60'000},
    {"limit_s", &workload::limit_s, 1, 600},
};

struct option_field {
    std::string_view name;
    int workload::*field;
};

constexpr option_field options[] = {{"send_mark", &workload::send_mark},
                                    {"receive_mark", &workload::receive_mark},
                                    {"send_buffer", &workload::send_buffer},
                                    {"receive_buffer", &workload::receive_buffer}};

void read(workload& of, std::string_view name, std::string_view text)
{
    for (const count_field& count : counts) {
        if (count.name == name) {
            of.*count.field = number<unsigned>(name, text, count.least, count.most);
            return;
        }
    }
    for (const option_field& option : options) {
        if (option.name == name) {
            of.*option.field = number<int>(name, text, -1, 1 << 30);
            return;
        }
    }
    if (name == "sizes")
        read_sizes(of, text);
    else if (name == "rate")
        of.rate = number<double>(name, text, 0.1, 10e6);
    else if (name == "seed")
        of.seed = number<std::uint64_t>(name, text, 0, 1e19);
    else
        read_words(of, name, text);
}

void demand(bool good, const char* text)
{
    if (!good) fail(exit_status::usage, "%s", text);
}

void check(const workload& of)
{
    demand(of.front >= 0 && of.back >= 0, "front= and back= are needed");
    demand(of.proxy != proxy_kind::none || of.fronts == 1 || of.backs == 1, "many fronts and many backs need a proxy");
    demand(of.transport != "inproc" || of.processes == 1, "inproc stays within one process");
    demand(of.front_threads == 1 || of.front_threads == of.fronts, "front_threads is 1 or as many as fronts");
    demand(of.back_threads == 1 || of.back_threads == of.backs, "back_threads is 1 or as many as backs");
    demand(of.load != load_kind::open || of.rate > 0, "an open loop needs rate=");
    demand(of.load != load_kind::window || of.echo, "a window needs echo=1");
    demand(of.load != load_kind::flood || !of.echo, "a flood has no answers: load=window");
    demand(of.wait != wait_kind::receive || of.backs == of.back_threads, "wait=receive needs a thread for each back");
    demand(of.wait != wait_kind::receive || !of.echo || (of.fronts == of.front_threads && of.load == load_kind::window),
           "wait=receive needs a thread for each front and a window");
    demand(!of.addressed() || of.fronts == 1 || of.backs == 1, "ROUTERs in front need one back, or one front");
    const std::size_t least = of.topics > 0 ? 16 : 1;
    demand(of.smallest() >= least * of.parts, "too small for its parts or topics");
    demand(of.front != ZMQ_REQ || of.window == 1, "REQ has a window of 1");
}

}  // namespace

std::size_t workload::largest() const
{
    return range_to != 0 ? range_to : *std::max_element(sizes.begin(), sizes.end());
}

std::size_t workload::smallest() const
{
    return range_to != 0 ? range_from : *std::min_element(sizes.begin(), sizes.end());
}

bool workload::publishes() const
{
    return front == ZMQ_PUB || front == ZMQ_XPUB;
}

bool workload::loses() const
{
    return publishes() && !no_drop;
}

bool workload::addressed() const
{
    return front == ZMQ_ROUTER;
}

bool workload::delimits() const
{
    return front == ZMQ_DEALER && back == ZMQ_REP;
}

bool workload::may_be_multipart() const
{
    return parts > 1 || front == ZMQ_ROUTER || back == ZMQ_ROUTER || delimits() || proxy == proxy_kind::queue;
}

unsigned workload::copies(unsigned topic) const
{
    if (!publishes()) return 1;
    if (topics == 0) return backs;
    return backs / topics + (topic < backs % topics ? 1 : 0);
}

workload parse_workload(int argc, char** argv)
{
    workload of;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        const auto equals = argument.find('=');
        if (equals == argument.npos) fail(exit_status::usage, "%s is not name=value", argv[i]);
        read(of, argument.substr(0, equals), argument.substr(equals + 1));
    }
    check(of);
    return of;
}

}  // namespace explore
