// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace throttlescope {

/// "1.2.3", as CMake's project() has it.
std::string_view version();

} // namespace throttlescope
