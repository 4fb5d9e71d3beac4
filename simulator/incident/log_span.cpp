// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/log_span.h"

#include <chrono>
#include <fmt/format.h>

namespace throttlescope::incident {

namespace {

using std::chrono::days;
using std::chrono::hours;

/// "01:50" or "01:50:30", since midnight.
std::optional<Duration> clockOf(std::string_view text)
{
    std::string whole = fmt::format("2000-01-01T{}", text.substr(0, 8));
    if (text.size() == 5)
        whole += ":00";
    else if (text.size() != 8)
        return std::nullopt;
    const auto time = readIsoTime(whole);
    constexpr Duration kMidnight = std::chrono::sys_days{std::chrono::year{2000} / 1 / 1}.time_since_epoch();
    return time && !time->offset ? std::optional{time->local - kMidnight} : std::nullopt;
}

tl::expected<WallTime, std::string> momentNamed(std::string_view name, std::string_view text, Duration midnight, const LogTimeZone &zone)
{
    if (const auto clock = clockOf(text))
        return zone.moment(midnight + *clock, WallTime::min());
    if (const auto time = readIsoTime(text))
        return time->offset ? WallTime{time->local - *time->offset} : zone.moment(time->local, WallTime::min());
    return tl::unexpected(fmt::format("{} '{}': expected a time as 2026-06-02T01:50:00Z or 01:50", name, text.substr(0, 60)));
}

} // namespace

tl::expected<LogSpan, std::string> logSpan(std::string_view since, std::string_view until, WallTime first, const LogTimeZone &zone)
{
    const Duration local = first.time_since_epoch() + zone.offsetAt(first);
    Duration midnight = std::chrono::floor<days>(local);
    // Of a log that begins in the evening, a clock of the morning is the next day's.
    const auto begin = clockOf(since.empty() ? until : since);
    if (begin && midnight + *begin + hours{12} <= local)
        midnight += days{1};
    LogSpan span;
    if (!since.empty()) {
        const auto moment = momentNamed("--since", since, midnight, zone);
        if (!moment)
            return tl::unexpected(moment.error());
        span.since = *moment;
    }
    if (!until.empty()) {
        auto moment = momentNamed("--until", until, midnight, zone);
        if (moment && clockOf(until) && span.since && *moment <= *span.since)
            moment = momentNamed("--until", until, midnight + days{1}, zone);
        if (!moment)
            return tl::unexpected(moment.error());
        span.until = *moment;
    }
    if (span.since && span.until && *span.until <= *span.since)
        return tl::unexpected(std::string{"--until is not after --since"});
    return span;
}

} // namespace throttlescope::incident
