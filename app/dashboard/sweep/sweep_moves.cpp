// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/sweep/sweep_moves.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace throttlescope::dashboard {

namespace {

template <typename Key>
PointChoice inOrder(const SweepResult &result, PointChoice from, int by, Key key)
{
    if (result.points.empty())
        return std::nullopt;
    std::vector<std::size_t> order(result.points.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&key](std::size_t a, std::size_t b) { return key(a) < key(b); });
    if (!from)
        return order.front();
    const auto at = std::find(order.begin(), order.end(), *from) - order.begin();
    return order[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(at + by, 0, std::ssize(order) - 1))];
}

std::ptrdiff_t stepOf(const SweepResult &result, std::size_t axis, std::size_t point)
{
    const auto &values = result.axes[axis].axis.values;
    return std::find(values.begin(), values.end(), result.points[point].at[axis]) - values.begin();
}

} // namespace

PointChoice alongAxis(const SweepResult &result, PointChoice from, int by)
{
    return inOrder(
        result, from, by, [&](std::size_t point) { return result.axes.front().placeOf(result.points[point].at.front()).value_or(0); });
}

PointChoice byFinish(const SweepResult &result, PointChoice from, int by)
{
    const auto finish = result.metric("finish"), succeeded = result.metric("operations.succeeded");
    if (!finish || !succeeded)
        return from;
    return inOrder(result, from, by, [&](std::size_t point) {
        const auto &metrics = result.points[point].metrics;
        return std::pair{metrics[*finish].median, metrics[*succeeded].median};
    });
}

PointChoice inMap(const SweepResult &result, PointChoice from, std::size_t across, std::size_t up, int columns, int rows)
{
    if (result.points.empty() || !from)
        return result.points.empty() ? std::nullopt : PointChoice{0};
    const auto column = stepOf(result, across, *from) + columns, row = stepOf(result, up, *from) + rows;
    for (std::size_t point = 0; point < result.points.size(); ++point) {
        bool there = stepOf(result, across, point) == column && stepOf(result, up, point) == row;
        for (std::size_t axis = 0; axis < result.axes.size() && there; ++axis)
            there = axis == across || axis == up || result.points[point].at[axis] == result.points[*from].at[axis];
        if (there)
            return point;
    }
    return from;
}

} // namespace throttlescope::dashboard
