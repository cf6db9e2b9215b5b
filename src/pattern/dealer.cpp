#include "pattern/dealer.hpp"

#include "pattern/routing/whole_message.hpp"

#include <new>

namespace zlink::pattern {

errc dealer::receive(pipe::delivery& to)
{
    pipe::incoming f;
    pipe::pipe_end* end = queue_.next(f);
    if (!end) return errc::again;
    if (!to.deliver(f)) return errc::out_of_memory;
    queue_.pop(*end, f);
    return errc::none;
}

bool dealer::attach(pipe::pipe_end& end, const attachment&)
{
    if (!queue_.attach(end)) return false;
    if (!balancer_.attach(end)) {
        queue_.remove(end);
        return false;
    }
    if (options_.probe_router) routing::write_whole(end, {});
    greet(end);
    return true;
}

// Not behind a message that is half written: the greeting is lost then.
void dealer::greet(pipe::pipe_end& end) const
{
    if (options_.has_hello_message && !end.writer.in_message()) routing::write_whole(end, options_.hello_message);
}

void dealer::on_peer_closed(pipe::pipe_end& end)
{
    balancer_.remove(end);
    queue_.peer_closed(end);
}

void dealer::on_drained(pipe::pipe_end& end)
{
    balancer_.remove(end);
    host_.give_up(end);
}

void dealer::detach(pipe::pipe_end& end)
{
    balancer_.remove(end);
    queue_.remove(end);
}

void dealer::options_changed(const pattern_options& options)
{
    try {
        options_ = options;
    } catch (const std::bad_alloc&) {
        // The text of the greeting is what could not be copied; an old or empty one is sent instead.
    }
}

}  // namespace zlink::pattern
