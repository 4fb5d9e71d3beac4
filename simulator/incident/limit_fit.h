// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/limit_moments.h"

#include <optional>

namespace throttlescope::incident {

/// A kind and a period held against the log: the quota that explains the most windows, and how many it explains.
struct Fit {
    Candidate candidate;
    std::int64_t quotaAtMost = 0; ///< the log allows for quotas from `candidate.limit.quota` up to this
    bool burstSeen = false; ///< of a bucket: emptied from full at least twice

    std::int64_t misses() const { return candidate.windows - candidate.fits - candidate.nearly; }
    double share() const
    {
        return candidate.windows == 0
            ? 0
            : static_cast<double>(candidate.fits + candidate.nearly) / static_cast<double>(candidate.windows);
    }
};

/// None of them where no window was filled, or where it is soon clear that this is not it.
std::optional<Fit> fitCalendar(const Moments &moments, const Tolerance &tolerance, Duration per, Duration utcOffset);
std::optional<Fit> fitFirstRequest(const Moments &moments, const Tolerance &tolerance, Duration per);
std::optional<Fit> fitSliding(const Moments &moments, const Tolerance &tolerance, Duration per, bool countsRefused);
/// `isKnown`: it is a bucket, whether the log's times can show it or not.
std::optional<Fit> fitBucket(const Moments &moments, const Tolerance &tolerance, bool isKnown);

} // namespace throttlescope::incident
