// SPDX-License-Identifier: Apache-2.0
#include "core/engine/words.h"
#include "core/journal/json_line.h"
#include "core/journal/metrics.h"

#include <functional>

/// The names of the metrics, once: lookup by path, list of paths and JSON come from the same walk.
namespace throttlescope::journal {

namespace {

/// Called with group ("" at the top), name and value, group by group, in the order of the table in DESIGN.md.
using Visitor = std::function<void(std::string_view group, std::string_view name, MetricValue value)>;

MetricValue number(double value)
{
    return {value, false};
}

MetricValue number(std::uint64_t value)
{
    return {static_cast<double>(value), false};
}

MetricValue duration(Duration value)
{
    return {static_cast<double>(value.count()), true};
}

void visitSamples(std::string_view group, const DurationSamples &samples, const Visitor &visit)
{
    visit(group, "count", number(samples.count()));
    visit(group, "min", duration(samples.min()));
    visit(group, "mean", {samples.meanMicroseconds(), true});
    visit(group, "p50", duration(samples.percentile(50)));
    visit(group, "p90", duration(samples.percentile(90)));
    visit(group, "p99", duration(samples.percentile(99)));
    visit(group, "max", duration(samples.max()));
}

void visitHistogram(std::string_view group, const CountHistogram &histogram, const Visitor &visit)
{
    visit(group, "count", number(histogram.count()));
    visit(group, "min", number(static_cast<double>(histogram.percentile(0))));
    visit(group, "mean", number(histogram.mean()));
    visit(group, "p50", number(static_cast<double>(histogram.percentile(50))));
    visit(group, "p90", number(static_cast<double>(histogram.percentile(90))));
    visit(group, "p99", number(static_cast<double>(histogram.percentile(99))));
    visit(group, "max", number(static_cast<double>(histogram.percentile(100))));
}

void visitAll(const Metrics &metrics, const Visitor &visit)
{
    for (std::size_t i = 0; i < kResults; ++i)
        visit("operations", word(static_cast<Result>(i)), number(metrics.operations[i]));
    visit("", "attempts", number(metrics.attempts));
    visit("", "retry_attempts", number(metrics.retryAttempts));
    visit("", "throttled_responses", number(metrics.throttledResponses));
    visit("", "fallback_attempts", number(metrics.fallbackAttempts));
    visitHistogram("attempts_per_operation", metrics.attemptsPerOperation, visit);
    visitSamples("waits", metrics.waits, visit);
    visitSamples("pacing", metrics.pacing, visit);
    visit("", "wait_exceeded", number(metrics.waitExceeded));
    for (std::size_t i = 0; i < kRefusalReasons; ++i)
        visit("refused", word(static_cast<RefusalReason>(i)), number(metrics.refused[i]));
    visit("", "breaker_trips", number(metrics.breakerTrips));
    visit("", "finish", duration(metrics.finish.time_since_epoch()));
    visit("", "early_returns", number(metrics.earlyBy.count()));
    visitSamples("early_by", metrics.earlyBy, visit);
    visitSamples("overshoot", metrics.overshoot, visit);
    const auto withAttempt = static_cast<double>(metrics.operationsWithAttempt);
    visit("", "amplification", number(withAttempt > 0 ? static_cast<double>(metrics.attempts) / withAttempt : 0));
    visit("", "herd", number(metrics.herd));
    visit("", "concurrency", number(metrics.concurrency));
    visit("", "duplicate_effects", number(metrics.duplicateEffects));
}

} // namespace

std::optional<MetricValue> metricValue(const Metrics &metrics, std::string_view path)
{
    const std::size_t dot = path.find('.');
    const std::string_view wantedGroup = dot == std::string_view::npos ? "" : path.substr(0, dot);
    const std::string_view wantedName = dot == std::string_view::npos ? path : path.substr(dot + 1);
    std::optional<MetricValue> found;
    visitAll(metrics, [&](std::string_view group, std::string_view name, MetricValue value) {
        if (group == wantedGroup && name == wantedName)
            found = value;
    });
    return found;
}

std::vector<std::string> metricPaths()
{
    std::vector<std::string> paths;
    visitAll({}, [&paths](std::string_view group, std::string_view name, MetricValue) {
        paths.push_back(group.empty() ? std::string{name} : std::string{group} + '.' + std::string{name});
    });
    return paths;
}

std::string metricsJson(const Metrics &metrics)
{
    std::string out;
    JsonLine line{out};
    std::string_view open;
    visitAll(metrics, [&](std::string_view group, std::string_view name, MetricValue value) {
        if (group != open) {
            if (!open.empty())
                line.close('}');
            if (!group.empty())
                line.open(group, '{');
            open = group;
        }
        if (value.isDuration)
            line.member(name, durationFromMicroseconds(value.value));
        else
            line.member(name, value.value);
    });
    line.end();
    return out;
}

} // namespace throttlescope::journal
