// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/sweep_output.h"

#include "app/cli/csv.h"
#include "app/cli/text_table.h"
#include "core/journal/json_line.h"
#include "core/version.h"
#include "simulator/scenario/text_values.h"
#include "simulator/sweep/sweep_words.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace throttlescope::cli {

namespace {

constexpr std::size_t kBar = 20;

std::string bar(double share)
{
    const auto whole = static_cast<std::size_t>(std::lround(share * kBar));
    std::string out;
    for (std::size_t i = 0; i < kBar; ++i)
        out += i < whole ? "█" : "·";
    return out;
}

std::string verdict(const SweepHeader &header, const PointSummary &point)
{
    if (point.judged == 0)
        return "no expectations";
    return header.seeds > 1 ? fmt::format("{}/{}", point.passed, point.runs) : point.passed > 0 ? "yes" : "no";
}

} // namespace

std::string sweepTable(const SweepHeader &header, const std::vector<PointSummary> &points, const std::vector<TippingPoint> &tips)
{
    TextTable table;
    std::vector<std::string> head{""};
    for (const std::string &vary : header.vary)
        head.push_back(axisName(vary));
    head.emplace_back("passed");
    for (const std::string &metric : header.metrics)
        head.push_back(metricName(metric));
    const auto succeeded = std::find(header.metrics.begin(), header.metrics.end(), "operations.succeeded") - header.metrics.begin();
    const auto hasBar = static_cast<std::size_t>(succeeded) < header.metrics.size();
    double most = 1;
    for (const PointSummary &point : points)
        most = std::max(most, hasBar ? point.metrics[static_cast<std::size_t>(succeeded)].median : 1);
    table.add(head);
    for (const PointSummary &point : points) {
        std::vector<std::string> row{point.pareto ? "*" : ""};
        row.insert(row.end(), point.at.begin(), point.at.end());
        row.push_back(verdict(header, point));
        for (std::size_t i = 0; i < header.metrics.size(); ++i)
            row.push_back(spreadText(header.metrics[i], point.metrics[i], header.seeds > 1));
        if (hasBar)
            row.push_back(bar(point.metrics[static_cast<std::size_t>(succeeded)].median / most));
        table.add(row);
    }
    std::string out = table.text() + "* " + paretoText(header, points) + '\n';
    for (const TippingPoint &tip : tips)
        out += tipText(header, tip) + '\n';
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
            json.member(axisPath(header.vary[i]), point.at[i]);
        json.close('}');
        json.member("runs", point.runs);
        point.judged > 0 ? json.member("passed", point.passed) : json.raw("passed", "null");
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
    json.raw("tipping_points", tipsJson(tips));
    json.end();
    return out + '\n';
}

std::string sweepCsv(const SweepHeader &header, const std::vector<PointSummary> &points)
{
    std::vector<std::string> head;
    for (const std::string &vary : header.vary)
        head.push_back(axisPath(vary));
    head.insert(head.end(), {"runs", "passed", "pareto"});
    for (const std::string &metric : header.metrics) {
        for (const char *part : {"median", "p5", "p95", "worst", "mean", "deviation"})
            head.push_back(metric + ' ' + part);
    }
    std::string out = csvLine(head);
    for (const PointSummary &point : points) {
        std::vector<std::string> line = point.at;
        line.insert(line.end(),
            {std::to_string(point.runs), point.judged > 0 ? std::to_string(point.passed) : std::string{}, point.pareto ? "1" : "0"});
        for (const Spread &spread : point.metrics) {
            for (const double value : {spread.median, spread.low, spread.high, spread.worst, spread.mean, spread.deviation})
                line.push_back(numberText(value));
        }
        out += csvLine(line);
    }
    return out;
}

} // namespace throttlescope::cli
