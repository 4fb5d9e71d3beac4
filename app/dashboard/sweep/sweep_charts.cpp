// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/sweep/sweep_charts.h"

#include "app/dashboard/session/knob_values.h"
#include "simulator/scenario/text_values.h"
#include "simulator/sweep/sweep_words.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace throttlescope::dashboard {

namespace {

constexpr std::array<double, 9> kMinutes{60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400}; ///< and 1, 2, 5 · 10ⁿ below and above
constexpr int kWanted = 5; ///< ticks of a scale, about
constexpr std::size_t kFewValues = 12; ///< are ticks themselves

/// The least round step that needs no more than that many.
double roundStep(double span, int wanted, bool isTime)
{
    const double least = span / wanted;
    if (least <= 0)
        return 1;
    if (isTime && least > 30 && least <= kMinutes.back())
        return *std::lower_bound(kMinutes.begin(), kMinutes.end(), least);
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double step : {1.0, 2.0, 5.0}) {
        if (least <= step * power * (1 + 1e-9))
            return isTime && step * power == 50 ? 60 : step * power;
    }
    return 10 * power;
}

/// Nobody counts in halves.
double valueStep(double most, std::string_view metric)
{
    const bool isRatio = metric == "herd" || metric == "amplification" || metric.starts_with("attempts_per_operation");
    const bool isTime = isDurationMetric(metric);
    return std::max(roundStep(most, kWanted, isTime), isTime || isRatio ? 0.0 : 1.0);
}

/// 1, 2 and 5 of each decade that the range has.
std::vector<double> decades(const ScaleRange &range)
{
    std::vector<double> values;
    for (double power = std::pow(10, std::floor(std::log10(range.least))); power <= range.most; power *= 10) {
        for (const double digit : {1.0, 2.0, 5.0}) {
            const double value = digit * power;
            if (value >= range.least * (1 - 1e-9) && value <= range.most * (1 + 1e-9))
                values.push_back(value);
        }
    }
    return values;
}

std::vector<double> evenly(const ScaleRange &range, bool isTime)
{
    std::vector<double> values;
    const double step = roundStep(range.most - range.least, 8, isTime);
    const auto last = static_cast<std::int64_t>(std::floor(range.most / step + 1e-9));
    for (auto i = static_cast<std::int64_t>(std::ceil(range.least / step - 1e-9)); i <= last; ++i)
        values.push_back(static_cast<double>(i) * step);
    return values;
}

/// In one unit where that is readable: "20s" to "120s", not "100s" beside "2m".
std::string timeText(const std::vector<double> &ticks, std::size_t index)
{
    const bool minutes = std::all_of(ticks.begin(), ticks.end(), [](double tick) { return std::fmod(tick, 60) == 0; });
    const bool seconds = !minutes && ticks.back() >= 10 && ticks.back() < 600;
    return seconds ? numberText(ticks[index]) + 's' : amountText(Schema::Kind::Duration, ticks[index]);
}

double mostOf(const SweepResult &result, std::size_t metric)
{
    double most = 0;
    for (const PointSummary &point : result.points) {
        const Spread &spread = point.metrics[metric];
        most = std::max({most, spread.median, spread.high, spread.worst});
    }
    return most;
}

} // namespace

double ScaleRange::shareOf(double value) const
{
    if (!(most > least))
        return 0.5;
    return log ? std::log(value / least) / std::log(most / least) : (value - least) / (most - least);
}

ScaleRange valueRange(double most, std::string_view metric)
{
    if (most <= 0)
        return {0, 1, false};
    const double step = valueStep(most, metric);
    return {0, step * std::ceil(most / step - 1e-9), false};
}

std::vector<Tick> valueTicks(const ScaleRange &range, std::string_view metric)
{
    const double step = valueStep(range.most, metric);
    std::vector<double> values;
    for (int i = 0; i * step <= range.most * (1 + 1e-9); ++i)
        values.push_back(i * step);
    std::vector<Tick> ticks;
    for (std::size_t i = 0; i < values.size(); ++i)
        ticks.push_back({values[i], isDurationMetric(metric) ? timeText(values, i) : amountText(Schema::Kind::Number, values[i])});
    return ticks;
}

ScaleRange axisRange(const SweepAxis &axis)
{
    if (!axis.isAmount())
        return {-0.5, static_cast<double>(axis.axis.values.size()) - 0.5, false};
    ScaleRange range{axis.placeOf(axis.axis.values.front()).value_or(0), 0, axis.axis.scale == Axis::Scale::Log};
    range.most = range.least;
    for (const std::string &value : axis.axis.values) {
        const double place = axis.placeOf(value).value_or(range.least);
        range.least = std::min(range.least, place);
        range.most = std::max(range.most, place);
    }
    if (range.most == range.least) {
        range.least -= 1;
        range.most += 1;
    }
    return range;
}

std::vector<Tick> axisTicks(const SweepAxis &axis)
{
    std::vector<Tick> ticks;
    if (!axis.isAmount() || axis.axis.values.size() <= kFewValues || axis.axis.scale == Axis::Scale::List) {
        for (const std::string &value : axis.axis.values)
            ticks.push_back({axis.placeOf(value).value_or(0), axis.shortValue(value)});
        return ticks;
    }
    const ScaleRange range = axisRange(axis);
    const std::vector<double> values = range.log ? decades(range) : evenly(range, axis.kind == Schema::Kind::Duration);
    for (std::size_t i = 0; i < values.size(); ++i)
        ticks.push_back(
            {values[i], axis.kind == Schema::Kind::Duration && !range.log ? timeText(values, i) : amountText(axis.kind, values[i])});
    return ticks;
}

SweepCurve sweepCurve(const SweepResult &result, std::size_t metric)
{
    SweepCurve curve;
    const SweepAxis &axis = result.axes.front();
    for (std::size_t i = 0; i < result.points.size(); ++i) {
        const Spread &spread = result.points[i].metrics[metric];
        curve.points.push_back({axis.placeOf(result.points[i].at.front()).value_or(0), i, spread});
        curve.isSpread = curve.isSpread || spread.low != spread.high || spread.worst != spread.median;
    }
    std::stable_sort(curve.points.begin(), curve.points.end(), [](const CurvePoint &a, const CurvePoint &b) { return a.at < b.at; });
    curve.across = axisRange(axis);
    curve.up = valueRange(mostOf(result, metric), result.header().metrics[metric]);
    return curve;
}

HeatMap heatMap(const SweepResult &result, std::size_t metric, std::size_t across, std::size_t up, std::optional<std::size_t> through)
{
    const auto valuesOf = [&result](std::size_t axis) -> const std::vector<std::string> & { return result.axes[axis].axis.values; };
    HeatMap map;
    map.columns = valuesOf(across).size();
    map.rows = valuesOf(up).size();
    map.cells.resize(map.columns * map.rows);
    const auto isThrough = [&](const PointSummary &point) {
        for (std::size_t axis = 0; axis < result.axes.size(); ++axis) {
            if (axis != across && axis != up && point.at[axis] != (through ? result.points[*through].at[axis] : valuesOf(axis).front()))
                return false;
        }
        return true;
    };
    const auto placeIn = [&](std::size_t axis, const std::string &value) {
        return static_cast<std::size_t>(std::find(valuesOf(axis).begin(), valuesOf(axis).end(), value) - valuesOf(axis).begin());
    };
    bool any = false;
    for (std::size_t i = 0; i < result.points.size(); ++i) {
        const PointSummary &point = result.points[i];
        const double value = point.metrics[metric].median;
        map.least = any ? std::min(map.least, value) : value;
        map.most = any ? std::max(map.most, value) : value;
        any = true;
        const std::size_t column = placeIn(across, point.at[across]), row = placeIn(up, point.at[up]);
        if (isThrough(point) && column < map.columns && row < map.rows)
            map.cells[row * map.columns + column] = {i, value, 0, isFailed(point)};
    }
    for (HeatCell &cell : map.cells)
        cell.shade = map.most > map.least ? (cell.value - map.least) / (map.most - map.least) : 0;
    return map;
}

ParetoChart paretoChart(const SweepResult &result)
{
    ParetoChart chart;
    const auto succeeded = result.metric("operations.succeeded"), finish = result.metric("finish"), attempts = result.metric("attempts");
    if (!succeeded || !finish || !attempts || result.points.empty())
        return chart;
    double latest = 0, most = 0;
    for (std::size_t i = 0; i < result.points.size(); ++i) {
        const auto median = [&](std::size_t metric) { return result.points[i].metrics[metric].median; };
        chart.dots.push_back({i, median(*finish), median(*succeeded), median(*attempts), 0, result.points[i].pareto});
        latest = std::max(latest, chart.dots.back().finish);
        most = std::max(most, chart.dots.back().succeeded);
    }
    const auto [least, largest] = std::minmax_element(
        chart.dots.begin(), chart.dots.end(), [](const ParetoDot &a, const ParetoDot &b) { return a.attempts < b.attempts; });
    chart.leastAttempts = least->attempts;
    chart.mostAttempts = largest->attempts;
    for (ParetoDot &dot : chart.dots)
        dot.size = chart.mostAttempts > chart.leastAttempts
            ? (dot.attempts - chart.leastAttempts) / (chart.mostAttempts - chart.leastAttempts)
            : 0.5;
    std::stable_partition(chart.dots.begin(), chart.dots.end(), [](const ParetoDot &dot) { return !dot.inSet; });
    chart.across = valueRange(latest, "finish");
    chart.up = valueRange(most, "operations.succeeded");
    return chart;
}

} // namespace throttlescope::dashboard
