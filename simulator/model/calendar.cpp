// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/calendar.h"

#include <algorithm>
#include <date/tz.h>
#include <stdexcept>

namespace throttlescope {

namespace {

using std::chrono::days;

Duration sinceMultiple(Duration localTime, Duration period)
{
    const std::int64_t rest = localTime.count() % period.count();
    return Duration{rest < 0 ? rest + period.count() : rest};
}

WallSpan civilDay(WallTime time, const date::time_zone *zone)
{
    if (!zone) {
        const auto day = std::chrono::floor<days>(time);
        return {day, day + days{1}};
    }
    const auto day = date::floor<date::days>(zone->to_local(time));
    const auto startOf = [zone](date::local_days local) { return WallTime{zone->to_sys(local, date::choose::earliest)}; };
    return {startOf(day), startOf(day + date::days{1})};
}

WallSpan civilMonth(WallTime time, const date::time_zone *zone)
{
    const date::local_days today = zone ? date::floor<date::days>(zone->to_local(time)) : date::local_days{date::floor<date::days>(time).time_since_epoch()};
    const date::year_month_day ymd{today};
    const date::year_month month = ymd.year() / ymd.month();
    const auto startOf = [zone](date::year_month of) {
        const date::local_days first{of / date::day{1}};
        return zone ? WallTime{zone->to_sys(first, date::choose::earliest)} : WallTime{first.time_since_epoch()};
    };
    return {startOf(month), startOf(month + date::months{1})};
}

/// A boundary is an instant at which the local clock shows a multiple of the period, or jumps over one.
WallSpan dividedDay(WallTime time, Duration period, const date::time_zone *zone)
{
    if (!zone) {
        const WallTime begin = time - sinceMultiple(time.time_since_epoch(), period);
        return {begin, begin + period};
    }
    const auto blockOf = [period](WallTime at, Duration offset) {
        const Duration local = at.time_since_epoch() + offset;
        return (local - sinceMultiple(local, period)).count() / period.count();
    };
    const date::sys_info info = zone->get_info(time);
    const Duration offset = info.offset;
    WallSpan span{time - sinceMultiple(time.time_since_epoch() + offset, period), {}};
    span.end = span.begin + period;
    if (const WallTime change{info.begin}; span.begin < change) {
        const Duration before = zone->get_info(change - Duration{1}).offset;
        const bool boundary = sinceMultiple(change.time_since_epoch() + offset, period) == Duration::zero() || blockOf(change, before) != blockOf(change, offset);
        span.begin = boundary ? change : change - sinceMultiple(change.time_since_epoch() + before, period);
    }
    if (const WallTime change{info.end}; change < span.end) {
        const Duration after = zone->get_info(change).offset;
        const Duration into = sinceMultiple(change.time_since_epoch() + after, period);
        const bool boundary = into == Duration::zero() || blockOf(change, offset) != blockOf(change, after);
        span.end = boundary ? change : change - into + period;
    }
    return span;
}

} // namespace

bool knownTimeZone(const std::string &name)
{
    try {
        return date::locate_zone(name) != nullptr;
    } catch (const std::runtime_error &) {
        return false;
    }
}

WallSpan calendarWindow(WallTime time, const Period &period, const std::string &zoneName)
{
    const date::time_zone *zone = zoneName.empty() ? nullptr : date::locate_zone(zoneName);
    switch (period.civil) {
    case Period::Civil::Day: return civilDay(time, zone);
    case Period::Civil::Month: return civilMonth(time, zone);
    case Period::Civil::None: break;
    }
    return dividedDay(time, period.length, zone);
}

} // namespace throttlescope
