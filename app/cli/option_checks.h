// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>

namespace throttlescope::cli {

/// A whole number from `least` to `most`, as scenario files have it: nothing is cut to fit.
CLI::Validator wholeNumber(std::int64_t least, std::int64_t most = std::numeric_limits<std::int64_t>::max());
/// A path that is not empty: an unset variable must not switch a report off.
CLI::Validator pathGiven();
/// A metric, by its path in a scenario's `expect`.
CLI::Validator metricGiven();

/// For transform(): a size of at least one byte, such as 512 or 4MiB, which becomes its number of bytes.
CLI::Validator sizeGiven();
/// A duration from 0 on, with its unit.
CLI::Validator durationGiven();

} // namespace throttlescope::cli
