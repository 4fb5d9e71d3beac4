// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/sweep/sweep_result.h"

#include "app/dashboard/session/knob_values.h"
#include "simulator/sweep/sweep_words.h"

#include <QFile>
#include <algorithm>
#include <fmt/format.h>

namespace throttlescope::dashboard {

namespace {

/// The first kind of which all values are; a bare number is no rate.
Schema::Kind kindOf(const Axis &axis)
{
    for (const Schema::Kind kind : {Schema::Kind::Duration, Schema::Kind::Number, Schema::Kind::Percent, Schema::Kind::Rate}) {
        if (std::all_of(
                axis.values.begin(), axis.values.end(), [kind](const std::string &value) { return amountOf(kind, value).has_value(); }))
            return kind;
    }
    return Schema::Kind::Other;
}

double valueOf(const Spread &spread, SeedChoice choice)
{
    switch (choice) {
    case SeedChoice::Median: return spread.median;
    case SeedChoice::Worst: return spread.worst;
    case SeedChoice::Low: return spread.low;
    case SeedChoice::High: return spread.high;
    }
    return spread.median;
}

} // namespace

std::optional<double> SweepAxis::placeOf(const std::string &value) const
{
    if (isAmount())
        return amountOf(kind, value);
    const auto found = std::find(axis.values.begin(), axis.values.end(), value);
    return found == axis.values.end() ? std::nullopt : std::optional{static_cast<double>(found - axis.values.begin())};
}

std::string SweepAxis::shortValue(const std::string &value) const
{
    constexpr std::size_t kReadable = 6;
    const auto amount = isAmount() && value.size() > kReadable ? placeOf(value) : std::nullopt;
    return amount ? amountText(kind, *amount) : value;
}

std::optional<std::size_t> SweepResult::metric(std::string_view path) const
{
    const auto &metrics = file.header.metrics;
    const auto found = std::find(metrics.begin(), metrics.end(), path);
    return found == metrics.end() ? std::nullopt : std::optional{static_cast<std::size_t>(found - metrics.begin())};
}

const std::vector<TippingPoint> &SweepResult::tips() const
{
    static const std::vector<TippingPoint> kNone;
    return file.tips ? *file.tips : kNone;
}

tl::expected<SweepResult, std::string> sweepResult(SweepFile file)
{
    auto plan = planOf(file.header);
    if (!plan)
        return tl::unexpected(plan.error());
    if (plan->seeds < 1 || plan->shards < 1 || plan->shard < 1 || plan->shard > plan->shards || plan->axes.empty()
        || plan->runs() > kMostRuns)
        return tl::unexpected(std::string{"no plan of a sweep, expected axes, seeds and a shard as sweep --out writes them"});
    SweepResult result;
    result.points = summarize(file);
    for (std::size_t row = 0; row < file.rows.size(); ++row) {
        const std::uint64_t number = plan->pointOf(file.rows[row].run);
        if (result.numbers.empty() || result.numbers.back() != number) {
            result.numbers.push_back(number);
            result.firstRows.push_back(row);
        }
    }
    for (const Axis &axis : plan->axes)
        result.axes.push_back({axis, axisName(axis.path), kindOf(axis), {}, {}});
    result.runs = plan->runs() / plan->shards + (plan->runs() % plan->shards >= plan->shard ? 1 : 0);
    result.plan = std::move(*plan);
    result.file = std::move(file);
    return result;
}

void markKnownValues(std::vector<SweepAxis> &axes, const PolicyDraft &draft)
{
    for (const std::string &policy : draft.policies()) {
        for (const PolicyKnob &knob : draft.knobs(policy)) {
            for (SweepAxis &axis : axes) {
                if (axis.axis.path == knob.setPath && axis.present.empty()) {
                    axis.present = knob.value;
                    axis.standard = knob.row.defaultText;
                }
            }
        }
    }
}

bool isSweepFile(const QString &file)
{
    QFile in{file};
    return in.open(QIODevice::ReadOnly) && in.read(16).replace(' ', "").startsWith("{\"sweep\":");
}

const SweepRow &runOf(const SweepResult &result, std::size_t point, std::size_t metric, SeedChoice choice)
{
    const auto first = result.file.rows.begin() + static_cast<std::ptrdiff_t>(result.firstRows[point]);
    const auto end = first + static_cast<std::ptrdiff_t>(result.points[point].runs);
    const double wanted = valueOf(result.points[point].metrics[metric], choice);
    const auto found = std::find_if(first, end, [&](const SweepRow &row) { return row.values[metric] == wanted; });
    return found == end ? *first : *found;
}

LoadOptions optionsOf(const SweepHeader &header, const SweepRow &row)
{
    LoadOptions options{header.set, row.seed};
    for (std::size_t i = 0; i < row.at.size() && i < header.vary.size(); ++i)
        options.set.push_back(axisPath(header.vary[i]) + '=' + row.at[i]);
    return options;
}

bool isFailed(const PointSummary &point)
{
    return 2 * point.passed < point.runs;
}

std::string verdictText(const SweepResult &result, const PointSummary &point)
{
    if (point.judged == 0)
        return "no expectations";
    if (result.plan.seeds == 1)
        return point.passed > 0 ? "passes" : "fails";
    return fmt::format("{} of {} seeds pass", point.passed, point.runs);
}

std::string pointName(const SweepResult &result, std::size_t point)
{
    std::string name;
    for (std::size_t i = 0; i < result.axes.size(); ++i)
        name += fmt::format("{}{} {}", i > 0 ? ", " : "", result.axes[i].name, result.axes[i].shortValue(result.points[point].at[i]));
    return name;
}

std::string pointSentence(const SweepResult &result, std::size_t point)
{
    const PointSummary &at = result.points[point];
    std::string sentence = pointName(result, point) + ": " + verdictText(result, at);
    for (std::size_t i = 0; i < at.metrics.size(); ++i) {
        const std::string &metric = result.header().metrics[i];
        sentence += fmt::format(", {} {}", metricName(metric), spreadText(metric, at.metrics[i], result.plan.seeds > 1));
    }
    return sentence + (at.pareto ? ", in the Pareto set" : "");
}

} // namespace throttlescope::dashboard
