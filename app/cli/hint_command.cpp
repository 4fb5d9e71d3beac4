// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/hint_request.h"
#include "app/cli/hint_text.h"
#include "app/cli/line_reader.h"
#include "app/cli/raw_response.h"
#include "core/journal/json_line.h"
#include "core/signals/dialects.h"
#include "simulator/scenario/problems.h"
#include "simulator/scenario/text_values.h"

#include <CLI/CLI.hpp>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

/// `hint`: what does this header mean? One response from the command line or standard input, or many as JSON Lines.
namespace throttlescope::cli {

namespace {

constexpr std::size_t kLongestResponse = kLongestLine;
constexpr std::size_t kFlushFrom = std::size_t{64} << 10;

struct HintArguments {
    std::vector<std::string> headers;
    std::optional<int> status;
    std::string now, dialect;
    std::string maxWait = "60s";
    std::string atLeast, totalTimeout;
    bool strict = false;
    bool lines = false;
    bool json = false;
    bool policyGiven = false; ///< by the command line, not by default
};

int usageError(std::string_view text)
{
    fmt::print(stderr, "throttlescope: {}\n", text);
    return kUsage;
}

tl::expected<std::optional<Duration>, std::string> durationOption(std::string_view option, const std::string &text)
{
    if (text.empty())
        return std::nullopt;
    const auto value = parseDuration(text);
    if (!value)
        return tl::unexpected(fmt::format("{} is no duration, expected a number and its unit such as 30s or 5m", option));
    if (*value < Duration::zero())
        return tl::unexpected(fmt::format("{} is negative, expected a duration from 0 on", option));
    return *value;
}

tl::expected<HintPolicy, std::string> policyOf(const HintArguments &arguments)
{
    HintPolicy policy;
    const auto maxWait = durationOption("--max-wait", arguments.maxWait);
    const auto own = durationOption("--at-least", arguments.atLeast);
    const auto total = durationOption("--total-timeout", arguments.totalTimeout);
    for (const auto *each : {&maxWait, &own, &total}) {
        if (!*each)
            return tl::unexpected(each->error());
    }
    return HintPolicy{maxWait->value_or(policy.maxWait), *own, *total};
}

/// Everything but the response: clock, dialect, mode.
tl::expected<HintRequest, std::string> requestOf(const HintArguments &arguments)
{
    HintRequest request;
    request.now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
    request.options.strict = arguments.strict;
    request.response.status = arguments.status.value_or(429);
    if (!arguments.now.empty()) {
        const auto now = parseRfc3339(arguments.now);
        if (!now)
            return tl::unexpected(std::string{"--now is no moment, expected RFC 3339 such as 2026-06-02T09:00:12Z"});
        request.now = *now;
    }
    if (!arguments.dialect.empty()) {
        request.options.dialect = signals::dialectNamed(arguments.dialect);
        if (!request.options.dialect) {
            std::vector<std::string> names;
            for (const signals::DialectInfo &each : signals::dialects())
                names.emplace_back(each.name);
            return tl::unexpected(fmt::format("--dialect names no dialect{}", suggestion(arguments.dialect, names)));
        }
    }
    return request;
}

/// All of standard input. The error names what went wrong.
tl::expected<std::string, std::string> readInput()
{
    std::string text;
    std::array<char, 65'536> block{};
    while (text.size() <= kLongestResponse) {
        const ssize_t got = ::read(STDIN_FILENO, block.data(), block.size());
        if (got == 0)
            return text;
        if (got < 0 && errno != EINTR)
            return tl::unexpected(fmt::format("standard input cannot be read ({})", std::strerror(errno)));
        if (got > 0)
            text.append(block.data(), static_cast<std::size_t>(got));
    }
    return tl::unexpected(fmt::format("standard input is over {} MiB, expected one response", kLongestResponse >> 20));
}

/// The arguments are never repeated in an error: one of them may hold a secret, and a log keeps it.
std::optional<int> takeArguments(const HintArguments &arguments, HintRequest &request)
{
    for (std::size_t i = 0; i < arguments.headers.size(); ++i) {
        auto field = parseHeaderLine(arguments.headers[i]);
        if (!field)
            return usageError(fmt::format("argument {} is no header line, expected 'Name: value'", i + 1));
        request.response.headers.push_back(std::move(*field));
    }
    return std::nullopt;
}

std::optional<int> takeInput(const HintArguments &arguments, HintRequest &request)
{
    if (isatty(STDIN_FILENO) != 0)
        return usageError("hint needs header lines ('Retry-After: 120'), or a response on standard input (curl -i … | throttlescope hint)");
    const auto text = readInput();
    if (!text) {
        fmt::print(stderr, "throttlescope: {}\n", text.error());
        return kCouldNotRun;
    }
    auto raw = parseRawResponse(*text);
    if (!raw)
        return usageError("standard input: " + raw.error());
    if (raw->ignoredLines > 0)
        fmt::print(stderr, "throttlescope: {} line{} of the head {} no header line, ignored\n", raw->ignoredLines,
            raw->ignoredLines == 1 ? "" : "s", raw->ignoredLines == 1 ? "is" : "are");
    const int told = raw->response.status;
    if (told == 0 && !arguments.status)
        fmt::print(stderr, "throttlescope: there is no status line, taken as a {} (--status says otherwise)\n", request.response.status);
    const int status = arguments.status || told == 0 ? request.response.status : told;
    request.response = std::move(raw->response);
    request.response.status = status;
    return std::nullopt;
}

int explainOne(const HintArguments &arguments, HintRequest request, const HintPolicy &policy)
{
    if (const auto failed = arguments.headers.empty() ? takeInput(arguments, request) : takeArguments(arguments, request))
        return *failed;
    const signals::Verdict verdict = signals::explain(request.response, request.now, request.options);
    std::string text;
    if (arguments.json) {
        appendVerdictJson(text, verdict, adviceText(verdict, request.response.status, policy));
        text.push_back('\n');
    } else {
        text = verdictText(verdict, request.response.status, policy);
    }
    fmt::print("{}", text);
    return kPassed;
}

void appendError(std::string &out, std::string_view error, std::uint64_t number)
{
    journal::JsonLine line{out};
    line.member("error", error);
    line.member("line", number);
    line.end();
}

int explainLines(HintRequest defaults)
{
    std::string out;
    bool written = true;
    const auto flush = [&out, &written] {
        written = written && std::fwrite(out.data(), 1, out.size(), stdout) == out.size() && std::fflush(stdout) == 0;
        out.clear();
    };
    LineReader input{STDIN_FILENO, flush};
    HintRequestReader requests{std::move(defaults)};
    LineReader::Line line;
    bool allGood = true;
    for (std::uint64_t number = 1; written && input.next(line); ++number) {
        const HintRequest *request = line.tooLong ? nullptr : requests.read(line.text);
        if (request)
            appendVerdictJson(out, signals::explain(request->response, request->now, request->options));
        else
            appendError(out, line.tooLong ? fmt::format("longer than {} MiB", kLongestLine >> 20) : requests.error(), number);
        out.push_back('\n');
        allGood = allGood && request;
        if (out.size() >= kFlushFrom)
            flush();
    }
    flush();
    if (input.error() != 0) {
        fmt::print(stderr, "throttlescope: standard input cannot be read ({})\n", std::strerror(input.error()));
        return kCouldNotRun;
    }
    if (!written) {
        fmt::print(stderr, "throttlescope: the output could not be written\n");
        return kCouldNotRun;
    }
    return allGood ? kPassed : kFailed;
}

int hint(const HintArguments &arguments)
{
    const auto policy = policyOf(arguments);
    if (!policy)
        return usageError(policy.error());
    auto request = requestOf(arguments);
    if (!request)
        return usageError(request.error());
    if (!arguments.lines)
        return explainOne(arguments, std::move(*request), *policy);
    if (arguments.policyGiven)
        return usageError("--max-wait, --at-least and --total-timeout judge one response; --stdin only reads what each says");
    if (!arguments.headers.empty())
        return usageError("--stdin reads JSON Lines; header lines as arguments have no place beside it");
    return explainLines(std::move(*request));
}

} // namespace

void addHintCommand(CLI::App &app, int &exitCode)
{
    auto arguments = std::make_shared<HintArguments>();
    CLI::App *command = app.add_subcommand("hint", "Say what the rate-limit headers of a response mean, and what a client does about them");
    command->add_option(
        "headers,-H,--header", arguments->headers, "Header lines, 'Name: value'; without any, a raw response on standard input");
    command->add_option("--status", arguments->status, "The response's status; 429 where nothing tells it")->check(CLI::Range(100, 999));
    command->add_option("--now", arguments->now, "The client's clock, RFC 3339; the machine's where absent");
    command->add_option("--dialect", arguments->dialect, "The server's dialect, where it is known: github, discord-v6, …");
    command->add_flag("--strict", arguments->strict, "Believe one Retry-After line by RFC 9110, to the letter, and nothing else");
    command->add_option("--max-wait", arguments->maxWait, "The longest delay the client waits")->capture_default_str();
    command->add_option("--at-least", arguments->atLeast, "The client's own delay: the longer of the two is waited");
    command->add_option("--total-timeout", arguments->totalTimeout, "The time that is left for the whole operation");
    command->add_flag("--json", arguments->json, "Print the verdict as one JSON object");
    command->add_flag("--stdin", arguments->lines,
        "Read JSON Lines, write JSON Lines: {\"now\", \"status\", \"headers\": [[name, value], …], \"body\"?, \"dialect\"?, \"strict\"?}, "
        "each line at most 16 MiB. "
        "A line that cannot be read is answered by {\"error\", \"line\"}; then the exit code is 1");
    command->footer(
        "Example: throttlescope hint 'Retry-After: 120' --max-wait 60s\n         curl -si https://example.org/ | throttlescope hint");
    command->callback([arguments, command, &exitCode] {
        for (const char *option : {"--max-wait", "--at-least", "--total-timeout"})
            arguments->policyGiven = arguments->policyGiven || command->count(option) > 0;
        exitCode = hint(*arguments);
    });
}

} // namespace throttlescope::cli
