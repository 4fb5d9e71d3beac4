// SPDX-License-Identifier: Apache-2.0
#include "core/engine/breaker.h"

#include "core/engine/rounding.h"

#include <algorithm>

namespace throttlescope {

namespace {

constexpr Duration kOpenWithoutHint = 30s;

} // namespace

Breaker::Transition Breaker::refreshTripped(MonotonicTime now)
{
    if (m_state == State::Open && m_until && now >= *m_until) {
        m_state = State::HalfOpen;
        ++m_generation;
        m_leases.clear();
        m_successes = 0;
        return HalfOpened{m_generation};
    }
    forgetExpired(now);
    return {};
}

void Breaker::forgetExpired(MonotonicTime now)
{
    std::erase_if(m_leases, [now](const Lease &lease) { return now >= lease.expires; });
}

bool Breaker::holdsLease(const Pass &pass) const
{
    return std::any_of(m_leases.begin(), m_leases.end(), [&pass](const Lease &lease) { return lease.id == pass.lease; });
}

bool Breaker::allows(const Pass &pass) const
{
    switch (m_state) {
    case State::Closed: return true;
    case State::Open: return false;
    case State::HalfOpen: return holdsLease(pass) || !m_spec || static_cast<int>(m_leases.size()) < m_spec->probes.count;
    }
    return false;
}

std::optional<Breaker::Pass> Breaker::admit(MonotonicTime now, const Pass &previous)
{
    if (!allows(previous))
        return std::nullopt;
    if (m_state != State::HalfOpen || !m_spec)
        return Pass{m_generation, 0};
    if (holdsLease(previous))
        return previous;
    m_leases.push_back({++m_lastLease, saturatingAdd(now, m_spec->probes.lease)});
    return Pass{m_generation, m_lastLease};
}

Breaker::Transition Breaker::record(MonotonicTime now, const Pass &pass, Vote vote, bool throttled, std::optional<Duration> hint)
{
    if (!m_spec || pass.generation != m_generation)
        return {};
    if (m_state == State::HalfOpen) {
        forgetExpired(now);
        if (!holdsLease(pass))
            return {}; // its lease ran out: somebody else may be probing by now
        release(pass);
        if (vote == Vote::Failure)
            return open(now, "probe", hint);
        return ++m_successes >= m_spec->probes.count ? close() : Transition{};
    }
    const std::string_view cause = tripped(now, vote == Vote::Failure, throttled);
    return cause.empty() ? Transition{} : open(now, cause, hint);
}

void Breaker::release(const Pass &pass)
{
    std::erase_if(m_leases, [&pass](const Lease &lease) { return lease.id == pass.lease; });
}

std::string_view Breaker::tripped(MonotonicTime now, bool failure, bool throttled)
{
    if (std::holds_alternative<TripFirstThrottle>(m_spec->trip))
        return throttled ? "first_throttle" : "";
    if (const auto *consecutive = std::get_if<TripConsecutive>(&m_spec->trip)) {
        m_consecutive = failure ? m_consecutive + 1 : 0;
        return m_consecutive >= consecutive->failures ? "consecutive" : "";
    }
    return ratioReached(now, failure, std::get<TripRatio>(m_spec->trip)) ? "ratio" : "";
}

bool Breaker::ratioReached(MonotonicTime now, bool failure, const TripRatio &ratio)
{
    m_samples.append({now, failure});
    m_failures += failure ? 1 : 0;
    while (!m_samples.empty() && now - m_samples.front().at >= ratio.window) {
        m_failures -= m_samples.front().failure ? 1 : 0;
        m_samples.dropFront();
    }
    const auto total = static_cast<int>(m_samples.size());
    return total >= ratio.minimum && m_failures > 0 && m_failures + kRoundingSlack >= ratio.of * total;
}

Breaker::Transition Breaker::open(MonotonicTime now, std::string_view cause, std::optional<Duration> hint)
{
    m_state = State::Open;
    m_leases.clear();
    ++m_generation;
    m_until = std::nullopt;
    if (const auto *duration = std::get_if<Duration>(&m_spec->openFor))
        m_until = saturatingAdd(now, *duration);
    else if (std::holds_alternative<OpenForHint>(m_spec->openFor))
        m_until = saturatingAdd(now, hint.value_or(kOpenWithoutHint));
    return Opened{m_until, m_generation, cause};
}

void Breaker::retune(std::optional<BreakerSpec> spec)
{
    m_spec = std::move(spec);
    if (!m_spec && m_state != State::Closed)
        close(); // nobody is left who could ever close it
}

Breaker::Transition Breaker::close()
{
    m_state = State::Closed;
    m_leases.clear();
    ++m_generation;
    m_consecutive = 0;
    m_samples.clear();
    m_failures = 0;
    return Closed{m_generation};
}

} // namespace throttlescope
