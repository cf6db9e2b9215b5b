// The end of a sending command: waits until queued messages are sent, and stays interruptible meanwhile.
#pragma once

#include "cli/traffic_options.hpp"

namespace zlink::tool {

// A context whose end is watched: says on stderr when it has to wait for a peer, gives up at Ctrl-C or --timeout.
class lingering_context {
public:
    explicit lingering_context(const traffic_options& options) : options_(options) {}

    const context& get() const noexcept { return context_; }

    // Closes the socket and waits as its linger says. Throws a failure when the messages found no taker in time.
    void finish(socket& peer);

    // Closes the socket and drops what can't be sent at once.
    void abandon(socket& peer) noexcept;

private:
    const traffic_options& options_;
    context context_;
};

}  // namespace zlink::tool
