// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/sweep/sweep_result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// What the charts of a sweep show, in their own units, without anything that paints.
namespace throttlescope::dashboard {

/// From where to where a scale goes.
struct ScaleRange {
    double least = 0, most = 1;
    bool log = false;
    double shareOf(double value) const;
};

struct Tick {
    double at = 0;
    std::string text;
};

/// From 0 to a round value at or over the most; its ticks as that metric is written.
ScaleRange valueRange(double most, std::string_view metric);
std::vector<Tick> valueTicks(const ScaleRange &range, std::string_view metric);
/// Of a knob: its range, linear or logarithmic as it was swept; words stand in the middle of a place each.
ScaleRange axisRange(const SweepAxis &axis);
std::vector<Tick> axisTicks(const SweepAxis &axis);

/// One metric over one knob.
struct CurvePoint {
    double at = 0;
    std::size_t point = 0;
    Spread spread;
};
struct SweepCurve {
    std::vector<CurvePoint> points; ///< along the axis
    ScaleRange across, up;
    bool isSpread = false; ///< seeds differ: there is a band to draw
};
SweepCurve sweepCurve(const SweepResult &result, std::size_t metric);

/// One metric over two knobs of a grid.
struct HeatCell {
    std::optional<std::size_t> point; ///< none: not run yet
    double value = 0; ///< the median
    double shade = 0; ///< 0 the least of all cells, 1 the most
    bool failed = false;
};
struct HeatMap {
    std::size_t columns = 0, rows = 0; ///< values of the first and of the second axis
    std::vector<HeatCell> cells; ///< column by column within a row
    double least = 0, most = 0;
    const HeatCell &at(std::size_t column, std::size_t row) const { return cells[row * columns + column]; }
};
/// `through`: the point whose values all other axes have; none: their first ones.
HeatMap heatMap(const SweepResult &result, std::size_t metric, std::size_t across, std::size_t up, std::optional<std::size_t> through);

/// Succeeded over finish, attempts as size.
struct ParetoDot {
    std::size_t point = 0;
    double finish = 0, succeeded = 0, attempts = 0;
    double size = 0; ///< of its attempts, 0 the least of all, 1 the most
    bool inSet = false;
};
struct ParetoChart {
    std::vector<ParetoDot> dots; ///< those of the set last, so that they are drawn over the others
    ScaleRange across, up;
    double leastAttempts = 0, mostAttempts = 0;
};
/// Empty where one of the three was not measured.
ParetoChart paretoChart(const SweepResult &result);

} // namespace throttlescope::dashboard
