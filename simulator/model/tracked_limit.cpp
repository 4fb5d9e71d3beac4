// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/tracked_limit.h"

#include <chrono>
#include <fmt/format.h>
#include <iterator>

namespace throttlescope::model {

TrackedLimit::TrackedLimit(const Limit &limit, const OnLimit &serverRules, const ServerClock &clock)
    : m_limit(limit)
    , m_onLimit(limit.onLimit ? *limit.onLimit : serverRules)
    , m_rules(rulesOf(limit, clock))
    , m_initial(initialWindow(limit, m_rules))
    , m_more{m_initial, "#more"}
{
}

WindowRules TrackedLimit::rulesOf(const Limit &limit, const ServerClock &clock)
{
    const bool isBucket = limit.window == WindowKind::TokenBucket;
    const bool onCalendar = limit.window == WindowKind::Fixed && limit.align == Align::Calendar;
    auto period = limit.per;
    if (period.civil == Period::Civil::Day)
        period.length = std::chrono::hours{24}; // a civil day only where the calendar is asked, which looks at `civil` alone
    if (period.length <= Duration::zero())
        period.length = Duration{1};
    return {limit.quota, isBucket ? limit.burst.value_or(limit.quota) : limit.quota, period,
        onCalendar ? std::optional{Calendar{period, limit.timeZone}} : std::nullopt, clock};
}

TrackedLimit::Window TrackedLimit::initialWindow(const Limit &limit, const WindowRules &rules)
{
    switch (limit.window) {
    case WindowKind::Fixed: return FixedWindow{rules, limit.used};
    case WindowKind::Sliding: return SlidingWindow{rules, limit.used};
    case WindowKind::TokenBucket: return TokenBucket{rules, limit.used};
    case WindowKind::Concurrency: break;
    }
    return ConcurrencyWindow{rules, limit.used};
}

std::string_view TrackedLimit::keyOf(const Request &request) const
{
    const auto *value = request.headers ? findHeader(*request.headers, m_limit.keyHeader) : nullptr;
    return value ? std::string_view{*value} : request.key;
}

/// Keys come from clients, who may send as many and as long ones as they like.
void TrackedLimit::selectKey(MonotonicTime now, std::string_view key)
{
    constexpr std::size_t longest = 256;
    const std::string shortened = key.size() <= longest ? std::string{} : fmt::format("{} {}", key.size(), KeyHash{}(key));
    const std::string_view kept = key.size() <= longest ? key : std::string_view{shortened};
    auto found = m_windows.find(kept);
    if (found == m_windows.end() && m_windows.size() >= kMostKeys)
        forgetUnused(now);
    if (found == m_windows.end() && m_windows.size() < kMostKeys)
        found = m_windows.emplace(std::string{kept}, KeyedWindow{m_initial, '#' + std::to_string(++m_keysSeen)}).first;
    KeyedWindow &selected = found == m_windows.end() ? m_more : found->second;
    m_alias = selected.alias;
    m_window = &selected.window;
}

/// A window of which nothing is used is as good as a new one. Once a moment at most: looking at them all takes time.
void TrackedLimit::forgetUnused(MonotonicTime now)
{
    if (m_limit.used > 0 || now < saturatingAdd(m_sweptAt, std::chrono::seconds{1}))
        return;
    m_sweptAt = now;
    const auto unused = [now](auto &window) {
        window.advance(now);
        return window.used() == 0;
    };
    for (auto each = m_windows.begin(); each != m_windows.end();)
        each = std::visit(unused, each->second.window) ? m_windows.erase(each) : std::next(each);
}

void TrackedLimit::select(MonotonicTime now, const Request &request)
{
    if (!m_limit.keyHeader.empty())
        selectKey(now, keyOf(request));
    m_units = m_limit.unit == Unit::Units ? request.units : 1;
    m_violated = false;
    m_changed = false;
    std::visit([now](auto &window) { window.advance(now); }, *m_window);
}

bool TrackedLimit::admits()
{
    m_violated = !std::visit([this](const auto &window) { return window.admits(m_units); }, *m_window);
    return !m_violated;
}

void TrackedLimit::count(MonotonicTime now)
{
    std::visit([&](auto &window) { window.count(now, m_units); }, *m_window);
    m_changed = true;
}

void TrackedLimit::restart(MonotonicTime now)
{
    std::visit([now](auto &window) { window.restart(now); }, *m_window);
    m_changed = true;
}

void TrackedLimit::release()
{
    if (auto *window = std::get_if<ConcurrencyWindow>(m_window)) {
        window->release(m_units);
        m_changed = true;
    }
}

std::optional<MonotonicTime> TrackedLimit::reset(MonotonicTime now) const
{
    return std::visit([&](const auto &window) { return m_violated ? window.admittedAt(now, m_units) : window.resetAt(now); }, *m_window);
}

std::uint64_t TrackedLimit::used() const
{
    return std::visit([](const auto &window) { return window.used(); }, *m_window);
}

Duration TrackedLimit::length() const
{
    return std::visit([](const auto &window) { return window.length(); }, *m_window);
}

WindowReading TrackedLimit::reading(MonotonicTime now)
{
    return {m_limit.name, m_alias, used(), m_rules.capacity, std::visit([](const auto &window) { return window.begins(); }, *m_window),
        reset(now), m_changed};
}

} // namespace throttlescope::model
