// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "support/stats_sources.hpp"

#include "base/unique_fd.hpp"
#include "pure/stats_reading.hpp"
#include "support/failure.hpp"
#include "support/stop_signal.hpp"
#include "transport/local_service/service_place.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace zlink::tool {
namespace {

namespace local_service = transport::local_service;
using place = local_service::service_place;
using moment = std::chrono::steady_clock::time_point;

constexpr std::size_t most_in_folder = 500;
constexpr std::size_t longest_answer = 64 * 1024 * 1024;

// One question that is under way.
class inquiry {
public:
    inquiry(const place& where, bool peers) : where_(where)
    {
        answer_.where = local_service::to_text(where);
        request_ = fmt::format("GET /stats.json{} HTTP/1.1\r\nHost: localhost\r\n\r\n", peers ? "?peers=1" : "");
        connect();
    }

    bool over() const noexcept { return !fd_; }
    pollfd awaited() const noexcept
    {
        return {fd_.get(), static_cast<short>(sent_ < request_.size() ? POLLOUT : POLLIN), 0};
    }

    void go_on()
    {
        if (sent_ < request_.size()) {
            send();
        } else {
            receive();
        }
    }

    void give_up(std::chrono::milliseconds limit)
    {
        fail(fmt::format("does not answer within {} s; the process may be stopped", limit.count() / 1000.0));
    }

    stats_answer take() { return std::move(answer_); }

private:
    void connect()
    {
        const bool is_file = where_.type == place::kind::file;
        const bool is_ip6 = where_.type == place::kind::ip6;
        fd_.reset(::socket(is_file  ? AF_UNIX
                           : is_ip6 ? AF_INET6
                                    : AF_INET,
                           SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        sockaddr_un file{};
        file.sun_family = AF_UNIX;
        where_.path.copy(file.sun_path, sizeof file.sun_path - 1);
        sockaddr_in ip4{};
        ip4.sin_family = AF_INET;
        ip4.sin_addr.s_addr = htonl(where_.address);
        ip4.sin_port = htons(where_.port);
        sockaddr_in6 ip6{};
        ip6.sin6_family = AF_INET6;
        ip6.sin6_addr = in6addr_loopback;
        ip6.sin6_port = htons(where_.port);
        const auto* const name = is_file  ? reinterpret_cast<const sockaddr*>(&file)
                                 : is_ip6 ? reinterpret_cast<const sockaddr*>(&ip6)
                                          : reinterpret_cast<const sockaddr*>(&ip4);
        const auto size = static_cast<socklen_t>(is_file ? sizeof file : is_ip6 ? sizeof ip6 : sizeof ip4);
        if (!fd_ || (::connect(fd_.get(), name, size) != 0 && errno != EINPROGRESS)) {
            fail_by(errno);
        }
    }

    void send()
    {
        int error = 0;
        socklen_t size = sizeof error;
        if (::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error != 0) {
            fail_by(error);
            return;
        }
        const ssize_t taken = ::send(fd_.get(), request_.data() + sent_, request_.size() - sent_, MSG_NOSIGNAL);
        if (taken >= 0) {
            sent_ += static_cast<std::size_t>(taken);
        } else if (errno != EAGAIN && errno != EINTR) {
            fail_by(errno);
        }
    }

    void receive()
    {
        char octets[65536];
        const ssize_t size = ::recv(fd_.get(), octets, sizeof octets, 0);
        if (size > 0) {
            heard_.append(octets, static_cast<std::size_t>(size));
            if (heard_.size() > longest_answer) {
                fail("answers with more than 64 MB; what listens there does not serve zlink's statistics");
            }
        } else if (size == 0) {
            understand();
        } else if (errno != EAGAIN && errno != EINTR) {
            fail_by(errno);
        }
    }

    void understand()
    {
        const auto [status, content] = read_answer(heard_);
        auto report = status == 200 ? read_report(content) : std::nullopt;
        if (report) {
            answer_.report = std::move(*report);
            fd_.reset();
        } else if (status == 503) {
            fail("has more to tell than it serves at once; ask without --peers");
        } else {
            fail("what listens there does not serve zlink's statistics; give the place that ZLINK_STATS names");
        }
    }

    void fail_by(int error)
    {
        const bool is_file = where_.type == place::kind::file;
        if (error == ENOENT) {
            answer_.has_ended = true;
            fail("no such file; start the program with ZLINK_STATS set to this path");
        } else if (error == ECONNREFUSED && is_file && !std::filesystem::is_socket(where_.path)) {
            fail("is no socket; give the place that ZLINK_STATS names");
        } else if (error == ECONNREFUSED) {
            answer_.has_ended = true;
            fail(is_file ? "nobody listens there; the program has ended"
                         : "nobody listens there; start the program with ZLINK_STATS set to this address");
        } else if (error == EACCES || error == EPERM) {
            fail("no permission; only the user of the program may read its statistics");
        } else if (error == EAGAIN) {
            fail("has too many readers, or is stopped; try again");
        } else {
            fail(fmt::format("cannot be read: {}", std::strerror(error)));
        }
    }

    void fail(std::string cause)
    {
        answer_.failure = std::move(cause);
        fd_.reset();
    }

    const place where_;
    stats_answer answer_;
    unique_fd fd_;
    std::string request_;
    std::size_t sent_ = 0;
    std::string heard_;
};

std::vector<place> sockets_in(const std::string& folder)
{
    std::vector<place> found;
    std::error_code unreadable;
    for (std::filesystem::directory_iterator at(folder, unreadable), end; !unreadable && at != end;
         at.increment(unreadable)) {
        std::error_code gone;
        if (at->is_socket(gone) && found.size() < most_in_folder) {
            auto parsed = local_service::parse_place("ipc://" + at->path().string());
            if (auto* const one = std::get_if<place>(&parsed)) {
                found.push_back(std::move(*one));
            }
        }
    }
    std::sort(found.begin(), found.end(), [](const place& a, const place& b) { return a.path < b.path; });
    return found;
}

}  // namespace

stats_sources::stats_sources(const std::vector<std::string>& arguments)
{
    for (const auto& text : arguments) {
        std::error_code error;
        const std::string path = text.starts_with("ipc://") ? text.substr(6) : text;
        const bool is_folder = std::filesystem::is_directory(path, error);
        if (is_folder) {
            std::filesystem::directory_iterator(path, error);
            if (error) {
                throw failure(fmt::format("{}: the folder cannot be read: {}", text, error.message()));
            }
            has_folder_ = true;
        } else if (const auto parsed = local_service::parse_place(text); std::holds_alternative<std::string>(parsed)) {
            throw usage_failure(fmt::format("{}: {}", text, std::get<std::string>(parsed)));
        }
        all_.push_back({is_folder ? path : text, is_folder});
    }
}

std::vector<stats_answer> stats_sources::ask(bool peers, std::chrono::milliseconds limit) const
{
    std::vector<std::unique_ptr<inquiry>> asked;
    for (const auto& [text, is_folder] : all_) {
        if (is_folder) {
            for (const auto& one : sockets_in(text)) {
                asked.push_back(std::make_unique<inquiry>(one, peers));
            }
        } else {
            asked.push_back(std::make_unique<inquiry>(std::get<place>(local_service::parse_place(text)), peers));
        }
    }
    const moment end = std::chrono::steady_clock::now() + limit;
    std::vector<pollfd> fds;
    std::vector<inquiry*> open;
    while (true) {
        fds.assign(1, {stop_signal::descriptor(), POLLIN, 0});
        open.clear();
        for (const auto& one : asked) {
            if (!one->over()) {
                fds.push_back(one->awaited());
                open.push_back(one.get());
            }
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        if (open.empty() || left.count() <= 0 || stop_signal::requested()) {
            break;
        }
        ::poll(fds.data(), fds.size(), static_cast<int>(left.count()));
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (fds[i + 1].revents != 0) {
                open[i]->go_on();
            }
        }
    }
    std::vector<stats_answer> answers;
    for (const auto& one : asked) {
        if (!one->over()) {
            one->give_up(limit);
        }
        answers.push_back(one->take());
    }
    return answers;
}

}  // namespace zlink::tool
