// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The entry to OpenSSL: each function of this folder that is called from outside of it goes through this class.
#pragma once

#include "transport/tls/fork_gate.hpp"

namespace zlink::transport::tls::openssl {

/// A thread's time inside OpenSSL. False: it cannot be called in this process, not even to free objects of OpenSSL.
class entry {
public:
    entry() noexcept;
    explicit operator bool() const noexcept { return bool(pass_); }

private:
    const fork_gate::pass pass_;
};

}  // namespace zlink::transport::tls::openssl
