// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink_wait() and zlink_wait_topic(): waits for peers, subscribers, and an empty queue.
#include "base/last_error.hpp"
#include "c_api/handles.hpp"
#include "runtime/deadline.hpp"
#include "socket/peer_condition.hpp"

#include <zlink.h>

#include <exception>
#include <optional>
#include <string>

using namespace zlink;
using namespace zlink::c_api;

namespace {

using condition = socket::peer_condition;

std::optional<condition::kind> condition_of(int what) noexcept
{
    switch (what) {
    case ZLINK_PEERS: return condition::kind::peers;
    case ZLINK_SUBSCRIBERS: return condition::kind::subscribers;
    case ZLINK_DRAINED: return condition::kind::drained;
    default: return std::nullopt;
    }
}

int refuse(const char* words) noexcept
{
    tell_failure(words);
    return fail(EINVAL);
}

int wait_for(void* handle, const condition& what, int timeout_ms)
{
    call_on s(handle);
    if (!s) return -1;
    forget_words();
    const auto until = runtime::deadline_after(timeout_ms);
    result<std::size_t> found = errc::out_of_memory;
    try {
        found = s.await(what, until);
    } catch (const std::exception&) {
    }
    if (found) return what.what == condition::kind::drained ? 0 : as_int(*found);
    if (found.error() == errc::not_supported) tell_failure("only PUB, XPUB and RADIO have subscribers");
    if (found.error() == errc::again) {
        switch (what.what) {
        case condition::kind::peers: tell_failure("there are not so many peers yet, and the time is over"); break;
        case condition::kind::subscribers:
            tell_failure("not so many peers have subscribed, and the time is over");
            break;
        case condition::kind::drained:
            tell_failure("messages are still on their way to the kernel or to a peer");
            break;
        }
    }
    return fail(found.error());
}

}  // namespace

int zlink_wait(void* handle, int what, int at_least, int timeout_ms)
{
    const auto kind = condition_of(what);
    if (const call_on s(handle); !s) return -1;
    if (!kind) return refuse("wait for one of ZLINK_PEERS, ZLINK_SUBSCRIBERS and ZLINK_DRAINED");
    if (at_least < 0) return refuse("at_least is negative");
    return wait_for(handle, {*kind, std::nullopt, std::size_t(at_least)}, timeout_ms);
}

int zlink_wait_topic(void* handle, const void* topic, size_t size, int at_least, int timeout_ms)
{
    if (const call_on s(handle); !s) return -1;
    if (!topic && size != 0) return fail(EFAULT);
    if (at_least < 0) return refuse("at_least is negative");
    const pattern::topic_text text(static_cast<const std::byte*>(topic), size);
    return wait_for(handle, {condition::kind::subscribers, text, std::size_t(at_least)}, timeout_ms);
}
