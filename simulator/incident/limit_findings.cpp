// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/limit_findings.h"
#include "simulator/incident/spans.h"

#include <algorithm>
#include <map>
#include <set>

namespace throttlescope::incident {

namespace {

constexpr std::size_t kMostArrivals = 1'500'000; ///< of one limit: 24 MB, and as much again to look at them

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
    std::set<std::uint32_t> endpoints; ///< at which it refused, resolved
    bool isUnknown = false; ///< the log cannot tell whose refusals these are
};

int mostOf(const std::map<int, std::uint64_t> &counts)
{
    return std::max_element(counts.begin(), counts.end(), [](const auto &a, const auto &b) { return a.second < b.second; })->first;
}

/// What that limit saw: the proxy's everything, that behind it what the proxy let through.
class Sight {
public:
    /// `only`: by endpoint, whether it counts; empty: all do.
    Sight(const Incident &incident, const Stage &stage, std::size_t all, std::vector<bool> only = {})
        : m_incident(incident)
        , m_stage(stage)
        , m_only(std::move(only))
        , m_from(all > kMostArrivals && incident.flood ? incident.flood->onset - kBeforeOnset : WallTime::min())
    {
    }

    bool take(const KeptRequest &record)
    {
        if (m_incident.endpoints[record.endpoint].host != m_stage.host || record.at < m_from)
            return true;
        if (!m_only.empty() && !m_only[record.endpoint])
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
    const std::vector<bool> m_only;
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
    if (accepted.empty())
        return {1, std::chrono::minutes{1}};
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

/// Looks for the limits of one incident, stage by stage.
class Search {
public:
    explicit Search(const Incident &incident)
        : m_incident(incident)
        , m_resolved(resolvedEndpoints(incident))
    {
    }

    tl::expected<std::vector<LimitFinding>, std::string> run()
    {
        m_fault = m_incident.records.each([this](const KeptRequest &request) {
            count(request);
            return true;
        });
        std::vector<LimitFinding> findings;
        for (const auto &[stage, tally] : m_stages) {
            if (m_fault.empty())
                findings.push_back(found(stage, tally));
        }
        if (!m_fault.empty())
            return tl::unexpected(m_fault);
        std::stable_sort(
            findings.begin(), findings.end(), [](const LimitFinding &a, const LimitFinding &b) { return a.refusals > b.refusals; });
        return findings;
    }

private:
    void count(const KeptRequest &request)
    {
        ++m_requests[m_incident.endpoints[request.endpoint].host];
        if (request.refusal == 0)
            return;
        Tally &tally = m_stages[stageOf(m_incident, request)];
        ++tally.refusals;
        ++tally.statuses[request.status];
        tally.endpoints.insert(m_resolved[request.endpoint]);
        tally.isUnknown = tally.isUnknown || m_incident.refusalKinds[request.refusal].by == RefusedBy::Unknown;
    }

    LimitFinding found(const Stage &stage, const Tally &tally)
    {
        LimitFinding finding;
        finding.host = stage.host;
        finding.by = tally.isUnknown ? RefusedBy::Unknown : stage.by;
        finding.how = stage.how;
        finding.status = mostOf(tally.statuses);
        finding.refusals = tally.refusals;
        finding.partial = m_requests[stage.host] > kMostArrivals;
        const std::vector<Arrival> arrivals = seenBy(stage, {});
        finding.inference = inferred(stage, arrivals);
        decide(finding, arrivals, m_incident.told[stage.host]);
        if (finding.foundBy == FoundBy::Assumed)
            tryItsRoutes(finding, stage, tally, arrivals.size());
        return finding;
    }

    /// A limit of some routes only: what the others let through meanwhile speaks against every limit.
    void tryItsRoutes(LimitFinding &finding, const Stage &stage, const Tally &tally, std::size_t all)
    {
        std::vector<bool> only(m_resolved.size());
        for (std::size_t endpoint = 0; endpoint < only.size(); ++endpoint)
            only[endpoint] = tally.endpoints.contains(m_resolved[endpoint]);
        const std::vector<Arrival> arrivals = seenBy(stage, std::move(only));
        if (arrivals.empty() || arrivals.size() == all)
            return;
        Inference timing = inferred(stage, arrivals);
        if (!timing.best)
            return;
        finding.inference = std::move(timing);
        finding.limit = finding.inference.best->limit;
        finding.foundBy = FoundBy::Timing;
        finding.endpoints.assign(tally.endpoints.begin(), tally.endpoints.end());
    }

    std::vector<Arrival> seenBy(const Stage &stage, std::vector<bool> only)
    {
        Sight sight{m_incident, stage, m_requests[stage.host], std::move(only)};
        m_fault = m_incident.records.each([&sight](const KeptRequest &request) { return sight.take(request); });
        sight.sort();
        return std::move(sight.arrivals);
    }

    Inference inferred(const Stage &stage, const std::vector<Arrival> &arrivals) const
    {
        if (std::all_of(arrivals.begin(), arrivals.end(), [](const Arrival &arrival) { return arrival.refused; })) {
            Inference none;
            none.why = "the log holds what was refused only, and not what went through";
            return none;
        }
        const auto known = isLimitReq(stage) ? std::optional{WindowKind::TokenBucket} : std::nullopt;
        return inferLimit(arrivals, m_incident.precision, m_incident.log.offset, known);
    }

    const Incident &m_incident;
    const std::vector<std::uint32_t> m_resolved;
    std::map<Stage, Tally> m_stages;
    std::map<std::uint32_t, std::size_t> m_requests; ///< by host
    std::string m_fault;
};

} // namespace

tl::expected<std::vector<LimitFinding>, std::string> findLimits(const Incident &incident)
{
    return Search{incident}.run();
}

} // namespace throttlescope::incident
