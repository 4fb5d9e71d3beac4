// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/log_time.h"

#include <date/tz.h>

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <stdexcept>

namespace throttlescope::incident {

namespace {

/// A log runs back by less than this where its lines are merely out of order.
constexpr Duration kDisorder = std::chrono::seconds{30};

Duration microseconds(std::chrono::seconds value)
{
    return std::chrono::duration_cast<Duration>(value);
}

} // namespace

tl::expected<LogTimeZone, std::string> LogTimeZone::named(std::string_view name)
{
    LogTimeZone zone;
    if (name == "UTC" || name == "Z" || name == "GMT")
        return zone;
    const auto expected = [name] {
        return tl::unexpected(
            fmt::format("no time zone '{}', expected an offset as +02:00, a name as Europe/Berlin, UTC, or local", name.substr(0, 60)));
    };
    if (!name.empty() && (name.front() == '+' || name.front() == '-')) {
        std::string text = fmt::format("2000-01-01T00:00:00{}", name);
        if (name.size() == 2)
            text.insert(text.size() - 1, "0");
        const auto time = readIsoTime(text);
        if (!time || !time->offset)
            return expected();
        zone.m_known.offset = *time->offset;
        return zone;
    }
    try {
        zone.m_zone = name == "local" ? date::current_zone() : date::locate_zone(std::string{name});
    } catch (const std::exception &) {
        return expected();
    }
    return zone;
}

LogTimeZone LogTimeZone::fixed(Duration offset)
{
    LogTimeZone zone;
    zone.m_known.offset = offset;
    return zone;
}

WallTime LogTimeZone::moment(Duration local, WallTime last) const
{
    if (!m_zone || (local >= m_known.from && local < m_known.to))
        return WallTime{local - m_known.offset};
    const auto seconds = std::chrono::floor<std::chrono::seconds>(local);
    const date::local_info found = m_zone->get_info(date::local_seconds{seconds});
    const WallTime first{local - microseconds(found.first.offset)};
    if (found.result == date::local_info::ambiguous && first + kDisorder < last)
        return WallTime{local - microseconds(found.second.offset)};
    if (found.result == date::local_info::unique) {
        // A day away from both ends no transition is near.
        const auto shownAt = [&found](date::sys_seconds end) { return end.time_since_epoch() + found.first.offset; };
        constexpr std::chrono::seconds kFar{std::int64_t{1} << 42}; // 139,000 years: fits into microseconds
        m_known = {microseconds(std::max(shownAt(found.first.begin) + std::chrono::days{1}, -kFar)),
            microseconds(std::min(shownAt(found.first.end) - std::chrono::days{1}, kFar)), microseconds(found.first.offset)};
    }
    return first;
}

Duration LogTimeZone::offsetAt(WallTime at) const
{
    if (!m_zone)
        return m_known.offset;
    return microseconds(m_zone->get_info(date::sys_seconds{std::chrono::floor<std::chrono::seconds>(at.time_since_epoch())}).offset);
}

} // namespace throttlescope::incident
