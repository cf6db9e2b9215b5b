// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A transport whose attempts and streams do what the test has planned. The plan says which addresses there are, what
// opening each of them comes to, and how a connect goes on when its descriptor is ready.
#pragma once

#include "support/memory_transport/readiness.hpp"
#include "transport/transport.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zlink::transport::test {

/// How a connect goes on when its descriptor is ready.
struct turn {
    errc outcome = errc::none;
    bool wants_input = false;
};

struct stream_plan {
    bool in_progress = true;
    std::deque<turn> turns{};
    bool tells = false;
    std::string_view overdue{};
    int watched = -1;  ///< in place of a descriptor that may be watched
};

/// What the test sees of a stream, also once that is gone.
struct stream_state {
    memory::readiness readiness;
    stream_plan plan;
    int asked = 0;
    bool open = true;
};

class planned_stream final : public stream {
public:
    explicit planned_stream(std::shared_ptr<stream_state> state) : state_(std::move(state)) {}
    ~planned_stream() override { state_->open = false; }

    [[nodiscard]] io_outcome read(const iovec*, int) noexcept override { return unused(); }
    [[nodiscard]] io_outcome write(const iovec*, int) noexcept override { return unused(); }
    [[nodiscard]] bool has_unread_octets() const noexcept override { return false; }
    [[nodiscard]] int descriptor() const noexcept override
    {
        return state_->plan.watched >= 0 ? state_->plan.watched : state_->readiness.descriptor();
    }
    [[nodiscard]] std::string local_endpoint() const override { return {}; }
    [[nodiscard]] std::string peer_endpoint() const override { return {}; }
    void add_properties(std::vector<std::pair<std::string, std::string>>&) const override {}

    [[nodiscard]] result<void> finish_connect() noexcept override
    {
        ++state_->asked;
        now_ = state_->plan.turns.front();
        state_->plan.turns.pop_front();
        return now_.outcome;
    }
    [[nodiscard]] bool connect_waits_for_input() const noexcept override { return now_.wants_input; }
    [[nodiscard]] bool tells_failed_connect() const noexcept override { return state_->plan.tells; }
    [[nodiscard]] std::string_view words_if_overdue() const noexcept override { return state_->plan.overdue; }

private:
    static io_outcome unused() noexcept { return {io_outcome::status::failed, 0, errc::fsm}; }

    std::shared_ptr<stream_state> state_;
    turn now_;
};

/// What comes of one address: a stream, or an error, with the number of a descriptor that was there.
struct opening {
    std::shared_ptr<stream_state> made;
    errc error = errc::none;
    int number = -1;
    bool throws = false;
};

class planned_attempt final : public attempt {
public:
    planned_attempt(std::string name, std::vector<opening> openings, std::size_t& found)
        : name_(std::move(name)),
          openings_(std::move(openings)),
          found_(found)
    {}

    [[nodiscard]] std::string name_to_look_up() const override { return name_; }
    void take_addresses(std::span<const runtime::socket_address> all) override
    {
        found_ = all.size();
        name_.clear();
    }
    [[nodiscard]] bool has_next() const noexcept override { return name_.empty() && next_ < openings_.size(); }
    [[nodiscard]] result<connecting> open(int& number) override
    {
        const opening& one = openings_[next_++];
        if (one.number >= 0) number = one.number;
        if (one.throws) throw std::bad_alloc();
        if (!one.made) return one.error;
        number = one.made->readiness.descriptor();
        return connecting{std::make_unique<planned_stream>(one.made), one.made->plan.in_progress};
    }

private:
    std::string name_;
    std::vector<opening> openings_;
    std::size_t& found_;
    std::size_t next_ = 0;
};

class planned_transport final : public stream_transport {
public:
    std::function<result<std::unique_ptr<attempt>>()> plan;

    [[nodiscard]] std::string_view scheme() const noexcept override { return "plan"; }
    [[nodiscard]] result<std::shared_ptr<const address>> parse_bind(std::string_view) const override
    {
        return errc::not_supported;
    }
    [[nodiscard]] result<std::shared_ptr<const address>> parse_connect(std::string_view) const override
    {
        return errc::not_supported;
    }
    [[nodiscard]] result<std::unique_ptr<acceptor>> bind(const address&, const stream_options&, int&) const override
    {
        return errc::not_supported;
    }
    [[nodiscard]] std::string bound_text(const address&, std::string_view, const stream_options&) const override
    {
        return {};
    }
    [[nodiscard]] result<std::unique_ptr<attempt>> connect(const address&, const stream_options&) const override
    {
        return plan();
    }
};

}  // namespace zlink::transport::test
