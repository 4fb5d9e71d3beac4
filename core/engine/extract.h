// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/policy.h"
#include "core/signals/rate_limit_state.h"

#include <tl/expected.hpp>

namespace throttlescope {

/// Rule 6: the delay a custom extractor finds in a response: a hint, nothing, or the extractor's own cause for not being
/// believed (it failed, or it returned something other than a finite number ≥ 0).
tl::expected<std::optional<signals::Hint>, std::string> extractHint(const Extractor &extractor, const Response &response);

} // namespace throttlescope
