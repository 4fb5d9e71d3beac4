// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/told_windows.h"

#include <algorithm>
#include <chrono>

namespace throttlescope::incident {

namespace {

constexpr Duration kSecond = std::chrono::seconds{1};
constexpr Duration kMinute = std::chrono::minutes{1};
constexpr std::size_t kMostHints = 4'096;

/// The shortest period that people choose and that holds the longest reset.
Duration usualPeriod(Duration longestReset)
{
    using namespace std::chrono_literals;
    for (const Duration period : {Duration{1s}, Duration{10s}, Duration{1min}, Duration{15min}, Duration{1h}, Duration{24h}}) {
        if (longestReset <= period + kSecond)
            return period;
    }
    return longestReset;
}

} // namespace

void ToldWindows::take(const signals::RateLimitState &state, WallTime at, bool refused)
{
    if (refused && state.hint) {
        ++m_hinted;
        ++m_forms[static_cast<std::size_t>(state.hint->form)];
        const std::int64_t seconds = (state.hint->delay + kSecond - Duration{1}) / kSecond;
        if (m_hints.size() < kMostHints || m_hints.contains(seconds))
            ++m_hints[seconds];
    }
    for (const signals::Window &window : state.windows) {
        if (!window.limit || *window.limit == 0 || !(window.unit.empty() || window.unit == "requests"))
            continue;
        const std::pair key{*window.limit, window.length.value_or(Duration{}).count()};
        if (m_windows.size() >= kMostWindows && !m_windows.contains(key))
            continue;
        Tally &tally = m_windows[key];
        ++tally.times;
        tally.exhausted = tally.exhausted || (refused && window.remaining == 0);
        if (!window.reset || *window.reset <= Duration{})
            continue;
        tally.longestReset = std::max(tally.longestReset, *window.reset);
        ++tally.resets;
        const Duration past = (at + *window.reset).time_since_epoch() % kMinute;
        tally.onMinutes += past <= kSecond || past >= kMinute - kSecond;
    }
}

std::vector<ToldLimit> ToldWindows::limits() const
{
    std::uint64_t most = 0;
    for (const auto &[key, tally] : m_windows)
        most = std::max(most, tally.times);
    std::vector<ToldLimit> limits;
    for (const auto &[key, tally] : m_windows) {
        const Duration length{key.second};
        if (5 * tally.times < most || (length == Duration{} && tally.resets == 0))
            continue;
        ToldLimit limit{key.first, length, false, false, tally.times, tally.exhausted};
        if (length == Duration{}) {
            limit.per = usualPeriod(tally.longestReset);
            limit.perAssumed = true;
        }
        limit.calendar = tally.resets >= 3 && 10 * tally.onMinutes >= 9 * tally.resets && limit.per % kMinute == Duration{};
        limits.push_back(limit);
    }
    std::stable_sort(limits.begin(), limits.end(), [](const ToldLimit &a, const ToldLimit &b) {
        return std::pair{a.exhausted, a.times} > std::pair{b.exhausted, b.times};
    });
    return limits;
}

double ToldWindows::hintedShare() const
{
    return m_refusals == 0 ? 0 : static_cast<double>(m_hinted) / static_cast<double>(m_refusals);
}

std::optional<Duration> ToldWindows::fixedHint() const
{
    const auto most = std::max_element(m_hints.begin(), m_hints.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
    if (most == m_hints.end() || m_hinted < 5 || 20 * most->second < 19 * m_hinted)
        return std::nullopt;
    return most->first * kSecond;
}

std::optional<signals::HintForm> ToldWindows::form() const
{
    const auto most = std::max_element(m_forms.begin(), m_forms.end());
    return *most == 0 ? std::nullopt : std::optional{static_cast<signals::HintForm>(most - m_forms.begin())};
}

} // namespace throttlescope::incident
