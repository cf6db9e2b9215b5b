// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// A ZAP handler of a foreign peer, on a thread of its own: answers all requests alike.
#pragma once

#include <zmq.h>

#include <cerrno>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace zlink::test {

class zap_answers {
public:
    /// Ends once `context` is shut down, which comes before the end of this object.
    zap_answers(void* context, std::string status, std::string user)
        : socket_(zmq_socket(context, ZMQ_REP)),
          reply_{"1.0", "1", std::move(status), "", std::move(user), ""}
    {
        if (zmq_bind(socket_, "inproc://zeromq.zap.01") != 0) {
            throw std::runtime_error("there is a ZAP handler already");
        }
        thread_ = std::thread([this] { run(); });
    }
    zap_answers(const zap_answers&) = delete;
    zap_answers& operator=(const zap_answers&) = delete;
    ~zap_answers() { thread_.join(); }

    /// The frames of the last request.
    std::vector<std::string> asked()
    {
        const std::lock_guard lock(mutex_);
        return asked_;
    }

private:
    void run()
    {
        while (true) {
            std::vector<std::string> request;
            char frame[1024];
            int more = 1;
            for (std::size_t size = sizeof more; more != 0;) {
                const int length = zmq_recv(socket_, frame, sizeof frame, 0);
                if (length < 0) {
                    zmq_close(socket_);
                    return;
                }
                request.emplace_back(frame, static_cast<std::size_t>(length));
                zmq_getsockopt(socket_, ZMQ_RCVMORE, &more, &size);
            }
            {
                const std::lock_guard lock(mutex_);
                asked_ = std::move(request);
            }
            for (const std::string& part : reply_) {
                zmq_send(socket_, part.data(), part.size(), &part == &reply_.back() ? 0 : ZMQ_SNDMORE);
            }
        }
    }

    void* socket_;
    const std::vector<std::string> reply_;
    std::mutex mutex_;
    std::vector<std::string> asked_;
    std::thread thread_;
};

}  // namespace zlink::test
