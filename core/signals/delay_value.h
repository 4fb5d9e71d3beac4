// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/signals/dialects.h"
#include "core/signals/http_date.h"
#include "core/signals/rate_limit_state.h"

#include <optional>
#include <string_view>

/// One value that tells a delay or a moment, as a pure function of its text and the clocks. Nothing here allocates or
/// throws; linear in the text. Thread-safe.
namespace throttlescope::signals {

/// What an absolute value is held against.
struct Clock {
    WallTime wall; ///< ours
    std::optional<WallTime> server; ///< the response's Date: the clock that wrote the absolute values
    WallTime reference() const { return server.value_or(wall); }
    bool operator==(const Clock &) const = default;
};

/// A value that could be read.
struct Told {
    Duration delay{}; ///< from now, ≥ 0
    Spelling spelling{};
    std::optional<WallTime> moment{}; ///< where the value is absolute
    bool wrongDayName = false;
    bool operator==(const Told &) const = default;
};

HintForm formOf(Spelling spelling);
/// The column of the dialect table that such a value belongs to; what detection goes by.
Form columnOf(Spelling spelling);

/// RFC 9110 10.2.3 to the letter: 1*DIGIT or an HTTP-date, held against our own clock. Saturates.
std::optional<Told> strictRetryAfter(std::string_view text, WallTime wall);

/// One value of a Retry-After as servers write it: also a fraction, a duration with units, a loose date; and a number of
/// 1e9 and more is an epoch where that is likelier than the delay it would be (see the README's ambiguous cases).
std::optional<Told> looseRetryAfter(std::string_view text, const Clock &clock);

/// A reset under whatever name, by its magnitude and its letters. Nothing for a negative number and for one between a
/// year of seconds and 1e9, which is neither a delay nor a moment.
std::optional<Told> resetValue(std::string_view text, const Clock &clock);

/// By a form of the table that leaves nothing to guess.
std::optional<Told> valueOfForm(Form form, std::string_view text, const Clock &clock);

} // namespace throttlescope::signals
