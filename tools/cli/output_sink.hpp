// Received messages on standard output, a line each, buffered until the loop has nothing better to do.
#pragma once

#include "cli/traffic_options.hpp"

#include <string>

namespace zlink::tool {

class output_sink {
public:
    explicit output_sink(const traffic_options& options);

    // Appends the message; writes out when much has gathered.
    void put(const message& frames);

    // Writes out what has gathered. A reader that went away sets closed(); other errors throw a failure.
    void flush();

    // True once the reader of the output is gone: nothing more is worth receiving.
    bool closed() const noexcept { return closed_; }

private:
    bool hex_;
    bool router_;
    std::string separator_;
    std::string buffer_;
    bool closed_ = false;
};

}  // namespace zlink::tool
