// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/dialect_headers.h"

#include <algorithm>
#include <array>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>

namespace throttlescope {

namespace {

std::int64_t ceilSeconds(Duration value)
{
    return value <= Duration::zero() ? 0 : (value.count() + 999'999) / 1'000'000;
}

void appendNumber(std::string &out, std::int64_t value)
{
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}"), value);
}

std::uint64_t remaining(const WindowReading &reading)
{
    return reading.used >= reading.quota ? 0 : reading.quota - reading.used;
}

std::int64_t deltaSeconds(const WindowReading &reading, MonotonicTime now)
{
    return reading.resets ? ceilSeconds(*reading.resets - now) : 0;
}

std::int64_t windowSeconds(const Limit &limit)
{
    switch (limit.per.civil) {
    case Period::Civil::Day: return 86'400;
    case Period::Civil::Month: return 30 * 86'400;
    case Period::Civil::None: break;
    }
    return ceilSeconds(limit.per.length);
}

/// Index of the windowed limit with the fewest left in proportion; size() where there is none.
std::size_t tightest(const Limits &limits)
{
    const auto &readings = limits.readings();
    std::size_t found = readings.size();
    const auto share = [&readings](std::size_t i) { return static_cast<double>(remaining(readings[i])) / static_cast<double>(std::max<std::uint64_t>(readings[i].quota, 1)); };
    for (std::size_t i = 0; i < readings.size(); ++i) {
        if (limits.limit(i).window != WindowKind::Concurrency && (found == readings.size() || share(i) < share(found)))
            found = i;
    }
    return found;
}

template <typename Each>
void eachWindowed(const Limits &limits, Each each)
{
    for (std::size_t i = 0; i < limits.readings().size(); ++i) {
        if (limits.limit(i).window != WindowKind::Concurrency)
            each(limits.limit(i), limits.readings()[i]);
    }
}

void writeGitHub(const Limits &limits, const ServerClock &clock, MonotonicTime now, HeaderWriter &headers)
{
    const std::size_t index = tightest(limits);
    if (index == limits.readings().size())
        return;
    const WindowReading &reading = limits.readings()[index];
    appendNumber(headers.add("x-ratelimit-limit"), static_cast<std::int64_t>(reading.quota));
    appendNumber(headers.add("x-ratelimit-remaining"), static_cast<std::int64_t>(remaining(reading)));
    appendNumber(headers.add("x-ratelimit-used"), static_cast<std::int64_t>(reading.used));
    appendNumber(headers.add("x-ratelimit-reset"), ceilSeconds(clock.wall(reading.resets.value_or(now)).time_since_epoch()));
    headers.add("x-ratelimit-resource") = "core";
}

struct SaiaWindow {
    std::string_view name;
    std::int64_t seconds;
};
constexpr std::array<SaiaWindow, 4> kSaiaWindows{{{"minute", 60}, {"hour", 3'600}, {"day", 86'400}, {"month", 30 * 86'400}}};

void writeSaia(const Limits &limits, MonotonicTime now, HeaderWriter &headers)
{
    const WindowReading *shortest = nullptr;
    for (const SaiaWindow &window : kSaiaWindows) {
        eachWindowed(limits, [&](const Limit &limit, const WindowReading &reading) {
            if (windowSeconds(limit) != window.seconds)
                return;
            appendNumber(headers.add(std::string{"x-ratelimit-limit-"}.append(window.name)), static_cast<std::int64_t>(reading.quota));
            appendNumber(headers.add(std::string{"x-ratelimit-remaining-"}.append(window.name)), static_cast<std::int64_t>(remaining(reading)));
            shortest = shortest ? shortest : &reading;
        });
    }
    if (shortest && shortest->resets) // one reset for all windows, the shortest's
        appendNumber(headers.add("ratelimit-reset"), deltaSeconds(*shortest, now));
}

void writeTriple(const Limits &limits, MonotonicTime now, HeaderWriter &headers)
{
    const std::size_t index = tightest(limits);
    if (index == limits.readings().size())
        return;
    const WindowReading &reading = limits.readings()[index];
    std::string &value = headers.add("RateLimit-Limit");
    appendNumber(value, static_cast<std::int64_t>(reading.quota));
    eachWindowed(limits, [&value](const Limit &limit, const WindowReading &each) {
        fmt::format_to(std::back_inserter(value), FMT_COMPILE(", {};w={}"), each.quota, windowSeconds(limit));
    });
    appendNumber(headers.add("RateLimit-Remaining"), static_cast<std::int64_t>(remaining(reading)));
    appendNumber(headers.add("RateLimit-Reset"), deltaSeconds(reading, now));
}

void writeCombined(const Limits &limits, MonotonicTime now, HeaderWriter &headers)
{
    const std::size_t index = tightest(limits);
    if (index == limits.readings().size())
        return;
    const WindowReading &reading = limits.readings()[index];
    fmt::format_to(std::back_inserter(headers.add("RateLimit")), FMT_COMPILE("limit={}, remaining={}, reset={}"), reading.quota, remaining(reading), deltaSeconds(reading, now));
    std::string &policy = headers.add("RateLimit-Policy");
    eachWindowed(limits, [&policy](const Limit &limit, const WindowReading &each) {
        fmt::format_to(std::back_inserter(policy), FMT_COMPILE("{}{};w={}"), policy.empty() ? "" : ", ", each.quota, windowSeconds(limit));
    });
}

/// RFC 9651 3.3.3: a string item.
void appendString(std::string &out, std::string_view text)
{
    out.push_back('"');
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out.push_back('\\');
        out.push_back(c >= 0x20 && c < 0x7f ? c : '?');
    }
    out.push_back('"');
}

void writeList(const Limits &limits, MonotonicTime now, HeaderWriter &headers)
{
    if (tightest(limits) == limits.readings().size())
        return;
    std::string &state = headers.add("RateLimit");
    eachWindowed(limits, [&](const Limit &limit, const WindowReading &reading) {
        if (!state.empty())
            state += ", ";
        appendString(state, limit.name);
        fmt::format_to(std::back_inserter(state), FMT_COMPILE(";r={}"), remaining(reading));
        if (reading.resets)
            fmt::format_to(std::back_inserter(state), FMT_COMPILE(";t={}"), deltaSeconds(reading, now));
    });
    std::string &policy = headers.add("RateLimit-Policy");
    eachWindowed(limits, [&policy](const Limit &limit, const WindowReading &reading) {
        if (!policy.empty())
            policy += ", ";
        appendString(policy, limit.name);
        fmt::format_to(std::back_inserter(policy), FMT_COMPILE(";q={};w={}"), reading.quota, windowSeconds(limit));
    });
}

} // namespace

bool HeaderWriter::has(std::string_view name) const
{
    return std::any_of(m_headers.begin(), m_headers.begin() + static_cast<std::ptrdiff_t>(m_size), [name](const HeaderField &field) { return sameHeaderName(field.name, name); });
}

void writeDialect(Dialect dialect, const Limits &limits, MonotonicTime now, const ServerClock &clock, HeaderWriter &headers)
{
    switch (dialect) {
    case Dialect::IetfTriple03: return writeTriple(limits, now, headers);
    case Dialect::IetfCombined07: return writeCombined(limits, now, headers);
    case Dialect::IetfList10: return writeList(limits, now, headers);
    case Dialect::GitHub: return writeGitHub(limits, clock, now, headers);
    case Dialect::Saia: return writeSaia(limits, now, headers);
    }
}

} // namespace throttlescope
