// SPDX-License-Identifier: Apache-2.0
#include "simulator/sweep/sweep_plan.h"

#include "core/engine/philox_draw.h"

#include <algorithm>

namespace throttlescope {

std::uint64_t SweepPlan::points() const
{
    if (samples)
        return *samples;
    std::uint64_t points = 1;
    for (const Axis &axis : axes)
        points = std::min(points * axis.values.size(), kMostRuns + 1); // more than anybody runs
    return points;
}

std::vector<std::string> SweepPlan::valuesOf(std::uint64_t point) const
{
    std::vector<std::string> values(axes.size());
    if (samples) {
        const PhiloxDraw draw{firstSeed};
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const Axis &axis = axes[i];
            const double share = draw({Stream::Arrival, operationDrawKey("sweep/" + axis.path, 0, point), 0});
            const auto place = static_cast<std::size_t>(share * static_cast<double>(axis.values.size()));
            values[i] = axis.scale == Axis::Scale::List ? axis.values[std::min(place, axis.values.size() - 1)] : axis.text(axis.at(share));
        }
        return values;
    }
    for (std::size_t i = axes.size(); i-- > 0;) {
        values[i] = axes[i].values[point % axes[i].values.size()];
        point /= axes[i].values.size();
    }
    return values;
}

std::vector<std::string> SweepPlan::assignmentsOf(std::uint64_t point) const
{
    std::vector<std::string> assignments = valuesOf(point);
    for (std::size_t i = 0; i < axes.size(); ++i)
        assignments[i] = axes[i].path + '=' + assignments[i];
    return assignments;
}

} // namespace throttlescope
