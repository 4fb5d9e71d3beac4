// SPDX-License-Identifier: Apache-2.0
#include "core/signals/window_book.h"

#include "core/signals/numbers.h"

#include <algorithm>
#include <array>
#include <utility>

namespace throttlescope::signals {

namespace {

using namespace std::chrono_literals;

using Named = std::pair<std::string_view, std::chrono::seconds>;
constexpr std::array<Named, 10> kUnitsOfTime{{{"second", 1s}, {"minute", 60s}, {"hour", 3'600s}, {"day", 86'400s}, {"week", 604'800s},
    {"month", 2'592'000s}, {"year", 31'536'000s}, {"min", 60s}, {"sec", 1s}, {"hr", 3'600s}}};

constexpr std::size_t kUsualWindows = 4;

} // namespace

std::optional<Duration> lengthNamed(std::string_view name)
{
    const auto isJoint = [](char c) { return c == '-' || c == '_'; };
    std::string_view word = name.substr(static_cast<std::size_t>(name.rend() - std::find_if(name.rbegin(), name.rend(), isJoint)));
    std::size_t number = 0;
    while (number < word.size() && isDigit(word[number]))
        ++number;
    const auto count = digits(word.substr(0, number));
    const auto times = [factor = count.value_or(1)](std::chrono::seconds unit) { return saturatingMultiply(unit, factor); };
    word.remove_prefix(number);
    if (word.empty())
        return count ? std::optional{times(1s)} : std::nullopt;
    const char first = lowered(word.front());
    for (const auto &[unit, length] : kUnitsOfTime) {
        if (unit.front() != first)
            continue;
        if (sameHeaderName(word, unit) || (lowered(word.back()) == 's' && sameHeaderName(word.substr(0, word.size() - 1), unit)))
            return times(length);
    }
    return std::nullopt;
}

std::optional<WindowBook::Entry> WindowBook::at(std::uint8_t group, std::string_view key)
{
    for (std::size_t i = 0; i < m_sources.size(); ++i) {
        if (m_sources[i].group == group && sameHeaderName(m_sources[i].key, key))
            return Entry{m_windows[i], m_sources[i]};
    }
    if (m_windows.size() >= kMostWindows)
        return std::nullopt;
    if (m_windows.empty()) { // who tells of one mostly tells of a few
        m_windows.reserve(kUsualWindows);
        m_sources.reserve(kUsualWindows);
    }
    Window &window = m_windows.emplace_back();
    window.name.resize(key.size());
    std::transform(key.begin(), key.end(), window.name.begin(), lowered);
    window.length = key.empty() ? std::nullopt : lengthNamed(key);
    Source &source = m_sources.emplace_back();
    source.group = group;
    source.key = key;
    return Entry{window, source};
}

void WindowBook::add(Window window, const HeaderField &field)
{
    if (m_windows.size() >= kMostWindows)
        return;
    Source source;
    source.group = 0xff; // a structured field's windows are complete: no header adds to them
    source.resetField = &field;
    if (window.reset)
        source.reset = Told{*window.reset, Spelling::DelaySeconds, {}, false};
    m_windows.push_back(std::move(window));
    m_sources.push_back(source);
}

void WindowBook::setReset(Entry entry, const Told &told, const HeaderField &field)
{
    const bool sameHeader = entry.source.resetField && sameHeaderName(entry.source.resetField->name, field.name);
    const bool later = sameHeader && told.delay > entry.source.reset->delay;
    if (entry.window.reset && !later && (!entry.source.absoluteReset || told.moment))
        return;
    entry.window.reset = told.delay;
    entry.source.absoluteReset = told.moment.has_value();
    entry.source.resetField = &field;
    entry.source.reset = told;
}

void WindowBook::settle()
{
    giveAwaySharedReset();
    for (std::size_t i = 0; i < m_sources.size(); ++i) {
        Window &window = m_windows[i];
        const Source &source = m_sources[i];
        if (!window.remaining && source.used && window.limit)
            window.remaining = *window.limit > *source.used ? *window.limit - *source.used : 0;
        // A reset of 0 with something left, or with a negative rest, says nothing (Azure OpenAI: -1, -1, 0).
        const bool nothingToWaitFor = source.negativeRemaining || window.remaining.value_or(0) > 0;
        if (window.reset == Duration::zero() && !source.absoluteReset && nothingToWaitFor)
            window.reset.reset();
    }
    dropEmpty();
}

/// Headers that told nothing readable leave no window behind.
void WindowBook::dropEmpty()
{
    std::size_t kept = 0;
    for (std::size_t i = 0; i < m_windows.size(); ++i) {
        const Window &window = m_windows[i];
        if (!window.limit && !window.remaining && !window.reset)
            continue;
        if (kept != i) {
            m_windows[kept] = std::move(m_windows[i]);
            m_sources[kept] = m_sources[i];
        }
        ++kept;
    }
    m_windows.resize(kept);
    m_sources.resize(kept);
}

/// A reset without limit and rest of its own, beside windows that tell none: the shortest one's, in practice the minute's.
void WindowBook::giveAwaySharedReset()
{
    for (std::size_t i = 0; i < m_sources.size(); ++i) {
        const Window &orphan = m_windows[i];
        if (!m_sources[i].mayShare || !orphan.reset || orphan.limit || orphan.remaining || m_sources[i].used)
            continue;
        std::size_t shortest = m_windows.size();
        for (std::size_t k = 0; k < m_sources.size(); ++k) {
            const bool open = k != i && m_windows[k].length && !m_windows[k].reset;
            if (open && (shortest == m_windows.size() || *m_windows[k].length < *m_windows[shortest].length))
                shortest = k;
        }
        if (shortest == m_windows.size())
            return;
        m_windows[shortest].reset = orphan.reset;
        m_sources[shortest].resetField = m_sources[i].resetField;
        m_sources[shortest].reset = m_sources[i].reset;
        m_sources[shortest].absoluteReset = m_sources[i].absoluteReset;
        m_windows.erase(m_windows.begin() + static_cast<std::ptrdiff_t>(i));
        m_sources.erase(m_sources.begin() + static_cast<std::ptrdiff_t>(i));
        return;
    }
}

const Window *WindowBook::exhausted() const
{
    const Window *longest = nullptr;
    for (const Window &window : m_windows) {
        if (window.remaining == 0U && window.reset && (!longest || *window.reset > *longest->reset))
            longest = &window;
    }
    const bool unsaid = longest && longest->length && std::any_of(m_windows.begin(), m_windows.end(), [longest](const Window &window) {
        return window.remaining == 0U && !window.reset && window.length > longest->length;
    });
    return unsaid ? nullptr : longest;
}

bool WindowBook::anyExhausted() const
{
    return std::any_of(m_windows.begin(), m_windows.end(), [](const Window &window) { return window.remaining == 0U; });
}

} // namespace throttlescope::signals
