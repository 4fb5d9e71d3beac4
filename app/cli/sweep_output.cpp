// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/sweep_output.h"

#include "app/cli/csv.h"
#include "app/cli/run_output.h"
#include "app/cli/text_table.h"
#include "core/journal/json_line.h"
#include "core/journal/metrics.h"
#include "core/version.h"
#include "simulator/scenario/text_values.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace throttlescope::cli {

namespace {

constexpr std::size_t kBar = 20;

bool isDuration(const std::string &metric)
{
    const auto value = journal::metricValue({}, metric);
    return value && value->isDuration;
}

std::string valueText(const std::string &metric, double value)
{
    if (isDuration(metric))
        return value == 0 ? "-" : shortText(durationFromMicroseconds(value * 1e6));
    return std::floor(value) == value ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

std::string spreadText(const std::string &metric, const Spread &spread, bool several)
{
    std::string median = valueText(metric, spread.median);
    if (!several || spread.low == spread.high)
        return median;
    return fmt::format("{} [{}, {}]", median, valueText(metric, spread.low), valueText(metric, spread.high));
}

/// "policies.batch.rate_limit.max_wait=5s..120s:24": the last word of its path.
std::string axisName(const std::string &vary)
{
    const std::string path = vary.substr(0, vary.find('='));
    return path.substr(path.find_last_of('.') + 1);
}

std::string bar(double share)
{
    const auto whole = static_cast<std::size_t>(std::lround(share * kBar));
    std::string out;
    for (std::size_t i = 0; i < kBar; ++i)
        out += i < whole ? "█" : "·";
    return out;
}

std::string paretoText(const SweepHeader &header, const std::vector<PointSummary> &points)
{
    const auto count = std::count_if(points.begin(), points.end(), [](const PointSummary &point) { return point.pareto; });
    return fmt::format("* Pareto set of succeeded (much), finish and attempts (little): {} of {} point{}{}\n", count, points.size(),
        points.size() == 1 ? "" : "s", header.seeds > 1 ? ", by their medians" : "");
}

std::string tipText(const SweepHeader &header, const TippingPoint &tip)
{
    const auto share = [&header](double passed) {
        return header.seeds > 1 ? fmt::format("{} of the seeds pass", percentText(passed))
            : passed > 0        ? std::string{"it passes"}
                                : std::string{"it fails"};
    };
    return fmt::format("tips between {} {} ({}) and {} ({})\n", axisName(header.vary.front()), tip.below, share(tip.passedBelow), tip.above,
        share(tip.passedAbove));
}

} // namespace

std::string sweepTable(const SweepHeader &header, const std::vector<PointSummary> &points, const std::vector<TippingPoint> &tips)
{
    TextTable table;
    std::vector<std::string> head{""};
    for (const std::string &vary : header.vary)
        head.push_back(axisName(vary));
    head.emplace_back("passed");
    head.insert(head.end(), header.metrics.begin(), header.metrics.end());
    for (std::string &name : head) {
        if (const std::size_t dot = name.rfind("operations."); dot == 0)
            name.erase(0, std::string_view{"operations."}.size());
    }
    const auto succeeded = std::find(header.metrics.begin(), header.metrics.end(), "operations.succeeded") - header.metrics.begin();
    const auto hasBar = static_cast<std::size_t>(succeeded) < header.metrics.size();
    double most = 1;
    for (const PointSummary &point : points)
        most = std::max(most, hasBar ? point.metrics[static_cast<std::size_t>(succeeded)].median : 1);
    table.add(head);
    for (const PointSummary &point : points) {
        std::vector<std::string> row{point.pareto ? "*" : ""};
        row.insert(row.end(), point.at.begin(), point.at.end());
        row.push_back(header.seeds > 1 ? fmt::format("{}/{}", point.passed, point.runs) : point.passed > 0 ? "yes" : "no");
        for (std::size_t i = 0; i < header.metrics.size(); ++i)
            row.push_back(spreadText(header.metrics[i], point.metrics[i], header.seeds > 1));
        if (hasBar)
            row.push_back(bar(point.metrics[static_cast<std::size_t>(succeeded)].median / most));
        table.add(row);
    }
    std::string out = table.text() + paretoText(header, points);
    for (const TippingPoint &tip : tips)
        out += tipText(header, tip);
    return out;
}

std::string sweepJson(const SweepHeader &header, const std::vector<PointSummary> &points, const std::vector<TippingPoint> &tips)
{
    std::string out;
    journal::JsonLine json{out};
    json.member("version", version());
    json.member("file", header.file);
    json.member("hash", header.hash);
    json.member("first_seed", header.firstSeed);
    json.member("seeds", header.seeds);
    json.open("points", '[');
    for (const PointSummary &point : points) {
        json.openItem();
        json.open("at", '{');
        for (std::size_t i = 0; i < point.at.size(); ++i)
            json.member(header.vary[i].substr(0, header.vary[i].find('=')), point.at[i]);
        json.close('}');
        json.member("runs", point.runs);
        json.member("passed", point.passed);
        json.member("pareto", point.pareto);
        json.open("metrics", '{');
        for (std::size_t i = 0; i < header.metrics.size(); ++i) {
            json.open(header.metrics[i], '{');
            json.member("median", point.metrics[i].median);
            json.member("p5", point.metrics[i].low);
            json.member("p95", point.metrics[i].high);
            json.member("worst", point.metrics[i].worst);
            json.member("mean", point.metrics[i].mean);
            json.member("deviation", point.metrics[i].deviation);
            json.close('}');
        }
        json.close('}');
        json.close('}');
    }
    json.close(']');
    json.open("tipping_points", '[');
    for (const TippingPoint &tip : tips) {
        json.openItem();
        json.member("below", tip.below);
        json.member("above", tip.above);
        json.member("passed_below", tip.passedBelow);
        json.member("passed_above", tip.passedAbove);
        json.close('}');
    }
    json.close(']');
    json.end();
    return out + '\n';
}

std::string sweepCsv(const SweepHeader &header, const std::vector<PointSummary> &points)
{
    std::vector<std::string> head;
    for (const std::string &vary : header.vary)
        head.push_back(vary.substr(0, vary.find('=')));
    head.insert(head.end(), {"runs", "passed", "pareto"});
    for (const std::string &metric : header.metrics) {
        for (const char *part : {"median", "p5", "p95", "worst", "mean", "deviation"})
            head.push_back(metric + ' ' + part);
    }
    std::string out = csvLine(head);
    for (const PointSummary &point : points) {
        std::vector<std::string> line = point.at;
        line.insert(line.end(), {std::to_string(point.runs), std::to_string(point.passed), point.pareto ? "1" : "0"});
        for (const Spread &spread : point.metrics) {
            for (const double value : {spread.median, spread.low, spread.high, spread.worst, spread.mean, spread.deviation})
                line.push_back(numberText(value));
        }
        out += csvLine(line);
    }
    return out;
}

} // namespace throttlescope::cli
