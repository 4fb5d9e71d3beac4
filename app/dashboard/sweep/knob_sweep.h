// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/session/policy_draft.h"
#include "simulator/sweep/sweep_file.h"

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace throttlescope::dashboard {

/// One knob of a sweep as a person asks for it.
struct KnobSweep {
    std::string path; ///< as `--set` takes it
    Schema::Kind kind = Schema::Kind::Other; ///< of an amount; Other: `words`
    std::string from, to; ///< amounts as a file writes them
    int steps = 24;
    bool log = false;
    std::vector<std::string> words;
};

/// A knob over the range of its slider, or over all its words.
KnobSweep knobSweep(const PolicyKnob &knob);
/// It can be swept: it is an amount, or has words to choose from.
bool canBeSwept(const PolicyKnob &knob);

/// What `--vary` is told. A range where the scale of sweeps has one, so that tipping points are bisected; whole numbers,
/// rates and percentages are listed. The error says which end is no amount of the knob.
tl::expected<std::string, std::string> varyOf(const KnobSweep &knob);

inline constexpr std::uint64_t kMostPointsDrawn = 10'000;

/// The sweep of the scenario as it is edited.
tl::expected<SweepHeader, std::string> sweepHeader(const PolicyDraft &draft, const std::vector<KnobSweep> &knobs, std::uint64_t seeds);

} // namespace throttlescope::dashboard
