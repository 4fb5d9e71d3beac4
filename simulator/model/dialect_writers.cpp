// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/dialect_writers.h"

#include "simulator/model/rounding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace throttlescope::model {

namespace {

template <typename... Args>
void append(std::string &text, fmt::format_string<Args...> format, Args &&...args)
{
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
}

void writeNumber(DialectOutput &out, std::string_view name, std::uint64_t value)
{
    if (auto *text = out.field(name))
        append(*text, "{}", value);
}

std::int64_t wholeSeconds(Duration delay)
{
    return roundedUp<std::chrono::seconds>(delay).count();
}

/// Where a field must name a reset and nothing is used, everything is there already: 0.
std::int64_t resetSeconds(const DialectWindow &window)
{
    return window.reset ? wholeSeconds(*window.reset) : 0;
}

std::int64_t windowSeconds(const DialectWindow &window)
{
    return std::max<std::int64_t>(1, wholeSeconds(window.length));
}

/// Fewer left in proportion; of two with nothing left, the one that stays so for longer.
bool isTighter(const DialectWindow &a, const DialectWindow &b)
{
    if (a.remaining == 0 && b.remaining == 0)
        return a.reset > b.reset;
    __extension__ typedef unsigned __int128 Product;
    return static_cast<Product>(a.remaining) * b.capacity < static_cast<Product>(b.remaining) * a.capacity;
}

const DialectWindow &tightest(const DialectOutput &out)
{
    return *std::min_element(out.windows.begin(), out.windows.end(), isTighter);
}

void tellSeconds(DialectOutput &out, const DialectWindow &window)
{
    out.tell(window, std::chrono::seconds{resetSeconds(window)});
}

/// GitHub REST: one limit, the reset as Unix time. The client subtracts it from the Date it came with.
void writeGitHub(DialectOutput &out)
{
    const auto &window = tightest(out);
    const auto reset = nextWholeSecond(out.wall + window.reset.value_or(Duration::zero()));
    writeNumber(out, "x-ratelimit-limit", window.capacity);
    writeNumber(out, "x-ratelimit-remaining", window.remaining);
    writeNumber(out, "x-ratelimit-used", window.used);
    if (auto *text = out.field("x-ratelimit-reset")) {
        append(*text, "{}", std::chrono::floor<std::chrono::seconds>(reset.time_since_epoch()).count());
        out.tell(window, reset - std::chrono::floor<std::chrono::seconds>(out.wall));
    }
    if (auto *text = out.field("x-ratelimit-resource"))
        *text = "core";
}

/// SAIA: limit and remaining of every window by name, and one reset for them all: the minute's.
void writeSaia(DialectOutput &out)
{
    for (const auto &window : out.windows) {
        writeNumber(out, window.limitField, window.capacity);
        writeNumber(out, window.remainingField, window.remaining);
    }
    const auto minute = std::find_if(out.windows.begin(), out.windows.end(), [](const auto &window) { return window.isMinute; });
    const auto &reset = minute != out.windows.end()
        ? *minute
        : *std::min_element(out.windows.begin(), out.windows.end(), [](const auto &a, const auto &b) { return a.length < b.length; });
    if (auto *text = out.field("ratelimit-reset")) {
        append(*text, "{}", resetSeconds(reset));
        tellSeconds(out, reset);
    }
}

/// draft-ietf-httpapi-ratelimit-headers-03, section 3: the expiring limit first, then every policy.
void writeTriple03(DialectOutput &out)
{
    const auto &window = tightest(out);
    if (auto *text = out.field("RateLimit-Limit")) {
        append(*text, "{}", window.capacity);
        for (const auto &policy : out.windows)
            append(*text, ", {};w={}", policy.quota, windowSeconds(policy));
    }
    writeNumber(out, "RateLimit-Remaining", window.remaining);
    if (auto *text = out.field("RateLimit-Reset")) {
        append(*text, "{}", resetSeconds(window));
        tellSeconds(out, window);
    }
}

/// draft -07: one dictionary, and the policies as a list of integers.
void writeCombined07(DialectOutput &out)
{
    const auto &window = tightest(out);
    if (auto *text = out.field("RateLimit")) {
        append(*text, "limit={}, remaining={}, reset={}", window.capacity, window.remaining, resetSeconds(window));
        tellSeconds(out, window);
    }
    if (auto *text = out.field("RateLimit-Policy"))
        for (const auto &policy : out.windows)
            append(*text, "{}{};w={}", text->empty() ? "" : ", ", policy.quota, windowSeconds(policy));
}

/// draft -10: a named member for every limit. `t` is optional and left out where there is no reset. Units of cost have
/// no registered `qu`, so none is written.
void writeList10(DialectOutput &out)
{
    if (auto *text = out.field("RateLimit"))
        for (const auto &window : out.windows) {
            append(*text, "{}{};r={}", text->empty() ? "" : ", ", window.quoted, window.remaining);
            if (window.reset)
                append(*text, ";t={}", resetSeconds(window));
            tellSeconds(out, window);
        }
    if (auto *text = out.field("RateLimit-Policy"))
        for (const auto &window : out.windows)
            append(*text, "{}{};q={};w={}", text->empty() ? "" : ", ", window.quoted, window.quota, windowSeconds(window));
}

struct DialectRow {
    Dialect dialect;
    void (*write)(DialectOutput &);
};

constexpr std::array<DialectRow, 5> kDialects{{
    {Dialect::IetfTriple03, writeTriple03},
    {Dialect::IetfCombined07, writeCombined07},
    {Dialect::IetfList10, writeList10},
    {Dialect::GitHub, writeGitHub},
    {Dialect::Saia, writeSaia},
}};

} // namespace

void writeDialect(Dialect dialect, DialectOutput &output)
{
    for (const auto &row : kDialects)
        if (row.dialect == dialect)
            return row.write(output);
}

} // namespace throttlescope::model
