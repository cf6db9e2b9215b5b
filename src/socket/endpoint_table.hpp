// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The endpoints that a socket is bound or connected to, found by id and by text, whatever their number.
#pragma once

#include "engine/datagram/datagram_session.hpp"
#include "engine/listener.hpp"
#include "engine/session.hpp"
#include "pipe/pipe.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zlink::socket {

struct endpoint_record {
    std::string text;
    std::uint64_t id = 0;
    bool bound = false;
    std::shared_ptr<engine::session> session;    ///< connected tcp and ipc
    std::shared_ptr<engine::listener> listener;  ///< bound tcp and ipc
    std::string name;  ///< of an endpoint that joins sockets: in the context's name_registry; else empty
    std::shared_ptr<engine::datagram_session> datagrams{};  ///< bound or connected, of a transport of datagrams
    /// Connected: the first of its one or two pipes. The other follows it (pipe_record). A bound endpoint may have any
    /// number of pipes. They are searched for among all pipes when the endpoint ends.
    pipe::pipe_end* first_pipe = nullptr;

    /// Such an endpoint is one pipe, and ends with it.
    [[nodiscard]] bool connects_to_name() const noexcept { return !bound && !name.empty(); }
    [[nodiscard]] bool binds_name() const noexcept { return bound && !name.empty(); }
};

/// Used by the socket's thread alone. Records stay where they are until they are erased.
class endpoint_table {
public:
    /// The id of the next endpoint. It stays the same until an endpoint with it was added.
    [[nodiscard]] std::uint64_t next_id() const noexcept { return next_id_; }
    /// Throws std::bad_alloc, with nothing changed.
    void add(endpoint_record record);
    void erase(std::uint64_t id) noexcept;
    /// Erases everything, without a look at any pipe.
    void clear() noexcept;

    /// ZMQ_LAST_ENDPOINT: the text of the last bind or connect that succeeded.
    [[nodiscard]] const std::string& last_opened() const noexcept { return last_opened_; }
    void note_opened(std::string text) noexcept { last_opened_ = std::move(text); }

    [[nodiscard]] endpoint_record* find(std::uint64_t id) noexcept;
    [[nodiscard]] bool has(std::string_view text) const noexcept;
    /// Ids of the endpoints with this text, the newest last.
    [[nodiscard]] std::vector<std::uint64_t> with_text(std::string_view text) const;

    /// The socket has taken up `end` with its endpoint's id.
    void join(pipe::pipe_end& end) noexcept;
    /// The socket lets `end` go. If that was a connection to a name, its endpoint goes as well.
    void leave(pipe::pipe_end& end) noexcept;

    template <class Action>
    void for_each(Action action)
    {
        for (auto& [id, record] : records_) action(record);
    }

private:
    std::map<std::uint64_t, endpoint_record> records_;
    std::set<std::pair<std::string_view, std::uint64_t>> texts_;  ///< into the records
    std::uint64_t next_id_ = 1;
    std::string last_opened_;
};

}  // namespace zlink::socket
