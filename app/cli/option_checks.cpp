// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/option_checks.h"

#include "core/journal/metrics.h"
#include "simulator/scenario/problems.h"
#include "simulator/scenario/text_values.h"

#include <fmt/format.h>

namespace throttlescope::cli {

CLI::Validator wholeNumber(std::int64_t least, std::int64_t most)
{
    return CLI::Validator{[least, most](std::string &text) {
                              const auto value = parseInteger(text);
                              return value && *value >= least && *value <= most
                                  ? std::string{}
                                  : fmt::format("'{}', expected a whole number from {} to {}", shown(text), least, most);
                          },
        ""};
}

CLI::Validator sizeGiven()
{
    return CLI::Validator{[](std::string &text) {
                              const auto size = parseSize(text);
                              if (!size || *size == 0)
                                  return fmt::format("'{}', expected a size of at least a byte such as 512, 4kB or 1MiB", shown(text));
                              text = std::to_string(*size);
                              return std::string{};
                          },
        ""};
}

CLI::Validator durationGiven()
{
    return CLI::Validator{[](std::string &text) {
                              const auto value = parseDuration(text);
                              return value && *value >= Duration::zero()
                                  ? std::string{}
                                  : fmt::format("'{}', expected a number from 0 on and its unit such as 250ms or 5s", shown(text));
                          },
        ""};
}

CLI::Validator metricGiven()
{
    return CLI::Validator{[](std::string &text) {
                              return journal::metricValue({}, text)
                                  ? std::string{}
                                  : fmt::format("no metric '{}'{}", shown(text), suggestion(text, journal::metricPaths()));
                          },
        ""};
}

CLI::Validator pathGiven()
{
    return CLI::Validator{[](std::string &text) { return text.empty() ? std::string{"'', expected a path"} : std::string{}; }, ""};
}

} // namespace throttlescope::cli
