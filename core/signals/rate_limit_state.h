// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/outcome.h"
#include "core/engine/time.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace throttlescope::signals {

enum class Dialect : std::uint8_t;

/// How the header's value was written.
enum class HintForm : std::uint8_t { DelaySeconds, DelayMilliseconds, HttpDate, EpochSeconds, Duration, BodyValue };

/// The same, finer: what a reader of the verdict wants to know.
enum class Spelling : std::uint8_t {
    DelaySeconds, ///< 1*DIGIT
    DecimalSeconds, ///< "2.5"
    Milliseconds,
    EpochSeconds,
    EpochMilliseconds,
    EpochMicroseconds,
    EpochNanoseconds,
    UnitDuration, ///< "1m0s"
    ImfFixdate,
    Rfc850Date,
    AsctimeDate,
    LooseDate, ///< like one of the three, with a deviation
    Iso8601,
    JavaScriptDate,
};
/// "delay-seconds", "imf-fixdate", "epoch-milliseconds", …
std::string_view word(Spelling spelling);

/// The delay the server asked for, counted from now. Never negative: a date in the past is 0. Rounded up to the microsecond.
struct Hint {
    Duration delay{};
    std::string header; ///< the field it came from, as the field's own spelling has it; "body /pointer" for a body's value
    HintForm form = HintForm::DelaySeconds;
    std::string raw; ///< the value as received; cut after 200 bytes
    std::string why; ///< how it was read, in plain words; empty where the form says it all
    Spelling spelling = Spelling::DelaySeconds;
    bool operator==(const Hint &) const = default;
};

/// Exchanges the buffers, copies nothing.
inline void swap(Hint &a, Hint &b) noexcept
{
    std::swap(a.delay, b.delay);
    a.header.swap(b.header);
    std::swap(a.form, b.form);
    a.raw.swap(b.raw);
    a.why.swap(b.why);
    std::swap(a.spelling, b.spelling);
}

/// One window the response told of. Absent: not told, or told in a way that cannot be read.
struct Window {
    std::string name; ///< "minute", a policy's name, or empty
    std::optional<Duration> length;
    std::optional<std::uint64_t> limit;
    std::optional<std::uint64_t> remaining;
    std::optional<Duration> reset; ///< from now
    std::string unit{}; ///< what is counted, where told: "content-bytes"; requests or untold: empty
    std::string partition{}; ///< the partition key of the IETF drafts (pk), raw bytes; mostly empty
    bool operator==(const Window &) const = default;
};

/// A header that is there but cannot be read is no hint, and the journal says so.
struct Unreadable {
    std::string header;
    std::string raw; ///< cut after 200 bytes
    std::string why;
    bool operator==(const Unreadable &) const = default;
};

struct RateLimitState {
    std::optional<Hint> hint;
    std::vector<Window> windows;
    std::vector<Unreadable> unreadable;
    bool saysRateLimited = false; ///< the server's dialect says so whatever the status (GitHub: 403 with remaining 0)
    std::optional<Dialect> dialect{}; ///< named by the caller or told by the headers; none where there are none. See dialects.h
    bool operator==(const RateLimitState &) const = default;
};

inline void swap(RateLimitState &a, RateLimitState &b) noexcept
{
    a.hint.swap(b.hint);
    a.windows.swap(b.windows);
    a.unreadable.swap(b.unreadable);
    std::swap(a.saysRateLimited, b.saysRateLimited);
    std::swap(a.dialect, b.dialect);
}

struct ReadOptions {
    /// RFC 9110 10.2.3 and nothing else gives the hint: one Retry-After line, to the letter, held against our own clock.
    bool strict = false;
    /// The server's dialect where the caller knows it. Decides what the headers alone leave open (Discord v6: milliseconds).
    std::optional<Dialect> dialect{};
    /// Fill `Hint::why` also where the form says it all. For people, not for the engine: it costs an allocation.
    bool alwaysSayWhy = false;
    /// Only these headers give the hint, and no body; all of them where there are none. Windows are told whatever it says.
    std::span<const std::string> hintHeaders{};
};

/// Rule 0 and rule 6: everything a response says about rate limits. A date is held against the response's `Date`
/// where there is one, else against `wall`. Linear in the size of the headers, throws nothing but bad_alloc; thread-safe.
/// A response without such headers costs a few nanoseconds a header and no allocation. At most 64 windows and 128 header
/// lines (every Retry-After line beside) are looked at, so that a hostile response cannot make the state large.
RateLimitState read(const Response &response, WallTime wall);
RateLimitState read(const Response &response, WallTime wall, const ReadOptions &options);
/// The same into `state`, which is empty before.
void read(const Response &response, WallTime wall, const ReadOptions &options, RateLimitState &state);
/// The hint that read() gives, and nothing else: windows are not looked at where a delay is told outright.
std::optional<Hint> readHint(const Response &response, WallTime wall, const ReadOptions &options);

} // namespace throttlescope::signals
