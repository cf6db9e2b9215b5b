// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// In TLS 1.3, what follows the hellos is in records of application data, the rest of the handshake and alerts included.
#include "pure/tls_dialog.hpp"

#include "pure/network_order.hpp"
#include "pure/octet_text.hpp"

#include <cstdint>
#include <optional>

namespace zlink::tool {
namespace {

constexpr std::size_t header_size = 5;
constexpr std::size_t largest_record = 16 * 1024 + 2048;
constexpr std::size_t most_of_name = 255;

enum kind : std::uint8_t { change_cipher = 20, alert = 21, handshake = 22, application = 23, heartbeat = 24 };

// Takes numbers and texts from the front of a record. Once something was missing, all is empty.
class reader {
public:
    explicit reader(std::string_view octets) : rest_(octets) {}

    template <class Number>
    std::size_t number()
    {
        const std::string_view found = octets(sizeof(Number));
        return found.size() == sizeof(Number) ? std::size_t(number_at<Number>(found, 0)) : 0;
    }

    std::string_view octets(std::size_t count)
    {
        if (count > rest_.size()) {
            rest_ = {};
            return {};
        }
        const std::string_view found = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return found;
    }

    bool empty() const { return rest_.empty(); }

private:
    std::string_view rest_;
};

std::string name_of_message(std::size_t type)
{
    switch (type) {
    case 1: return "ClientHello";
    case 2: return "ServerHello";
    case 4: return "NewSessionTicket";
    case 11: return "Certificate";
    case 12: return "ServerKeyExchange";
    case 13: return "CertificateRequest";
    case 14: return "ServerHelloDone";
    case 15: return "CertificateVerify";
    case 16: return "ClientKeyExchange";
    case 20: return "Finished";
    default: return "message of type " + std::to_string(type);
    }
}

std::string name_of_alert(std::size_t code)
{
    switch (code) {
    case 0: return "close notify";
    case 40: return "handshake failure";
    case 42: return "bad certificate";
    case 44: return "certificate revoked";
    case 45: return "certificate expired";
    case 46: return "certificate unknown";
    case 48: return "unknown CA";
    case 70: return "protocol version";
    case 80: return "internal error";
    case 112: return "unrecognized name";
    case 116: return "certificate required";
    case 120: return "no application protocol";
    default: return "alert " + std::to_string(code);
    }
}

// The name of the server that a ClientHello asks for; ALPN.
std::string wishes_of(std::string_view hello)
{
    reader all(hello);
    (void)all.octets(2 + 32);  // version and random
    (void)all.octets(all.number<std::uint8_t>());
    (void)all.octets(all.number<std::uint16_t>());
    (void)all.octets(all.number<std::uint8_t>());
    std::string found;
    for (reader extensions(all.octets(all.number<std::uint16_t>())); !extensions.empty();) {
        const std::size_t type = extensions.number<std::uint16_t>();
        reader content(extensions.octets(extensions.number<std::uint16_t>()));
        const bool names = type == 0;
        const bool protocols = type == 16;
        reader list((names || protocols) ? content.octets(content.number<std::uint16_t>()) : std::string_view());
        while (!list.empty()) {
            if (names) (void)list.number<std::uint8_t>();
            const auto text = list.octets(names ? list.number<std::uint16_t>() : list.number<std::uint8_t>());
            found += (names ? ", for " : ", ALPN ") + shown_octets(text, most_of_name);
        }
    }
    return found;
}

// The messages of a record in clear; the last one may go on in the next record.
std::string messages_of(std::string_view record)
{
    std::string found;
    for (reader rest(record); !rest.empty();) {
        const std::size_t type = rest.number<std::uint8_t>();
        const std::size_t upper = rest.number<std::uint8_t>();
        const std::size_t size = upper << 16 | rest.number<std::uint16_t>();
        const std::string_view body = rest.octets(size);
        found += (found.empty() ? ": " : ", ") + name_of_message(type) + (type == 1 ? wishes_of(body) : "");
    }
    return found;
}

}  // namespace

bool tls_dialog::begins_as_tls(std::string_view octets)
{
    return octets.size() >= 2 && (octets[0] == handshake || octets[0] == alert) && octets[1] == 3;
}

void tls_dialog::take(int side, std::string_view octets)
{
    direction& one = sides_[std::size_t(side)];
    if (one.ignored) {
        return;
    }
    one.held += octets;
    while (read_record(side)) {
    }
}

bool tls_dialog::read_record(int side)
{
    direction& one = sides_[std::size_t(side)];
    if (one.ignored || one.held.size() < header_size) {
        return false;
    }
    const auto type = static_cast<std::uint8_t>(one.held[0]);
    const std::size_t size = number_at<std::uint16_t>(one.held, 3);
    if (type < change_cipher || type > heartbeat || one.held[1] != 3 || size > largest_record) {
        give_up(side, "a record of TLS cannot begin with " +
                          shown_octets(std::string_view(one.held).substr(0, header_size), header_size) +
                          ": the rest is not decoded");
        return false;
    }
    if (one.held.size() < header_size + size) {
        return false;
    }
    const std::string_view record = std::string_view(one.held).substr(header_size, size);
    const std::string sealed = ", " + octets_text(size) + ", encrypted";
    std::string text;
    switch (type) {
    case change_cipher:
        one.encrypted = true;
        text = "TLS change of the cipher";
        break;
    case alert:
        text = "TLS alert" +
               (one.encrypted || size != 2 ? sealed : ": " + name_of_alert(static_cast<std::uint8_t>(record[1])));
        break;
    case handshake:
        text = "TLS handshake" + (one.encrypted ? sealed : ", " + octets_text(size) + messages_of(record));
        break;
    case application: text = "TLS application data" + sealed; break;
    default: text = "TLS heartbeat, " + octets_text(size);
    }
    one.held.erase(0, header_size + size);
    told_(side, text);
    return true;
}

void tls_dialog::end(int side)
{
    direction& one = sides_[std::size_t(side)];
    if (!one.ignored && !one.held.empty()) {
        told_(side, "the connection ends within a record of TLS");
    }
    one.ignored = true;
    one.held.clear();
}

void tls_dialog::lose(int side, const std::string& why)
{
    if (!sides_[std::size_t(side)].ignored) {
        give_up(side, why);
    }
}

void tls_dialog::give_up(int side, const std::string& why)
{
    direction& one = sides_[std::size_t(side)];
    one.ignored = true;
    one.held = std::string();
    told_(side, why);
}

}  // namespace zlink::tool
