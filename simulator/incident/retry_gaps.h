// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

#include <array>
#include <cstdint>
#include <optional>

namespace throttlescope::incident {

/// Learns, as a log is read, how long after a failed attempt the next one comes, and tells a retry from an equal new call.
///
/// Retries come at the times that the clients' policy has for that attempt, and after the last attempt not at all; new
/// calls come at any time. So what comes at a time at which no more come than at any other is a new call. Who was told when
/// to come back, and came back no sooner, goes by that time: how long it waited is the server's policy.
class RetryGaps {
public:
    /// An attempt failed, and another may follow.
    void opened(std::uint32_t attempt, bool wasTold);
    /// An equal request came `gap` after it, or (`asTold`) after the time that it had been told. True: it is likelier a retry
    /// than not. Both are learnt from.
    bool isRetry(std::uint32_t attempt, Duration gap, bool asTold);

private:
    static constexpr std::size_t kAttempts = 16; ///< beyond, they are alike
    static constexpr std::size_t kBins = 64; ///< by the logarithm of milliseconds, two a doubling

    struct Row {
        std::uint64_t opened = 0;
        std::array<std::uint64_t, kBins> came{};
    };
    static std::size_t rowOf(std::uint32_t attempt, bool asTold);
    static std::size_t binOf(Duration gap);
    static double secondsIn(std::size_t bin);
    void learnAnyTime();

    std::array<Row, 2 * kAttempts> m_rows; ///< those that go by the time told come behind
    std::optional<double> m_anyTime; ///< equal new calls a second for each open operation, once there are enough to tell
    std::uint64_t m_learnt = 0;
};

} // namespace throttlescope::incident
