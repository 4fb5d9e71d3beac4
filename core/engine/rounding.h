// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace throttlescope {

/// What a share of a count may lack in binary and still be it: 7 % of 100 are 7.
inline constexpr double kRoundingSlack = 1e-9;

} // namespace throttlescope
