// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

#include "stats/pages.hpp"

#include "stats/metrics_text.hpp"
#include "stats/report_json.hpp"

#include <string_view>

namespace zlink::stats {

namespace {

namespace local_service = transport::local_service;

class http_question final : public local_service::question {
public:
    http_question(http_request::host_check check, const page_source& source) : request_(check), source_(source) {}

    [[nodiscard]] std::optional<local_service::answer> take(std::string_view octets) override
    {
        if (!request_.advance(octets)) return std::nullopt;
        const bool sound = request_.status() == 200;
        return local_service::answer{sound ? source_(request_.asked()) : http_refusal(request_.status()),
                                     request_.is_sole()};
    }

private:
    http_request request_;
    const page_source& source_;
};

std::string words_of(const process_report& report)
{
    return "Statistics of the ZeroMQ sockets of " + report.program + ", process " + std::to_string(report.process) +
           ", by zlink " + report.version +
           "\n\n/metrics     for Prometheus\n/stats.json  as JSON\n\n?peers=1 adds the peers of each socket.\n";
}

}  // namespace

std::string answer_with(page what, const process_report& report)
{
    std::string_view type = "text/plain; charset=utf-8";
    std::string content;
    switch (what) {
    case page::words: content = words_of(report); break;
    case page::metrics:
        type = metrics_type;
        content = metrics_of({&report, 1}, process_labels::no);
        break;
    case page::numbers:
        type = "application/json";
        content = json_of(report);
        break;
    }
    return content.size() > longest_answer ? http_refusal(503) : http_answer(200, type, content);
}

std::unique_ptr<local_service::question> make_question(http_request::host_check check, const page_source& source)
{
    return std::make_unique<http_question>(check, source);
}

}  // namespace zlink::stats
