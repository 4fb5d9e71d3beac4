// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/session/policy_draft.h"
#include "simulator/sweep/sweep_summary.h"

#include <QString>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace throttlescope::dashboard {

/// A knob of a sweep, as a scale sees it.
struct SweepAxis {
    Axis axis;
    std::string name; ///< "max_wait"
    Schema::Kind kind = Schema::Kind::Other; ///< of its values; Other: words, which have places and no amounts
    std::string present, standard; ///< what the scenario has, and what it would have if it said nothing; empty: not known

    bool isAmount() const { return kind != Schema::Kind::Other; }
    /// The amount of a value, or the place of a word; none: neither.
    std::optional<double> placeOf(const std::string &value) const;
    /// For a scale: of a value that is longer than one reads, three digits or so.
    std::string shortValue(const std::string &value) const;
};

/// A sweep as it is looked at, as far as it has come. A plain value, made on whichever thread has the time.
struct SweepResult {
    SweepFile file;
    SweepPlan plan;
    std::vector<SweepAxis> axes;
    std::vector<PointSummary> points; ///< in order
    std::vector<std::uint64_t> numbers; ///< of each point in the plan
    std::vector<std::size_t> firstRows; ///< of each point, in the file
    std::uint64_t runs = 0; ///< that the file has when it is whole

    const SweepHeader &header() const { return file.header; }
    bool isWhole() const { return file.rows.size() >= runs; }
    bool isGrid() const { return !plan.samples; }
    std::optional<std::size_t> metric(std::string_view path) const;
    const std::vector<TippingPoint> &tips() const;
};
using SweepPointer = std::shared_ptr<const SweepResult>;

tl::expected<SweepResult, std::string> sweepResult(SweepFile file);

/// Notes on the axes what a scenario has for them, where they are knobs of its policies.
void markKnownValues(std::vector<SweepAxis> &axes, const PolicyDraft &draft);

/// Whether a file begins as the files of `sweep --out` do, whatever its name.
bool isSweepFile(const QString &file);

/// Which seed of a point is meant.
enum class SeedChoice { Median, Worst, Low, High };
/// A run that came to that value of a metric: by nearest rank there is one.
const SweepRow &runOf(const SweepResult &result, std::size_t point, std::size_t metric, SeedChoice choice);

/// What is loaded to see that run again.
LoadOptions optionsOf(const SweepHeader &header, const SweepRow &row);

/// Most seeds fail what the scenario expects.
bool isFailed(const PointSummary &point);
/// "max_wait 30s, max_attempts 2"
std::string pointName(const SweepResult &result, std::size_t point);
/// "max_wait 30s: fails, succeeded 30, wait_exceeded 170, …": all that is shown of it, for whoever hears it.
std::string pointSentence(const SweepResult &result, std::size_t point);
/// "fails", "12 of 100 seeds pass", "no expectations"
std::string verdictText(const SweepResult &result, const PointSummary &point);

} // namespace throttlescope::dashboard
