// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The count that this program's own malloc keeps (short_memory_test.cpp defines both).
#pragma once

/// Allocations by this thread, ever.
extern thread_local long allocations_of_this_thread;
