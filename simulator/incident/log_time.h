// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace date {
class time_zone;
}

namespace throttlescope::incident {

/// Whose clock a log without a zone was written by. Aware of summer time.
class LogTimeZone {
public:
    LogTimeZone() = default; ///< UTC
    /// "UTC", "Z", "+02:00", "-0530", "+2", an IANA name, or "local". The error says what was expected.
    static tl::expected<LogTimeZone, std::string> named(std::string_view name);
    static LogTimeZone fixed(Duration offset);

    /// The moment at which that clock showed `local` (since its 1970-01-01T00:00). An hour that came twice is the first one,
    /// unless the log, which was at `last` before, would run back; one that was left out counts on from before it.
    WallTime moment(Duration local, WallTime last) const;
    /// How far ahead of UTC that clock was.
    Duration offsetAt(WallTime at) const;

private:
    struct Span {
        Duration from{}; ///< on the local clock
        Duration to{};
        Duration offset{};
    };

    const date::time_zone *m_zone = nullptr; ///< none: the same offset for ever, `m_known`'s
    mutable Span m_known; ///< where the offset of the last look-up holds beyond doubt: a look-up costs a search
};

/// A moment as a log has it.
struct LogTime {
    Duration local{}; ///< since 1970-01-01T00:00 on the clock that wrote it
    std::optional<Duration> offset; ///< ahead of UTC, as written; none: not written
    Duration precision{};

    bool operator==(const LogTime &) const = default;
};

/// "10/Oct/2000:13:55:36 -0700": Apache's %t and nginx's $time_local. Only the 26 characters at the beginning are looked at.
std::optional<LogTime> readClfTime(std::string_view text);
inline constexpr std::size_t kClfTimeSize = 26;
/// "2021/12/02 11:53:15": nginx's error log. Only the 19 characters at the beginning are looked at.
std::optional<LogTime> readErrorLogTime(std::string_view text);
/// RFC 3339 and its relatives: 'T' or a blank, a fraction of any length, "Z", "+01:00", "+0100", or no zone.
std::optional<LogTime> readIsoTime(std::string_view text);
/// What a clock counts in.
enum class EpochUnit { Guessed, Seconds, Milliseconds, Microseconds, Nanoseconds };
/// Since 1970, in decimal notation. Guessed by size: up to 10^10 are seconds (the year 2286), up to 10^13 milliseconds, and
/// so on; of the year 1970 itself only seconds are told apart. Nothing beyond the year 9999.
std::optional<LogTime> readEpochTime(std::string_view text, EpochUnit unit);
/// Any of them, and whatever date a header may hold.
std::optional<LogTime> readAnyTime(std::string_view text, EpochUnit unit);

} // namespace throttlescope::incident
