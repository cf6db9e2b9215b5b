// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What the tests of the model share: orders by short names, and expectations on programs.
#pragma once

#include "model/memory_model.hpp"

#include <gtest/gtest.h>

namespace zlink::model {

inline constexpr auto relaxed = std::memory_order_relaxed;
inline constexpr auto acquire = std::memory_order_acquire;
inline constexpr auto release = std::memory_order_release;
inline constexpr auto acq_rel = std::memory_order_acq_rel;
inline constexpr auto seq_cst = std::memory_order_seq_cst;

/// No execution ends such that `bad`, and there are executions.
inline testing::AssertionResult holds(const program& threads, const std::function<bool(const ending&)>& bad)
{
    const verdict v = check(threads, bad);
    if (v.counterexample) return testing::AssertionFailure() << "this may happen:\n" << *v.counterexample;
    if (v.executions == 0) return testing::AssertionFailure() << "no execution at all";
    return testing::AssertionSuccess() << v.executions << " executions";
}

/// The control: some execution does.
inline testing::AssertionResult breaks(const program& threads, const std::function<bool(const ending&)>& bad)
{
    const verdict v = check(threads, bad);
    if (v.counterexample) return testing::AssertionSuccess() << *v.counterexample;
    return testing::AssertionFailure() << "holds in all of " << v.executions << " executions";
}

}  // namespace zlink::model
