// SPDX-License-Identifier: Apache-2.0
#include "core/signals/rate_limit_state.h"

#include "core/signals/http_date.h"
#include "core/signals/ratelimit_fields.h"

#include <algorithm>
#include <fmt/format.h>

/// The order in which a response's signals are believed: retry-after-ms where it is a plain number, Retry-After, then the
/// reset of an exhausted window (the longest of several).
namespace throttlescope::signals {

namespace {

constexpr std::int64_t kEpochFrom = 1'000'000'000; ///< a number from here on is a point in time, not a delay

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

Duration fromNow(WallTime moment, WallTime now)
{
    return moment > now ? moment - now : Duration::zero();
}

class Reader {
public:
    Reader(const Response &response, WallTime wall) : m_response(response), m_wall(wall) {}

    RateLimitState read()
    {
        for (const HeaderField &field : m_response.headers)
            sortOut(field);
        if (m_retryAfterMs)
            readMilliseconds(*m_retryAfterMs);
        if (m_retryAfter)
            readRetryAfter(*m_retryAfter);
        if (m_told)
            readRateLimitFields(m_response.headers, serverNow(), m_state);
        if (!m_state.hint)
            hintFromExhaustedWindow();
        return std::move(m_state);
    }

private:
    void sortOut(const HeaderField &field)
    {
        if (field.name.empty())
            return;
        switch (field.name.front() | 0x20) {
        case 'd':
            if (!m_date && sameHeaderName(field.name, "Date"))
                m_date = &field;
            break;
        case 'r':
            if (!m_retryAfter && sameHeaderName(field.name, "Retry-After"))
                m_retryAfter = &field;
            else if (!m_retryAfterMs && sameHeaderName(field.name, "retry-after-ms"))
                m_retryAfterMs = &field;
            else
                m_told = m_told || isRateLimitField(field.name);
            break;
        case 'x': m_told = m_told || isRateLimitField(field.name); break;
        default: break;
        }
    }

    /// The server's own clock where it tells it: absolute values were written by it.
    WallTime serverNow() const
    {
        const auto date = m_date ? parseHttpDate(trimmed(m_date->value), m_wall) : std::nullopt;
        return date.value_or(m_wall);
    }

    void unreadable(const HeaderField &field, std::string why) { m_state.unreadable.push_back({field.name, field.value, std::move(why)}); }

    void readMilliseconds(const HeaderField &field)
    {
        if (const auto number = decimalNumber(trimmed(field.value)))
            m_state.hint = Hint{durationFromMicroseconds(*number * 1000), field.name, HintForm::DelayMilliseconds, field.value, {}};
        else
            unreadable(field, "not a plain number of milliseconds");
    }

    /// RFC 9110 10.2.3: delay-seconds = 1*DIGIT, or an HTTP-date.
    void readRetryAfter(const HeaderField &field)
    {
        if (m_state.hint)
            return;
        const std::string_view text = trimmed(field.value);
        if (const auto seconds = digits(text)) {
            if (*seconds >= kEpochFrom && *seconds < kEpochFrom * 100) {
                const WallTime moment{std::chrono::seconds{*seconds}};
                const Duration delay = fromNow(moment, serverNow());
                m_state.hint = Hint{delay, field.name, HintForm::EpochSeconds, field.value, "a number of 1e9 and more is epoch seconds"};
            } else {
                m_state.hint = Hint{saturatingMultiply(Duration{1'000'000}, *seconds), field.name, HintForm::DelaySeconds, field.value, {}};
            }
        } else if (const auto date = parseHttpDate(text, m_wall)) {
            m_state.hint = Hint{fromNow(*date, serverNow()), field.name, HintForm::HttpDate, field.value, m_date ? "held against the response's Date" : "held against the local clock"};
        } else {
            unreadable(field, "neither delay-seconds nor an HTTP-date");
        }
    }

    void hintFromExhaustedWindow()
    {
        const Window *longest = nullptr;
        for (const Window &window : m_state.windows) {
            if (window.remaining == 0U && window.reset && (!longest || *window.reset > *longest->reset))
                longest = &window;
        }
        // SAIA tells one reset for all its windows, and it is the minute's: what it says is a hint whichever is exhausted.
        const bool anyExhausted = std::any_of(m_state.windows.begin(), m_state.windows.end(), [](const Window &window) { return window.remaining == 0U; });
        if (!longest && anyExhausted) {
            const auto told = std::find_if(m_state.windows.begin(), m_state.windows.end(), [](const Window &window) { return window.reset && window.name == "minute"; });
            longest = told == m_state.windows.end() ? nullptr : &*told;
        }
        if (!longest)
            return;
        const HeaderField *field = resetField(m_response.headers);
        m_state.hint = Hint{*longest->reset, field ? field->name : "RateLimit", HintForm::DelaySeconds, field ? field->value : "", longest->name.empty() ? "reset of the exhausted window" : fmt::format("reset of the exhausted window '{}'", longest->name)};
    }

    const Response &m_response;
    WallTime m_wall;
    RateLimitState m_state;
    const HeaderField *m_date = nullptr;
    const HeaderField *m_retryAfter = nullptr;
    const HeaderField *m_retryAfterMs = nullptr;
    bool m_told = false;
};

} // namespace

RateLimitState read(const Response &response, WallTime wall)
{
    RateLimitState state = Reader{response, wall}.read();
    // GitHub: 403 for its limits too, told by Retry-After or by nothing remaining.
    if (response.status == 403 && findHeader(response.headers, "x-ratelimit-resource")) {
        const bool exhausted = std::any_of(state.windows.begin(), state.windows.end(), [](const Window &window) { return window.remaining == 0U; });
        state.saysRateLimited = exhausted || findHeader(response.headers, "Retry-After") != nullptr;
    } else if (response.status == 403 && findHeader(response.headers, "x-ratelimit-remaining")) {
        state.saysRateLimited = std::any_of(state.windows.begin(), state.windows.end(), [](const Window &window) { return window.remaining == 0U; });
    }
    return state;
}

} // namespace throttlescope::signals
