// zmq_ctx_term blocks, so it has a thread of its own; when that thread must be left behind, the process ends at once.
#include "cli/lingering.hpp"

#include "support/failure.hpp"
#include "support/status_line.hpp"
#include "support/stop_signal.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <zmq.h>

namespace zlink::tool {
namespace {

using clock = std::chrono::steady_clock;

enum class end { terminated, stopped, too_late };

// Signals go to the main thread, which watches.
std::thread start_termination(void* handle, int done)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread worker([handle, done] {
        while (zmq_ctx_term(handle) != 0 && zmq_errno() == EINTR) {
        }
        eventfd_write(done, 1);
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return worker;
}

end watch(int done, const traffic_options& options)
{
    const auto start = clock::now();
    bool told = options.quiet;
    for (;;) {
        pollfd items[] = {{done, POLLIN, 0}, {stop_signal::descriptor(), POLLIN, 0}};
        poll(items, 2, 50);
        if (items[0].revents != 0) {
            return end::terminated;
        }
        if (stop_signal::requested()) {
            return end::stopped;
        }
        const auto waited = clock::now() - start;
        if (options.timeout && !options.linger && waited > *options.timeout) {
            return end::too_late;
        }
        if (!told && waited > std::chrono::seconds(1)) {
            told = true;
            say("waiting for a peer to take the unsent messages; Ctrl-C drops them, --linger limits the wait\n");
        }
    }
}

}  // namespace

void lingering_context::finish(socket& peer)
{
    if (stop_signal::requested()) {
        abandon(peer);
        return;
    }
    peer.close();
    const int done = eventfd(0, EFD_CLOEXEC);
    std::thread worker = start_termination(context_.release(), done);
    const end result = watch(done, options_);
    if (result == end::terminated) {
        worker.join();
        ::close(done);
        return;
    }
    // The sockets are closed already, so their linger can't be shortened any more: leave without waiting.
    if (result == end::too_late) {
        say("zlink: timed out: unsent messages found no taker within {} ms; start the peer or check the endpoint\n",
            options_.timeout->count());
    } else if (!options_.quiet) {
        say("stopped: unsent messages were dropped\n");
    }
    std::fflush(nullptr);
    _exit(static_cast<int>(exit_status::failed));
}

void lingering_context::abandon(socket& peer) noexcept
{
    const int briefly = 100;  // what was queued just now still gets out to a peer that is there
    if (peer.handle() != nullptr) {
        zmq_setsockopt(peer.handle(), ZMQ_LINGER, &briefly, sizeof briefly);
        peer.close();
    }
}

}  // namespace zlink::tool
