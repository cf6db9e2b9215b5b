// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// An action at the end of a block, however it ends: by its last line, a return, or the end of the thread.
#pragma once

namespace zlink {

template <class Act>
class at_end {
public:
    explicit at_end(Act act) noexcept : act_(act) {}
    ~at_end() { act_(); }
    at_end(const at_end&) = delete;
    at_end& operator=(const at_end&) = delete;

private:
    Act act_;
};

}  // namespace zlink
