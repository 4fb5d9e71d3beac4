// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/problem.h"
#include "app/cli/fetch/worklist.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace throttlescope::fetch {

struct Acknowledged {
    std::set<std::string> ids;
    std::vector<LoadError> strangers; ///< lines that name no item of the worklist
};

/// One id a line, or the URL where that is the id; blank lines and `#` comments are skipped.
OrProblem<Acknowledged> readAcknowledged(const std::filesystem::path &file, const std::vector<Item> &items);

} // namespace throttlescope::fetch
