// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/fifo.h"
#include "core/engine/policy.h"

namespace throttlescope {

/// The retry budget of one scope. Reserved at the decision, returned if the retry never starts.
class Budget {
public:
    /// What one retry has reserved; handed back to exactly one of `release` or, once it ran, `attemptFinished`.
    struct Reservation {
        double paid = 0; ///< tokens; a ratio is not paid in tokens
        bool active = false;
        std::optional<MonotonicTime> logged{}; ///< ratio with a memory: its entry there
    };

    explicit Budget(std::optional<BudgetSpec> spec);

    /// What is left: tokens of the bucket, or retries that the ratio would still allow now. None without a budget.
    std::optional<double> available(MonotonicTime now);
    /// What a retry after that outcome costs; a retry counts 1 under a ratio.
    double cost(Family family, bool timedOut) const;
    /// None: not enough left.
    std::optional<Reservation> reserve(MonotonicTime now, double cost);
    void release(Reservation &reservation);

    void attemptStarted(MonotonicTime now, bool isRetry);
    void attemptFinished(Reservation &reservation);
    /// Token bucket: a success refunds what the last retry paid; a success without a retry adds 1.
    void succeeded(std::optional<double> paidForLastRetry);
    void retune(std::optional<BudgetSpec> spec);

private:
    void forget(MonotonicTime now, const RatioBudget &ratio);
    double allowance(const RatioBudget &ratio) const;

    std::optional<BudgetSpec> m_spec;
    double m_tokens = 0;
    Fifo<MonotonicTime> m_requests, m_retries; ///< ratio: inside the memory
    int m_attemptsInFlight = 0;
    int m_retriesInFlight = 0; ///< reserved ones included; counted under every kind of budget, so that retuning keeps it true
};

} // namespace throttlescope
