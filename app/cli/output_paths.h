// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "simulator/scenario/loader.h"

#include <string>
#include <string_view>
#include <vector>

namespace throttlescope::cli {

/// An output must not be what is read, nor written twice. Empty paths are no files. False: said on stderr, `other` being
/// `what` ("the journal").
bool keptApart(const std::string &output, const std::string &other, std::string_view what);

struct Output {
    std::string path; ///< empty: none
    std::string_view what; ///< "the journal"
};
/// The same for all that is written, among each other and against the scenarios and the traces that they read.
bool keptApart(const std::vector<Output> &outputs, const std::vector<LoadedScenario> &scenarios);

} // namespace throttlescope::cli
