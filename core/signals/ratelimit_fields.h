// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/signals/rate_limit_state.h"

#include <string_view>

namespace throttlescope::signals {

/// 1*DIGIT; saturates at the largest std::int64_t. Nothing for anything else.
std::optional<std::int64_t> digits(std::string_view text);
/// 1*DIGIT [ "." 1*DIGIT ]
std::optional<double> decimalNumber(std::string_view text);

/// Is it one of the fields that readRateLimitFields knows?
bool isRateLimitField(std::string_view name);
/// The field that tells a reset, for naming it in a hint.
const HeaderField *resetField(const Headers &headers);

/// Reads the windows that the IETF drafts' fields (00-03 triple, 07 combined, 08-10 list), GitHub's and SAIA's tell of.
/// `now` is the clock that epoch values are held against.
void readRateLimitFields(const Headers &headers, WallTime now, RateLimitState &state);

} // namespace throttlescope::signals
