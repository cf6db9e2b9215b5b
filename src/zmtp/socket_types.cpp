// Socket type names and the table of legal pairs.
#include "zmtp/socket_types.hpp"

#include <array>

namespace zlink::zmtp {

namespace {

constexpr std::array<std::string_view, 11> names{"PAIR",   "PUB",  "SUB",  "REQ",  "REP", "DEALER",
                                                 "ROUTER", "PULL", "PUSH", "XPUB", "XSUB"};

constexpr std::uint16_t bit(socket_type type) noexcept
{
    return std::uint16_t(1u << unsigned(type));
}

constexpr std::uint16_t publishers = bit(socket_type::pub) | bit(socket_type::xpub);
constexpr std::uint16_t subscribers = bit(socket_type::sub) | bit(socket_type::xsub);

/// The set of types a type may talk to.
constexpr std::uint16_t partners(socket_type type) noexcept
{
    switch (type) {
    case socket_type::pair: return bit(socket_type::pair);
    case socket_type::pub:
    case socket_type::xpub: return subscribers;
    case socket_type::sub:
    case socket_type::xsub: return publishers;
    case socket_type::req: return bit(socket_type::rep) | bit(socket_type::router);
    case socket_type::rep: return bit(socket_type::req) | bit(socket_type::dealer);
    case socket_type::dealer: return bit(socket_type::rep) | bit(socket_type::dealer) | bit(socket_type::router);
    case socket_type::router: return bit(socket_type::req) | bit(socket_type::dealer) | bit(socket_type::router);
    case socket_type::pull: return bit(socket_type::push);
    case socket_type::push: return bit(socket_type::pull);
    }
    return 0;
}

}  // namespace

std::string_view socket_type_name(socket_type type) noexcept
{
    const auto index = std::size_t(type);
    return index < names.size() ? names[index] : std::string_view{};
}

std::optional<socket_type> socket_type_from_name(std::string_view name) noexcept
{
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == name) return socket_type(i);
    }
    return std::nullopt;
}

std::uint8_t socket_type_octet(socket_type type) noexcept
{
    if (type == socket_type::xpub) return std::uint8_t(socket_type::pub);
    if (type == socket_type::xsub) return std::uint8_t(socket_type::sub);
    return std::uint8_t(type);
}

std::optional<socket_type> socket_type_from_octet(std::uint8_t octet) noexcept
{
    if (octet >= names.size()) return std::nullopt;
    return socket_type(octet);
}

bool compatible(socket_type one, socket_type other) noexcept
{
    return std::size_t(other) < names.size() && (partners(one) & bit(other)) != 0;
}

bool announces_identity(socket_type type) noexcept
{
    return type == socket_type::req || type == socket_type::dealer || type == socket_type::router;
}

}  // namespace zlink::zmtp
