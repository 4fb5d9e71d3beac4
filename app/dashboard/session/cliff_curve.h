// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/session/policy_draft.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace throttlescope::dashboard {

/// What a run comes to at one value of a knob.
struct CliffPoint {
    Duration at{};
    std::uint64_t succeeded = 0;
    std::uint64_t failed = 0;
    std::uint64_t rejected = 0;
    std::uint64_t waitExceeded = 0;
    bool sameResults(const CliffPoint &other) const { return succeeded == other.succeeded && waitExceeded == other.waitExceeded; }
    bool operator==(const CliffPoint &) const = default;
};

/// Which knob of which scenario, from where to where.
struct CliffQuery {
    ScenarioPointer scenario;
    std::vector<std::string> policies; ///< that the knob belongs to: a policy, and what rows made of it
    std::string path; ///< "rate_limit.max_wait"
    Duration least{}, most{};
    Duration grain{1}; ///< two values that are closer are one; at most a few hundred to the range
    std::optional<Duration> present;
    std::string key; ///< of all that decides the points, without the knob's own value
};
/// Of a knob that is a duration, over the range of its slider; else nothing.
std::optional<CliffQuery> cliffQuery(const PolicyDraft &draft, const PolicyKnob &knob);

struct CliffCurve {
    std::string key;
    std::string path;
    std::vector<CliffPoint> points; ///< by value
    std::optional<CliffPoint> present;
    bool complete = false;
    std::string failure; ///< why a run could not go on; empty: all of them did
    /// What a value comes to: the point at it, or the last one before it.
    const CliffPoint *at(Duration value) const;
};

using CliffPoints = std::map<Duration, CliffPoint>;
using OnCurve = std::function<void(const CliffCurve &)>;

/// Runs the scenario at values of the knob: the present one, a coarse grid, then halfway between neighbours that differ, until
/// the grain is reached. `known` holds what was run before and takes what is run now. `onCurve` is told after every run. One
/// thread; returns as soon as `cancelled` is seen.
CliffCurve computeCliff(const CliffQuery &query, CliffPoints &known, const std::atomic<bool> &cancelled, const OnCurve &onCurve = {});

} // namespace throttlescope::dashboard
