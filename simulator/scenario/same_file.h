// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace throttlescope {

/// Whether two paths lead to one file, also where it is not there yet. A device such as /dev/null is none: it holds nothing
/// that could be lost.
bool sameFile(const std::filesystem::path &a, const std::filesystem::path &b);

} // namespace throttlescope
