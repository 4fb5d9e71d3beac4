// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/policy.h"
#include "simulator/scenario/problems.h"

#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace throttlescope::fetch {

/// A preset by its name, or a file of policy keys as they stand under `policies.NAME`; `set`: KEY=VALUE each, over it.
tl::expected<std::shared_ptr<const Policy>, std::vector<LoadError>> choosePolicy(
    const std::string &presetOrFile, const std::vector<std::string> &set);

} // namespace throttlescope::fetch
