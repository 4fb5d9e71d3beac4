// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/limit_block.h"

#include "core/engine/words.h"
#include "simulator/incident/finding_words.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace throttlescope::incident {

namespace {

using namespace std::chrono_literals;

constexpr Duration kDay = std::chrono::hours{24};

/// The zone of an nginx `limit_req zone "per_ip"`, else the window's length.
std::string nameOf(const LimitFinding &finding, std::set<std::string> &names)
{
    std::string name = "window";
    const std::size_t quote = finding.how.find('"');
    const std::string zone = quote == std::string::npos ? "" : finding.how.substr(quote + 1, finding.how.find('"', quote + 1) - quote - 1);
    const auto isPlain
        = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
    for (const auto &[length, word] :
        {std::pair{Duration{1s}, "second"}, {Duration{1min}, "minute"}, {Duration{1h}, "hour"}, {kDay, "day"}})
        name = finding.limit.per == length ? word : name;
    if (!zone.empty() && zone.size() <= 40 && std::all_of(zone.begin(), zone.end(), isPlain) && !(zone[0] >= '0' && zone[0] <= '9'))
        name = zone;
    const std::string plain = name;
    for (int number = 2; !names.insert(name).second; ++number)
        name = fmt::format("{}-{}", plain, number);
    return name;
}

bool dividesTheDay(Duration per)
{
    return per > Duration{} && per < kDay && kDay.count() % per.count() == 0;
}

/// The zone whose midnight is the server's, as far as an offset of whole hours tells it. Signs are POSIX's: Etc/GMT-2 is
/// ahead of UTC.
std::string zoneOf(Duration offset)
{
    const auto hours = offset / 1h;
    if (offset == Duration{} || offset % 1h != Duration{} || hours < -12 || hours > 14)
        return {};
    return fmt::format(", time_zone: Etc/GMT{:+}", -hours);
}

std::string windowText(const InferredLimit &limit, Duration offset)
{
    switch (limit.kind) {
    case WindowKind::Sliding: return "window: sliding";
    case WindowKind::TokenBucket: return fmt::format("window: token_bucket, burst: {}", limit.burst.value_or(limit.quota));
    case WindowKind::Fixed: break;
    }
    const bool fits = limit.per == kDay || dividesTheDay(limit.per);
    if (limit.alignment == Alignment::FirstRequest || !fits)
        return "window: fixed, align: first_request";
    const bool zoneMatters = limit.per == kDay || offset % limit.per != Duration{};
    return "window: fixed, align: calendar" + (zoneMatters ? zoneOf(offset) : std::string{});
}

std::string periodOf(Duration per)
{
    for (const auto &[length, unit] : {std::pair{Duration{1h}, "h"}, {Duration{1min}, "m"}}) {
        if (per % length == Duration{})
            return per == kDay ? "1d" : fmt::format("{}{}", per / length, unit);
    }
    return durationText(per);
}

struct RetryAfter {
    std::string value;
    std::string assumed; ///< why it is not known; empty: it is
};

RetryAfter retryAfterOf(const LimitFinding &finding, const ToldWindows &told, const Behaviours &behaviours)
{
    // A proxy's own refusals and those from behind it are told together: where most of them have a hint, it is that.
    const bool seemsTold
        = std::any_of(behaviours.kinds.begin(), behaviours.kinds.end(), [](const Behaviour &kind) { return kind.comesWithTheWindow; });
    if (told.hintedShare() < 0.5 && seemsTold && finding.limit.kind == WindowKind::Fixed)
        return {"seconds", "Retry-After (not logged)"};
    if (told.hintedShare() < 0.5)
        return {"none", told.form() ? "" : "Retry-After (not logged)"};
    if (const auto fixed = told.fixedHint(); fixed && finding.limit.per > 2s)
        return {fmt::format("{{literal: \"{}\"}}", *fixed / 1s), {}};
    switch (*told.form()) {
    case signals::HintForm::HttpDate: return {"http-date", {}};
    case signals::HintForm::DelayMilliseconds: return {"milliseconds", {}};
    case signals::HintForm::DelaySeconds:
    case signals::HintForm::EpochSeconds:
    case signals::HintForm::Duration:
    case signals::HintForm::BodyValue: break;
    }
    return {"seconds", {}};
}

/// Not in the middle of a character.
std::string upTo(std::string text, std::size_t size)
{
    while (size > 0 && size < text.size() && (text[size] & 0xC0) == 0x80)
        --size;
    return text.substr(0, size);
}

} // namespace

int refusalStatus(const LimitFinding &finding)
{
    return finding.status >= 400 && finding.status <= 599 ? finding.status : 429;
}

LimitBlock limitBlock(const LimitFinding &finding, const Incident &incident, const Behaviours &behaviours, std::set<std::string> &names)
{
    LimitBlock block;
    const InferredLimit &limit = finding.limit;
    const std::string who = fmt::format("{}{}", refuserWord(finding.by), finding.how.empty() ? "" : fmt::format(" ({})", finding.how));
    const bool isAssumed = finding.foundBy == FoundBy::Assumed || finding.perAssumed || finding.kindAssumed;
    block.yaml = fmt::format("      # {}{}, {}\n", isAssumed ? "ASSUMED, " : "", upTo(who, 120),
        upTo(routesWords(finding, incident) + findingWords(finding), 300));
    if (finding.partial)
        block.yaml += "      # The log is very long: what this says is of the hours around the flood.\n";
    if (isAssumed)
        block.assumed.push_back(finding.foundBy == FoundBy::Assumed ? "the limit" : "the limit's window");
    if (incident.statusAssumed && finding.by == RefusedBy::ThisProxy)
        block.assumed.push_back("the status of some refusals (not logged)");
    const RetryAfter retryAfter = retryAfterOf(finding, incident.told[finding.host], behaviours);
    if (!retryAfter.assumed.empty())
        block.assumed.push_back(retryAfter.assumed);
    block.yaml += fmt::format("      - {{name: {}, quota: {}, per: {}, {}{},\n         on_limit: {{status: {}, retry_after: {}{}}}}}{}\n",
        nameOf(finding, names), std::max<std::int64_t>(1, limit.quota), periodOf(limit.per), windowText(limit, incident.log.offset),
        limit.perKey ? ", key: header:X-Client" : "", refusalStatus(finding), retryAfter.value, limit.countsRefused ? ", counts: all" : "",
        retryAfter.assumed.empty()       ? ""
            : retryAfter.value == "none" ? " # ASSUMED: no Retry-After is logged"
                                         : " # ASSUMED: none is logged, but clients come back as if told");
    return block;
}

} // namespace throttlescope::incident
