// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// HTTP-date (RFC 9110 5.6.7), in GMT whatever the machine's zone. Reading knows no locale, throws nothing and allocates
/// nothing; its time is bounded, however long the text. Thread-safe.
namespace throttlescope::signals {

enum class DateForm : std::uint8_t {
    ImfFixdate, ///< Sun, 06 Nov 1994 08:49:37 GMT
    Rfc850, ///< Sunday, 06-Nov-94 08:49:37 GMT
    Asctime, ///< Sun Nov  6 08:49:37 1994
    Loose, ///< one of the three with a deviation: case, spaces, one-digit day, a numeric zone, a fraction, …
    Iso8601, ///< 2026-03-01T00:01:00+01:00, also without seconds or zone (then UTC)
    JavaScript, ///< Tue Feb 16 2021 09:02:42 GMT+0100 (Central European Standard Time)
};

struct HttpDate {
    WallTime time;
    DateForm form = DateForm::ImfFixdate;
    bool wrongDayName = false; ///< tolerated; never set in strict mode
    bool operator==(const HttpDate &) const = default;
};

enum class DateMode : std::uint8_t {
    Strict, ///< the three forms to the letter, the day name included; second 60 only at 23:59
    Tolerant, ///< any DateForm, with a wrong day name, with second 60 in any minute
};

/// Reads a date. `now` decides the century of a two-digit year: the latest one that is not more than 50 years ahead, the
/// timestamps compared and not the years. A second 60 is the next minute's first. No white space around the text.
std::optional<HttpDate> readHttpDate(std::string_view text, WallTime now, DateMode mode);

/// The three forms of the RFC, with a wrong day name tolerated: what a `Date` field is read with.
std::optional<WallTime> parseHttpDate(std::string_view text, WallTime now);

/// IMF-fixdate of the second that contains `time`: "Sun, 06 Nov 1994 08:49:37 GMT".
void appendImfFixdate(std::string &out, WallTime time);
/// The obsolete forms, for servers that still send them: "Sunday, 06-Nov-94 08:49:37 GMT" and "Sun Nov  6 08:49:37 1994".
void appendRfc850Date(std::string &out, WallTime time);
void appendAsctimeDate(std::string &out, WallTime time);
/// JavaScript's text of it, in UTC: "Tue Jun 02 2026 09:00:12 GMT+0000 (Coordinated Universal Time)".
void appendJavaScriptDate(std::string &out, WallTime time);
/// "2026-06-02T09:00:12Z" of the second that contains `time`.
void appendRfc3339(std::string &out, WallTime time);

/// The `Date` field (RFC 9110 6.6.1) of one response after another: it is written anew only where the second has changed.
class DateText {
public:
    const std::string &at(WallTime time)
    {
        const WallTime second = std::chrono::floor<std::chrono::seconds>(time);
        if (m_text.empty() || second != m_second)
            write(second);
        return m_text;
    }

private:
    void write(WallTime second);

    WallTime m_second{};
    std::string m_text;
};

} // namespace throttlescope::signals
