// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "simulator/sweep/sweep_file.h"

#include <string>

namespace throttlescope::cli {

/// Empty: a page can be drawn into a file of that name, as far as one can know before it is drawn. Else why not.
std::string reportProblem(const std::string &out);

/// Has the dashboard draw the sweep into that page; its exit code.
int drawSweep(const SweepFile &sweep, const std::string &out);

} // namespace throttlescope::cli
