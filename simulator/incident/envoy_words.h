// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/refusal.h"

#include <string_view>

namespace throttlescope::incident {

/// What Envoy's RESPONSE_FLAGS ("UO,URX" or "-") and RESPONSE_CODE_DETAILS tell; both may be empty. `upstream`: UPSTREAM_HOST,
/// which is set as soon as one was tried.
Evidence envoyEvidence(std::string_view flags, std::string_view details, std::string_view upstream);

} // namespace throttlescope::incident
