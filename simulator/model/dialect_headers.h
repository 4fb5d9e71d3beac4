// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/signals/dialects.h"
#include "simulator/model/header_sink.h"
#include "simulator/model/limit_stack.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace throttlescope::model {

/// What the dialects can say of one limit.
struct DialectWindow {
    std::string word; ///< minute, hour, day, month where the limit has that length and is the first; else its name as a token
    std::string quoted; ///< the name as an sf-string (RFC 9651 3.3.3)
    std::uint64_t quota = 0; ///< in every `length`
    std::uint64_t capacity = 0; ///< the most that can be left: quota, or the bucket's size
    std::uint64_t used = 0;
    std::uint64_t remaining = 0;
    Duration length{};
    std::optional<Duration> reset; ///< from the arrival
};

/// One field that a dialect sends: a row of the table, its name whole, and the window it tells of.
struct DialectField {
    const signals::DialectRow *row;
    std::string name;
    std::optional<std::size_t> window; ///< none: the one with the least left; or, by the row's form, all of them
};

/// Writes the rate-limit headers that a server sends with every response, in the words of one or more dialects.
class DialectHeaders {
public:
    explicit DialectHeaders(const Server &server);

    /// Headers that the response has already are left alone. `delay`: what a refusal tells, for dialects that have a field of
    /// their own for it; none where it is no refusal.
    void write(HeaderSink &sink, const std::vector<Dialect> &dialects, const LimitStack &limits, std::optional<Duration> delay,
        MonotonicTime now, WallTime wall);

    /// Does one of them write Retry-After in a way of its own, which a reader must know (Discord v6: milliseconds)?
    static bool ownRetryAfter(const std::vector<Dialect> &dialects);

private:
    void readWindows(const LimitStack &limits, MonotonicTime now);
    void plan(Dialect dialect);

    std::vector<DialectWindow> m_windows; ///< without the concurrency limits: they have no dialect
    std::map<Dialect, std::vector<DialectField>> m_fields; ///< of the dialects that the server speaks
};

} // namespace throttlescope::model
