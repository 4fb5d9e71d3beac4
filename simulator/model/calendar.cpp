// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/calendar.h"

#include <date/date.h>
#include <date/tz.h>

#include <algorithm>
#include <stdexcept>

namespace throttlescope {

bool knownTimeZone(const std::string &name)
{
    try {
        return date::locate_zone(name) != nullptr;
    } catch (const std::runtime_error &) {
        return false;
    }
}

namespace model {

namespace {

constexpr Duration kTick{1};

/// The clock on the wall, as microseconds since the local 1970-01-01T00:00. Days are 24 h on it, always.
constexpr Duration floorTo(Duration value, Duration step)
{
    const auto rest = value % step;
    return rest < Duration::zero() ? value - rest - step : value - rest;
}

WallTime wallTime(date::sys_seconds time)
{
    return WallTime{std::chrono::duration_cast<Duration>(time.time_since_epoch())};
}

date::sys_seconds flooredToSeconds(WallTime time)
{
    return date::sys_seconds{std::chrono::floor<std::chrono::seconds>(time.time_since_epoch())};
}

} // namespace

Calendar::Calendar(const Period &period, const std::string &timeZone)
    : m_period(period)
    , m_zone(timeZone.empty() ? nullptr : date::locate_zone(timeZone))
    , m_offset{WallTime::min(), m_zone ? WallTime::min() : WallTime::max(), Duration::zero()}
{
    m_period.length = std::max(m_period.length, kTick);
}

WallSpan Calendar::windowAt(WallTime at) const
{
    switch (m_period.civil) {
    case Period::Civil::Day: return civilDay(at);
    case Period::Civil::Month: return civilMonth(at);
    case Period::Civil::None: break;
    }
    return {lastBoundary(at), nextBoundary(at)};
}

const Calendar::Offset &Calendar::offsetAt(WallTime at) const
{
    if (!m_offset.holds(at)) {
        const auto info = m_zone->get_info(flooredToSeconds(at));
        m_offset = {wallTime(info.begin), wallTime(info.end), info.offset};
    }
    return m_offset;
}

/// True where the local clock shows a multiple of the window's length at the transition, or skips one there.
bool Calendar::boundaryAtTransition(WallTime transition, Duration before, Duration after) const
{
    const auto shown = transition.time_since_epoch() + after;
    const auto last = floorTo(shown, m_period.length);
    return last == shown || last >= transition.time_since_epoch() + before;
}

WallTime Calendar::lastBoundary(WallTime at) const
{
    for (;;) {
        const auto offset = offsetAt(at);
        const auto candidate = WallTime{floorTo(at.time_since_epoch() + offset.value, m_period.length) - offset.value};
        if (candidate >= offset.begin)
            return candidate;
        const auto before = offsetAt(offset.begin - kTick);
        if (boundaryAtTransition(offset.begin, before.value, offset.value))
            return offset.begin;
        at = offset.begin - kTick;
    }
}

WallTime Calendar::nextBoundary(WallTime at) const
{
    for (;;) {
        const auto offset = offsetAt(at);
        const auto shown = floorTo(at.time_since_epoch() + offset.value, m_period.length) + m_period.length;
        const auto candidate = WallTime{shown - offset.value};
        if (candidate < offset.end)
            return candidate;
        const auto after = offsetAt(offset.end);
        if (boundaryAtTransition(offset.end, offset.value, after.value))
            return offset.end;
        at = offset.end;
    }
}

/// When the civil day begins: at its first midnight, or at the transition that skips midnight.
WallTime Calendar::midnight(std::int64_t day) const
{
    const auto local = date::local_days{date::days{static_cast<int>(day)}};
    if (!m_zone)
        return WallTime{std::chrono::duration_cast<Duration>(local.time_since_epoch())};
    return wallTime(m_zone->to_sys(date::local_seconds{local}, date::choose::earliest));
}

WallSpan Calendar::civilDay(WallTime at) const
{
    std::int64_t day = std::chrono::floor<date::days>(at.time_since_epoch() + offsetAt(at).value).count();
    // A clock set back over midnight shows yesterday's date again; that hour stays in the day that had begun.
    while (at < midnight(day))
        --day;
    while (at >= midnight(day + 1))
        ++day;
    return {midnight(day), midnight(day + 1)};
}

WallSpan Calendar::civilMonth(WallTime at) const
{
    const auto begins = [this](date::year_month month) { return midnight(date::local_days{month / 1}.time_since_epoch().count()); };
    const date::year_month_day today{date::local_days{std::chrono::floor<date::days>(at.time_since_epoch() + offsetAt(at).value)}};
    auto month = today.year() / today.month();
    while (at < begins(month))
        month -= date::months{1};
    while (at >= begins(month + date::months{1}))
        month += date::months{1};
    return {begins(month), begins(month + date::months{1})};
}

} // namespace model

} // namespace throttlescope
