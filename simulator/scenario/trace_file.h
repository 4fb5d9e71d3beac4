// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/scenario/problems.h"

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

namespace throttlescope {

/// Reads a trace of arrivals: CSV with the header line `at,operation`, then any of server,method,class,idempotent,units,
/// key. At most 64 MiB. Sorted by `at`, lines of one moment in their order. Null: problems were added.
std::shared_ptr<const std::vector<TracedOperation>> readTrace(const std::filesystem::path &file, Problems &problems);
std::shared_ptr<const std::vector<TracedOperation>> readTraceText(std::string_view text, const std::string &file, Problems &problems);

} // namespace throttlescope
