// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/scenario/node.h"

#include <span>
#include <string_view>

namespace throttlescope {

/// A named row of policy values. `values` is written as a scenario file would write it.
struct Preset {
    std::string_view name;
    std::string_view source;
    std::string_view values;
};

std::span<const Preset> presets();
const Preset *findPreset(std::string_view name);
/// The preset's values with "preset NAME" as their origin.
Node presetNode(const Preset &preset);

} // namespace throttlescope
