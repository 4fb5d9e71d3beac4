// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/sweep/axis.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace throttlescope {

/// What a sweep runs: each point with each seed. A run's number, point by point and seed by seed, is the same whatever part
/// of the sweep is asked for.
struct SweepPlan {
    std::vector<Axis> axes;
    std::optional<std::uint64_t> samples; ///< so many random points instead of the grid
    std::uint64_t firstSeed = 0;
    std::uint64_t seeds = 1;
    std::uint64_t shard = 1, shards = 1; ///< of those with number % shards == shard - 1

    std::uint64_t points() const;
    std::uint64_t runs() const { return points() * seeds; }
    bool isOurs(std::uint64_t run) const { return run % shards == shard - 1; }
    std::uint64_t pointOf(std::uint64_t run) const { return run / seeds; }
    std::uint64_t seedOf(std::uint64_t run) const { return firstSeed + run % seeds; }

    /// A value an axis. Of the grid, the last axis moves first; a random point is drawn by its number and `firstSeed` alone.
    std::vector<std::string> valuesOf(std::uint64_t point) const;
    /// "PATH=VALUE" each, for `--set`.
    std::vector<std::string> assignmentsOf(std::uint64_t point) const;
};

inline constexpr std::uint64_t kMostRuns = 100'000'000;

} // namespace throttlescope
