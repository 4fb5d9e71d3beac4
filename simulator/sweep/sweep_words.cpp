// SPDX-License-Identifier: Apache-2.0
#include "simulator/sweep/sweep_words.h"

#include "core/journal/metrics.h"
#include "simulator/scenario/text_values.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace throttlescope {

std::string metricName(std::string_view metric)
{
    constexpr std::string_view prefix = "operations.";
    return std::string{metric.starts_with(prefix) ? metric.substr(prefix.size()) : metric};
}

bool isDurationMetric(std::string_view metric)
{
    const auto value = journal::metricValue({}, metric);
    return value && value->isDuration;
}

std::string metricText(std::string_view metric, double value)
{
    if (isDurationMetric(metric))
        return value == 0 ? "-" : shortText(durationFromMicroseconds(value * 1e6));
    return std::floor(value) == value ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

std::string spreadText(const std::string &metric, const Spread &spread, bool several)
{
    std::string median = metricText(metric, spread.median);
    if (!several || spread.low == spread.high)
        return median;
    return fmt::format("{} [{}, {}]", median, metricText(metric, spread.low), metricText(metric, spread.high));
}

std::string paretoText(const SweepHeader &header, const std::vector<PointSummary> &points)
{
    const auto count = std::count_if(points.begin(), points.end(), [](const PointSummary &point) { return point.pareto; });
    return fmt::format("Pareto set of succeeded (much), finish and attempts (little): {} of {} point{}{}", count, points.size(),
        points.size() == 1 ? "" : "s", header.seeds > 1 ? ", by their medians" : "");
}

std::string axisPath(std::string_view vary)
{
    return std::string{vary.substr(0, vary.find('='))};
}

std::string axisName(std::string_view vary)
{
    const std::string path = axisPath(vary);
    return path.substr(path.find_last_of('.') + 1);
}

std::string tipText(const SweepHeader &header, const TippingPoint &tip)
{
    const auto share = [&header](double passed) {
        return header.seeds > 1 ? fmt::format("{} of the seeds pass", percentText(passed))
            : passed > 0        ? std::string{"it passes"}
                                : std::string{"it fails"};
    };
    return fmt::format("tips between {} {} ({}) and {} ({})", axisName(header.vary.front()), tip.below, share(tip.passedBelow), tip.above,
        share(tip.passedAbove));
}

std::vector<std::string> sweepCommand(const SweepHeader &header)
{
    std::vector<std::string> words{"throttlescope", "sweep", header.file};
    const auto add = [&words](std::string_view option, const std::string &value) {
        words.insert(words.end(), {std::string{option}, value});
    };
    for (const std::string &vary : header.vary)
        add("--vary", vary);
    if (header.samples)
        add("--samples", std::to_string(*header.samples));
    add("--seed", std::to_string(header.firstSeed));
    if (header.seeds > 1)
        add("--seeds", std::to_string(header.seeds));
    for (const std::string &set : header.set)
        add("--set", set);
    for (const std::string &metric : header.metrics) {
        if (std::find(std::begin(kSweptMetrics), std::end(kSweptMetrics), metric) == std::end(kSweptMetrics))
            add("--metric", metric);
    }
    if (header.shards > 1)
        add("--shard", fmt::format("{}/{}", header.shard, header.shards));
    return words;
}

} // namespace throttlescope
