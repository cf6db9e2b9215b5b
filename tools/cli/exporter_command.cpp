// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink exporter: the statistics of many processes at one address, for Prometheus.
#include "cli/command.hpp"

#include "stats/metrics_text.hpp"
#include "stats/pages.hpp"
#include "support/failure.hpp"
#include "support/stats_sources.hpp"
#include "support/status_line.hpp"
#include "support/stop_signal.hpp"
#include "transport/local_service/question_server.hpp"
#include "transport/local_service/service_listener.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <poll.h>

namespace zlink::tool {
namespace {

namespace local_service = transport::local_service;

struct exporter_options {
    std::vector<std::string> places;
    std::string listen = "127.0.0.1:9187";
};

// Prometheus waits for 10 s.
constexpr std::chrono::milliseconds patience_of_scrape{2000};

class exporter {
public:
    explicit exporter(const exporter_options& options) : sources_(options.places) {}

    std::string answer_to(const stats::page_request& asked)
    {
        if (asked.what == stats::page::words) {
            return stats::http_answer(
                200, "text/plain; charset=utf-8",
                "zlink exporter: /metrics for Prometheus; ?peers=1 adds the peers of each socket\n");
        }
        if (asked.what == stats::page::numbers) {
            return stats::http_refusal(404);
        }
        std::vector<stats::process_report> seen;
        std::set<std::int64_t> processes;
        std::size_t failed = 0;
        for (auto& one : sources_.ask(asked.peers, patience_of_scrape)) {
            if (!one.failure.empty()) {
                failed += one.has_ended ? 0 : 1;
            } else if (processes.insert(one.report.process).second) {  // it may serve in two places, or be named twice
                seen.push_back(std::move(one.report));
            }
        }
        std::string text = stats::metrics_of(seen, stats::process_labels::yes);
        text +=
            fmt::format("# HELP zlink_exporter_processes Processes that have told their numbers.\n"
                        "# TYPE zlink_exporter_processes gauge\nzlink_exporter_processes {}\n"
                        "# HELP zlink_exporter_failures Places that could not be read, those of ended processes not "
                        "counted.\n# TYPE zlink_exporter_failures gauge\nzlink_exporter_failures {}\n",
                        seen.size(), failed);
        return text.size() > stats::longest_answer ? stats::http_refusal(503)
                                                   : stats::http_answer(200, stats::metrics_type, text);
    }

private:
    stats_sources sources_;
};

exit_status run_exporter(const exporter_options& options)
{
    exporter all(options);
    const auto place = local_service::parse_place(options.listen);
    if (const auto* const cause = std::get_if<std::string>(&place)) {
        throw usage_failure(fmt::format("--listen {}: {}", options.listen, *cause));
    }
    auto opened = local_service::service_opening::at(std::get<local_service::service_place>(place));
    if (!opened.failure.empty()) {
        throw failure(fmt::format("--listen {}: {}", options.listen, opened.failure));
    }
    say("listening on {}\n", local_service::to_text(opened.listener.place()));

    const bool is_file = opened.listener.place().type == local_service::service_place::kind::file;
    const stats::page_source source = [&](const stats::page_request& asked) { return all.answer_to(asked); };
    local_service::service_limits limits;
    limits.share = 1;  // to make an answer is to wait for others
    local_service::question_server server(
        opened.listener,
        [&] { return stats::make_question(is_file ? nullptr : &local_service::is_loopback_host, source); }, limits);
    std::vector<pollfd> fds;
    while (!stop_signal::requested()) {
        const auto now = std::chrono::steady_clock::now();
        fds.assign(1, {stop_signal::descriptor(), POLLIN, 0});
        server.await(fds, now);
        int wait = -1;
        if (const auto next = server.next_step(now)) {
            wait = static_cast<int>(std::max<std::chrono::milliseconds::rep>(
                0, std::chrono::ceil<std::chrono::milliseconds>(*next - now).count()));
        }
        ::poll(fds.data(), fds.size(), wait);
        server.step(fds.data() + 1, fds.size() - 1, std::chrono::steady_clock::now());
    }
    return exit_status::success;
}

}  // namespace

void add_exporter_command(command_line& line)
{
    auto* command = add_command(line, "exporter", "Serve the statistics of many processes to Prometheus");
    auto options = std::make_shared<exporter_options>();
    command->add_option("ENDPOINT", options->places, "Where a process serves them (ZLINK_STATS), or a folder of such")
        ->required();
    command
        ->add_option("-l,--listen", options->listen,
                     "Where Prometheus asks, on this machine alone (default: 127.0.0.1:9187)")
        ->type_name("ADDRESS");
    command->footer("Its page is /metrics; each series has the labels pid and program.\nExamples:\n"
                    "  zlink exporter /tmp/stats\n"
                    "  zlink exporter /tmp/stats 127.0.0.1:9100 --listen '[::1]:9200'");
    command->callback([options, &line] { line.chosen = [options] { return run_exporter(*options); }; });
}

}  // namespace zlink::tool
