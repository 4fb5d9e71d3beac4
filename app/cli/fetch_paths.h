// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/worklist.h"
#include "app/cli/fetch_arguments.h"

#include <vector>

namespace throttlescope::cli {

/// Whether what `fetch` would write (the journal, the checkpoint with what SQLite puts beside it, a body and a meta file for
/// each item) is none of what it reads, and none is written twice. False: said on stderr. Changes nothing.
bool pathsApart(const FetchArguments &arguments, const std::vector<fetch::Item> &items);

} // namespace throttlescope::cli
