// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/signals/rate_limit_state.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace throttlescope::incident {

/// A limit as the headers of a server tell it.
struct ToldLimit {
    std::uint64_t quota = 0;
    Duration per{};
    bool perAssumed = false; ///< no header says how long: the longest reset that was told, as people would write it
    bool calendar = false; ///< its resets fall on the calendar
    std::uint64_t times = 0; ///< that it was told
    bool exhausted = false; ///< a refusal said that nothing was left of it

    bool operator==(const ToldLimit &) const = default;
};

/// What the answers of a server say: limits, and how long to wait.
class ToldWindows {
public:
    static constexpr std::size_t kMostWindows = 64; ///< told apart

    /// Of one answer.
    void take(const signals::RateLimitState &state, WallTime at, bool refused);
    void countRefusal() { ++m_refusals; }

    /// Those that a good part of the answers speak of, the exhausted ones first.
    std::vector<ToldLimit> limits() const;
    /// Refusals that told to wait, as a share of all; 0 where none was refused.
    double hintedShare() const;
    /// Told in all refusals alike: not the time to the end of a window.
    std::optional<Duration> fixedHint() const;
    /// The form of most hints; none where there was none.
    std::optional<signals::HintForm> form() const;

private:
    struct Tally {
        std::uint64_t times = 0;
        bool exhausted = false;
        Duration longestReset{};
        std::uint64_t resets = 0;
        std::uint64_t onMinutes = 0; ///< resets that fall on a whole minute, give or take a second
    };
    std::map<std::pair<std::uint64_t, std::int64_t>, Tally> m_windows; ///< by quota and length in microseconds, 0: not told
    std::map<std::int64_t, std::uint64_t> m_hints; ///< in whole seconds
    std::array<std::uint64_t, 6> m_forms{};
    std::uint64_t m_refusals = 0;
    std::uint64_t m_hinted = 0;
};

} // namespace throttlescope::incident
