// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/behaviour.h"

#include "simulator/incident/incident.h"
#include "simulator/incident/log_histogram.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

namespace throttlescope::incident {

namespace {

constexpr std::size_t kAttempts = 8; ///< those beyond are alike
constexpr std::uint32_t kTelling = 8; ///< refusals below which a client's habits are anybody's guess
constexpr double kWorthAKind = 0.03; ///< of all refusals
constexpr double kHabitsApart = 1.6; ///< times as long: another habit
constexpr double kMostSpread = 0.9;

/// When the windows of the limits that were found begin, as far as that is by the calendar.
class Windows {
public:
    Windows(const Incident &incident, const std::vector<LimitFinding> &limits)
        : m_incident(incident)
        , m_periods(incident.hosts.size())
    {
        for (const LimitFinding &finding : limits) {
            const InferredLimit &limit = finding.limit;
            const bool isCalendar = limit.kind == WindowKind::Fixed && limit.alignment == Alignment::Calendar;
            if (isCalendar && finding.foundBy != FoundBy::Assumed && limit.per >= std::chrono::seconds{10})
                m_periods[finding.host] = limit.per;
        }
    }

    /// How long before a retry its window began; none where that is long, or where the refusal was of the same window.
    std::optional<Duration> sinceBegin(const KeptRequest &request) const
    {
        const Duration per = m_periods[m_incident.endpoints[request.endpoint].host];
        if (request.came != Came::AfterRefusal || per == Duration{})
            return std::nullopt;
        const Duration since = (request.at.time_since_epoch() + m_incident.log.offset) % per;
        const bool isSoon = since <= std::max(Duration{std::chrono::seconds{3}}, per / 20);
        return isSoon && since <= request.gapBefore() ? std::optional{since} : std::nullopt;
    }

private:
    const Incident &m_incident;
    std::vector<Duration> m_periods; ///< by host; 0: none is known
};

/// How often a client was refused, and how often it came again.
struct Habits {
    std::array<std::uint32_t, kAttempts> refused{}; ///< by attempt
    std::array<std::uint32_t, kAttempts> retried{};
    std::uint32_t asTold = 0;
    std::uint32_t notAsTold = 0;
    std::uint32_t untold = 0; ///< came again without a hint, …
    std::uint32_t withWindow = 0; ///< … just after a window had begun
    std::uint32_t waits = 0; ///< after first attempts
    float waited = 0; ///< seconds, all of them together

    void take(const KeptRequest &request, const Windows &windows)
    {
        if (request.refusal != 0)
            ++refused[rowOf(request.attempt)];
        if (request.came == Came::First || request.came == Came::AfterFailure)
            return;
        ++retried[rowOf(request.attempt - 1)];
        asTold += request.came == Came::AsTold;
        notAsTold += request.came == Came::NotAsTold;
        untold += request.came == Came::AfterRefusal;
        withWindow += windows.sinceBegin(request).has_value();
        if (request.attempt == 2) {
            ++waits;
            waited += static_cast<float>(secondsOf(request.gapBefore()));
        }
    }
    void add(const Habits &other)
    {
        for (std::size_t i = 0; i < kAttempts; ++i) {
            refused[i] += other.refused[i];
            retried[i] += other.retried[i];
        }
        asTold += other.asTold;
        notAsTold += other.notAsTold;
        untold += other.untold;
        withWindow += other.withWindow;
        waits += other.waits;
        waited += other.waited;
    }

    /// That of most: where less than half come again, it was the last attempt.
    int maxAttempts() const
    {
        int attempts = 1;
        for (std::size_t i = 0; i < kAttempts; ++i) {
            if (refused[i] == 0 || 2 * retried[i] < refused[i])
                return attempts;
            ++attempts;
        }
        // So many that they go on and on: as far as they do on average.
        const double again = static_cast<double>(retried.back()), gaveUp = std::max(1.0, refused.back() - again);
        return attempts + static_cast<int>(std::min(1000.0, again / gaveUp));
    }
    bool comesWithTheWindow() const { return asTold + notAsTold == 0 && withWindow >= kTelling && 10 * withWindow >= 7 * untold; }
    bool obeysHints() const { return asTold > notAsTold || comesWithTheWindow(); }
    double meanWait() const { return waits == 0 ? 0 : static_cast<double>(waited) / waits; }
    std::uint64_t refusals() const
    {
        std::uint64_t all = 0;
        for (const std::uint32_t count : refused)
            all += count;
        return all;
    }

    static std::size_t rowOf(int attempt) { return static_cast<std::size_t>(std::clamp(attempt, 1, static_cast<int>(kAttempts))) - 1; }
};

/// Clients of one habit.
struct Kind {
    Habits habits;
    std::vector<std::uint32_t> clients;
};

/// Those of as many attempts, apart where the waits of some are much longer than those of the others.
std::vector<Kind> kindsOf(const std::unordered_map<std::uint32_t, Habits> &clients)
{
    std::map<std::pair<int, bool>, std::vector<std::pair<double, std::uint32_t>>> alike;
    Kind pooled; // too little is known of each of them
    for (const auto &[client, habits] : clients) {
        if (habits.refused[0] >= kTelling) {
            const bool hasWaits = habits.maxAttempts() > 1 && !habits.obeysHints();
            alike[{habits.maxAttempts(), habits.obeysHints()}].emplace_back(hasWaits ? habits.meanWait() : 0, client);
        } else {
            pooled.habits.add(habits);
            pooled.clients.push_back(client);
        }
    }
    if (!pooled.clients.empty())
        std::sort(pooled.clients.begin(), pooled.clients.end());
    std::vector<Kind> kinds;
    for (auto &[key, members] : alike) {
        std::sort(members.begin(), members.end());
        double before = -1;
        for (const auto &[wait, client] : members) {
            if (before < 0 || wait > kHabitsApart * before + 0.3)
                kinds.emplace_back();
            before = wait;
            kinds.back().habits.add(clients.at(client));
            kinds.back().clients.push_back(client);
        }
    }
    if (!pooled.clients.empty())
        kinds.push_back(std::move(pooled));
    std::stable_sort(kinds.begin(), kinds.end(), [](const Kind &a, const Kind &b) { return a.habits.refusals() > b.habits.refusals(); });
    return kinds;
}

/// Those that hardly matter go with the first.
void mergeRare(std::vector<Kind> &kinds)
{
    std::uint64_t all = 0;
    for (const Kind &kind : kinds)
        all += kind.habits.refusals();
    for (std::size_t i = kinds.size(); i-- > 1;) {
        if (i < Behaviours::kMost && static_cast<double>(kinds[i].habits.refusals()) >= kWorthAKind * static_cast<double>(all))
            continue;
        kinds[0].habits.add(kinds[i].habits);
        kinds[0].clients.insert(kinds[0].clients.end(), kinds[i].clients.begin(), kinds[i].clients.end());
        kinds.erase(kinds.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

/// Half of what lies between the tenth and the ninetieth percent, which hold eight tenths of an even spread. Two times that
/// were cut to the precision are that much apart by themselves.
Duration widthOf(const LogHistogram &times, Duration precision)
{
    if (times.count() < 20)
        return {};
    return std::max(Duration{}, scaled(*times.quantile(0.9) - *times.quantile(0.1) - scaled(precision, 1.1), 1 / 0.8));
}

/// The median; where times were cut to a precision that is not much finer, it would be a whole multiple of that, and the mean
/// of many is not.
Duration typicalOf(const LogHistogram &times, Duration precision)
{
    const Duration median = times.quantile(0.5).value_or(Duration{});
    return median > 5 * precision ? median : times.meanUpTo(3 * (median + precision)).value_or(median);
}

/// The times of one kind's attempts.
struct Times {
    std::array<LogHistogram, kAttempts> gaps; ///< by the attempt before
    LogHistogram overshoot;
    LogHistogram awaited; ///< as told

    void take(const KeptRequest &request, const Windows &windows)
    {
        if (request.came == Came::First || request.came == Came::AfterFailure)
            return;
        gaps[Habits::rowOf(request.attempt - 1)].add(request.gapBefore());
        const auto withWindow = windows.sinceBegin(request);
        if (request.came != Came::AsTold && !withWindow)
            return;
        const Duration over = withWindow.value_or(Duration{std::int64_t{request.overshoot} * 1000});
        overshoot.add(over);
        awaited.add(request.gapBefore() - over);
    }
};

Behaviour behaviourOf(const Kind &kind, const Times &times, Duration precision)
{
    Behaviour behaviour;
    behaviour.maxAttempts = kind.habits.maxAttempts();
    behaviour.refusals = kind.habits.refusals();
    double weight = 0;
    const auto rows = std::min(kAttempts, static_cast<std::size_t>(behaviour.maxAttempts - 1)); // the last wait repeats
    for (std::size_t i = 0; i < rows; ++i) {
        const LogHistogram &gaps = times.gaps[i];
        behaviour.waits.push_back(typicalOf(gaps, precision));
        if (behaviour.waits.back() <= Duration{})
            continue;
        const double share = std::min(kMostSpread, secondsOf(widthOf(gaps, precision)) / secondsOf(behaviour.waits.back()) / 2);
        behaviour.spread += share * static_cast<double>(gaps.count());
        weight += static_cast<double>(gaps.count());
    }
    behaviour.spread = weight == 0 ? 0 : behaviour.spread / weight;
    behaviour.obeysHints = kind.habits.obeysHints();
    if (behaviour.obeysHints) {
        behaviour.comesWithTheWindow = kind.habits.comesWithTheWindow();
        // A window's begin is no time that was cut.
        behaviour.latest = widthOf(times.overshoot, behaviour.comesWithTheWindow ? precision / 3 : precision);
        // A hint in whole seconds, rounded up, is half of one too long; a time that was cut is half of its precision too early.
        const Duration rounding = behaviour.comesWithTheWindow ? precision / 2 - Duration{500'000} : Duration{};
        behaviour.later = std::max(Duration{}, typicalOf(times.overshoot, precision) + rounding - behaviour.latest / 2);
        behaviour.longestWait = times.awaited.quantile(1);
    }
    return behaviour;
}

} // namespace

tl::expected<Behaviours, std::string> behavioursOf(const Incident &incident, const std::vector<LimitFinding> &limits)
{
    const Windows windows{incident, limits};
    std::unordered_map<std::uint32_t, Habits> clients; // that were refused
    std::uint64_t afterFailure = 0, failed = 0;
    std::string fault = incident.records.each([&](const KeptRequest &request) {
        failed += request.refusal == 0 && (request.status >= 500 || request.status == 0);
        afterFailure += request.came == Came::AfterFailure;
        if (request.refusal != 0 || clients.contains(request.client))
            clients[request.client].take(request, windows);
        return true;
    });
    std::vector<Kind> kinds = kindsOf(clients);
    if (kinds.empty())
        kinds.emplace_back();
    mergeRare(kinds);
    Behaviours result;
    result.ofClient.resize(incident.clientRanks.size());
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        for (const std::uint32_t client : kinds[i].clients)
            result.ofClient[client] = static_cast<std::uint8_t>(i);
    }
    std::vector<Times> times(kinds.size());
    if (fault.empty()) {
        fault = incident.records.each([&](const KeptRequest &request) {
            times[result.ofClient[request.client]].take(request, windows);
            return true;
        });
    }
    if (!fault.empty())
        return tl::unexpected(fault);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        result.kinds.push_back(behaviourOf(kinds[i], times[i], incident.precision));
        result.kinds.back().retriesFailures = failed > 0 && 2 * afterFailure >= failed;
    }
    return result;
}

} // namespace throttlescope::incident
