// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/filter.h"

/// What the filter's keys are called and take: one table for parser, matcher and help.
namespace throttlescope::dashboard {

std::optional<FilterKey> filterKey(std::string_view name);
std::vector<std::string> filterKeyNames();
/// What a value of that key may be, in words.
std::string_view valuesOf(FilterKey key);
/// It can be compared with < and >.
bool isNumeric(FilterKey key);
/// ":", "=", "<", "<=", ">", ">=" at `at`, which moves behind it.
std::optional<Comparison> comparisonAt(std::string_view text, std::size_t &at);
/// The error says what was expected.
tl::expected<FilterValue, std::string> parseFilterValue(const FilterTerm &term, std::string_view text, bool quoted);

std::string loweredText(std::string_view text);

} // namespace throttlescope::dashboard
