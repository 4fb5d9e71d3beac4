// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/dialect_headers.h"

#include "core/signals/window_book.h"
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

/// Which windows a row with a name of its own tells of: the one called so, else the first one as long as the name says.
/// Where neither is there, it is the window that stands at the same place among the limits as the name among the names.
std::optional<std::size_t> windowFor(const signals::DialectRow &row, const std::vector<DialectWindow> &windows, std::size_t place)
{
    const auto length = row.length > 0 ? std::optional<Duration>{std::chrono::seconds{row.length}} : signals::lengthNamed(row.window);
    std::optional<std::size_t> found;
    for (std::size_t i = windows.size(); i-- > 0;) {
        if (windows[i].word == row.window)
            return i;
        if (length && windows[i].length == *length)
            found = i;
    }
    if (found || length)
        return found;
    return place < windows.size() ? std::optional{place} : std::nullopt;
}

/// "x-ratelimit-limit-*" and "hour": "x-ratelimit-limit-hour".
std::string fieldName(std::string_view pattern, std::string_view word)
{
    std::string name{pattern};
    const std::size_t star = name.find('*');
    return star == std::string::npos ? name : name.replace(star, 1, word);
}

/// The first of a name is the one that is sent: "x-ratelimit-limit-day" before "x-ratelimit-limit-*".
void addField(std::vector<DialectField> &fields, DialectField field)
{
    const auto isSame = [&field](const DialectField &other) { return sameHeaderName(other.name, field.name); };
    if (std::none_of(fields.begin(), fields.end(), isSame))
        fields.push_back(std::move(field));
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
        window.quoted = quotedOf(limit.name);
        window.quota = limit.quota;
        window.length = limit.per.civil == Period::Civil::Day ? Duration{std::chrono::hours{24}} : limit.per.length;
        m_windows.push_back(std::move(window));
    }
    for (const auto dialect : server.onLimit.headers)
        plan(dialect);
    for (const auto &limit : server.limits) {
        for (const auto dialect : limit.onLimit ? limit.onLimit->headers : std::vector<Dialect>{})
            plan(dialect);
    }
}

/// Window by window what has a name, then what has none.
void DialectHeaders::plan(Dialect dialect)
{
    auto &fields = m_fields[dialect];
    if (!fields.empty())
        return;
    std::vector<std::string_view> names; // of the windows, in the table's order
    for (const auto &row : signals::dialectRows()) {
        if (row.dialect == dialect && std::find(names.begin(), names.end(), row.window) == names.end())
            names.push_back(row.window);
    }
    const auto placeOf = [&names](std::string_view name) {
        const auto isPlaced = [](std::string_view each) { return !each.empty() && each != "*"; };
        return static_cast<std::size_t>(std::count_if(names.begin(), std::find(names.begin(), names.end(), name), isPlaced));
    };
    for (std::size_t i = 0; i < m_windows.size(); ++i) {
        for (const auto &row : signals::dialectRows()) {
            const bool tells = row.dialect == dialect && !row.window.empty()
                && (row.window == "*" || windowFor(row, m_windows, placeOf(row.window)) == i);
            if (tells)
                addField(fields, {&row, fieldName(row.name, m_windows[i].word), i});
        }
    }
    for (const auto &row : signals::dialectRows()) {
        if (row.dialect == dialect && row.window.empty())
            addField(fields, {&row, std::string{row.name}, std::nullopt});
    }
}

void DialectHeaders::readWindows(const LimitStack &limits, MonotonicTime now)
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
        ++window;
    }
}

void DialectHeaders::write(HeaderSink &sink, const std::vector<Dialect> &dialects, const LimitStack &limits, std::optional<Duration> delay,
    MonotonicTime now, WallTime wall)
{
    if (dialects.empty() || m_windows.empty())
        return;
    readWindows(limits, now);
    DialectWriter writer{sink, m_windows, delay, wall};
    for (const auto dialect : dialects)
        writer.write(m_fields[dialect]);
}

bool DialectHeaders::ownRetryAfter(const std::vector<Dialect> &dialects)
{
    static const std::vector<Dialect> own = [] { // asked for every refusal, and the table is long
        std::vector<Dialect> found;
        for (const signals::DialectRow &row : signals::dialectRows()) {
            if (row.onlyWhenNamed && row.role == signals::Role::RetryAfter && sameHeaderName(row.name, "Retry-After"))
                found.push_back(row.dialect);
        }
        return found;
    }();
    return std::find_first_of(own.begin(), own.end(), dialects.begin(), dialects.end()) != own.end();
}

} // namespace throttlescope::model
