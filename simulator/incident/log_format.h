// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/line_reader.h"

#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace throttlescope::incident {

/// A reader of what nginx writes by `log_format`, given as in its configuration: the text between the quotes, or the whole
/// directive with its name, `escape=` and several quoted pieces. The error says what cannot be told apart in it.
tl::expected<std::unique_ptr<LineReader>, std::string> logFormatReader(const ReaderOptions &options);

} // namespace throttlescope::incident
