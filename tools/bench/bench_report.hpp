// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// What zlink bench shows: text, JSON, and a page for a browser.
#pragma once

#include "bench/bench.hpp"

#include <span>
#include <string>

namespace zlink::tool::bench {

// One line about one run.
std::string summary(const result& found);

// The table with percentiles and histograms, for standard output.
std::string text_of(std::span<const result> all);

std::string json_of(const options& wanted, std::span<const result> all);

// A page that needs nothing else: styles and pictures are in it.
std::string page_of(const options& wanted, std::span<const result> all);

// Throws a failure if it can't be written.
void write_page(const options& wanted, std::span<const result> all);

}  // namespace zlink::tool::bench
