// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/sweep/knob_sweep.h"

#include "app/dashboard/session/knob_values.h"
#include "simulator/sweep/sweep_words.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace throttlescope::dashboard {

namespace {

using Kind = Schema::Kind;

std::string expectedOf(Kind kind)
{
    switch (kind) {
    case Kind::Duration: return "a duration such as 30s";
    case Kind::Rate: return "a rate such as 2/s";
    case Kind::Percent: return "a percentage such as 20%";
    case Kind::Whole: return "a whole number";
    default: return "a number";
    }
}

std::string listOf(const std::vector<std::string> &values)
{
    std::string list;
    for (const std::string &value : values)
        list += (list.empty() ? "" : ",") + value;
    return list;
}

} // namespace

bool canBeSwept(const PolicyKnob &knob)
{
    return knob.amountKind != Kind::Other || (knob.row.kind == Kind::Words && knob.row.words.size() > 1);
}

KnobSweep knobSweep(const PolicyKnob &knob)
{
    KnobSweep sweep;
    sweep.path = knob.setPath;
    sweep.kind = knob.amountKind;
    if (sweep.kind == Kind::Other) {
        sweep.words.assign(knob.row.words.begin(), knob.row.words.end());
        return sweep;
    }
    const SliderRange range = sliderRange(knob);
    sweep.from = amountText(sweep.kind, range.least);
    sweep.to = amountText(sweep.kind, range.most);
    sweep.steps = sweep.kind == Kind::Whole ? static_cast<int>(std::min(24.0, range.most - range.least + 1)) : 25;
    return sweep;
}

tl::expected<std::string, std::string> varyOf(const KnobSweep &knob)
{
    if (knob.kind == Kind::Other)
        return knob.path + '=' + listOf(knob.words);
    const auto from = amountOf(knob.kind, knob.from), to = amountOf(knob.kind, knob.to);
    if (!from || !to)
        return tl::unexpected(fmt::format("'{}': expected {}", from ? knob.to : knob.from, expectedOf(knob.kind)));
    if (!(*from < *to) || (knob.log && *from <= 0))
        return tl::unexpected(fmt::format("from {} to {}: expected ends that ascend{}", knob.from, knob.to, knob.log ? " above 0" : ""));
    if (knob.kind == Kind::Duration || knob.kind == Kind::Number)
        return fmt::format("{}={}..{}:{}{}", knob.path, knob.from, knob.to, knob.steps, knob.log ? ":log" : "");
    Axis axis;
    axis.scale = knob.log ? Axis::Scale::Log : Axis::Scale::Linear;
    axis.least = *from;
    axis.most = *to;
    std::vector<std::string> values;
    for (int i = 0; i < knob.steps; ++i) {
        const std::string value = amountText(knob.kind, axis.at(static_cast<double>(i) / std::max(1, knob.steps - 1)));
        if (values.empty() || values.back() != value)
            values.push_back(value);
    }
    return knob.path + '=' + listOf(values);
}

tl::expected<SweepHeader, std::string> sweepHeader(const PolicyDraft &draft, const std::vector<KnobSweep> &knobs, std::uint64_t seeds)
{
    SweepHeader header;
    header.file = draft.file();
    header.hash = draft.scenario()->scenario.hash;
    header.set = draft.assignments();
    header.metrics.assign(std::begin(kSweptMetrics), std::end(kSweptMetrics));
    header.firstSeed = draft.scenario()->scenario.seed;
    header.seeds = seeds;
    for (const KnobSweep &knob : knobs) {
        auto vary = varyOf(knob);
        if (!vary)
            return tl::unexpected(vary.error());
        header.vary.push_back(std::move(*vary));
    }
    const auto plan = planOf(header);
    if (!plan)
        return tl::unexpected(plan.error());
    if (plan->runs() > kMostRuns)
        return tl::unexpected(fmt::format("more than {} runs, expected fewer steps or seeds", kMostRuns));
    if (plan->points() > kMostPointsDrawn)
        return tl::unexpected(fmt::format("{} points, expected at most {} in a window", plan->points(), kMostPointsDrawn));
    return header;
}

} // namespace throttlescope::dashboard
