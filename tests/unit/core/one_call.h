// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scripted_driver.h"

/// One call after the other against scripted answers, and what the engine decided.
namespace throttlescope::testing {

/// What became of a call.
struct Played {
    std::vector<Duration> delays; ///< scheduled, padding included
    std::vector<double> tokens; ///< left after each reservation
    std::string end; ///< "succeeded", or the reason of the refusal
    int attempts = 0;
    Duration took{};
};

/// Calls under one policy that share its scope.
class Caller {
public:
    Caller(Policy policy, const Draw &draw)
        : m_driver(draw)
        , m_policy(std::move(policy))
        , m_scope(m_driver.scope({m_policy.pacer, m_policy.breaker, m_policy.budget}))
    {
    }

    Played call(std::vector<Scripted> answers)
    {
        const MonotonicTime begin = m_driver.now();
        const journal::OperationId id
            = m_driver.start(begin.time_since_epoch(), shared(callOf(m_policy, m_scope)), inTurn(std::move(answers)));
        m_driver.run();
        const Summary &summary = m_driver.summary(id);
        Played played{.end = summary.reason ? std::string{word(*summary.reason)} : std::string{word(summary.result)},
            .attempts = summary.attempts,
            .took = m_driver.finishedAt(id) - begin};
        for (const Seen &seen : m_driver.log().all<journal::RetryScheduled>(id)) {
            played.delays.push_back(seen.decision.wait());
            if (seen.decision.tokensAfter)
                played.tokens.push_back(*seen.decision.tokensAfter);
        }
        return played;
    }
    double tokens() { return m_scope->budget.available(m_driver.now()).value_or(-1); }

private:
    Driver m_driver;
    Policy m_policy;
    std::shared_ptr<Scope> m_scope;
};

} // namespace throttlescope::testing
