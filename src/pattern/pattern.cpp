// make_pattern(): the class that belongs to each socket type.
#include "pattern/pattern.hpp"

#include "pattern/dealer.hpp"
#include "pattern/pair.hpp"
#include "pattern/pub.hpp"
#include "pattern/pull.hpp"
#include "pattern/push.hpp"
#include "pattern/rep.hpp"
#include "pattern/req.hpp"
#include "pattern/router.hpp"
#include "pattern/stream.hpp"
#include "pattern/sub.hpp"
#include "pattern/xpub.hpp"
#include "pattern/xsub.hpp"

#include <new>

namespace zlink::pattern {

namespace {

// The numbers of zmq.h, which pure folders do not include.
enum socket_type {
    type_pair,
    type_pub,
    type_sub,
    type_req,
    type_rep,
    type_dealer,
    type_router,
    type_pull,
    type_push,
    type_xpub,
    type_xsub,
    type_stream,
};

}  // namespace

std::unique_ptr<pattern> make_pattern(int type, pattern_host& host, const pattern_options& options)
{
    try {
        switch (type) {
        case type_pair: return std::make_unique<pair>(host);
        case type_pub: return std::make_unique<pub>(host, options);
        case type_sub: return std::make_unique<sub>(host, options);
        case type_req: return std::make_unique<req>(host, options);
        case type_rep: return std::make_unique<rep>(host);
        case type_dealer: return std::make_unique<dealer>(host, options);
        case type_router: return std::make_unique<router>(host, options);
        case type_pull: return std::make_unique<pull>(host);
        case type_push: return std::make_unique<push>(host);
        case type_xpub: return std::make_unique<xpub>(host, options);
        case type_xsub: return std::make_unique<xsub>(host, options);
        case type_stream: return std::make_unique<stream>(host, options);
        default: return nullptr;
        }
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

}  // namespace zlink::pattern
