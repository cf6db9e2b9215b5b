// What a socket is told of security, for those who only hand it on.
#pragma once

#include "zmtp/security.hpp"

namespace zlink::engine {

using zmtp::mechanism_kind;
using zmtp::security_settings;

}  // namespace zlink::engine
