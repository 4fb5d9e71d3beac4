// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace throttlescope::incident {

/// Learns, as a log is read, how long after a failed attempt the next one comes, and tells a retry from an equal new call.
///
/// Retries come at the times that the clients' policy has for that attempt, and after the last attempt not at all; new
/// calls come at any time. So what comes at a time at which no more come than at any other is a new call. Who was told when
/// to come back, and came back no sooner, goes by that time: how long it waited is the server's policy.
class RetryGaps {
public:
    RetryGaps() { m_oldEnough.fill(1); }
    /// An attempt failed at that time, and another may follow.
    void opened(std::uint32_t attempt, bool wasTold, WallTime at);
    /// An equal request came `gap` after it, or (`asTold`) after the time that it had been told. True: it is likelier a retry
    /// than not. Both are learnt from.
    bool isRetry(std::uint32_t attempt, Duration gap, bool asTold, WallTime now);

private:
    static constexpr std::size_t kAttempts = 16; ///< beyond, they are alike
    static constexpr std::size_t kBins = 64; ///< by the logarithm of milliseconds, two a doubling

    struct Row {
        std::uint64_t opened = 0;
        std::uint64_t told = 0; ///< of them, those that are in a row of those told as well
        std::array<std::uint64_t, kBins> came{};
    };
    static std::size_t rowOf(std::uint32_t attempt, bool asTold);
    static std::size_t binOf(Duration gap);
    static double beginOf(std::size_t bin);
    static double secondsIn(std::size_t bin) { return beginOf(bin + 1) - beginOf(bin); }
    double openIn(std::size_t bin, std::uint64_t opened, const Row &row, double &surviving) const;
    void learnAges(WallTime now);
    void learnAnyTime();

    std::array<Row, 2 * kAttempts> m_rows; ///< those that go by the time told come behind
    std::optional<double> m_anyTime; ///< equal new calls a second for each open operation, once there are enough to tell
    std::uint64_t m_learnt = 0;

    struct Mark {
        WallTime at;
        std::uint64_t opened = 0; ///< until then
    };
    std::vector<Mark> m_marks; ///< every so many
    std::uint64_t m_markEvery = 1;
    std::uint64_t m_opened = 0;
    std::array<double, kBins> m_oldEnough{}; ///< share of all: as long ago as the bin begins
};

} // namespace throttlescope::incident
