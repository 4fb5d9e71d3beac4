// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/model/header_sink.h"
#include "simulator/model/limit_stack.h"

#include <optional>
#include <string>
#include <vector>

namespace throttlescope::model {

/// What the dialects can say of one limit.
struct DialectWindow {
    std::string word; ///< minute, hour, day, month where the limit has that length and is the first; else its name
    std::string limitField; ///< SAIA's fields, the word at their end
    std::string remainingField;
    std::string quoted; ///< the name as an sf-string (RFC 9651 3.3.3)
    bool isMinute = false;
    std::uint64_t quota = 0; ///< in every `length`
    std::uint64_t capacity = 0; ///< the most that can be left: quota, or the bucket's size
    std::uint64_t used = 0;
    std::uint64_t remaining = 0;
    Duration length{};
    std::optional<Duration> reset; ///< from the arrival
    bool isRefusing = false; ///< it decided the refusal that is being written
};

/// Writes the rate-limit headers that a server sends with every response, in the words of one or more dialects.
class DialectHeaders {
public:
    /// `scale`: scenario seconds in one of the client's.
    explicit DialectHeaders(const Server &server, std::int64_t scale = 1);

    /// Headers that the response has already are left alone. Returns what they tell of the refusing limit's reset,
    /// counted from the arrival as a client reads it; none where they do not tell.
    std::optional<Duration> write(HeaderSink &sink, const std::vector<Dialect> &dialects, const LimitStack &limits,
        const TrackedLimit *refusing, MonotonicTime now, WallTime wall);

private:
    void readWindows(const LimitStack &limits, const TrackedLimit *refusing, MonotonicTime now);

    const std::int64_t m_scale;
    std::vector<DialectWindow> m_windows; ///< without the concurrency limits: they have no dialect
};

} // namespace throttlescope::model
