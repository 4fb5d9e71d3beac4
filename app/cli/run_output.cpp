// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_output.h"

#include "core/journal/json_line.h"
#include "core/version.h"
#include "simulator/scenario/text_values.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace throttlescope::cli {

namespace {

std::string coloured(std::string_view text, int colour)
{
    const char *noColor = std::getenv("NO_COLOR");
    const bool wanted = isatty(STDOUT_FILENO) != 0 && (!noColor || *noColor == '\0');
    return wanted ? fmt::format("\x1b[{}m{}\x1b[0m", colour, text) : std::string{text};
}

std::string wallText(std::chrono::microseconds wall)
{
    return wall < std::chrono::seconds{10} ? fmt::format("{}ms", (wall.count() + 999) / 1000)
                                           : fmt::format("{:.1f}s", static_cast<double>(wall.count()) / 1e6);
}

std::string placeOf(const FinishedRun &run, const Judged &judged)
{
    return judged.mark.line == 0 ? run.scenario->file : fmt::format("{}:{}:{}", run.scenario->file, judged.mark.line, judged.mark.column);
}

void printFailure(const FinishedRun &run, const Judged &judged, std::size_t nameWidth)
{
    fmt::print("{}  {:<{}} {}: {}   {}\n", coloured("FAIL", 31), shortName(*run.scenario), nameWidth, judged.name, verdictText(judged),
        placeOf(run, judged));
    if (judged.op == 0)
        return;
    const std::string what = judged.at
        ? fmt::format("{} t={:.3f} op {}", judged.atWhat, secondsOf(judged.at->time_since_epoch()), judged.op)
        : fmt::format("op {}", judged.op);
    if (run.journal.empty())
        fmt::print("      {} → run it with --journal FILE, then throttlescope why FILE {}\n", what, judged.op);
    else
        fmt::print("      {} → throttlescope why {} {}\n", what, run.journal, judged.op);
}

/// Came back before the time, or did something twice.
bool hasBadManners(const journal::Metrics &metrics)
{
    return metrics.earlyBy.count() > 0 || metrics.duplicateEffects > 0;
}

} // namespace

std::string mannersText(const journal::Metrics &metrics)
{
    const auto counted
        = [](std::uint64_t count, std::string_view what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); };
    const auto upTo = [](const journal::DurationSamples &samples) {
        return samples.count() == 0 ? std::string{} : " by up to " + shortText(samples.max());
    };
    return fmt::format("manners: {}{}, {}{}, herd {:.2f}, amplification {:.2f}, {}", counted(metrics.earlyBy.count(), "early return"),
        upTo(metrics.earlyBy), counted(metrics.overshoot.count(), "late one"), upTo(metrics.overshoot), metrics.herd,
        journal::metricValue(metrics, "amplification")->value, counted(metrics.duplicateEffects, "duplicate effect"));
}

LinePrinter::LinePrinter(const std::vector<LoadedScenario> &scenarios)
{
    for (const LoadedScenario &loaded : scenarios)
        m_nameWidth = std::max(m_nameWidth, shortName(loaded.scenario).size());
}

void LinePrinter::print(const FinishedRun &run, Manners manners) const
{
    const RunReport &report = run.report;
    if (!report.error.empty())
        fmt::print(stderr, "throttlescope: {}\n", report.error);
    if (report.interrupted) {
        fmt::print("{}  {:<{}} interrupted\n", coloured("STOP", 33), shortName(*run.scenario), m_nameWidth);
        return;
    }
    if (report.judged.empty() && !report.error.empty())
        return; // it did not get so far
    if (report.passed()) {
        fmt::print("{}    {:<{}} {} ops  {} attempts  {} exceeded  {} {}  wall {}\n", coloured("ok", 32), shortName(*run.scenario),
            m_nameWidth, report.operations, report.metrics.attempts, report.metrics.waitExceeded, run.live ? "live" : "virtual",
            shortText(report.metrics.finish.time_since_epoch()), wallText(run.wall));
    }
    for (const Judged &judged : report.judged) {
        if (!judged.passed)
            printFailure(run, judged, m_nameWidth);
    }
    if (manners == Manners::Always || hasBadManners(report.metrics))
        fmt::print("      {}\n", mannersText(report.metrics));
}

void LinePrinter::summary(const std::vector<FinishedRun> &runs, std::size_t asked) const
{
    const auto failed
        = std::count_if(runs.begin(), runs.end(), [](const FinishedRun &run) { return !run.report.passed() && !run.report.interrupted; });
    std::vector<std::uint64_t> seeds;
    for (const FinishedRun &run : runs)
        seeds.push_back(run.scenario->seed);
    std::sort(seeds.begin(), seeds.end());
    seeds.erase(std::unique(seeds.begin(), seeds.end()), seeds.end());
    const bool oneSeed = seeds.size() == 1;
    fmt::print("{} file{}, {} failed{}{}\n", asked, asked == 1 ? "" : "s", failed,
        runs.size() < asked ? fmt::format(", {} not run", asked - runs.size()) : "",
        oneSeed ? fmt::format(", seed {}", seeds.front()) : "");
}

void printAnnotation(std::FILE *to, const std::string &file, Mark mark, const std::string &text)
{
    // GitHub's workflow commands: a property must hide its separators, too.
    const auto escaped = [](std::string_view raw, std::string_view special) {
        std::string out;
        for (const char c : raw)
            out += special.find(c) == std::string_view::npos ? std::string{c} : fmt::format("%{:02X}", static_cast<unsigned char>(c));
        return out;
    };
    fmt::print(to, "::error file={},line={},col={}::{}\n", escaped(std::filesystem::path{file}.lexically_normal().string(), "%\r\n:,"),
        std::max(mark.line, 1), std::max(mark.column, 1), escaped(text, "%\r\n"));
}

void printAnnotations(std::FILE *to, const FinishedRun &run)
{
    for (const Judged &judged : run.report.judged) {
        if (!judged.passed)
            printAnnotation(to, run.scenario->file, judged.mark, fmt::format("{}: {}", judged.name, verdictText(judged)));
    }
}

void printJson(const std::vector<FinishedRun> &runs)
{
    std::string out;
    journal::JsonLine root{out};
    root.member("version", version());
    root.open("files", '[');
    for (const FinishedRun &run : runs) {
        root.openItem();
        journal::JsonLine &item = root;
        item.member("file", run.scenario->file);
        item.member("name", run.scenario->name);
        item.raw("seed", std::to_string(run.scenario->seed));
        item.member("hash", run.scenario->hash);
        item.member("passed", run.report.passed());
        if (!run.report.error.empty())
            item.member("error", run.report.error);
        if (run.report.interrupted)
            item.member("interrupted", true);
        item.member("started", run.report.operations);
        item.raw("metrics", journal::metricsJson(run.report.metrics));
        item.open("by_operation", '{');
        for (const auto &[name, metrics] : run.report.byOperation) {
            std::string key;
            journal::appendJsonText(key, name);
            item.raw(std::string_view{key}.substr(1, key.size() - 2), journal::metricsJson(metrics));
        }
        item.close('}');
        item.open("expectations", '[');
        for (const Judged &judged : run.report.judged) {
            item.openItem();
            item.member("name", judged.name);
            item.member("passed", judged.passed);
            item.member("expected", judged.expected);
            item.member("got", judged.got);
            if (judged.tolerance != Duration{})
                item.member("tolerance", judged.tolerance);
            item.member("line", judged.mark.line);
            item.member("column", judged.mark.column);
            if (judged.at)
                item.member("at", *judged.at);
            if (judged.op != 0)
                item.member("op", judged.op);
            item.close('}');
        }
        item.close(']');
        item.close('}');
    }
    root.close(']');
    root.member("failed", std::count_if(runs.begin(), runs.end(), [](const FinishedRun &run) { return !run.report.passed(); }));
    root.end();
    fmt::print("{}\n", out);
}

namespace {

/// XML 1.0 has no place for most control characters, escaped or not.
std::string xml(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c; break;
        }
    }
    return out;
}

const std::string kInterruptedText = "interrupted";

void appendSuite(std::string &out, const FinishedRun &run)
{
    const auto failures
        = std::count_if(run.report.judged.begin(), run.report.judged.end(), [](const Judged &judged) { return !judged.passed; });
    // A run that did not come to its end must not look like one without failures.
    const std::string &broken = run.report.error.empty() && run.report.interrupted ? kInterruptedText : run.report.error;
    const bool error = !broken.empty();
    const double seconds = static_cast<double>(run.wall.count()) / 1e6;
    out += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" time=\"{:.3f}\">\n    <properties>\n",
        xml(run.scenario->name), run.report.judged.size() + (error ? 1 : 0), failures, error ? 1 : 0, seconds);
    const auto property = [&out](std::string_view name, std::string_view value) {
        out += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, xml(value));
    };
    property("seed", std::to_string(run.scenario->seed));
    property("version", version());
    property("scenario_hash", run.scenario->hash);
    property("file", run.scenario->file);
    out += "    </properties>\n";
    for (const Judged &judged : run.report.judged) {
        out += fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"0\"", xml(judged.name), xml(shortName(*run.scenario)));
        if (judged.passed)
            out += "/>\n";
        else
            out += fmt::format(">\n      <failure message=\"{}\" type=\"expectation\">{}</failure>\n    </testcase>\n",
                xml(verdictText(judged)), xml(placeOf(run, judged)));
    }
    if (error)
        out += fmt::format(
            "    <testcase name=\"run\" classname=\"{}\" time=\"0\">\n      <error message=\"{}\" type=\"run\"/>\n    </testcase>\n",
            xml(shortName(*run.scenario)), xml(broken));
    out += "  </testsuite>\n";
}

} // namespace

bool writeJUnit(const std::vector<FinishedRun> &runs, const std::string &file)
{
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
    for (const FinishedRun &run : runs)
        appendSuite(out, run);
    out += "</testsuites>\n";
    std::FILE *open = std::fopen(file.c_str(), "wb");
    const bool written = open && std::fwrite(out.data(), 1, out.size(), open) == out.size();
    const bool closed = open && std::fclose(open) == 0;
    if (!written || !closed)
        fmt::print(stderr, "throttlescope: {}: the JUnit report cannot be written ({})\n", file, std::strerror(errno));
    return written && closed;
}

} // namespace throttlescope::cli
