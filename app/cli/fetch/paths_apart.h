// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/order.h"
#include "app/cli/fetch/problem.h"
#include "app/cli/fetch/worklist.h"

#include <vector>

namespace throttlescope::fetch {

/// Whether what would be written (the journal, the checkpoint with what SQLite puts beside it, a body and a meta file for each
/// item) is none of what is read, and none is written twice. Changes nothing.
OrProblem<void> pathsApart(const FetchOrder &order, const std::vector<Item> &items);

} // namespace throttlescope::fetch
