// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/limit_moments.h"

#include <algorithm>
#include <optional>

namespace throttlescope::incident {

/// A kind and a period held against the log: the quota that explains the most windows, and how many it explains.
struct Fit {
    Candidate candidate;
    double uncertainty = 0; ///< the quota may be more by this share of it
    std::int64_t tight = 0; ///< of the windows that fit: those that would hardly fit another quota
    bool isSteady = false; ///< of a sliding window: periods nearby explain as much, as of all that goes through steadily
    bool burstSeen = false; ///< of a bucket: emptied from full at least twice

    std::int64_t periods = 0; ///< that the log covers: twenty keys in one period are not twenty windows

    std::int64_t windows() const { return std::min(candidate.windows, periods); }
    std::int64_t misses() const { return candidate.windows - candidate.fits - candidate.nearly; }
    double share() const
    {
        return candidate.windows == 0 ? 0 : static_cast<double>(candidate.fits + candidate.nearly) / static_cast<double>(candidate.windows);
    }
};

/// None of them where no window was filled, or where it is soon clear that this is not it.
std::optional<Fit> fitCalendar(const Moments &moments, const Tolerance &tolerance, Duration per, Duration utcOffset);
std::optional<Fit> fitFirstRequest(const Moments &moments, const Tolerance &tolerance, Duration per);
std::optional<Fit> fitSliding(const Moments &moments, const Tolerance &tolerance, Duration per, bool countsRefused);

struct BucketHints {
    bool isKnown = false; ///< it is a bucket, whether the log's times can show it or not
    bool hasManyKeys = false; ///< the log has; a series may still be everybody's
};
std::optional<Fit> fitBucket(const Moments &moments, const Tolerance &tolerance, BucketHints hints);

} // namespace throttlescope::incident
