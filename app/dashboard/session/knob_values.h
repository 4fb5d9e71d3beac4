// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/session/policy_draft.h"

#include <optional>
#include <string>
#include <string_view>

/// The arithmetic of sliders, so that no widget has any: amounts are seconds of a duration, events a second of a rate, a
/// share of a percentage, the number itself of numbers.
namespace throttlescope::dashboard {

/// The amount that a value's text says; none where it says another thing ("unlimited") or nothing.
std::optional<double> amountOf(Schema::Kind kind, std::string_view text);
/// The text of an amount, rounded to three digits or so: nobody drags to 47.318296 s.
std::string amountText(Schema::Kind kind, double amount);

/// A value as one would say it: "fixed 31s × 2" for "{fixed: 31s, times: 2}". For looking at; what is typed is YAML.
std::string saidValue(std::string_view text);

/// From where to where a slider goes: the field's own range where it is short, else a round distance about twice as far as
/// the values that are to be seen on it.
struct SliderRange {
    double least = 0;
    double most = 1;
    bool operator==(const SliderRange &) const = default;
};
SliderRange sliderRange(const PolicyKnob &knob);

} // namespace throttlescope::dashboard
