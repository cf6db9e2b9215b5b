// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "shm/lenders.hpp"

#include "shm/budget.hpp"
#include "shm/sending_memory.hpp"

#include <mutex>
#include <utility>

namespace zlink::shm {

std::shared_ptr<sending_memory> lenders::own(const std::shared_ptr<budget>& of)
{
    auto made = std::make_shared<sending_memory>(of, sending_memory::readers::one);
    const std::lock_guard held(lock_);
    std::erase_if(all_, [](const auto& one) { return one.expired(); });
    all_.push_back(made);
    return made;
}

std::shared_ptr<sending_memory> lenders::common(const std::shared_ptr<budget>& of)
{
    const std::lock_guard held(lock_);
    std::erase_if(all_, [](const auto& one) { return one.expired(); });
    for (const auto& one : all_) {
        if (auto there = one.lock()) return there;
    }
    auto made = std::make_shared<sending_memory>(of, sending_memory::readers::many);
    all_.push_back(made);
    return made;
}

std::shared_ptr<sending_memory> lenders::sole() noexcept
{
    const std::lock_guard held(lock_);
    std::shared_ptr<sending_memory> found;
    for (const auto& one : all_) {
        auto there = one.lock();
        if (!there) continue;
        if (found) return nullptr;
        found = std::move(there);
    }
    return found;
}

}  // namespace zlink::shm
