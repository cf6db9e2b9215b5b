// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "support/memory_transport/memory_transport.hpp"

#include "base/unique_fd.hpp"
#include "support/memory_transport/memory_stream.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace zlink::transport::memory {

namespace {

class memory_location final : public address {
public:
    memory_location(std::string_view where, const stream_script& what)
        : name(where.substr(0, where.find('?'))),
          suffix(where.substr(name.size())),
          script(what)
    {}

    const std::string name;
    const std::string suffix;  ///< from the "?" on
    const stream_script script;
};

const memory_location& location_of(const address& where) noexcept
{
    return static_cast<const memory_location&>(where);
}

// Streams that wait to be accepted.
class queue_of_streams {
public:
    queue_of_streams() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

    [[nodiscard]] int descriptor() const noexcept { return event_.get(); }
    void push(std::unique_ptr<stream> one)
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(one));
        const std::uint64_t more = 1;
        [[maybe_unused]] const ssize_t written = ::write(event_.get(), &more, sizeof more);
    }
    [[nodiscard]] std::unique_ptr<stream> pop()
    {
        const std::lock_guard lock(mutex_);
        if (waiting_.empty()) return nullptr;
        std::unique_ptr<stream> oldest = std::move(waiting_.front());
        waiting_.pop_front();
        std::uint64_t all = 0;
        if (waiting_.empty()) [[maybe_unused]]
            const ssize_t got = ::read(event_.get(), &all, sizeof all);
        return oldest;
    }

private:
    unique_fd event_;
    std::mutex mutex_;
    std::deque<std::unique_ptr<stream>> waiting_;
};

struct listening {
    std::shared_ptr<queue_of_streams> queue;
    stream_script script;
    std::string endpoint;
};

// The listeners, by name, and how often an endpoint's script has brought a stream to its end.
class switchboard {
public:
    [[nodiscard]] std::string made_up() { return "made-up-" + std::to_string(next_++); }

    [[nodiscard]] bool listen(const std::string& name, listening who)
    {
        const std::lock_guard lock(mutex_);
        return listening_.emplace(name, std::move(who)).second;
    }
    void leave(const std::string& name)
    {
        const std::lock_guard lock(mutex_);
        listening_.erase(name);
    }
    // Null: nobody listens.
    [[nodiscard]] std::unique_ptr<stream> call(const memory_location& where)
    {
        const std::lock_guard lock(mutex_);
        const auto there = listening_.find(where.name);
        if (there == listening_.end()) return nullptr;
        const stream_script near = this_time(where.script, "to " + where.name + where.suffix);
        const stream_script far = this_time(there->second.script, "at " + there->second.endpoint);
        auto ends = make_streams(near, far, there->second.endpoint);
        there->second.queue->push(std::move(ends.second));
        return std::move(ends.first);
    }

private:
    [[nodiscard]] stream_script this_time(stream_script script, const std::string& side)
    {
        if (std::min(script.fail, script.close) == stream_script::never) return script;
        if (++ended_[side] > script.times) script.fail = script.close = stream_script::never;
        return script;
    }

    std::mutex mutex_;
    std::map<std::string, listening> listening_;
    std::map<std::string, std::size_t> ended_;
    std::atomic<unsigned> next_{0};
};

switchboard& the_switchboard()
{
    static auto* const it = new switchboard;  // never destroyed: I/O threads may outlive main()
    return *it;
}

class memory_acceptor final : public acceptor {
public:
    memory_acceptor(std::string name, listening who) : name_(std::move(name)), who_(std::move(who)) {}
    ~memory_acceptor() override { the_switchboard().leave(name_); }

    [[nodiscard]] int descriptor() const noexcept override { return who_.queue->descriptor(); }
    [[nodiscard]] std::string endpoint_text() const override { return who_.endpoint; }
    [[nodiscard]] result<std::unique_ptr<stream>> accept(const stream_options&) override
    {
        std::unique_ptr<stream> next = who_.queue->pop();
        if (!next) return errc::again;
        return next;
    }

private:
    const std::string name_;
    const listening who_;
};

class memory_attempt final : public sole_attempt {
public:
    explicit memory_attempt(const memory_location& where) noexcept : where_(where) {}

private:
    [[nodiscard]] result<connecting> open_sole(int& number) override
    {
        std::unique_ptr<stream> made = the_switchboard().call(where_);
        if (!made) return errc::connection_refused;
        number = made->descriptor();
        return connecting{std::move(made), false};
    }

    const memory_location& where_;
};

class memory_transport final : public stream_transport {
public:
    [[nodiscard]] std::string_view scheme() const noexcept override { return "mem"; }
    [[nodiscard]] bool is_capability() const noexcept override { return true; }

    [[nodiscard]] result<std::shared_ptr<const address>> parse_bind(std::string_view text) const override
    {
        const std::size_t question = text.find('?');
        const auto script = parse_script(question == std::string_view::npos ? "" : text.substr(question + 1));
        if (!script || question == 0) return errc::invalid_argument;
        return std::shared_ptr<const address>(std::make_shared<memory_location>(text, *script));
    }
    [[nodiscard]] result<std::shared_ptr<const address>> parse_connect(std::string_view text) const override
    {
        return text.front() == '*' ? errc::invalid_argument : parse_bind(text);
    }

    [[nodiscard]] result<std::unique_ptr<acceptor>> bind(const address& where, const stream_options&,
                                                         int& number) const override
    {
        const memory_location& here = location_of(where);
        const std::string name = here.name == "*" ? the_switchboard().made_up() : here.name;
        listening who{std::make_shared<queue_of_streams>(), here.script, "mem://" + name + here.suffix};
        if (who.queue->descriptor() < 0) return errc::too_many_files;
        number = who.queue->descriptor();
        if (!the_switchboard().listen(name, who)) return errc::address_in_use;
        return std::unique_ptr<acceptor>(std::make_unique<memory_acceptor>(name, std::move(who)));
    }
    [[nodiscard]] std::string bound_text(const address&, std::string_view text, const stream_options&) const override
    {
        return std::string(text);
    }

    [[nodiscard]] result<std::unique_ptr<attempt>> connect(const address& where, const stream_options&) const override
    {
        return std::unique_ptr<attempt>(std::make_unique<memory_attempt>(location_of(where)));
    }
};

}  // namespace

const stream_transport& the_transport() noexcept
{
    static const memory_transport it;
    return it;
}

}  // namespace zlink::transport::memory
