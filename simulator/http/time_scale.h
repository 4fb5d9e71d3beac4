// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/scenario/scenario.h"

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

namespace throttlescope::http {

/// The scenario as a client sees it whose second is `scale` scenario seconds: what is written as Retry-After is that much
/// shorter; all else the model does itself. Refused, with the nearest scale that works, where the length of a window or a
/// written hint would be no whole number of the client's seconds. `scale` ≥ 1.
tl::expected<Scenario, std::string> scaledForClients(const Scenario &scenario, std::int64_t scale);

} // namespace throttlescope::http
