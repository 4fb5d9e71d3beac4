// SPDX-License-Identifier: Apache-2.0
#include "core/engine/budget.h"

#include "core/engine/rounding.h"

#include <algorithm>

namespace throttlescope {

Budget::Budget(std::optional<BudgetSpec> spec)
    : m_spec(std::move(spec))
{
    if (m_spec) {
        if (const auto *bucket = std::get_if<TokenBucketBudget>(&*m_spec))
            m_tokens = bucket->capacity;
    }
}

void Budget::forget(MonotonicTime now, const RatioBudget &ratio)
{
    for (auto *log : {&m_requests, &m_retries}) {
        while (!log->empty() && now - log->front() >= ratio.memory)
            log->dropFront();
    }
}

double Budget::allowance(const RatioBudget &ratio) const
{
    if (ratio.minInFlight)
        return std::max(ratio.fraction * m_attemptsInFlight, static_cast<double>(*ratio.minInFlight)) - m_retriesInFlight;
    const double minimum = ratio.minPerSecond.value_or(0) * secondsOf(ratio.memory);
    return ratio.fraction * static_cast<double>(m_requests.size()) + minimum - static_cast<double>(m_retries.size());
}

std::optional<double> Budget::available(MonotonicTime now)
{
    if (!m_spec)
        return std::nullopt;
    if (const auto *ratio = std::get_if<RatioBudget>(&*m_spec)) {
        forget(now, *ratio);
        return allowance(*ratio);
    }
    return m_tokens;
}

double Budget::cost(Family family, bool timedOut) const
{
    const auto *bucket = m_spec ? std::get_if<TokenBucketBudget>(&*m_spec) : nullptr;
    if (!bucket)
        return 1;
    if (timedOut)
        return bucket->timeoutCost;
    return family == Family::RateLimited ? bucket->throttleCost.value_or(bucket->cost) : bucket->cost;
}

std::optional<Budget::Reservation> Budget::reserve(MonotonicTime now, double cost)
{
    const std::optional<double> left = available(now);
    if (left && *left + kRoundingSlack < cost)
        return std::nullopt;
    Reservation reservation{.active = true};
    ++m_retriesInFlight;
    if (!m_spec)
        return reservation;
    if (const auto *ratio = std::get_if<RatioBudget>(&*m_spec)) {
        if (!ratio->minInFlight) {
            m_retries.append(now);
            reservation.logged = now;
        }
    } else {
        m_tokens = std::max(0.0, m_tokens - cost);
        reservation.paid = cost;
    }
    return reservation;
}

void Budget::release(Reservation &reservation)
{
    if (!reservation.active)
        return;
    reservation.active = false;
    --m_retriesInFlight;
    if (reservation.logged) {
        // The entry may be forgotten already; another retry's must then stay.
        const auto entry = std::lower_bound(m_retries.begin(), m_retries.end(), *reservation.logged);
        if (entry != m_retries.end() && *entry == *reservation.logged)
            m_retries.erase(entry);
    }
    if (const auto *bucket = m_spec ? std::get_if<TokenBucketBudget>(&*m_spec) : nullptr)
        m_tokens = std::min(bucket->capacity, m_tokens + reservation.paid);
}

void Budget::attemptStarted(MonotonicTime now, bool isRetry)
{
    ++m_attemptsInFlight;
    const auto *ratio = m_spec ? std::get_if<RatioBudget>(&*m_spec) : nullptr;
    if (!ratio || isRetry || ratio->minInFlight)
        return;
    forget(now, *ratio);
    m_requests.append(now);
}

void Budget::attemptFinished(Reservation &reservation)
{
    --m_attemptsInFlight;
    if (reservation.active)
        --m_retriesInFlight;
    reservation.active = false;
}

void Budget::succeeded(std::optional<double> paidForLastRetry)
{
    const auto *bucket = m_spec ? std::get_if<TokenBucketBudget>(&*m_spec) : nullptr;
    if (bucket)
        m_tokens = std::min(bucket->capacity, m_tokens + paidForLastRetry.value_or(1));
}

void Budget::retune(std::optional<BudgetSpec> spec)
{
    const bool hadBucket = m_spec && std::holds_alternative<TokenBucketBudget>(*m_spec);
    m_spec = std::move(spec);
    const auto *bucket = m_spec ? std::get_if<TokenBucketBudget>(&*m_spec) : nullptr;
    if (bucket)
        m_tokens = hadBucket ? std::min(m_tokens, bucket->capacity) : bucket->capacity;
}

} // namespace throttlescope
