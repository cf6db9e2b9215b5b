// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pattern/xpub.hpp"

namespace zlink::pattern {

bool xpub::can_receive()
{
    if (upstream_.empty()) publisher_.listen();
    return !upstream_.empty();
}

errc xpub::receive(pipe::delivery& to)
{
    if (!can_receive()) return errc::again;
    pipe::pipe_end* from = upstream_.source();
    const errc error = upstream_.deliver(to);
    if (error != errc::none) return error;
    if (!in_message_ && publisher_.manual()) publisher_.heard(from);
    in_message_ = to.more();
    return errc::none;
}

bool xpub::confirm_sleep()
{
    const bool found = publisher_.confirm_sleep();
    return found || !upstream_.empty();
}

}  // namespace zlink::pattern
