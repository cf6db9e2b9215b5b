// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "pure/connection_dialog.hpp"

#include <utility>

namespace zlink::tool {
namespace {

constexpr std::size_t enough = 4;  // octets to tell the protocols from each other

}  // namespace

void connection_dialog::decide(direction& one, bool ends)
{
    const std::string_view octets = one.first;
    if (octets.empty() || one.what != protocol::unknown) {
        return;
    }
    // A greeting of ZMTP 2 or later needs no second look.
    if (octets.size() < enough && octets[0] != '\xff' && !ends) {
        return;
    }
    one.what = zws_dialog::begins_as_http(octets)  ? protocol::zws
               : tls_dialog::begins_as_tls(octets) ? protocol::tls
                                                   : protocol::zmtp;
}

template <class What>
void connection_dialog::with_dialog(int side, What what)
{
    switch (sides_[std::size_t(side)].what) {
    case protocol::zws: what(zws_); break;
    case protocol::tls: what(tls_); break;
    case protocol::zmtp:
    case protocol::unknown: what(zmtp_); break;
    }
}

void connection_dialog::take(int side, std::string_view octets)
{
    direction& one = sides_[std::size_t(side)];
    if (one.what == protocol::unknown) {
        one.first += octets;
        decide(one, false);
        if (one.what != protocol::unknown) {
            const std::string first = std::exchange(one.first, {});
            with_dialog(side, [&](auto& dialog) { dialog.take(side, first); });
        }
        return;
    }
    with_dialog(side, [&](auto& dialog) { dialog.take(side, octets); });
}

void connection_dialog::end(int side)
{
    direction& one = sides_[std::size_t(side)];
    decide(one, true);
    const std::string first = std::exchange(one.first, {});
    with_dialog(side, [&](auto& dialog) {
        dialog.take(side, first);
        dialog.end(side);
    });
}

void connection_dialog::lose(int side, const std::string& why)
{
    sides_[std::size_t(side)].first.clear();
    with_dialog(side, [&](auto& dialog) { dialog.lose(side, why); });
}

}  // namespace zlink::tool
