#include "pattern/routing/frame_backlog.hpp"

#include <new>
#include <utility>

namespace zlink::pattern::routing {

bool frame_backlog::append(message::owned_frame frame, bool more, pipe::pipe_end* from) noexcept
{
    frame.set_more(more);
    try {
        items_.push_back({std::move(frame), from});
        return true;
    } catch (const std::bad_alloc&) {
        drop_unfinished();
        return false;
    }
}

void frame_backlog::drop_unfinished() noexcept
{
    while (!items_.empty() && items_.back().frame.more()) items_.pop_back();
}

bool frame_backlog::push(std::string_view octets, bool more, message::metadata* properties,
                         pipe::pipe_end* from) noexcept
{
    message::owned_frame frame;
    if (!frame.init_copy_of(octets.data(), octets.size())) {
        frame.init();
        drop_unfinished();
        return false;
    }
    frame.set_properties(properties);
    return append(std::move(frame), more, from);
}

bool frame_backlog::push(const pipe::incoming& f, pipe::pipe_end* from) noexcept
{
    message::owned_frame frame;
    if (!pipe::delivery(frame).deliver(f)) {
        drop_unfinished();
        return false;
    }
    return append(std::move(frame), f.more, from);
}

errc frame_backlog::deliver(pipe::delivery& to) noexcept
{
    message::owned_frame& first = items_.front().frame;
    if (!to.deliver(first, first.more())) return errc::out_of_memory;
    items_.pop_front();
    return errc::none;
}

void frame_backlog::forget(const pipe::pipe_end& end) noexcept
{
    for (item& i : items_) {
        if (i.from == &end) i.from = nullptr;
    }
}

bool frame_backlog::prepend(frame_backlog& earlier) noexcept
{
    const std::size_t before = earlier.items_.size();
    try {
        for (item& i : items_) {
            message::owned_frame copy;
            copy.init_copy(i.frame);
            earlier.items_.push_back({std::move(copy), i.from});
        }
    } catch (const std::bad_alloc&) {
        earlier.items_.resize(before);
        return false;
    }
    items_.swap(earlier.items_);
    earlier.items_.clear();
    return true;
}

}  // namespace zlink::pattern::routing
