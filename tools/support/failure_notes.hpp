// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// Why connections failed, as the library tells it, for the events of monitors, which have an errno at most.
#pragma once

#include <deque>
#include <string>
#include <string_view>

namespace zlink::tool {

// One for the process, as the library's list is. For one thread. Empty texts when the library isn't zlink.
class failure_notes {
public:
    static failure_notes& of_process();

    // What was told last of connects to this endpoint; that and what came before it is forgotten.
    std::string take(std::string_view endpoint);

    // The same of a handshake, whose text may have the peer's address in place of the endpoint's name.
    std::string take_of_handshake(std::string_view endpoint);

private:
    void gather();
    template <class Fits>
    std::string take_if(Fits fits);

    std::deque<std::string> texts_;
};

// A text without the peer before it.
std::string_view words_of(std::string_view note);

// Options that a library's text names as programs write them (ZMQ_TLS_CA_FILE) become the tool's (--tls-ca).
std::string in_options_of_tool(std::string_view text);

}  // namespace zlink::tool
