// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// The pages that are served, and a reader's question as the server of questions knows it.
#pragma once

#include "stats/http_request.hpp"
#include "stats/report.hpp"
#include "transport/local_service/question_server.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace zlink::stats {

inline constexpr std::size_t longest_answer = 16 * 1024 * 1024;

/// A whole answer of 200: the words, the metrics or the numbers. A longer one than `longest_answer` is a refusal.
[[nodiscard]] std::string answer_with(page what, const process_report& report);

/// The answer to a request that is sound.
using page_source = std::function<std::string(const page_request& asked)>;

/// `check`: as http_request has it.
[[nodiscard]] std::unique_ptr<transport::local_service::question> make_question(http_request::host_check check,
                                                                                const page_source& source);

}  // namespace zlink::stats
