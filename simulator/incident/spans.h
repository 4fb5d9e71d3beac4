// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

namespace throttlescope::incident {

inline constexpr Duration kSecond = std::chrono::seconds{1};
inline constexpr Duration kMinute = std::chrono::minutes{1};
/// Where a log is longer than can be kept, what came earlier than that before the flood of refusals is left out.
inline constexpr Duration kBeforeOnset = std::chrono::minutes{15};

} // namespace throttlescope::incident
