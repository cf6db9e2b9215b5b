// Peers that connect and get no further: what a thousand of them cost, counted by malloc, in octets that are in use.
#include "support/raw_peer.hpp"
#include "support/zap_handler.hpp"

#include <sys/resource.h>

#include <malloc.h>

#include <cstddef>
#include <string>
#include <vector>

namespace zlink::test {
namespace {

constexpr std::size_t peers = 1000;
constexpr std::size_t most = 20'000'000;

std::size_t in_use()
{
    const struct mallinfo2 all = mallinfo2();
    return all.uordblks + all.hblkhd;
}

/// Both ends of all connections are here.
bool may_open_enough()
{
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return false;
    const rlim_t needed = 2 * peers + 100;
    if (files.rlim_cur >= needed) return true;
    files.rlim_cur = needed;
    return needed <= files.rlim_max && ::setrlimit(RLIMIT_NOFILE, &files) == 0;
}

class StalledHandshakes : public zmq_test {
protected:
    explicit StalledHandshakes(int role = ZMQ_PLAIN_SERVER)
    {
        server_.set(role, 1);
        server_.set(ZMQ_BACKLOG, 2 * int(peers));
        endpoint_ = server_.bind("tcp://127.0.0.1:*");
    }

    /// Each says `words` and gets an answer of so many octets.
    void stall(const std::string& words, std::size_t answer)
    {
        ASSERT_TRUE(may_open_enough());
        before_ = in_use();
        for (std::size_t i = 0; i < peers; ++i) {
            peers_.push_back(raw_peer::connect_to(endpoint_));
            peers_.back().send_bytes(words);
        }
        for (raw_peer& peer : peers_) (void)peer.read_bytes(answer);
    }

    /// What they cost, with what the test itself keeps of them.
    void expect_little() const { EXPECT_LT(in_use() - before_, most); }

    std::size_t before_ = 0;
    zap_handler handler_{ctx_, ZMQ_ROUTER};
    socket server_ = ctx_.open(ZMQ_PULL);
    std::string endpoint_;
    std::vector<raw_peer> peers_;
};

TEST_F(StalledHandshakes, AfterTheConnection)
{
    stall("", 10);
    expect_little();
}

TEST_F(StalledHandshakes, InTheMiddleOfHello)
{
    stall(zmtp3_greeting(1, "PLAIN") + "\4\20\5HELL", 64);
    expect_little();
}

TEST_F(StalledHandshakes, InTheMiddleOfTheLongestCommandThatIsWaitedFor)
{
    stall(zmtp3_greeting(1, "PLAIN") + std::string("\6\0\0\0\0\0\0\4\0", 9) + std::string(1023, 'x'), 64);
    expect_little();
}

TEST_F(StalledHandshakes, WhileTheHandlerThinks)
{
    const std::string longest(255, 'x');
    const std::string hello = zmtp_command("HELLO", '\xff' + longest + '\xff' + longest);
    stall(zmtp3_greeting(1, "PLAIN") + hello, 64);
    for (std::size_t i = 0; i < peers; ++i) (void)handler_.take();
    expect_little();
}

#ifdef ZLINK_CURVE

class StalledCurveHandshakes : public StalledHandshakes {
protected:
    StalledCurveHandshakes() : StalledHandshakes(ZMQ_CURVE_SERVER) {}
};

TEST_F(StalledCurveHandshakes, InTheMiddleOfHello)
{
    stall(zmtp3_greeting(1, "CURVE") + "\4\xc8\5HELLO\1" + std::string(150, '\0'), 64);
    expect_little();
}

TEST_F(StalledCurveHandshakes, InTheMiddleOfTheLongestCommandThatIsWaitedFor)
{
    stall(zmtp3_greeting(1, "CURVE") + std::string("\6\0\0\0\0\0\0\x10\0", 9) + std::string(4095, 'x'), 64);
    expect_little();
}

#endif

}  // namespace
}  // namespace zlink::test
