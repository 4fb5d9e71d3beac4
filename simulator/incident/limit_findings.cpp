// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/limit_findings.h"

#include <algorithm>
#include <map>

namespace throttlescope::incident {

namespace {

constexpr std::size_t kMostArrivals = 1'500'000; ///< of one limit: 24 MB, and as much again to look at them
constexpr Duration kBeforeOnset = std::chrono::minutes{15};

/// One limit: a host's, and whose. Of a proxy each of its own words is one of its limits; what is behind it has one.
struct Stage {
    std::uint32_t host = 0;
    RefusedBy by = RefusedBy::Unknown;
    std::string how;

    auto operator<=>(const Stage &) const = default;
};

Stage stageOf(const Incident &incident, const KeptRequest &record)
{
    const RefusalKind &kind = incident.refusalKinds[record.refusal];
    const std::uint32_t host = incident.endpoints[record.endpoint].host;
    return kind.by == RefusedBy::ThisProxy ? Stage{host, kind.by, kind.how} : Stage{host, RefusedBy::Upstream, {}};
}

struct Tally {
    std::uint64_t refusals = 0;
    std::map<int, std::uint64_t> statuses;
    bool isUnknown = false; ///< the log cannot tell whose refusals these are
};

int mostOf(const std::map<int, std::uint64_t> &counts)
{
    return std::max_element(counts.begin(), counts.end(), [](const auto &a, const auto &b) { return a.second < b.second; })->first;
}

/// What that limit saw: the proxy's everything, that behind it what the proxy let through.
class Sight {
public:
    Sight(const Incident &incident, const Stage &stage, std::size_t all)
        : m_incident(incident)
        , m_stage(stage)
        , m_from(all > kMostArrivals && incident.flood ? incident.flood->onset - kBeforeOnset : WallTime::min())
    {
    }

    bool take(const KeptRequest &record)
    {
        if (m_incident.endpoints[record.endpoint].host != m_stage.host || record.at < m_from)
            return true;
        const bool refused = record.refusal != 0;
        const bool isOurs = refused && stageOf(m_incident, record) == m_stage;
        if (refused && !isOurs && m_incident.refusalKinds[record.refusal].by == RefusedBy::ThisProxy)
            return true;
        m_isSorted = m_isSorted && (arrivals.empty() || arrivals.back().at <= record.at);
        arrivals.push_back({record.at, isOurs, record.client});
        return arrivals.size() < kMostArrivals;
    }
    void sort()
    {
        if (!m_isSorted)
            std::stable_sort(arrivals.begin(), arrivals.end(), [](const Arrival &a, const Arrival &b) { return a.at < b.at; });
    }

    std::vector<Arrival> arrivals;

private:
    const Incident &m_incident;
    const Stage &m_stage;
    const WallTime m_from;
    bool m_isSorted = true;
};

/// Where nothing explains it: in a minute in which something was refused, as much as went through, as a rule.
InferredLimit asMuchAsWentThrough(const std::vector<Arrival> &arrivals)
{
    constexpr std::int64_t minute = 60'000'000;
    std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> minutes; // accepted, refused
    for (const Arrival &arrival : arrivals) {
        auto &[accepted, refused] = minutes[arrival.at.time_since_epoch().count() / minute];
        (arrival.refused ? refused : accepted) += 1;
    }
    std::vector<std::int64_t> accepted;
    for (const auto &[number, counts] : minutes) {
        if (counts.second > 0)
            accepted.push_back(counts.first);
    }
    const auto middle = accepted.begin() + static_cast<std::ptrdiff_t>(accepted.size() / 2);
    std::nth_element(accepted.begin(), middle, accepted.end());
    InferredLimit limit;
    limit.quota = std::max<std::int64_t>(1, *middle);
    limit.per = std::chrono::minutes{1};
    return limit;
}

bool isLimitReq(const Stage &stage)
{
    return stage.how.starts_with("limit_req");
}

/// The kind of window and whose it is: the timing's, as far as that goes with what the headers say.
void fillIn(LimitFinding &finding, const ToldLimit &told)
{
    const Inference &timing = finding.inference;
    std::vector<InferredLimit> likely;
    if (timing.best)
        likely.push_back(timing.best->limit);
    for (const Candidate &candidate : timing.candidates)
        likely.push_back(candidate.limit);
    if (timing.runnerUp)
        likely.push_back(timing.runnerUp->limit);
    const auto same = std::find_if(likely.begin(), likely.end(), [&told](const InferredLimit &limit) {
        return limit.per == told.per && std::abs(limit.quota - static_cast<std::int64_t>(told.quota)) * 10 <= limit.quota;
    });
    finding.kindAssumed = same == likely.end();
    finding.limit = finding.kindAssumed ? InferredLimit{} : *same;
    if (finding.kindAssumed) {
        finding.limit.alignment = told.calendar ? Alignment::Calendar : Alignment::FirstRequest;
        finding.limit.perKey = !likely.empty() && likely.front().perKey;
    }
    if (finding.limit.kind == WindowKind::TokenBucket && !finding.limit.burst)
        finding.limit.burst = finding.limit.quota;
    finding.limit.quota = static_cast<std::int64_t>(told.quota);
    finding.limit.per = told.per;
    finding.perAssumed = told.perAssumed;
    finding.foundBy = FoundBy::Headers;
}

void decide(LimitFinding &finding, const std::vector<Arrival> &arrivals, const ToldWindows &told)
{
    if (finding.by != RefusedBy::ThisProxy) {
        const std::vector<ToldLimit> limits = told.limits();
        // Of several, the one that was exhausted; the others may never have been near.
        if (!limits.empty() && (limits.front().exhausted || limits.size() == 1)) {
            fillIn(finding, limits.front());
            return;
        }
    }
    const Inference &timing = finding.inference;
    finding.foundBy = timing.best ? FoundBy::Timing : FoundBy::Assumed;
    if (timing.best)
        finding.limit = timing.best->limit;
    else
        finding.limit = timing.candidates.empty() ? asMuchAsWentThrough(arrivals) : timing.candidates.front().limit;
}

} // namespace

tl::expected<std::vector<LimitFinding>, std::string> findLimits(const Incident &incident)
{
    std::map<Stage, Tally> stages;
    std::map<std::uint32_t, std::size_t> requests; // by host
    std::string fault = incident.records.each([&](const KeptRequest &record) {
        ++requests[incident.endpoints[record.endpoint].host];
        if (record.refusal == 0)
            return true;
        Tally &tally = stages[stageOf(incident, record)];
        ++tally.refusals;
        ++tally.statuses[record.status];
        tally.isUnknown = tally.isUnknown || incident.refusalKinds[record.refusal].by == RefusedBy::Unknown;
        return true;
    });
    std::vector<LimitFinding> findings;
    for (const auto &[stage, tally] : stages) {
        if (!fault.empty())
            break;
        Sight sight{incident, stage, requests[stage.host]};
        fault = incident.records.each([&sight](const KeptRequest &record) { return sight.take(record); });
        sight.sort();
        LimitFinding finding;
        finding.host = stage.host;
        finding.by = tally.isUnknown ? RefusedBy::Unknown : stage.by;
        finding.how = stage.how;
        finding.status = mostOf(tally.statuses);
        finding.refusals = tally.refusals;
        finding.partial = requests[stage.host] > kMostArrivals;
        const auto known = isLimitReq(stage) ? std::optional{WindowKind::TokenBucket} : std::nullopt;
        if (sight.arrivals.empty())
            continue;
        finding.inference = inferLimit(sight.arrivals, incident.precision, incident.log.offset, known);
        if (std::all_of(sight.arrivals.begin(), sight.arrivals.end(), [](const Arrival &arrival) { return arrival.refused; }))
            finding.inference.why = "the log holds what was refused only, and not what went through";
        decide(finding, sight.arrivals, incident.told[stage.host]);
        findings.push_back(std::move(finding));
    }
    if (!fault.empty())
        return tl::unexpected(fault);
    std::stable_sort(
        findings.begin(), findings.end(), [](const LimitFinding &a, const LimitFinding &b) { return a.refusals > b.refusals; });
    return findings;
}

} // namespace throttlescope::incident
