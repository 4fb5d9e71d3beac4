// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/spoken_time.h"

#include "simulator/scenario/text_values.h"

#include <algorithm>
#include <fmt/format.h>

namespace throttlescope::dashboard {

namespace {

/// A number without zeros at its end.
std::string number(double value, int decimals)
{
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (decimals > 0) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.')
            text.pop_back();
    }
    return text;
}

std::string seconds(Duration value, bool exactly)
{
    return number(secondsOf(value), exactly ? 6 : value < 10s ? 2 : 1) + " s";
}

std::string told(Duration value, bool exactly)
{
    if (value == Duration::max() || value == Duration::min())
        return "without end";
    if (value < Duration::zero())
        return "-" + told(-value, exactly);
    if (value == Duration::zero())
        return "0 s";
    if (value < 1ms)
        return fmt::format("{} µs", value.count());
    if (value < 1s && (!exactly || value % 1ms == Duration::zero()))
        return number(static_cast<double>(value.count()) / 1000, value < 10ms ? 2 : value < 100ms ? 1 : 0) + " ms";
    if (!exactly && value < 2min)
        value = Duration{(value.count() + 5'000) / 10'000 * 10'000};
    if (value < 2min)
        return seconds(value, exactly);
    if (!exactly && value >= 1h)
        value = std::chrono::round<std::chrono::minutes>(value);
    else if (!exactly)
        value = Duration{(value.count() + 50'000) / 100'000 * 100'000};
    std::string text = value >= 1h ? fmt::format("{} h", value / 1h) : "";
    if (const auto minutes = value % 1h / 1min; minutes > 0)
        text += fmt::format("{}{} min", text.empty() ? "" : " ", minutes);
    if (const Duration rest = value % 1min; rest > Duration::zero())
        text += fmt::format("{}{}", text.empty() ? "" : " ", seconds(rest, exactly));
    return text;
}

bool isNumberWithUnit(std::string_view word)
{
    return !word.empty() && word.front() >= '0' && word.front() <= '9' && word.back() >= 'a' && word.back() <= 'z';
}

} // namespace

std::string spoken(Duration value)
{
    return told(value, false);
}

std::string spokenExactly(Duration value)
{
    return told(value, true);
}

std::pair<std::string, std::string> spokenApart(Duration a, Duration b)
{
    const std::string x = spoken(a), y = spoken(b);
    return x != y || a == b ? std::pair{x, y} : std::pair{spokenExactly(a), spokenExactly(b)};
}

std::string spokenWords(std::string_view words)
{
    constexpr std::string_view between{" ,:;()[]{}"};
    std::string said;
    while (!words.empty()) {
        const std::size_t length = std::min(words.find_first_of(between), words.size());
        const std::string_view word = words.substr(0, length);
        const auto duration = isNumberWithUnit(word) ? parseDuration(word) : tl::unexpected(std::string{});
        said += duration ? spokenExactly(*duration) : std::string{word};
        words.remove_prefix(length);
        const std::size_t next = std::min(words.find_first_not_of(between), words.size());
        said += words.substr(0, next);
        words.remove_prefix(next);
    }
    return said;
}

} // namespace throttlescope::dashboard
