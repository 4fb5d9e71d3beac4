// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/journal/metrics.h"
#include "simulator/run/decision_log.h"
#include "simulator/run/fates.h"

#include <string>
#include <vector>

namespace throttlescope::cli {

/// One side of a comparison.
struct ComparedRun {
    std::string name; ///< a policy, or a journal's file
    journal::Metrics metrics;
    Fates fates;
    DecisionLog decisions;
};

/// One line a metric, a column a run, with its difference to the first; then what operations ended otherwise, and one of each
/// kind by its number. `metrics`: those by their paths; where there are none, the chief ones that are not zero in all runs.
std::string comparisonTable(const std::vector<ComparedRun> &runs, const std::vector<std::string> &metrics);
/// A line a run, a column a metric, as a table of Markdown.
std::string comparisonMarkdown(const std::vector<ComparedRun> &runs, const std::vector<std::string> &metrics);
/// Every metric of every run and every kind of change, as one JSON object.
std::string comparisonJson(const std::vector<ComparedRun> &runs);
/// `metric,NAME,…`: those metrics, or every metric of the scenario file's `expect`; durations in seconds.
std::string comparisonCsv(const std::vector<ComparedRun> &runs, const std::vector<std::string> &metrics);

} // namespace throttlescope::cli
