// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/limits.h"

#include <algorithm>

namespace throttlescope {

Limits::Limits(const Server &server, const ServerClock &clock)
    : m_server(server), m_clock(clock), m_asked(server.limits.size()), m_keys(server.limits.size()), m_readings(server.limits.size())
{
    m_limits.reserve(server.limits.size());
    for (std::size_t i = 0; i < server.limits.size(); ++i) {
        m_limits.push_back({server.limits[i], makeWindow(server.limits[i], clock), {}});
        m_readings[i].limit = server.limits[i].name;
        m_readings[i].quota = server.limits[i].window == WindowKind::TokenBucket ? server.limits[i].burst.value_or(server.limits[i].quota) : server.limits[i].quota;
    }
}

WindowState &Limits::stateFor(Entry &entry, const Request &request, std::size_t index)
{
    if (entry.limit.keyHeader.empty())
        return entry.single;
    const std::string *value = request.headers ? findHeader(*request.headers, entry.limit.keyHeader) : nullptr;
    m_keys[index] = value ? *value : std::string{request.key};
    auto found = entry.byKey.find(m_keys[index]);
    if (found == entry.byKey.end())
        found = entry.byKey.emplace(m_keys[index], makeWindow(entry.limit, m_clock)).first;
    return found->second;
}

void Limits::ask(MonotonicTime now, const Request &request)
{
    for (std::size_t i = 0; i < m_limits.size(); ++i) {
        Asked &asked = m_asked[i];
        asked.state = &stateFor(m_limits[i], request, i);
        asked.units = m_limits[i].limit.unit == Unit::Units ? request.units : 1;
        std::visit([&](auto &window) {
            window.advance(now);
            asked.violated = !window.admits(asked.units);
        }, *asked.state);
    }
}

Limits::Verdict Limits::arrive(MonotonicTime now, const Request &request)
{
    ask(now, request);
    Verdict verdict;
    verdict.onLimit = &m_server.onLimit;
    verdict.admitted = std::none_of(m_asked.begin(), m_asked.end(), [](const Asked &asked) { return asked.violated; });
    for (std::size_t i = 0; i < m_limits.size(); ++i) {
        Asked &asked = m_asked[i];
        const OnLimit &onLimit = m_limits[i].limit.onLimit ? *m_limits[i].limit.onLimit : m_server.onLimit;
        const bool concurrency = m_limits[i].limit.window == WindowKind::Concurrency;
        const bool counts = verdict.admitted || (onLimit.counts == Counts::All && !concurrency);
        const bool early = asked.violated && onLimit.earlyRetry == EarlyRetry::Extend && request.due && now < *request.due;
        std::visit([&](auto &window) {
            if (counts)
                window.count(now, asked.units);
            if (early)
                window.restart(now);
            asked.reset = asked.violated ? window.admissible(asked.units) : window.resets();
        }, *asked.state);
        read(i, counts || early);
    }
    if (verdict.admitted)
        return verdict;
    verdict.decisive = decisiveViolation();
    if (m_limits[verdict.decisive].limit.onLimit)
        verdict.onLimit = &*m_limits[verdict.decisive].limit.onLimit;
    verdict.reportedReset = reported(verdict.onLimit->reports);
    return verdict;
}

/// The violated limit whose wait is the longest; one without a reset only where it stands alone.
std::size_t Limits::decisiveViolation() const
{
    std::size_t decisive = m_asked.size();
    for (std::size_t i = 0; i < m_asked.size(); ++i) {
        if (m_asked[i].violated && (decisive == m_asked.size() || m_asked[i].reset > m_asked[decisive].reset))
            decisive = i;
    }
    return decisive;
}

std::optional<MonotonicTime> Limits::reported(Reports reports) const
{
    std::optional<MonotonicTime> chosen;
    for (const Asked &asked : m_asked) {
        if (!asked.reset || (reports == Reports::Violated && !asked.violated))
            continue;
        const bool better = reports == Reports::Shortest ? asked.reset < chosen : asked.reset > chosen;
        if (!chosen || better)
            chosen = asked.reset;
    }
    return chosen;
}

void Limits::read(std::size_t index, bool changed)
{
    WindowReading &reading = m_readings[index];
    reading.key = m_keys[index];
    reading.changed = changed;
    std::visit([&reading](const auto &window) {
        reading.used = window.used();
        reading.begins = window.begins();
        reading.resets = window.resets();
    }, *m_asked[index].state);
}

void Limits::release(MonotonicTime, const Request &request)
{
    for (std::size_t i = 0; i < m_limits.size(); ++i) {
        if (m_limits[i].limit.window == WindowKind::Concurrency)
            std::get<ConcurrencyLimit>(stateFor(m_limits[i], request, i)).release();
    }
}

} // namespace throttlescope
