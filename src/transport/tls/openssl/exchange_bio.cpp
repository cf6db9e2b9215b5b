// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/tls/openssl/exchange_bio.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace zlink::transport::tls::openssl {

namespace {

exchange* exchange_of(BIO* bio) noexcept
{
    return *static_cast<exchange**>(BIO_get_data(bio));
}

int read(BIO* bio, char* to, std::size_t room, std::size_t* got)
{
    BIO_clear_retry_flags(bio);
    exchange* const through = exchange_of(bio);
    if (!through || through->in.empty()) {
        BIO_set_retry_read(bio);
        return -1;
    }
    *got = std::min(room, through->in.size());
    std::memcpy(to, through->in.data(), *got);
    through->in = through->in.subspan(*got);
    return 1;
}

// Callers leave room for the output of one step; more than that is an error of this connection.
int write(BIO* bio, const char* from, std::size_t size, std::size_t* written)
{
    BIO_clear_retry_flags(bio);
    exchange* const through = exchange_of(bio);
    if (!through || through->out.size() < size) return -1;
    std::memcpy(through->out.data(), from, size);
    through->out = through->out.subspan(size);
    *written = size;
    return 1;
}

long control(BIO*, int command, long, void*)
{
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

const BIO_METHOD* method() noexcept
{
    static BIO_METHOD* const made = [] {
        BIO_METHOD* const m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "exchange");
        if (m) {
            BIO_meth_set_read_ex(m, read);
            BIO_meth_set_write_ex(m, write);
            BIO_meth_set_ctrl(m, control);
        }
        return m;
    }();
    return made;
}

}  // namespace

BIO* make_exchange_bio(exchange** through) noexcept
{
    const BIO_METHOD* const how = method();
    BIO* const bio = how ? BIO_new(how) : nullptr;
    if (!bio) return nullptr;
    BIO_set_data(bio, through);
    BIO_set_init(bio, 1);
    return bio;
}

}  // namespace zlink::transport::tls::openssl
