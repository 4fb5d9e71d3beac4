// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/journal/metrics.h"
#include "simulator/scenario/scenario.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace throttlescope {

/// One expectation judged: a testcase of JUnit, a line of the summary.
struct Judged {
    std::string name; ///< "waits.max", "convert: attempts_per_operation.max", "decisions of chat 1"
    bool passed = true;
    std::string expected; ///< "212", "at most 63s"
    std::string got;
    Mark mark;
    /// The first event that broke it, where one event can be named.
    std::optional<MonotonicTime> at;
    journal::OperationId op = 0;
    std::string atWhat; ///< "first excess", "first failed"
    Duration tolerance{}; ///< by which `got` may miss what is expected; 0 where it must be met
};

/// Watches a run and judges a scenario's expectations when it is over.
class Expectations final : public journal::EventSink {
public:
    /// Durations may miss what is expected of them by the tolerance.
    explicit Expectations(const Scenario &scenario, Duration tolerance = {});

    void accept(const journal::Event &event) override;

    /// `stopped`: the run was ended by stop_after; that operations stayed unfinished is a failure unless expected.
    std::vector<Judged> judge(bool stopped) const;
    const journal::RunMetrics &metrics() const { return m_metrics; }

private:
    struct Decided {
        ExpectedDecision decision;
        std::string text;
    };
    struct Followed {
        const ExpectedDecisions *expected;
        std::uint64_t seen = 0; ///< operations of that name so far
        journal::OperationId op = 0; ///< the one that is followed
        std::vector<ExpectedDecision> decided;
        std::string retryAfter;
    };
    void follow(const journal::Event &event);
    Judged judgeMetric(const Expectation &expectation) const;
    Judged judgeDecisions(const Followed &followed) const;

    const Scenario &m_scenario;
    const Duration m_tolerance;
    journal::RunMetrics m_metrics;
    std::vector<Followed> m_followed;
};

/// Watches a second run of the same scenario for the event that first breaks each failed expectation. The run is the
/// same to the byte, so what is found holds for the first one.
class ExcessFinder final : public journal::EventSink {
public:
    /// `failed`: the expectations that failed, in the order of the scenario.
    ExcessFinder(const Scenario &scenario, std::vector<Judged> &judged);
    void accept(const journal::Event &event) override;

private:
    struct Watch {
        const Expectation *expectation;
        Judged *judged;
        double count = 0;
        bool tooFew = false;
    };
    std::map<std::string, bool> m_active; ///< labels
    std::vector<Watch> m_watches;
};

/// "expected at most 63s (tolerance 2s), got 66s".
std::string verdictText(const Judged &judged);
/// "at most 63s", "212", "0 to 3".
std::string boundText(const Expectation &expectation);
std::string metricText(double value, bool isDuration);

} // namespace throttlescope
