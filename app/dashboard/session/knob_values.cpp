// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/session/knob_values.h"

#include "app/dashboard/data/spoken_time.h"
#include "core/engine/words.h"
#include "simulator/scenario/text_values.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace throttlescope::dashboard {

namespace {

using Kind = Schema::Kind;

/// To the nearest of 1, 2 or 5 of the last digit that matters.
double rounded(double amount)
{
    if (amount == 0 || !std::isfinite(amount))
        return 0;
    const double unit = std::pow(10, std::floor(std::log10(std::abs(amount))) - 2);
    return std::round(amount / unit) * unit;
}

/// The next round distance: what people write on scales.
double roundDistance(Kind kind, double amount)
{
    constexpr std::array<double, 22> spans{
        0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200};
    if (kind == Kind::Duration) {
        const auto *const span = std::lower_bound(spans.begin(), spans.end(), amount);
        if (span != spans.end())
            return *span;
    }
    if (amount <= 0)
        return 1;
    const double power = std::pow(10, std::floor(std::log10(amount)));
    for (const double step : {1.0, 2.0, 5.0}) {
        if (amount <= step * power * (1 + 1e-9))
            return step * power;
    }
    return 10 * power;
}

} // namespace

std::optional<double> amountOf(Kind kind, std::string_view text)
{
    const auto some = [](const auto &parsed, auto amount) { return parsed ? std::optional<double>{amount(*parsed)} : std::nullopt; };
    const auto itself = [](auto value) { return static_cast<double>(value); };
    if (kind == Kind::Duration)
        return some(parseDuration(text), [](Duration value) { return secondsOf(value); });
    if (kind == Kind::Rate)
        return some(parseRate(text), [](const Rate &rate) { return rate.count / secondsOf(rate.per); });
    if (kind == Kind::Percent)
        return some(parsePercent(text), itself);
    if (kind == Kind::Number)
        return some(parseNumber(text), itself);
    if (kind == Kind::Whole)
        return some(parseInteger(text), itself);
    return std::nullopt;
}

std::string amountText(Kind kind, double amount)
{
    if (kind == Kind::Duration) {
        const Duration value = durationFromSeconds(rounded(amount));
        const Duration grain = value >= 10s ? Duration{100ms} : value >= 1s ? Duration{10ms} : Duration{1ms};
        return durationText(value < 1ms ? value : Duration{(value + grain / 2) / grain * grain});
    }
    if (kind == Kind::Rate) // a slow one is said by the minute
        return amount < 1 ? rateText({rounded(amount * 60), 1min}) : rateText({rounded(amount), 1s});
    if (kind == Kind::Percent)
        return percentText(rounded(amount));
    if (kind == Kind::Whole)
        return std::to_string(std::llround(amount));
    return numberText(rounded(amount));
}

std::string saidValue(std::string_view text)
{
    if (text == "[]" || text == "{}")
        return "none";
    std::string said;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.substr(i).starts_with(", times: ")) {
            said += " × ";
            i += 8;
        } else if (text.substr(i).starts_with(": ")) {
            said += ' ';
            ++i;
        } else if (std::string_view{"{}[]"}.find(text[i]) == std::string_view::npos) {
            said += text[i];
        }
    }
    return spokenWords(said);
}

SliderRange sliderRange(const PolicyKnob &knob)
{
    const Kind kind = knob.amountKind;
    const auto amount = [kind](const std::string &text) { return amountOf(kind, text); };
    const double least = std::max(kind == Kind::Whole && knob.row.least.empty() ? 1.0 : 0.0, amount(knob.row.least).value_or(0));
    double shown = std::max(amount(knob.value).value_or(0), amount(knob.baseline).value_or(0));
    shown = std::max(shown, amount(knob.row.defaultText).value_or(0));
    double most = roundDistance(kind, 2 * shown);
    if (const auto bound = amount(knob.row.most))
        most = std::min(most, *bound);
    return {least, most > least ? most : least + 1};
}

} // namespace throttlescope::dashboard
