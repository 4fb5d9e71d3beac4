// SPDX-License-Identifier: Apache-2.0
#include "simulator/sweep/sweep_summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace throttlescope {

namespace {

constexpr std::array<std::string_view, 3> kJudged{"operations.succeeded", "finish", "attempts"};

/// By nearest rank, as the percentiles of a journal's metrics are.
double percentile(const std::vector<double> &sorted, double percent)
{
    const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(sorted.size())));
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

double deviationOf(const std::vector<double> &values, double mean)
{
    if (values.size() < 2)
        return 0;
    const double squares = std::accumulate(
        values.begin(), values.end(), 0.0, [mean](double sum, double value) { return sum + (value - mean) * (value - mean); });
    return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

Spread spreadOf(std::vector<double> values, bool moreIsBetter)
{
    std::sort(values.begin(), values.end());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    return {percentile(values, 50), percentile(values, 5), percentile(values, 95), moreIsBetter ? values.front() : values.back(), mean,
        deviationOf(values, mean)};
}

/// Negative: `a` is better.
int better(double a, double b, bool more)
{
    return a == b ? 0 : (a > b) == more ? -1 : 1;
}

enum class Order { Better, Worse, Equal, Neither };

Order compare(const PointSummary &a, const PointSummary &b, const std::vector<std::pair<std::size_t, bool>> &judged)
{
    bool isBetter = false, isWorse = false;
    for (const auto &[metric, more] : judged) {
        const int order = better(a.metrics[metric].median, b.metrics[metric].median, more);
        isBetter = isBetter || order < 0;
        isWorse = isWorse || order > 0;
    }
    return isBetter && isWorse ? Order::Neither : isBetter ? Order::Better : isWorse ? Order::Worse : Order::Equal;
}

void markPareto(std::vector<PointSummary> &points, const SweepHeader &header)
{
    std::vector<std::pair<std::size_t, bool>> judged;
    for (const std::string_view metric : kJudged) {
        const auto found = std::find(header.metrics.begin(), header.metrics.end(), metric);
        if (found == header.metrics.end())
            return;
        judged.emplace_back(static_cast<std::size_t>(found - header.metrics.begin()), moreIsBetter(metric));
    }
    const auto whole = [&header](const PointSummary &point) { return point.runs == header.seeds; };
    for (auto point = points.begin(); point != points.end(); ++point) {
        point->pareto = whole(*point);
        for (auto other = points.begin(); other != points.end() && point->pareto; ++other) {
            const Order order = other != point && whole(*other) ? compare(*other, *point, judged) : Order::Neither;
            point->pareto = order != Order::Better && !(order == Order::Equal && other < point);
        }
    }
}

double passedShare(const PointSummary &point)
{
    return point.runs == 0 ? 0 : static_cast<double>(point.passed) / static_cast<double>(point.runs);
}

double placeIn(const Axis &axis, std::size_t step)
{
    return axis.at(static_cast<double>(step) / static_cast<double>(axis.values.size() - 1));
}

} // namespace

bool moreIsBetter(std::string_view metric)
{
    return metric == "operations.succeeded";
}

std::vector<PointSummary> summarize(const SweepFile &sweep)
{
    const SweepHeader &header = sweep.header;
    std::vector<PointSummary> points;
    for (auto row = sweep.rows.begin(); row != sweep.rows.end();) {
        const auto end
            = std::find_if(row, sweep.rows.end(), [&](const SweepRow &each) { return each.run / header.seeds != row->run / header.seeds; });
        PointSummary point;
        point.at = row->at;
        point.runs = static_cast<std::uint64_t>(end - row);
        point.passed = static_cast<std::uint64_t>(std::count_if(row, end, [](const SweepRow &each) { return each.passed; }));
        point.judged = static_cast<std::uint64_t>(std::count_if(row, end, [](const SweepRow &each) { return each.judged; }));
        for (std::size_t metric = 0; metric < header.metrics.size(); ++metric) {
            std::vector<double> values;
            std::transform(row, end, std::back_inserter(values), [metric](const SweepRow &each) { return each.values[metric]; });
            point.metrics.push_back(spreadOf(std::move(values), moreIsBetter(header.metrics[metric])));
        }
        points.push_back(std::move(point));
        row = end;
    }
    markPareto(points, header);
    return points;
}

std::vector<TippingPoint> tippingPoints(const Axis &axis, const std::vector<PointSummary> &points, double tolerance,
    const std::function<double(const std::string &value)> &passedAt)
{
    std::vector<TippingPoint> tips;
    if (axis.scale == Axis::Scale::List || points.size() != axis.values.size())
        return tips;
    const double grain = std::pow(10, std::floor(std::log10(tolerance / 2))); // values that a person would write
    for (std::size_t i = 1; i < points.size(); ++i) {
        double passedBelow = passedShare(points[i - 1]), passedAbove = passedShare(points[i]);
        const bool holdsAbove = passedAbove >= 0.5;
        if ((passedBelow >= 0.5) == holdsAbove)
            continue;
        double below = placeIn(axis, i - 1), above = placeIn(axis, i);
        std::string textBelow = axis.values[i - 1], textAbove = axis.values[i];
        while (above - below > tolerance) {
            const double exact = axis.scale == Axis::Scale::Log ? std::sqrt(below * above) : (below + above) / 2;
            const double middle = std::round(exact / grain) * grain;
            const std::string text = axis.text(middle);
            if (text == textBelow || text == textAbove)
                break; // no value lies between
            const double passed = passedAt(text);
            if (passed < 0)
                break;
            const bool isAbove = (passed >= 0.5) == holdsAbove;
            (isAbove ? above : below) = middle;
            (isAbove ? textAbove : textBelow) = text;
            (isAbove ? passedAbove : passedBelow) = passed;
        }
        tips.push_back({textBelow, textAbove, passedBelow, passedAbove});
    }
    return tips;
}

} // namespace throttlescope
