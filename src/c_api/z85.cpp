// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zmq_z85_encode() and zmq_z85_decode(): RFC 32.
#include "base/z85.hpp"
#include "c_api/failing.hpp"
#include "zmq.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace {

std::nullptr_t reject() noexcept
{
    zlink::c_api::set_errno(EINVAL);
    return nullptr;
}

}  // namespace

char* zmq_z85_encode(char* text, const uint8_t* data, size_t size)
{
    if (text == nullptr || (data == nullptr && size != 0) || size % zlink::z85_octets_per_group != 0) {
        return reject();
    }
    zlink::encode_z85(std::as_bytes(std::span(data, size)), text);
    text[zlink::z85_size(size)] = '\0';
    return text;
}

uint8_t* zmq_z85_decode(uint8_t* data, const char* text)
{
    if (data == nullptr || text == nullptr) {
        return reject();
    }
    const std::string_view digits = text;
    // An empty text is refused as in libzmq: a program that forgot its key shall not go on with garbage.
    if (digits.empty() || !zlink::decode_z85(digits, reinterpret_cast<std::byte*>(data))) {
        return reject();
    }
    return data;
}
