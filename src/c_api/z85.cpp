// zmq_z85_encode() and zmq_z85_decode(): RFC 32. Four bytes, read as a big-endian number, become five digits base 85.
#include "zmq.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

namespace {

constexpr std::size_t bytes_per_group = 4;
constexpr std::size_t digits_per_group = 5;
constexpr std::uint32_t base = 85;
constexpr std::string_view alphabet = "0123456789"
                                      "abcdefghijklmnopqrstuvwxyz"
                                      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      ".-:+=^!/*?&<>()[]{}@%$#";
static_assert(alphabet.size() == base);

constexpr std::uint8_t no_digit = 0xff;

constexpr auto digit_values = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(no_digit);
    for (std::size_t i = 0; i < alphabet.size(); ++i) {
        values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
    }
    return values;
}();

void encode_group(char* digits, const std::uint8_t* bytes) noexcept
{
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < bytes_per_group; ++i) {
        number = number << 8 | bytes[i];
    }
    for (std::size_t i = digits_per_group; i-- > 0; number /= base) {
        digits[i] = alphabet[number % base];
    }
}

/// False if a character is no digit or the number needs more than 32 bits; `bytes` is untouched then.
bool decode_group(std::uint8_t* bytes, const char* digits) noexcept
{
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < digits_per_group; ++i) {
        const auto value = digit_values[static_cast<unsigned char>(digits[i])];
        if (value == no_digit) {
            return false;
        }
        number = number * base + value;
    }
    if (number > std::numeric_limits<std::uint32_t>::max()) {
        return false;
    }
    for (std::size_t i = bytes_per_group; i-- > 0; number >>= 8) {
        bytes[i] = static_cast<std::uint8_t>(number & 0xff);
    }
    return true;
}

std::nullptr_t reject() noexcept
{
    errno = EINVAL;
    return nullptr;
}

}  // namespace

char* zmq_z85_encode(char* text, const uint8_t* data, size_t size)
{
    if (text == nullptr || (data == nullptr && size != 0) || size % bytes_per_group != 0) {
        return reject();
    }
    char* digits = text;
    for (std::size_t i = 0; i < size; i += bytes_per_group, digits += digits_per_group) {
        encode_group(digits, data + i);
    }
    *digits = '\0';
    return text;
}

uint8_t* zmq_z85_decode(uint8_t* data, const char* text)
{
    if (data == nullptr || text == nullptr) {
        return reject();
    }
    const std::size_t length = std::strlen(text);
    // An empty text is refused as in libzmq: a program that forgot its key shall not go on with garbage.
    if (length == 0 || length % digits_per_group != 0) {
        return reject();
    }
    std::uint8_t* bytes = data;
    for (std::size_t i = 0; i < length; i += digits_per_group, bytes += bytes_per_group) {
        if (!decode_group(bytes, text + i)) {
            return reject();
        }
    }
    return data;
}
