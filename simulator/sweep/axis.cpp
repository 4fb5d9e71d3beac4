// SPDX-License-Identifier: Apache-2.0
#include "simulator/sweep/axis.h"

#include "core/engine/words.h"
#include "simulator/scenario/problems.h"
#include "simulator/scenario/text_values.h"

#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace throttlescope {

namespace {

constexpr std::string_view kForms = "expected PATH=5s..120s:24, PATH=5s..120s:24:log or PATH=a,b,c";

tl::unexpected<std::string> wrong(std::string_view text, std::string_view why)
{
    return tl::unexpected(fmt::format("'{}': {}, {}", shown(text), why, kForms));
}

/// Commas within brackets belong to a value.
std::vector<std::string> listOf(std::string_view text)
{
    std::vector<std::string> values{""};
    int depth = 0;
    for (const char c : text) {
        depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        if (c == ',' && depth == 0)
            values.emplace_back();
        else
            values.back() += c;
    }
    return values;
}

struct End {
    double value;
    bool isDuration;
};

/// A duration before a number: both may begin with digits, but only a duration has a unit.
std::optional<End> endOf(std::string_view text)
{
    if (const auto duration = parseDuration(text))
        return End{secondsOf(*duration), true};
    const auto number = parseNumber(text);
    return number ? std::optional{End{*number, false}} : std::nullopt;
}

} // namespace

std::string Axis::text(double value) const
{
    if (isDuration)
        return durationText(durationFromMicroseconds(std::round(value * 1e6)));
    // The twelfth of nineteen values from 10 to 190 is 120, not 120.00000000000001.
    return numberText(std::stod(fmt::format("{:.12g}", value)));
}

double Axis::at(double share) const
{
    return scale == Scale::Log ? least * std::pow(most / least, share) : least + (most - least) * share;
}

tl::expected<Axis, std::string> parseAxis(std::string_view text)
{
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
        return wrong(text, "no axis");
    Axis axis;
    axis.path = text.substr(0, equals);
    const std::string_view spec = text.substr(equals + 1);
    const std::size_t dots = spec.find("..");
    if (dots == std::string_view::npos) {
        axis.values = listOf(spec);
        for (const std::string &value : axis.values) {
            if (value.empty())
                return wrong(text, "an empty value");
        }
        return axis;
    }
    const std::string_view rest = spec.substr(dots + 2);
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos)
        return wrong(text, "a range without a number of steps");
    const std::string_view tail = rest.substr(colon + 1);
    const std::size_t second = tail.find(':');
    const auto steps = parseNumber(tail.substr(0, second));
    if (second != std::string_view::npos && tail.substr(second + 1) != "log" && tail.substr(second + 1) != "linear")
        return wrong(text, "an unknown scale");
    axis.scale = second != std::string_view::npos && tail.substr(second + 1) == "log" ? Axis::Scale::Log : Axis::Scale::Linear;
    const auto from = endOf(spec.substr(0, dots));
    const auto to = endOf(rest.substr(0, colon));
    if (!from || !to || from->isDuration != to->isDuration)
        return wrong(text, "the ends are not two numbers or two durations");
    if (!steps || *steps != std::floor(*steps) || *steps < 2 || *steps > static_cast<double>(kMostAxisValues))
        return wrong(text, fmt::format("the number of steps is not a whole number from 2 to {}", kMostAxisValues));
    if (!(from->value < to->value) || (axis.scale == Axis::Scale::Log && from->value <= 0))
        return wrong(text, axis.scale == Axis::Scale::Log ? "the ends do not ascend above 0" : "the ends do not ascend");
    axis.least = from->value;
    axis.most = to->value;
    axis.isDuration = from->isDuration;
    const auto count = static_cast<std::size_t>(*steps);
    for (std::size_t i = 0; i < count; ++i)
        axis.values.push_back(axis.text(i + 1 == count ? axis.most : axis.at(static_cast<double>(i) / static_cast<double>(count - 1))));
    return axis;
}

} // namespace throttlescope
