// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/signals/delay_value.h"

#include <optional>
#include <string>
#include <string_view>

namespace throttlescope::signals {

struct BodyHint {
    Told told;
    Dialect dialect{};
    std::string_view pointer; ///< where it stood; text of the dialect table
    std::string raw;
};

/// The first row of the dialect table's body hints that the body has and that can be read; the named dialect's rows come
/// first, and are the only ones where it has some. Nothing for a body that is no JSON. Linear in the body; allocates only
/// where the body can have such a hint.
std::optional<BodyHint> readBodyHint(std::string_view body, const Dialect *named, const Clock &clock);

} // namespace throttlescope::signals
