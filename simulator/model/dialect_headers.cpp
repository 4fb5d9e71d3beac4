// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/dialect_headers.h"

#include "simulator/model/dialect_writers.h"
#include "simulator/model/rounding.h"

#include <algorithm>

namespace throttlescope::model {

namespace {

std::string_view wordOf(const Period &period)
{
    if (period.civil == Period::Civil::Month)
        return "month";
    if (period.civil == Period::Civil::Day || period.length == std::chrono::hours{24})
        return "day";
    if (period.length == std::chrono::hours{1})
        return "hour";
    return period.length == std::chrono::minutes{1} ? "minute" : "";
}

bool isTokenCharacter(char c)
{
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~"; // RFC 9110 5.6.2
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || marks.find(c) != std::string_view::npos;
}

/// A limit's name as a part of a field name.
std::string tokenOf(std::string_view name)
{
    std::string token{name};
    std::replace_if(
        token.begin(), token.end(), [](char c) { return !isTokenCharacter(c); }, '-');
    return token;
}

/// RFC 9651 3.3.3: printable ASCII, with `"` and `\` escaped.
std::string quotedOf(std::string_view name)
{
    std::string quoted = "\"";
    for (const char c : name) {
        if (c == '"' || c == '\\')
            quoted += '\\';
        quoted += c < ' ' || c > '~' ? '?' : c;
    }
    return quoted + '"';
}

} // namespace

DialectHeaders::DialectHeaders(const Server &server, std::int64_t scale)
    : m_scale(scale)
{
    for (const auto &limit : server.limits) {
        if (limit.window == WindowKind::Concurrency)
            continue;
        DialectWindow window;
        window.word = wordOf(limit.per);
        const bool taken = std::any_of(m_windows.begin(), m_windows.end(), [&](const auto &other) { return other.word == window.word; });
        if (window.word.empty() || taken)
            window.word = tokenOf(limit.name);
        window.limitField = "x-ratelimit-limit-" + window.word;
        window.remainingField = "x-ratelimit-remaining-" + window.word;
        window.isMinute = window.word == "minute";
        window.quoted = quotedOf(limit.name);
        window.quota = limit.quota;
        m_windows.push_back(std::move(window));
    }
}

void DialectHeaders::readWindows(const LimitStack &limits, const TrackedLimit *refusing, MonotonicTime now)
{
    auto window = m_windows.begin();
    for (const auto &limit : limits.limits()) {
        if (limit->isConcurrency())
            continue;
        window->capacity = limit->capacity();
        window->used = limit->used();
        window->remaining = window->capacity - std::min(window->capacity, window->used);
        window->length = scaledDown(limit->length(), m_scale);
        const auto reset = limit->reset(now);
        window->reset = reset ? std::optional{scaledDown(*reset - now, m_scale)} : std::nullopt;
        window->isRefusing = limit.get() == refusing;
        ++window;
    }
}

std::optional<Duration> DialectHeaders::write(HeaderSink &sink, const std::vector<Dialect> &dialects, const LimitStack &limits,
    const TrackedLimit *refusing, MonotonicTime now, WallTime wall)
{
    if (dialects.empty() || m_windows.empty())
        return std::nullopt;
    readWindows(limits, refusing, now);
    DialectOutput output{sink, m_windows, wall, std::nullopt};
    for (const auto dialect : dialects)
        writeDialect(dialect, output);
    return output.told;
}

} // namespace throttlescope::model
