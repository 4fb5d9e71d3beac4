// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/policy.h"
#include "simulator/scenario/scenario.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

/// The spellings of single values in scenario files. An error says what was expected, without the place.
namespace throttlescope {

template <typename T>
using Parsed = tl::expected<T, std::string>;

/// `250ms`, `31s`, `1m30s`, `24h`, `1d`, `60.000001s`, `250us`; a sign is allowed.
Parsed<Duration> parseDuration(std::string_view text);
/// `2/s`, `20/min`, `100/h`, `1/500ms`; a bare number counts per second.
Parsed<Rate> parseRate(std::string_view text);
/// `70%` as 0.7.
Parsed<double> parsePercent(std::string_view text);
/// `4kB`, `1MiB`, bytes where there is no unit.
Parsed<std::uint64_t> parseSize(std::string_view text);
/// A duration, `1d` as a civil day, `1mo` as a civil month.
Parsed<Period> parsePeriod(std::string_view text);
Parsed<double> parseNumber(std::string_view text);
Parsed<std::int64_t> parseInteger(std::string_view text);
/// Digits and nothing else, up to 9223372036854775807.
std::optional<std::int64_t> parseDigits(std::string_view text);
Parsed<bool> parseTruth(std::string_view text);
/// RFC 3339: `2026-06-02T09:00:12Z`, with fraction and offset.
Parsed<WallTime> parseRfc3339(std::string_view text);

std::string rateText(const Rate &rate);
std::string percentText(double share);
std::string periodText(const Period &period);
/// For looking at: "5m51.8s", "0.12s", to a tenth of a second from a minute on.
std::string shortText(Duration value);
/// The shortest text that reads back to the same double.
std::string numberText(double number);

} // namespace throttlescope
