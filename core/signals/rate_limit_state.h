// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/outcome.h"
#include "core/engine/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace throttlescope::signals {

/// How the header's value was written.
enum class HintForm { DelaySeconds, DelayMilliseconds, HttpDate, EpochSeconds, Duration, BodyValue };

/// The delay the server asked for, counted from now. Never negative: a date in the past is 0.
struct Hint {
    Duration delay{};
    std::string header; ///< the field it came from, as the field's own spelling has it
    HintForm form = HintForm::DelaySeconds;
    std::string raw; ///< the value as received
    std::string why; ///< how it was read, in plain words; empty where the form says it all
    bool operator==(const Hint &) const = default;
};

/// One window the response told of. Absent: not told, or told in a way that cannot be read.
struct Window {
    std::string name;                ///< "minute", a policy's name, or empty
    std::optional<Duration> length;
    std::optional<std::uint64_t> limit;
    std::optional<std::uint64_t> remaining;
    std::optional<Duration> reset; ///< from now
    bool operator==(const Window &) const = default;
};

/// A header that is there but cannot be read is no hint, and the journal says so.
struct Unreadable {
    std::string header;
    std::string raw;
    std::string why;
    bool operator==(const Unreadable &) const = default;
};

struct RateLimitState {
    std::optional<Hint> hint;
    std::vector<Window> windows;
    std::vector<Unreadable> unreadable;
    bool saysRateLimited = false; ///< the server's dialect says so whatever the status (GitHub: 403 with remaining 0)
    bool operator==(const RateLimitState &) const = default;
};

/// Rule 0 and rule 6: everything a response says about rate limits. A date is held against the response's `Date`
/// where there is one, else against `wall`. Linear in the size of the headers, throws nothing.
RateLimitState read(const Response &response, WallTime wall);

} // namespace throttlescope::signals
