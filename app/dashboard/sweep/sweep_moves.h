// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/sweep/sweep_result.h"

#include <optional>

/// From point to point with the arrow keys. Where nothing is chosen the first one comes, at an end it stays.
namespace throttlescope::dashboard {

using PointChoice = std::optional<std::size_t>;

/// Along the only axis of curves.
PointChoice alongAxis(const SweepResult &result, PointChoice from, int by);
/// By finish time, then by what succeeded: through a Pareto chart from left to right.
PointChoice byFinish(const SweepResult &result, PointChoice from, int by);
/// Between the cells of a map; all other axes keep their values.
PointChoice inMap(const SweepResult &result, PointChoice from, std::size_t across, std::size_t up, int columns, int rows);

} // namespace throttlescope::dashboard
