// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the foreign peers of interop tests have in common. They are programs of libzmq's users: compiled against a
// foreign zmq.h and linked to its libzmq. Such a program holds one socket, whose type is the only argument, and does
// what the lines on its standard input say. Every command is answered by one line, "ok ..." or "failed ...". It ends in
// good order at the end of its input.
//
//   library                              which libzmq is loaded, and its version
//   set OPTION NUMBER / text OPTION TEXT an option of the socket, by its number
//   bind|connect|unbind|disconnect ENDPOINT
//   envelope FRAME...                    frames that messages sent start with and messages received must start with
//   send SEED FIRST COUNT SIZE[,SIZE]    seeded messages, see seeded_content.hpp
//   recv SEED FIRST COUNT SIZE[,SIZE]    receives exactly these, in order
//   run SEED LAST SIZE[,SIZE]            receives seeded messages up to number LAST, each whole and later than the one
//                                        before; answers "FIRST COUNT"
//   flood SEED SIZE[,SIZE]               sends until the socket would block; answers how many it took
//   echo COUNT                           returns COUNT messages as they come
//   post FRAME... / take                 sends, or receives and answers, one message of printable frames
//   until PREFIX [FORBIDDEN]             receives up to a message starting with PREFIX; none may start with FORBIDDEN
//   publish TOPIC...                     sends "TOPIC NUMBER" to all topics in turn until the next command comes
//   zap STATUS USER                      has a ZAP handler of its own answer every request from now on, beside all else
//   asked                                the frames of the last request
//   raw_send SEED COUNT / raw_recv SEED COUNT / raw_echo COUNT    bytes of a STREAM socket with one peer
// A FRAME is text without blanks; \xNN stands for any byte and "-" for an empty frame.
#pragma once

#include "seeded_content.hpp"
#include "zap_answers.hpp"

#include <zmq.h>

#include <dlfcn.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace zlink::test {

using parts = std::vector<std::string>;

constexpr int patience_ms = 20000;

struct failed_call : std::runtime_error {
    explicit failed_call(const std::string& what) : std::runtime_error(what + ": " + zmq_strerror(zmq_errno())) {}
};

inline void check(bool good, const std::string& what)
{
    if (!good) {
        throw failed_call(what);
    }
}

// Frames as text in one line; bytes that are not printable become \xNN.
inline std::string shown(const parts& frames)
{
    std::string line;
    for (const std::string& frame : frames) {
        line += line.empty() ? "" : " ";
        for (const char c : frame.substr(0, 100)) {
            char hex[8];
            std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned char>(c));
            line += c > ' ' && c <= '~' && c != '\\' ? std::string(1, c) : std::string(hex);
        }
        line += frame.empty() ? "-" : "";
    }
    return line;
}

// A frame from such text.
inline std::string plain(const std::string& text)
{
    std::string frame;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.compare(i, 2, "\\x") == 0) {
            frame += static_cast<char>(std::stoi(text.substr(i + 2, 2), nullptr, 16));
            i += 3;
        } else {
            frame += text[i];
        }
    }
    return frame;
}

// The socket and all that can be done with it. A derived peer may give messages another form, or know more commands.
class peer {
public:
    explicit peer(int type) : context_(zmq_ctx_new()), socket_(zmq_socket(context_, type))
    {
        set(ZMQ_RCVTIMEO, patience_ms);
        set(ZMQ_SNDTIMEO, patience_ms);
        set(ZMQ_LINGER, 0);  // what a test wants delivered, it has received before it ends us
    }
    peer(const peer&) = delete;
    peer& operator=(const peer&) = delete;

    virtual ~peer()
    {
        zmq_close(socket_);
        zmq_ctx_shutdown(context_);
        handler_.reset();
        zmq_ctx_term(context_);
    }

    // Does what a command and the words after it say; returns what to answer.
    virtual std::string obey(const std::string& verb, std::istringstream& words)
    {
        if (verb == "library") {
            return library();
        } else if (verb == "set") {
            const int option = next<int>(words);
            set(option, next<int>(words));
        } else if (verb == "text") {
            const int option = next<int>(words);
            std::string value;
            words >> value;  // none is an empty text
            check(zmq_setsockopt(socket_, option, value.data(), value.size()) == 0, "zmq_setsockopt");
        } else if (verb == "bind") {
            check(zmq_bind(socket_, next<std::string>(words).c_str()) == 0, "zmq_bind");
            return last_endpoint();
        } else if (verb == "connect") {
            check(zmq_connect(socket_, next<std::string>(words).c_str()) == 0, "zmq_connect");
        } else if (verb == "unbind") {
            check(zmq_unbind(socket_, next<std::string>(words).c_str()) == 0, "zmq_unbind");
        } else if (verb == "disconnect") {
            check(zmq_disconnect(socket_, next<std::string>(words).c_str()) == 0, "zmq_disconnect");
        } else if (verb == "envelope") {
            envelope_ = rest(words);
        } else if (verb == "send" || verb == "recv") {
            const auto seed = next<std::uint64_t>(words);
            const auto first = next<std::uint64_t>(words);
            const auto count = next<std::uint64_t>(words);
            const frame_sizes sizes = sizes_in(words);
            for (std::uint64_t number = first; number < first + count; ++number) {
                const parts body = seeded_message(seed, number, sizes);
                if (verb == "send") {
                    send(sealed(body), 0);
                } else {
                    expect(body, opened(recv()), number);
                }
            }
        } else if (verb == "run") {
            return run(words);
        } else if (verb == "flood") {
            return flood(words);
        } else if (verb == "echo") {
            for (auto left = next<std::uint64_t>(words); left > 0; --left) {
                send(recv(), 0);
            }
        } else if (verb == "post") {
            send(rest(words), 0);
        } else if (verb == "take") {
            return shown(recv());
        } else if (verb == "until") {
            return until(words);
        } else if (verb == "publish") {
            return publish(rest(words));
        } else if (verb == "zap") {
            const auto status = next<std::string>(words);
            handler_.emplace(context_, status, next<std::string>(words));
        } else if (verb == "asked") {
            return shown(handler_.value().asked());
        } else if (verb == "raw_send" || verb == "raw_recv") {
            raw_seeded(verb == "raw_send", words);
        } else if (verb == "raw_echo") {
            raw_echo(next<std::size_t>(words));
        } else {
            throw std::runtime_error("no such command: " + verb);
        }
        return "";
    }

protected:
    template <typename Value>
    static Value next(std::istringstream& words)
    {
        Value value{};
        if (!(words >> value)) {
            throw std::runtime_error("an argument is missing");
        }
        return value;
    }

    // Sends a whole message; false if `flags` say not to wait and it would have to.
    virtual bool send(const parts& frames, int flags)
    {
        for (std::size_t i = 0; i < frames.size(); ++i) {
            const int more = i + 1 < frames.size() ? ZMQ_SNDMORE : 0;
            if (zmq_send(socket_, frames[i].data(), frames[i].size(), flags | more) == -1) {
                if (i == 0 && (flags & ZMQ_DONTWAIT) != 0 && zmq_errno() == EAGAIN) {
                    return false;
                }
                throw failed_call("zmq_send of frame " + std::to_string(i));
            }
        }
        return true;
    }

    virtual parts recv()
    {
        parts frames;
        bool more = true;
        while (more) {
            zmq_msg_t msg;
            zmq_msg_init(&msg);
            const int size = zmq_msg_recv(&msg, socket_, 0);
            if (size >= 0) {
                frames.emplace_back(static_cast<char*>(zmq_msg_data(&msg)), static_cast<std::size_t>(size));
                more = zmq_msg_more(&msg) != 0;
            }
            zmq_msg_close(&msg);
            check(size >= 0, "zmq_msg_recv after " + std::to_string(received_) + " messages");
        }
        ++received_;
        return frames;
    }

    void* handle() const { return socket_; }

private:
    static parts rest(std::istringstream& words)
    {
        parts frames;
        for (std::string frame; words >> frame;) {
            frames.push_back(frame == "-" ? "" : plain(frame));
        }
        return frames;
    }

    static frame_sizes sizes_in(std::istringstream& words)
    {
        std::istringstream list(next<std::string>(words));
        frame_sizes sizes;
        for (std::string size; std::getline(list, size, ',');) {
            sizes.push_back(std::stoull(size));
        }
        return sizes;
    }

    void set(int option, int value)
    {
        check(zmq_setsockopt(socket_, option, &value, sizeof value) == 0, "zmq_setsockopt");
    }

    static std::string library()
    {
        int major = 0;
        int minor = 0;
        int patch = 0;
        zmq_version(&major, &minor, &patch);
        std::ostringstream line;
        line << (dlsym(RTLD_DEFAULT, "zlink_version") == nullptr ? "libzmq" : "zlink") << ' ' << major << '.' << minor
             << '.' << patch;
        return line.str();
    }

    std::string last_endpoint() const
    {
        char endpoint[256] = {};
        std::size_t size = sizeof endpoint;
        check(zmq_getsockopt(socket_, ZMQ_LAST_ENDPOINT, endpoint, &size) == 0, "ZMQ_LAST_ENDPOINT");
        return endpoint;
    }

    parts sealed(const parts& body) const
    {
        parts frames = envelope_;
        frames.insert(frames.end(), body.begin(), body.end());
        return frames;
    }

    parts opened(const parts& frames) const
    {
        if (frames.size() < envelope_.size() || !std::equal(envelope_.begin(), envelope_.end(), frames.begin())) {
            throw std::runtime_error("a message without the envelope: " + shown(frames));
        }
        return {frames.begin() + static_cast<std::ptrdiff_t>(envelope_.size()), frames.end()};
    }

    static void expect(const parts& wanted, const parts& got, std::uint64_t number)
    {
        if (wanted == got) {
            return;
        }
        std::string sizes;
        for (const std::string& frame : got) {
            sizes += " " + std::to_string(frame.size());
        }
        const bool numbered = !got.empty() && got[0].size() >= sizeof number;
        throw std::runtime_error("wrong content instead of message " + std::to_string(number) + ": frames of" + sizes +
                                 (numbered ? ", number " + std::to_string(number_of(got[0])) : ""));
    }

    std::string run(std::istringstream& words)
    {
        const auto seed = next<std::uint64_t>(words);
        const auto last = next<std::uint64_t>(words);
        const frame_sizes sizes = sizes_in(words);
        std::optional<std::uint64_t> first;
        std::uint64_t number = 0;
        std::uint64_t count = 0;
        while (count == 0 || number != last) {
            const parts frames = opened(recv());
            const std::uint64_t before = number;
            number = number_of(frames.at(0));
            expect(seeded_message(seed, number, sizes), frames, number);
            if (count++ > 0 && number <= before) {
                throw std::runtime_error(std::to_string(number) + " after " + std::to_string(before));
            }
            first = first.value_or(number);
        }
        return std::to_string(*first) + " " + std::to_string(count);
    }

    std::string flood(std::istringstream& words)
    {
        const auto seed = next<std::uint64_t>(words);
        const frame_sizes sizes = sizes_in(words);
        std::uint64_t count = 0;
        // Full means that it stays so: what the kernel takes in the meantime makes room again.
        zmq_pollitem_t item{socket_, 0, ZMQ_POLLOUT, 0};
        while (zmq_poll(&item, 1, 200) == 1) {
            while (send(sealed(seeded_message(seed, count, sizes)), ZMQ_DONTWAIT)) {
                ++count;
            }
        }
        return std::to_string(count);
    }

    std::string until(std::istringstream& words)
    {
        const std::string prefix = plain(next<std::string>(words));
        std::string forbidden;
        words >> forbidden;
        while (true) {
            const parts frames = recv();
            if (!forbidden.empty() && frames[0].starts_with(forbidden)) {
                throw std::runtime_error("unwanted message: " + shown(frames));
            }
            if (frames[0].starts_with(prefix)) {
                return shown(frames);
            }
        }
    }

    std::string publish(const parts& topics)
    {
        std::uint64_t number = 0;
        pollfd command{0, POLLIN, 0};
        while (poll(&command, 1, 0) == 0) {
            for (int burst = 0; burst < 10; ++burst) {
                for (const std::string& topic : topics) {
                    send({topic + " " + std::to_string(number)}, 0);
                }
                ++number;
            }
            poll(&command, 1, 1);
        }
        return std::to_string(number);
    }

    // The next bytes from the peer of a STREAM socket; notes its routing id. Empty at its coming and going.
    std::string raw_recv()
    {
        const parts frames = recv();
        stream_id_ = frames.at(0);
        return frames.at(1);
    }

    void raw_seeded(bool sending, std::istringstream& words)
    {
        const auto seed = next<std::uint64_t>(words);
        const std::string bytes = seeded_frame(next<std::size_t>(words), seed, 0, 1);
        if (sending) {
            while (stream_id_.empty()) {
                raw_recv();
            }
            for (std::size_t at = 0; at < bytes.size(); at += raw_step) {
                send({stream_id_, bytes.substr(at, raw_step)}, 0);
            }
            return;
        }
        std::string got;
        while (got.size() < bytes.size()) {
            got += raw_recv();
        }
        if (got != bytes) {
            throw std::runtime_error("wrong bytes");
        }
    }

    void raw_echo(std::size_t count)
    {
        for (std::size_t done = 0; done < count;) {
            const std::string bytes = raw_recv();
            if (!bytes.empty()) {
                send({stream_id_, bytes}, 0);
            }
            done += bytes.size();
        }
    }

    static constexpr std::size_t raw_step = 50000;

    void* context_;
    std::optional<zap_answers> handler_;
    void* socket_;
    parts envelope_;
    std::string stream_id_;
    std::uint64_t received_ = 0;
};

// Reads commands until the end of the input.
inline int serve(peer& with)
{
    std::setvbuf(stdin, nullptr, _IONBF, 0);  // so that poll() on it tells whether a command waits
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string verb;
        words >> verb;
        try {
            std::cout << "ok " << with.obey(verb, words) << std::endl;
        } catch (const std::exception& error) {
            std::cout << "failed " << line.substr(0, 80) << ": " << error.what() << std::endl;
        }
    }
    return 0;
}

}  // namespace zlink::test
