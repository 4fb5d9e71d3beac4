// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/line_reader.h"

#include <memory>
#include <optional>
#include <string_view>

namespace throttlescope::incident {

/// What a container runtime writes before each line: `2016-10-06T00:17:09.669794202Z stdout F `.
struct CriPrefix {
    bool standardError = false;
    bool partial = false; ///< the line goes on in the next one of its stream
    std::size_t size = 0;

    bool operator==(const CriPrefix &) const = default;
};
std::optional<CriPrefix> criPrefix(std::string_view line);

/// Reads with `inner` what stands behind the prefix; partial lines are put together, up to 1 MiB.
std::unique_ptr<LineReader> criReader(std::unique_ptr<LineReader> inner);

} // namespace throttlescope::incident
