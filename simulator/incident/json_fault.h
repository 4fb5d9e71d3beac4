// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/line_reader.h"

#include <string_view>

namespace throttlescope::incident {

/// Where a text that is no JSON object stops being one. Bounded in depth, linear in the text; only asked where the parser has
/// refused the text already, which names no place.
Complaint jsonFault(std::string_view text);

} // namespace throttlescope::incident
