// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A publisher and its subscribers, with any topics and in any order: who gets which message, and what the publisher's
// program is told of subscriptions, is what a plain model says. XPUB with VERBOSE, VERBOSER and MANUAL; SUB, and XSUB
// with and without VERBOSE_UNSUBSCRIBE.
#include "hosted_context.hpp"

#ifndef ZMQ_BUILD_DRAFT_API
#define ZMQ_BUILD_DRAFT_API
#endif
#include <zmq.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace zlink;

namespace {

using texts = std::vector<std::string>;

void set(void* socket, int option, int value)
{
    fuzz::require(zmq_setsockopt(socket, option, &value, sizeof value) == 0);
}

void send(void* socket, const std::string& text, int flags = 0)
{
    fuzz::require(zmq_send(socket, text.data(), text.size(), ZMQ_DONTWAIT | flags) == int(text.size()));
}

/// The frames that wait.
texts received(void* socket)
{
    texts all;
    std::string room(600, '\0');
    for (int size; (size = zmq_recv(socket, room.data(), room.size(), ZMQ_DONTWAIT)) >= 0;) {
        fuzz::require(std::size_t(size) <= room.size());
        all.push_back(room.substr(0, std::size_t(size)));
    }
    return all;
}

template <class Topics>
bool matches(const Topics& topics, const std::string& message)
{
    return std::ranges::any_of(topics, [&](const auto& topic) {
        if constexpr (requires { topic.first; })
            return message.starts_with(topic.first);
        else
            return message.starts_with(topic);
    });
}

/// What is known of one of them.
struct subscriber {
    void* socket = nullptr;
    bool filters = false;                ///< SUB; XSUB gives its program everything that comes
    bool tells_all = false;              ///< VERBOSE_UNSUBSCRIBE
    std::map<std::string, int> own;      ///< how often it has subscribed
    std::set<std::string> asked;         ///< MANUAL: for what
    std::set<std::string> at_publisher;  ///< what counts there
};

class world {
public:
    explicit world(fuzz::input in) : in_(in), mode_(in_.choice())
    {
        publisher_ = zmq_socket(context_.handle(), ZMQ_XPUB);
        fuzz::require(publisher_ != nullptr);
        if (mode_ & 1) set(publisher_, ZMQ_XPUB_VERBOSE, 1);
        if (mode_ & 2) set(publisher_, ZMQ_XPUB_VERBOSER, 1);
        if (manual()) set(publisher_, ZMQ_XPUB_MANUAL, 1);
        fuzz::require(zmq_bind(publisher_, "inproc://publisher") == 0);
        for (subscriber& each : all_) open(each);
    }
    world(const world&) = delete;
    world& operator=(const world&) = delete;
    ~world()
    {
        for (const subscriber& each : all_) fuzz::require(!each.socket || zmq_close(each.socket) == 0);
        fuzz::require(zmq_close(publisher_) == 0);
    }

    void run()
    {
        for (int i = 0; i < 200 && !in_.rest().empty(); ++i) {
            const std::uint8_t what = in_.choice();
            subscriber& who = all_[(what >> 4) % all_.size()];
            text_ = next_text();
            switch (what % 8) {
            case 0:
            case 1:
            case 2: subscribe(who, true); break;
            case 3:
            case 4: subscribe(who, false); break;
            case 5:
            case 6: publish(); break;
            default: who.socket ? close(who) : open(who); break;
            }
            int topics = 0;
            std::size_t size = sizeof topics;
            fuzz::require(zmq_getsockopt(publisher_, ZMQ_TOPICS_COUNT, &topics, &size) == 0);
            fuzz::require(std::size_t(topics) == different_topics());
        }
    }

private:
    [[nodiscard]] bool verbose() const { return (mode_ & 3) != 0; }
    [[nodiscard]] bool verboser() const { return (mode_ & 2) != 0; }
    [[nodiscard]] bool manual() const { return (mode_ & 4) != 0; }
    [[nodiscard]] std::size_t different_topics() const
    {
        std::set<std::string> different;
        for (const subscriber& each : all_) different.insert(each.at_publisher.begin(), each.at_publisher.end());
        return different.size();
    }
    [[nodiscard]] bool anybody_has(const std::string& topic) const
    {
        return std::ranges::any_of(all_, [&](const subscriber& s) { return s.at_publisher.contains(topic); });
    }

    // Some octets, behind some of those before: so topics begin alike.
    std::string next_text()
    {
        std::string text = text_.substr(0, in_.choice());
        for (std::size_t i = in_.choice() % 8; i > 0; --i) text.push_back(char(in_.choice()));
        return text.substr(0, 300);
    }

    void open(subscriber& one)
    {
        const std::uint8_t how = in_.choice();
        one = {};
        one.filters = (how & 1) != 0;
        one.socket = zmq_socket(context_.handle(), one.filters ? ZMQ_SUB : ZMQ_XSUB);
        fuzz::require(one.socket != nullptr);
        one.tells_all = !one.filters && (how & 2) != 0;
        if (one.tells_all) set(one.socket, ZMQ_XSUB_VERBOSE_UNSUBSCRIBE, 1);
        fuzz::require(zmq_connect(one.socket, "inproc://publisher") == 0);
    }

    void subscribe(subscriber& who, bool on)
    {
        if (!who.socket) return;
        if (who.filters) {
            const int option = on ? ZMQ_SUBSCRIBE : ZMQ_UNSUBSCRIBE;
            fuzz::require(zmq_setsockopt(who.socket, option, text_.data(), text_.size()) == 0);
        } else {
            send(who.socket, std::string(1, on ? '\1' : '\0') + text_);
        }
        const auto there = who.own.find(text_);
        bool told = on || who.tells_all;
        if (on) {
            ++who.own[text_];
        } else if (there != who.own.end() && --there->second == 0) {
            who.own.erase(there);
            told = true;
        }
        fuzz::require(received(publisher_) == (told ? notices_of(who, on) : texts{}));
        if (told && manual()) decide(who);
    }
    /// What the publisher's program is told of a subscription that comes.
    texts notices_of(subscriber& who, bool on)
    {
        bool news = true;
        if (manual()) {
            if (on) {
                who.asked.insert(text_);
            } else {
                who.asked.erase(text_);
            }
        } else if (on) {
            news = !anybody_has(text_) || verbose();
            who.at_publisher.insert(text_);
        } else {
            const bool had = who.at_publisher.erase(text_) != 0;
            news = !had || !anybody_has(text_) || verboser();
        }
        return news ? texts{std::string(1, on ? '\1' : '\0') + text_} : texts{};
    }
    /// MANUAL: the program subscribes the peer to something, or does not.
    void decide(subscriber& who)
    {
        const std::uint8_t how = in_.choice();
        if (how % 4 == 0) return;
        const bool on = how % 4 != 1;
        const std::string topic = text_.substr(0, how / 4);
        fuzz::require(zmq_setsockopt(publisher_, on ? ZMQ_SUBSCRIBE : ZMQ_UNSUBSCRIBE, topic.data(), topic.size()) ==
                      0);
        if (on) {
            who.at_publisher.insert(topic);
        } else {
            who.at_publisher.erase(topic);
        }
    }

    void publish()
    {
        const bool parts = in_.choice() & 1;
        if (parts) send(publisher_, text_, ZMQ_SNDMORE);
        send(publisher_, parts ? "body" : text_);
        const texts message = parts ? texts{text_, "body"} : texts{text_};
        for (const subscriber& each : all_) {
            if (!each.socket) continue;
            const bool comes = matches(each.at_publisher, text_) && (!each.filters || matches(each.own, text_));
            fuzz::require(received(each.socket) == (comes ? message : texts{}));
        }
    }

    void close(subscriber& who)
    {
        fuzz::require(zmq_close(std::exchange(who.socket, nullptr)) == 0);
        texts expected;
        const auto topics = std::exchange(who.at_publisher, {});
        for (const std::string& topic : manual() ? who.asked : topics) {
            if (manual() || !anybody_has(topic) || verboser()) expected.push_back(std::string(1, '\0') + topic);
        }
        texts told = received(publisher_);
        std::ranges::sort(told);
        std::ranges::sort(expected);
        fuzz::require(told == expected);
    }

    fuzz::input in_;
    fuzz::hosted_context context_;
    const std::uint8_t mode_;
    void* publisher_ = nullptr;
    std::array<subscriber, 3> all_;
    std::string text_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    world(fuzz::input(data, size)).run();
    return 0;
}
