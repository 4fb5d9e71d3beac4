// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/finding_words.h"

#include "simulator/incident/incident_trace.h"
#include "simulator/incident/limit_verdict.h"

#include <chrono>
#include <fmt/format.h>

namespace throttlescope::incident {

namespace {

std::string perClient(InferredLimit limit)
{
    const bool perKey = limit.perKey;
    limit.perKey = false;
    std::string words = limitWords(limit);
    if (perKey)
        words.insert(std::min(words.find(','), words.size()), " per client");
    return words;
}

/// Only what it has of its own, where the rate is the same.
std::string runnerUpWords(const InferredLimit &limit, const InferredLimit &best)
{
    const std::string words = perClient(limit);
    const std::size_t comma = words.find(", ");
    const bool sameRate = limit.quota == best.quota && limit.per == best.per && limit.perKey == best.perKey;
    return sameRate && comma != std::string::npos ? words.substr(comma + 2) : words;
}

std::string fitWords(const Candidate &candidate)
{
    const std::int64_t fits = candidate.fits + candidate.nearly;
    return fmt::format("fits {}{} of {} windows", candidate.nearly > 0 ? "nearly " : "", grouped(static_cast<std::uint64_t>(fits)),
        grouped(static_cast<std::uint64_t>(candidate.windows)));
}

std::string timingWords(const Inference &inference)
{
    std::string words = fitWords(*inference.best);
    if (inference.runnerUp)
        words += fmt::format(" (runner-up: {}, {})", runnerUpWords(inference.runnerUp->limit, inference.best->limit),
            inference.runnerUp->fits + inference.runnerUp->nearly);
    return words;
}

} // namespace

std::string_view refuserWord(RefusedBy by)
{
    switch (by) {
    case RefusedBy::Nobody: return "nobody";
    case RefusedBy::Upstream: return "upstream";
    case RefusedBy::ThisProxy: return "this proxy";
    case RefusedBy::Unknown: break;
    }
    return "unknown origin";
}

std::string findingWords(const LimitFinding &finding)
{
    const std::string words = perClient(finding.limit);
    const Inference &timing = finding.inference;
    switch (finding.foundBy) {
    case FoundBy::Timing: return fmt::format("{}{}: {}", timing.best->approximate ? "about " : "", words, timingWords(timing));
    case FoundBy::Headers: {
        std::string text = words + ": told by headers";
        if (finding.perAssumed)
            text += ", how long is assumed";
        if (finding.kindAssumed)
            text += ", the kind of window is assumed";
        else if (timing.best)
            text += fmt::format("; timing agrees, {}", fitWords(*timing.best));
        return text;
    }
    case FoundBy::Assumed: break;
    }
    return fmt::format("cannot tell: {}; assumed {}", timing.why, words);
}

std::string routesWords(const LimitFinding &finding, const Incident &incident)
{
    if (finding.endpoints.empty())
        return {};
    const std::string first = operationName(incident, incident.endpoints[finding.endpoints.front()]);
    const std::size_t more = finding.endpoints.size() - 1;
    return more == 0 ? first + ": " : fmt::format("{} and {} more: ", first, more);
}

std::string grouped(std::uint64_t number)
{
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3; at -= 3)
        text.insert(at - 3, 1, ',');
    return text;
}

std::string clockText(WallTime at, Duration offset, bool seconds)
{
    const auto day = std::chrono::floor<std::chrono::days>((at + offset).time_since_epoch());
    const std::chrono::hh_mm_ss time{std::chrono::floor<std::chrono::seconds>((at + offset).time_since_epoch() - day)};
    const std::string minutes = fmt::format("{:02}:{:02}", time.hours().count(), time.minutes().count());
    return seconds ? fmt::format("{}:{:02}", minutes, time.seconds().count()) : minutes;
}

std::string dateText(WallTime at, Duration offset)
{
    const std::chrono::year_month_day date{std::chrono::floor<std::chrono::days>(at + offset)};
    return fmt::format(
        "{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::string spanText(WallTime from, WallTime to, Duration offset)
{
    const std::string first = clockText(from, offset, true), last = clockText(to, offset, true);
    if (dateText(from, offset) == dateText(to, offset))
        return fmt::format("{} to {}", first, last);
    return fmt::format("{} {} to {} {}", dateText(from, offset), first, dateText(to, offset), last);
}

} // namespace throttlescope::incident
