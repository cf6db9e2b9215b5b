// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "transport/inproc/inproc_transport.hpp"

#include <string>

namespace zlink::transport::inproc {

namespace {

// Within a process, gathering many frames does not save a call. Blocks of this size come from the pool, still in the
// cache.
constexpr std::size_t smallest_referenced = 16 * 1024;

class inproc_address final : public address {
public:
    explicit inproc_address(std::string_view text) : name(text) {}
    const std::string name;
};

class inproc_transport final : public name_transport {
public:
    [[nodiscard]] std::string_view scheme() const noexcept override { return "inproc"; }
    [[nodiscard]] result<std::shared_ptr<const address>> parse_bind(std::string_view text) const override
    {
        return std::shared_ptr<const address>(std::make_shared<inproc_address>(text));
    }
    [[nodiscard]] result<std::shared_ptr<const address>> parse_connect(std::string_view text) const override
    {
        return parse_bind(text);
    }
    void adapt(data_path_settings& settings) const noexcept override
    {
        settings.writev_threshold = smallest_referenced;
    }
    [[nodiscard]] const std::string& name_of(const address& where) const noexcept override
    {
        return static_cast<const inproc_address&>(where).name;
    }
};

}  // namespace

const name_transport& the_transport() noexcept
{
    static const inproc_transport it;
    return it;
}

}  // namespace zlink::transport::inproc
