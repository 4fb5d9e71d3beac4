// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/compare_output.h"

#include "app/cli/csv.h"
#include "app/cli/run_output.h"
#include "app/cli/text_table.h"
#include "core/engine/words.h"
#include "core/journal/json_line.h"
#include "core/version.h"
#include "simulator/scenario/text_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace throttlescope::cli {

namespace {

/// What an operator asks first; the other metrics are in JSON and CSV.
constexpr std::array<std::string_view, 23> kShown{"operations.succeeded", "operations.failed", "operations.rejected",
    "operations.cancelled", "operations.unfinished", "wait_exceeded", "attempts", "retry_attempts", "fallback_attempts",
    "throttled_responses", "amplification", "waits.p50", "waits.p99", "waits.max", "pacing.max", "breaker_trips", "finish", "early_returns",
    "early_by.max", "overshoot.max", "herd", "concurrency", "duplicate_effects"};

journal::MetricValue valueOf(const ComparedRun &run, std::string_view path)
{
    return *journal::metricValue(run.metrics, path);
}

std::string valueText(const journal::MetricValue &value)
{
    if (value.isDuration)
        return value.value == 0 ? "-" : shortText(durationFromMicroseconds(value.value));
    return std::floor(value.value) == value.value ? fmt::format("{:.0f}", value.value) : fmt::format("{:.2f}", value.value);
}

std::string differenceText(const journal::MetricValue &value, const journal::MetricValue &first)
{
    const double difference = value.value - first.value;
    if (difference == 0)
        return "(=)";
    return fmt::format("({}{})", difference > 0 ? "+" : "-", valueText({std::abs(difference), value.isDuration}));
}

/// A name may be any file's: what would end the cell is escaped.
std::string markdownCell(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (c == '|' || c == '\\')
            out += '\\';
        out += c == '\n' || c == '\r' ? ' ' : c;
    }
    return out;
}

std::string changeText(const FateChange &change)
{
    const auto text = [](const std::optional<Fate> &fate) { return fate ? fateText(*fate) : std::string{"not there"}; };
    return fmt::format("{} → {}", text(change.before), text(change.after));
}

std::string changesText(const ComparedRun &first, const ComparedRun &run)
{
    const auto changes = fateChanges(first.fates, run.fates);
    std::uint64_t all = 0;
    for (const FateChange &change : changes)
        all += change.count;
    if (all == 0)
        return fmt::format("\n{} against {}: every operation ends the same way\n", run.name, first.name);
    std::string out = fmt::format(
        "\n{} against {}: {} operation{} end{} otherwise\n", run.name, first.name, all, all == 1 ? "" : "s", all == 1 ? "s" : "");
    for (const FateChange &change : changes) {
        const auto op = change.secondId != 0 ? change.secondId : change.firstId;
        out += fmt::format("  {:>7}  {}, first {} {} (op {})\n", change.count, changeText(change), change.operation, change.nth, op);
    }
    return out;
}

} // namespace

std::string comparisonTable(const std::vector<ComparedRun> &runs, const std::vector<std::string> &metrics)
{
    TextTable table;
    std::vector<std::string> head{"metric"};
    for (const ComparedRun &run : runs)
        head.push_back(run.name);
    table.add(std::move(head));
    const bool chosen = !metrics.empty(); // what was asked for is shown, also where it is zero
    for (const std::string &path : chosen ? metrics : std::vector<std::string>{kShown.begin(), kShown.end()}) {
        if (!chosen && std::all_of(runs.begin(), runs.end(), [&](const ComparedRun &run) { return valueOf(run, path).value == 0; }))
            continue;
        std::vector<std::string> row{path};
        const journal::MetricValue first = valueOf(runs.front(), path);
        for (const ComparedRun &run : runs) {
            const journal::MetricValue value = valueOf(run, path);
            row.push_back(row.size() == 1 ? valueText(value) : valueText(value) + ' ' + differenceText(value, first));
        }
        table.add(std::move(row));
    }
    std::string out = table.text();
    for (std::size_t i = 1; i < runs.size(); ++i)
        out += changesText(runs.front(), runs[i]);
    return out;
}

std::string comparisonJson(const std::vector<ComparedRun> &runs)
{
    std::string out;
    journal::JsonLine json{out};
    json.member("version", version());
    json.open("runs", '[');
    for (const ComparedRun &run : runs) {
        json.openItem();
        json.member("name", run.name);
        json.raw("metrics", journal::metricsJson(run.metrics));
        json.close('}');
    }
    json.close(']');
    json.open("changes", '[');
    const auto fate = [&json](std::string_view key, const std::optional<Fate> &value) {
        if (!value)
            return json.null(key);
        json.open(key, '{');
        json.member("result", word(value->result));
        if (value->reason)
            json.member("reason", word(*value->reason));
        json.member("via_fallback", value->viaFallback);
        json.close('}');
    };
    for (std::size_t i = 1; i < runs.size(); ++i) {
        for (const FateChange &change : fateChanges(runs.front().fates, runs[i].fates)) {
            json.openItem();
            json.member("against", runs.front().name);
            json.member("run", runs[i].name);
            json.member("count", change.count);
            fate("before", change.before);
            fate("after", change.after);
            json.open("first", '{');
            json.member("operation", change.operation);
            json.member("nth", change.nth);
            if (change.firstId != 0)
                json.member("op_before", change.firstId);
            if (change.secondId != 0)
                json.member("op_after", change.secondId);
            json.close('}');
            json.close('}');
        }
    }
    json.close(']');
    json.end();
    return out + '\n';
}

std::string comparisonMarkdown(const std::vector<ComparedRun> &runs, const std::vector<std::string> &metrics)
{
    const std::vector<std::string> columns = metrics.empty() ? std::vector<std::string>{kShown.begin(), kShown.end()} : metrics;
    std::string out = "| run |";
    std::string rule = "|---|";
    for (const std::string &path : columns) {
        out += fmt::format(" {} |", path);
        rule += "---:|";
    }
    out += '\n' + rule + '\n';
    for (const ComparedRun &run : runs) {
        out += fmt::format("| {} |", markdownCell(run.name));
        for (const std::string &path : columns)
            out += fmt::format(" {} |", valueText(valueOf(run, path)));
        out += '\n';
    }
    return out;
}

std::string comparisonCsv(const std::vector<ComparedRun> &runs, const std::vector<std::string> &metrics)
{
    std::vector<std::string> head{"metric"};
    for (const ComparedRun &run : runs)
        head.push_back(run.name);
    std::string out = csvLine(head);
    for (const std::string &path : metrics.empty() ? journal::metricPaths() : metrics) {
        std::vector<std::string> line{path};
        for (const ComparedRun &run : runs) {
            const journal::MetricValue value = valueOf(run, path);
            line.push_back(numberText(value.isDuration ? value.value / 1e6 : value.value));
        }
        out += csvLine(line);
    }
    return out;
}

} // namespace throttlescope::cli
