// SPDX-License-Identifier: MPL-2.0
// SPDX-FileCopyrightText: 2026 the zlink authors

// zlink demo: every pattern over every transport, between zlink and the distribution's libzmq, with real contents.
#include "cli/command.hpp"
#include "demo/director.hpp"
#include "demo/report.hpp"

#include "support/loaded_library.hpp"
#include "support/status_line.hpp"
#include "support/stop_signal.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

namespace zlink::tool {
namespace {

namespace files = std::filesystem;

struct demo_options {
    double seconds = 45;
    std::uint64_t count = 0;
    bool quick = false;
    bool no_libzmq = false;
    bool quiet = false;
    std::vector<std::string> transports;
    std::vector<std::string> patterns;
    std::vector<std::string> inputs;
    std::string json;
};

constexpr double seconds_besides_burst = 0.25;  // of a cell: start, meeting, paced messages, end
constexpr double least_burst_seconds = 0.05;

// A folder that goes away with everything in it.
class temporary_folder {
public:
    temporary_folder()
    {
        std::error_code error;
        path_ = (files::temp_directory_path(error) / "zlink-demo-XXXXXX").string();
        if (mkdtemp(path_.data()) == nullptr) {
            throw failure(fmt::format("cannot make a folder like {}: {}; set TMPDIR to one that can be written", path_,
                                      std::strerror(errno)));
        }
    }
    ~temporary_folder()
    {
        std::error_code error;
        files::remove_all(path_, error);
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;

    const std::string& path() const { return path_; }

private:
    std::string path_;
};

std::string own_path()
{
    std::error_code error;
    return files::read_symlink("/proc/self/exe", error).string();
}

std::string foreign_peer_path()
{
    const files::path folder = files::path(own_path()).parent_path();
    for (const auto& path :
         {folder / "zlink_demo_peer", folder.parent_path() / "libexec" / "zlink" / "zlink_demo_peer"}) {
        if (access(path.c_str(), X_OK) == 0) {
            return path.string();
        }
    }
    throw failure(
        fmt::format("the peer on the distribution's libzmq ({}/zlink_demo_peer) is missing; run 'apt-get install "
                    "libzmq3-dev' and build again, or leave it out with --no-libzmq",
                    folder.string()));
}

// Starts the peer once to see what it runs on: its own answer is the proof that it isn't our library.
std::string foreign_library(const std::string& program)
{
    demo::child probe(program, {"--version"}, true);
    const bool ended = probe.wait(5000);
    const auto lines = probe.lines();
    if (!ended || !probe.success() || lines.empty()) {
        throw failure(
            fmt::format("{} doesn't run ({}); run 'apt-get install libzmq5', or leave it out with --no-libzmq", program,
                        ended ? probe.ending() : "it hangs"));
    }
    if (zlink_library_version() && lines[0].ends_with(" " + library_path())) {
        throw failure(fmt::format("{} runs on {}, the library to be tested; build it against the distribution's libzmq",
                                  program, library_path()));
    }
    return lines[0];
}

template <class Value, class Find>
std::vector<Value> chosen(const std::vector<std::string>& names, const std::vector<Value>& all, Find find,
                          const char* option)
{
    std::vector<Value> values;
    for (const auto& list : names) {
        for (const auto& name : split(list, ",")) {
            const auto value = find(name);
            if (!value) {
                std::string known;
                for (const auto& each : all) {
                    known += (known.empty() ? "" : ", ") + lower(demo::name_of(each));
                }
                throw usage_failure(fmt::format("{}: unknown name '{}'; use some of {}", option, name, known));
            }
            values.push_back(*value);
        }
    }
    return values.empty() ? all : values;
}

demo::run_settings settings_of(const demo_options& options, std::size_t cells)
{
    demo::run_settings settings;
    settings.own_program = own_path();
    settings.burst_seconds =
        std::max(options.seconds / static_cast<double>(cells) - seconds_besides_burst, least_burst_seconds);
    settings.burst = options.count;
    if (options.quick) {
        settings.paced = 40;
        settings.burst = options.count > 0 ? options.count : 400;
    }
    return settings;
}

exit_status run_demo(const demo_options& options)
{
    const auto patterns = chosen(options.patterns, demo::all_patterns(), demo::find_pattern, "--patterns");
    const auto transports = chosen(options.transports, demo::all_transports(), demo::find_transport, "--transports");
    const auto cells = demo::plan(patterns, transports, !options.no_libzmq);
    if (cells.empty()) {
        throw usage_failure("nothing to do: STREAM works over tcp only");
    }
    auto settings = settings_of(options, cells.size());
    std::string foreign = "left out";
    const bool needs_foreign = std::any_of(cells.begin(), cells.end(), [](const demo::cell& each) {
        return each.sender == demo::library::libzmq || each.receiver == demo::library::libzmq;
    });
    if (needs_foreign) {
        settings.foreign_program = foreign_peer_path();
        foreign = foreign_library(settings.foreign_program);
    }
    const temporary_folder folder;
    settings.folder = folder.path();
    settings.corpus = folder.path() + "/corpus";
    const auto inputs = options.inputs.empty() ? demo::default_inputs() : options.inputs;
    const auto input_size = demo::gather(inputs, settings.corpus);
    if (!options.quiet) {
        say("input    {} from {}{}\n", byte_count(double(input_size)), inputs[0],
            inputs.size() > 1 ? fmt::format(" and {} more files", inputs.size() - 1) : "");
        say("library  zlink {}, {}\n", zlink_library_version().value_or("(this isn't zlink)"), library_path());
        say("peer     {}\n", foreign);
    }
    const auto begin = std::chrono::steady_clock::now();
    demo::report report(cells.size(), options.quiet);
    for (const auto& each : cells) {
        if (stop_signal::requested()) {
            break;
        }
        report.begin(each);
        const demo::live_rate show = [&](std::uint64_t messages) { report.rate(messages); };
        report.end(demo::director(settings, each, show).run());
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report.print(seconds);
    if (!options.json.empty()) {
        report.write_json(options.json, seconds);
    }
    if (stop_signal::requested()) {
        throw failure("the demo was stopped before its end");
    }
    return report.all_right() ? exit_status::success : exit_status::failed;
}

}  // namespace

void add_demo_command(command_line& line)
{
    auto* command = add_command(line, "demo", "Exchange and verify messages in all patterns, with libzmq as the peer");
    auto options = std::make_shared<demo_options>();
    const auto list = [&](const char* name, std::vector<std::string>& target, const char* text) {
        command->add_option(name, target, text)->allow_extra_args(false)->type_name("LIST");
    };
    command->add_option("-s,--seconds", options->seconds, "About how long it takes in all")
        ->check(unnamed(CLI::Range(1.0, 36000.0)))
        ->type_name("S")
        ->capture_default_str();
    command->add_option("-n,--count", options->count, "Messages in each cell, instead of a time")
        ->check(whole_number(1))
        ->type_name("N");
    command->add_flag("--quick", options->quick, "A short run: a few hundred messages in each cell");
    list("--patterns", options->patterns, "Only these, for example push/pull,req/rep");
    list("--transports", options->transports, "Only these of tcp, ipc and inproc");
    command->add_flag("--no-libzmq", options->no_libzmq, "Without the peer on the distribution's libzmq");
    command->add_option("-f,--input", options->inputs, "Cut the contents of messages from this file (repeatable)")
        ->allow_extra_args(false)
        ->type_name("FILE");
    command->add_option("--json", options->json, "Write the results to this file, too")->type_name("FILE");
    command->add_flag("-q,--quiet", options->quiet, "Only the table");
    command->footer(
        "Several processes send each other messages of 0 B to 1 MB, of one and of many frames, that carry a\n"
        "sequence number and a checksum. Exit status 0 means: nothing lost, doubled or damaged.\n\n"
        "Examples:\n"
        "  zlink demo\n"
        "  zlink demo --quick\n"
        "  zlink demo --patterns pub/sub,push/pull --transports tcp --seconds 20\n"
        "  zlink demo --input /etc/services --json results.json");
    command->callback([options, &line] { line.chosen = [options] { return run_demo(*options); }; });
}

}  // namespace zlink::tool
