// SPDX-License-Identifier: Apache-2.0
#include "core/journal/metrics.h"

#include <algorithm>
#include <numeric>

namespace throttlescope::journal {

namespace {

struct Counter {
    Metrics &metrics;
    MonotonicTime at;

    void operator()(const OperationFinished &finished) const
    {
        ++metrics.operations[static_cast<std::size_t>(finished.result)];
        if (finished.rejected) // all other refusals are events of their own
            ++metrics.refused[static_cast<std::size_t>(*finished.rejected)];
        metrics.attemptsPerOperation.add(finished.attempts);
        metrics.operationsWithAttempt += finished.attempts > 0 ? 1 : 0;
        metrics.waits.add(finished.waited);
        metrics.pacing.add(finished.paced);
        metrics.finish = std::max(metrics.finish, at);
    }
    void operator()(const AttemptStarted &started) const
    {
        metrics.waits.add(started.waited);
        metrics.pacing.add(started.paced);
    }
    void operator()(const RateLimitDetected &) const { ++metrics.throttledResponses; }
    void operator()(const RateLimitWaitExceeded &) const { ++metrics.waitExceeded; }
    void operator()(const RetryRefused &refused) const { ++metrics.refused[static_cast<std::size_t>(*refused.decision->refusal)]; }
    void operator()(const BreakerOpened &) const { ++metrics.breakerTrips; }
    void operator()(const ServerAnswered &answered) const
    {
        metrics.duplicateEffects += answered.executed && answered.effect && answered.executions > 1 ? 1 : 0;
        if (answered.due && at < *answered.due)
            metrics.earlyBy.add(*answered.due - at);
        else if (answered.due)
            metrics.overshoot.add(at - *answered.due);
    }
    template <typename T>
    void operator()(const T &) const
    {
    }
};

constexpr Duration kRecoveryWindow = 10s;
constexpr double kRecoveredShare = 0.95;
constexpr Duration kHerdSpan = 1s;
constexpr std::size_t kFewKeys = 1'000; ///< nobody looks for old ones among so many

} // namespace

void Metrics::accept(const Event &event)
{
    if (const auto *started = std::get_if<AttemptStarted>(&event.payload)) {
        if (started->fallback) {
            ++fallbackAttempts;
        } else {
            ++attempts;
            retryAttempts += event.attempt > 1 ? 1 : 0;
        }
    }
    countUnderWay(event);
    std::visit(Counter{*this, event.at.monotonic}, event.payload);
}

void Metrics::countUnderWay(const Event &event)
{
    if (std::holds_alternative<AttemptStarted>(event.payload))
        concurrency = std::max(concurrency, ++underWay);
    else if (std::holds_alternative<AttemptFinished>(event.payload) && underWay > 0) // of a span: begun before it
        --underWay;
}

void Metrics::add(const Metrics &other)
{
    const auto addAll = [](auto &to, const auto &from) { std::transform(to.begin(), to.end(), from.begin(), to.begin(), std::plus<>{}); };
    addAll(operations, other.operations);
    addAll(refused, other.refused);
    attempts += other.attempts;
    retryAttempts += other.retryAttempts;
    fallbackAttempts += other.fallbackAttempts;
    throttledResponses += other.throttledResponses;
    waitExceeded += other.waitExceeded;
    breakerTrips += other.breakerTrips;
    duplicateEffects += other.duplicateEffects;
    operationsWithAttempt += other.operationsWithAttempt;
    attemptsPerOperation.add(other.attemptsPerOperation);
    waits.add(other.waits);
    pacing.add(other.pacing);
    earlyBy.add(other.earlyBy);
    overshoot.add(other.overshoot);
    herd = std::max(herd, other.herd);
    concurrency = std::max(concurrency, other.concurrency);
    finish = std::max(finish, other.finish);
}

std::uint64_t Metrics::finishedOperations() const
{
    std::uint64_t sum = 0;
    for (const std::uint64_t count : operations)
        sum += count;
    return sum;
}

RunMetrics::RunMetrics(std::vector<std::string> labels, bool recovery)
    : m_keepSuccesses(recovery)
{
    for (std::string &label : labels)
        m_spans.push_back({std::move(label), {}, {}, {}, 0});
}

Metrics &RunMetrics::ofOperation(std::string_view operation)
{
    if (m_lastOperation && m_lastOperationName == operation)
        return *m_lastOperation;
    auto found = m_byOperation.find(operation);
    if (found == m_byOperation.end())
        found = m_byOperation.emplace(std::string{operation}, Metrics{}).first;
    m_lastOperation = &found->second;
    m_lastOperationName = found->first;
    return found->second;
}

void RunMetrics::accept(const Event &event)
{
    (event.op == 0 ? m_runOnly : ofOperation(event.operation)).accept(event);
    m_runOnly.countUnderWay(event);
    for (Span &span : m_spans) {
        if (span.open > 0)
            span.metrics.accept(event);
    }
    if (const auto *marker = std::get_if<Marker>(&event.payload))
        mark(event, *marker);
    if (const auto *finished = std::get_if<OperationFinished>(&event.payload); finished && m_keepSuccesses) {
        m_lastFinish = event.at.monotonic;
        if (finished->result == Result::Succeeded)
            m_successes.push_back(event.at.monotonic);
    }
    watchHerd(event);
}

void RunMetrics::mark(const Event &event, const Marker &marker)
{
    for (Span &span : m_spans) {
        if (span.label != marker.label)
            continue;
        span.open += marker.begin ? 1 : -1;
        if (marker.begin && !span.begin)
            span.begin = event.at.monotonic;
        span.end = span.open == 0 ? std::optional{event.at.monotonic} : std::nullopt;
    }
}

/// Arrivals in the first second of a window, refused ones too, against its quota. `server.answered` comes before the
/// `server.window` of a window that it opened; an arrival tells its key only by the latter.
void RunMetrics::watchHerd(const Event &event)
{
    if (std::holds_alternative<ServerAnswered>(event.payload)) {
        for (LimitHerds &herds : m_herds) {
            if (herds.server == event.server && event.at.monotonic < herds.all.begins + kHerdSpan)
                countArrival(herds.all, herds.quota);
        }
        return;
    }
    const auto *window = std::get_if<ServerWindow>(&event.payload);
    if (!window || !window->begins)
        return;
    LimitHerds &herds = herdsOf(event, *window);
    const bool keyed = !window->key.empty();
    Herd *herd = keyed ? herdOf(herds, window->key, event.at.monotonic) : &herds.all;
    if (!herd)
        return;
    const bool opened = herd->begins != *window->begins;
    if (opened)
        *herd = {*window->begins, 0};
    if ((opened || keyed) && event.at.monotonic < herd->begins + kHerdSpan)
        countArrival(*herd, window->quota);
}

/// Keys come from clients. One whose window began a second ago has nothing left to count, and may be forgotten. Null: there
/// are too many at once.
RunMetrics::Herd *RunMetrics::herdOf(LimitHerds &herds, std::string_view key, MonotonicTime now)
{
    if (const auto found = herds.byKey.find(key); found != herds.byKey.end())
        return &found->second;
    if (herds.byKey.size() >= herds.sweepAt) {
        std::erase_if(herds.byKey, [now](const auto &entry) { return entry.second.begins + kHerdSpan <= now; });
        herds.sweepAt = std::max(kFewKeys, 2 * herds.byKey.size());
    }
    return herds.byKey.size() < kMostKeys ? &herds.byKey[std::string{key}] : nullptr;
}

std::size_t RunMetrics::keysWatched() const
{
    return std::accumulate(
        m_herds.begin(), m_herds.end(), std::size_t{0}, [](std::size_t sum, const LimitHerds &herds) { return sum + herds.byKey.size(); });
}

RunMetrics::LimitHerds &RunMetrics::herdsOf(const Event &event, const ServerWindow &window)
{
    const auto found = std::find_if(
        m_herds.begin(), m_herds.end(), [&](const LimitHerds &each) { return each.limit == window.limit && each.server == event.server; });
    if (found != m_herds.end())
        return *found;
    return m_herds.emplace_back(LimitHerds{std::string{event.server}, std::string{window.limit}, window.quota, {}, {}, 0});
}

void RunMetrics::countArrival(Herd &herd, std::uint64_t quota)
{
    ++herd.arrivals;
    m_runOnly.herd = std::max(m_runOnly.herd, static_cast<double>(herd.arrivals) / static_cast<double>(std::max<std::uint64_t>(quota, 1)));
}

Metrics RunMetrics::total() const
{
    Metrics total = m_runOnly;
    for (const auto &entry : m_byOperation)
        total.add(entry.second);
    return total;
}

const Metrics *RunMetrics::during(std::string_view label) const
{
    const auto found = std::find_if(m_spans.begin(), m_spans.end(), [label](const Span &span) { return span.label == label; });
    return found == m_spans.end() ? nullptr : &found->metrics;
}

Recovery RunMetrics::recovery(std::string_view label) const
{
    const auto span = std::find_if(m_spans.begin(), m_spans.end(), [label](const Span &candidate) { return candidate.label == label; });
    if (span == m_spans.end() || !span->begin || !span->end)
        return {std::nullopt, "the label did not end within the run"};
    const auto firstAtOrAfter = [this](MonotonicTime time) { return std::lower_bound(m_successes.begin(), m_successes.end(), time); };
    const auto before = static_cast<double>(firstAtOrAfter(*span->begin) - m_successes.begin());
    if (before == 0)
        return {std::nullopt, "nothing succeeded before the label, so there is no rate to come back to"};
    const double wanted = kRecoveredShare * before / secondsOf(span->begin->time_since_epoch()) * secondsOf(kRecoveryWindow);

    MonotonicTime from = *span->end;
    auto first = firstAtOrAfter(from);
    auto beyond = firstAtOrAfter(from + kRecoveryWindow);
    while (static_cast<double>(beyond - first) < wanted) {
        if (beyond == m_successes.end()) {
            const bool tooShort = m_lastFinish < *span->end + kRecoveryWindow;
            return {std::nullopt, tooShort ? "the traffic ends less than 10 s after the label" : "no recovery"};
        }
        from = *beyond - kRecoveryWindow + Duration{1}; // the window that just holds one more success
        ++beyond;
        first = firstAtOrAfter(from);
    }
    return {from - *span->end, {}};
}

} // namespace throttlescope::journal
