// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What stays in memory of a client's key when its socket has gone.
#include "allocations.hpp"
#include "support/tls_certificates.hpp"
#include "support/zmq_fixture.hpp"

#include <zlink.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

namespace zlink::test {
namespace {

class tls_secrets : public zmq_test {
protected:
    // How often a text stands in writable memory of this process, which is not told it in one piece.
    static int copies_of(const std::string& front, const std::string& back)
    {
        std::ifstream maps("/proc/self/maps");
        int found = 0;
        for (std::string line; std::getline(maps, line);) {
            if (line.find(" rw-p ") == std::string::npos) continue;
            std::uintptr_t begin = 0, end = 0;
            if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) != 2) continue;
            const std::string_view there(reinterpret_cast<const char*>(begin), end - begin);
            for (std::size_t at = there.find(front); at != std::string_view::npos; at = there.find(front, at + 1)) {
                found += there.substr(at + front.size()).starts_with(back);
            }
        }
        return found;
    }
};

// Certificate and key may be one text, which is given as the certificate's.
TEST_F(tls_secrets, of_a_key_in_the_certificates_text_nothing_stays_when_its_socket_has_gone)
{
    wipe_what_is_freed();
    const authority& ca = authority::of_this_process();
    const certificate& of_server = authority::shared_certificate();
    const certificate own = ca.issue();
    socket pull = ctx_.open(ZMQ_PULL);
    pull.set(ZMQ_TLS_CERT_FILE, of_server.file);
    pull.set(ZMQ_TLS_KEY_FILE, of_server.key);
    const std::string endpoint = pull.bind("tls://127.0.0.1:*");
    std::string front, back;
    {
        const std::string text = content_of(own.key);
        const std::size_t second = text.find('\n', text.find('\n') + 1);  // OpenSSL reads by lines
        front = text.substr(second - 20, 20);
        back = text.substr(second, 20);
    }
    {
        context other;
        socket push = other.open(ZMQ_PUSH);
        push.set(ZMQ_TLS_CA_FILE, ca.file());
        push.set(ZMQ_WSS_CERT_PEM, content_of(own.file) + content_of(own.key));
        push.connect(endpoint);
        push.send("hello");
        EXPECT_EQ("hello", pull.recv());
        EXPECT_LT(0, copies_of(front, back)) << "the search finds nothing";
    }
    EXPECT_EQ(0, copies_of(front, back));
}

}  // namespace
}  // namespace zlink::test
