// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// make_pattern(): the class that belongs to each socket type.
#include "pattern/pattern.hpp"

#include "pattern/channel.hpp"
#include "pattern/client.hpp"
#include "pattern/dealer.hpp"
#include "pattern/dgram.hpp"
#include "pattern/dish.hpp"
#include "pattern/gather.hpp"
#include "pattern/pair.hpp"
#include "pattern/pub.hpp"
#include "pattern/pull.hpp"
#include "pattern/push.hpp"
#include "pattern/radio.hpp"
#include "pattern/rep.hpp"
#include "pattern/req.hpp"
#include "pattern/router.hpp"
#include "pattern/scatter.hpp"
#include "pattern/server.hpp"
#include "pattern/stream.hpp"
#include "pattern/sub.hpp"
#include "pattern/xpub.hpp"
#include "pattern/xsub.hpp"

#include <new>

namespace zlink::pattern {

std::unique_ptr<pattern> make_pattern(socket_type type, pattern_host& host, const pattern_options& options)
{
    try {
        switch (type) {
        case socket_type::pair: return std::make_unique<pair>(host);
        case socket_type::pub: return std::make_unique<pub>(host, options);
        case socket_type::sub: return std::make_unique<sub>(host, options);
        case socket_type::req: return std::make_unique<req>(host, options);
        case socket_type::rep: return std::make_unique<rep>(host);
        case socket_type::dealer: return std::make_unique<dealer>(host, options);
        case socket_type::router: return std::make_unique<router>(host, options);
        case socket_type::pull: return std::make_unique<pull>(host);
        case socket_type::push: return std::make_unique<push>(host);
        case socket_type::xpub: return std::make_unique<xpub>(host, options);
        case socket_type::xsub: return std::make_unique<xsub>(host, options);
        case socket_type::stream: return std::make_unique<stream>(host, options);
        case socket_type::gather: return std::make_unique<gather>(host);
        case socket_type::scatter: return std::make_unique<scatter>(host);
        case socket_type::channel: return std::make_unique<channel>(host);
        case socket_type::server:
        case socket_type::peer: return std::make_unique<server>(host, options);
        case socket_type::client: return std::make_unique<client>(host, options);
        case socket_type::radio: return std::make_unique<radio>(host, options);
        case socket_type::dish: return std::make_unique<dish>(host);
        case socket_type::dgram: return std::make_unique<dgram>(host);
        }
    } catch (const std::bad_alloc&) {
    }
    return nullptr;
}

}  // namespace zlink::pattern
