// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/fetch/order.h"

namespace CLI {
class App;
}

namespace throttlescope::cli {

/// The command line of `fetch`.
struct FetchArguments : fetch::FetchOrder {
    bool json = false;
};

/// Adds the options, which write to `arguments`: it must outlive the parsing.
void addFetchOptions(CLI::App &command, FetchArguments &arguments);

} // namespace throttlescope::cli
