// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/log_histogram.h"
#include "simulator/incident/operation_grouping.h"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

namespace throttlescope::incident {

/// How the clients of a log behave after a refusal or a failure: the policy that they seem to have.
struct ObservedPolicy {
    int maxAttempts = 1; ///< 1: they do not come again
    std::vector<Duration> waits; ///< before the second attempt, the third, …, as they mostly are
    double spread = 0; ///< of the waits to both sides, as a share: 0.25 is ±25 %
    bool obeysHints = false;
    Duration overshoot{}; ///< by which those who obey come later
    std::optional<Duration> longestHint; ///< that was obeyed; longer ones were not
    bool retriesFailures = false; ///< 5xx and aborted requests, too

    bool operator==(const ObservedPolicy &) const = default;
};

/// Learns it, attempt by attempt.
class ObservedRetries {
public:
    static constexpr std::size_t kAttempts = 16; ///< those beyond are alike
    static constexpr std::size_t kMostOpen = 100'000; ///< operations whose next attempt is waited for

    void take(const LoggedRequest &request, const GroupedRequest &grouped);
    /// `precision` is that of the log's times.
    ObservedPolicy policy(Duration precision) const;

private:
    struct Open {
        WallTime end{};
        std::optional<Duration> told;
        bool refused = false;
    };
    struct Row {
        std::uint64_t refused = 0; ///< at this attempt
        std::uint64_t retried = 0; ///< of them
        LogHistogram gaps; ///< of those
    };
    void came(const Open &before, const LoggedRequest &request, std::size_t attempt);

    std::array<Row, kAttempts> m_rows; ///< by the attempt that was refused
    std::unordered_map<std::uint64_t, Open> m_open; ///< by operation
    std::deque<std::uint64_t> m_inOrder;
    LogHistogram m_overshoot;
    LogHistogram m_obeyed; ///< hints
    std::uint64_t m_hinted = 0;
    std::uint64_t m_failed = 0;
    std::uint64_t m_failedRetried = 0;
};

} // namespace throttlescope::incident
