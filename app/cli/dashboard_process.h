// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace throttlescope::cli {

struct Drawing {
    std::string out; ///< .html, .pdf, .png or .svg
    std::vector<std::string> files; ///< journals, scenarios
    std::vector<std::string> set; ///< of the scenarios
    std::string theme = "light";
};

/// Has throttlescope-dashboard draw without a display and waits for it: the one beside this program, as it is installed or
/// built, else the one that PATH has. Its exit code, 0 to 3 as everywhere; what is wrong is said on stderr.
int draw(const Drawing &drawing);

} // namespace throttlescope::cli
