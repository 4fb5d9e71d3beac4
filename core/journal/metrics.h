// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/journal/event.h"
#include "core/journal/samples.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace throttlescope::journal {

inline constexpr std::size_t kResults = 5;
inline constexpr std::size_t kRefusalReasons = 17;

/// The metrics of DESIGN.md section 7, over all events of a run, of an operation, or of a labelled span.
struct Metrics {
    std::array<std::uint64_t, kResults> operations{}; ///< by Result
    std::array<std::uint64_t, kRefusalReasons> refused{}; ///< by RefusalReason: retry.refused and rejected operations
    std::uint64_t attempts = 0;
    std::uint64_t retryAttempts = 0;
    std::uint64_t fallbackAttempts = 0;
    std::uint64_t throttledResponses = 0;
    std::uint64_t waitExceeded = 0;
    std::uint64_t breakerTrips = 0;
    std::uint64_t duplicateEffects = 0;
    std::uint64_t operationsWithAttempt = 0;
    CountHistogram attemptsPerOperation;
    DurationSamples waits, pacing;
    DurationSamples earlyBy, overshoot;
    double herd = 0;
    std::uint64_t underWay = 0; ///< attempts that have not ended
    std::uint64_t concurrency = 0; ///< the most attempts that were under way at once
    MonotonicTime finish{};

    void accept(const Event &event);
    /// Only `underWay` and `concurrency`.
    void countUnderWay(const Event &event);
    void add(const Metrics &other);
    std::uint64_t finishedOperations() const;
};

struct MetricValue {
    double value = 0; ///< durations in microseconds
    bool isDuration = false;
};

/// By its path in a scenario's `expect`: "operations.succeeded", "waits.p99", "refused.deadline". None: no such metric.
std::optional<MetricValue> metricValue(const Metrics &metrics, std::string_view path);
/// Every path that metricValue knows, in the order of the table in DESIGN.md.
std::vector<std::string> metricPaths();

/// One JSON object, nested as the paths are; durations in seconds.
std::string metricsJson(const Metrics &metrics);

struct Recovery {
    std::optional<Duration> after;
    std::string_view whyNot; ///< where there is none, or where it cannot be known
};

/// Reads a run's events and keeps the metrics of the run, of each operation, and of the labels it was asked for.
class RunMetrics final : public EventSink {
public:
    static constexpr std::size_t kMostKeys = 100'000; ///< of one limit in one second; a herd among further ones is not seen

    RunMetrics() = default;
    /// `labels`: spans to keep metrics of; `recovery`: also keep when operations succeeded (8 bytes each).
    RunMetrics(std::vector<std::string> labels, bool recovery);

    void accept(const Event &event) override;

    Metrics total() const;
    const std::map<std::string, Metrics, std::less<>> &byOperation() const { return m_byOperation; }
    /// Windows of keys of which an arrival may still be counted, or might until lately: at most kMostKeys a limit.
    std::size_t keysWatched() const;
    const Metrics *during(std::string_view label) const;
    /// From the label's end until the success rate was at least 95 % of its mean before the label for 10 s.
    Recovery recovery(std::string_view label) const;

private:
    struct Span {
        std::string label;
        Metrics metrics;
        std::optional<MonotonicTime> begin, end; ///< of the first and the last entry of that label; no end while one is open
        int open = 0;
    };
    /// Arrivals in the first second of the window that is open.
    struct Herd {
        MonotonicTime begins = MonotonicTime::min();
        std::uint64_t arrivals = 0;
    };
    struct LimitHerds {
        std::string server, limit;
        std::uint64_t quota = 0;
        Herd all; ///< where the limit has no key
        std::map<std::string, Herd, std::less<>> byKey;
        std::size_t sweepAt = 0; ///< that many, and old ones are looked for
    };
    Metrics &ofOperation(std::string_view operation);
    void mark(const Event &event, const Marker &marker);
    void watchHerd(const Event &event);
    static Herd *herdOf(LimitHerds &herds, std::string_view key, MonotonicTime now);
    void countArrival(Herd &herd, std::uint64_t quota);
    LimitHerds &herdsOf(const Event &event, const ServerWindow &window);

    std::map<std::string, Metrics, std::less<>> m_byOperation;
    Metrics *m_lastOperation = nullptr;
    std::string_view m_lastOperationName;
    Metrics m_runOnly; ///< what belongs to no operation, or to all of them together
    std::vector<Span> m_spans;
    std::vector<LimitHerds> m_herds;
    bool m_keepSuccesses = false;
    std::vector<MonotonicTime> m_successes;
    MonotonicTime m_lastFinish{};
};

} // namespace throttlescope::journal
