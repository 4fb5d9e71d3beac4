// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/sweep/sweep_plan.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace throttlescope {

/// What a sweep is, as the first line of its file says it. Two files belong together where only the shard differs.
struct SweepHeader {
    std::string file; ///< the scenario
    std::string hash; ///< of its text
    std::vector<std::string> vary; ///< as `--vary` had them
    std::vector<std::string> set;
    std::vector<std::string> metrics; ///< paths, in the order of a row's values
    std::optional<std::uint64_t> samples;
    std::uint64_t firstSeed = 0, seeds = 1;
    std::uint64_t shard = 1, shards = 1;
    bool operator==(const SweepHeader &) const = default;
};

/// One run.
struct SweepRow {
    std::uint64_t run = 0; ///< its number in the plan
    std::uint64_t seed = 0;
    std::vector<std::string> at; ///< a value an axis
    bool passed = true; ///< what the scenario expects
    std::vector<double> values; ///< a metric each; durations in seconds
    bool judged = true; ///< it expects something
    bool operator==(const SweepRow &) const = default;
};

/// JSON Lines with their ends. The same plan gives the same bytes.
std::string headerLine(const SweepHeader &header);
std::string rowLine(const SweepRow &row);

/// Between two values of an axis the verdict of most seeds flips.
struct TippingPoint {
    std::string below, above;
    double passedBelow = 0, passedAbove = 0; ///< shares of the seeds, 0 to 1
    bool operator==(const TippingPoint &) const = default;
};

/// An array of objects.
std::string tipsJson(const std::vector<TippingPoint> &tips);
/// May stand behind the runs of a whole sweep: what was bisected once need not be again.
std::string tipsLine(const std::vector<TippingPoint> &tips);

struct SweepFile {
    SweepHeader header;
    std::vector<SweepRow> rows; ///< as they stand, in order of run
    std::uintmax_t wholeBytes = 0; ///< without a last line that was cut
    std::optional<std::vector<TippingPoint>> tips; ///< none: nobody has looked for them
};
/// The whole file: header, runs, and the tipping points where somebody has looked for them.
std::string sweepText(const SweepFile &sweep);
/// What the header's sweep runs. The error says which axis is none.
tl::expected<SweepPlan, std::string> planOf(const SweepHeader &header);
/// The error says which line is none, and what was expected.
tl::expected<SweepFile, std::string> readSweep(const std::filesystem::path &file);

/// The whole sweep out of the files of all its shards, in the order of runs. The error says what does not fit or is missing.
tl::expected<SweepFile, std::string> mergeSweeps(const std::vector<std::filesystem::path> &files);

} // namespace throttlescope
