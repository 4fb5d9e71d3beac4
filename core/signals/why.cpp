// SPDX-License-Identifier: Apache-2.0
#include "core/signals/why.h"

#include "core/signals/rate_limit_state.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>

namespace throttlescope::signals {

namespace {

constexpr std::size_t kShown = 200;

using Out = std::back_insert_iterator<std::string>;

std::string_view described(Spelling spelling)
{
    switch (spelling) {
    case Spelling::DelaySeconds: return "delay-seconds";
    case Spelling::DecimalSeconds: return "seconds with a fraction";
    case Spelling::Milliseconds: return "milliseconds";
    case Spelling::EpochSeconds: return "epoch seconds (≥ 1e9)";
    case Spelling::EpochMilliseconds: return "epoch milliseconds (≥ 1e11)";
    case Spelling::EpochMicroseconds: return "epoch microseconds (≥ 1e14)";
    case Spelling::EpochNanoseconds: return "epoch nanoseconds (≥ 1e17)";
    case Spelling::UnitDuration: return "a duration with units";
    case Spelling::ImfFixdate: return "an IMF-fixdate";
    case Spelling::Rfc850Date: return "a date in the obsolete RFC 850 form";
    case Spelling::AsctimeDate: return "a date in the obsolete asctime form";
    case Spelling::LooseDate: return "a date, not quite in a form of RFC 9110";
    case Spelling::Iso8601: return "an ISO 8601 date";
    case Spelling::JavaScriptDate: return "JavaScript's text of a date";
    }
    return {};
}

/// "47 s", "0.009 s"
void appendSeconds(Out out, Duration delay)
{
    const std::int64_t whole = delay.count() / 1'000'000;
    std::int64_t fraction = delay.count() % 1'000'000;
    int places = 6;
    for (; fraction != 0 && fraction % 10 == 0; --places)
        fraction /= 10;
    if (fraction == 0)
        fmt::format_to(out, FMT_COMPILE("{} s"), whole);
    else
        fmt::format_to(out, FMT_COMPILE("{}.{:0{}} s"), whole, fraction, places);
}

void appendClock(Out out, WallTime time)
{
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::hh_mm_ss clock{std::chrono::floor<std::chrono::seconds>(time - day)};
    fmt::format_to(out, FMT_COMPILE("{:02}:{:02}:{:02}"), clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

} // namespace

std::string_view word(Spelling spelling)
{
    switch (spelling) {
    case Spelling::DelaySeconds: return "delay-seconds";
    case Spelling::DecimalSeconds: return "decimal-seconds";
    case Spelling::Milliseconds: return "milliseconds";
    case Spelling::EpochSeconds: return "epoch-seconds";
    case Spelling::EpochMilliseconds: return "epoch-milliseconds";
    case Spelling::EpochMicroseconds: return "epoch-microseconds";
    case Spelling::EpochNanoseconds: return "epoch-nanoseconds";
    case Spelling::UnitDuration: return "unit-duration";
    case Spelling::ImfFixdate: return "imf-fixdate";
    case Spelling::Rfc850Date: return "rfc850-date";
    case Spelling::AsctimeDate: return "asctime-date";
    case Spelling::LooseDate: return "loose-date";
    case Spelling::Iso8601: return "iso8601-date";
    case Spelling::JavaScriptDate: return "javascript-date";
    }
    return {};
}

std::string_view shown(std::string_view text)
{
    if (text.size() <= kShown)
        return text;
    std::size_t end = kShown; // not within a UTF-8 sequence
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80)
        --end;
    return text.substr(0, end == 0 ? kShown : end);
}

bool needsWords(const Told &told)
{
    return told.spelling != Spelling::DelaySeconds && told.spelling != Spelling::Milliseconds;
}

std::string whyOf(const Told &told, std::string_view header, std::string_view raw, const Clock &clock)
{
    std::string why;
    why.reserve(160);
    const Out out{why};
    fmt::format_to(out, FMT_COMPILE("{} {} is {}"), header, shown(raw), described(told.spelling));
    if (told.wrongDayName)
        why += " with the wrong day name";
    if (told.moment) {
        why += clock.server ? "; the server's Date says " : "; our clock says ";
        appendClock(out, clock.reference());
        if (*told.moment < clock.reference())
            why += ", so it is past";
    }
    why += ", so ";
    appendSeconds(out, told.delay);
    return why;
}

} // namespace throttlescope::signals
