// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "runtime/dns_answers.hpp"

#include <utility>

namespace zlink::runtime {

dns_answers::dns_answers() : service_(make_lookup_service()) {}

dns_answers::~dns_answers() = default;

result<void> dns_answers::open(int set)
{
    return service_->open(set);
}

std::unique_ptr<lookup_service::request> dns_answers::ask(const std::string& host, lookup_service::handler tell)
{
    auto asked = service_->ask(host, [this, tell = std::move(tell)](lookup_answer answer) {
        invariant([this] { return owed(); });
        --owed_;
        tell(std::move(answer));
    });
    ++owed_;
    return asked;
}

void dns_answers::poll() noexcept
{
    service_->poll();
}

void dns_answers::sleep(std::chrono::nanoseconds at_most) noexcept
{
    service_->sleep(at_most);
}

}  // namespace zlink::runtime
