// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/storms.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace throttlescope::incident {

namespace {

constexpr std::int64_t kMicroseconds = 1'000'000;
constexpr std::int64_t kMinuteLength = 60 * kMicroseconds;
constexpr std::array<int, StormWatch::kMostCodes> kCodes{Storm::kAborted, 500, 502, 503, 504, 599}; ///< 599: any other 5xx

constexpr double kStormy = 0.1; ///< share of failures below which nobody speaks of a storm
constexpr double kFarAbove = 5; ///< times the usual share
constexpr std::uint64_t kFewestFailed = 5;
constexpr std::int64_t kLongestLull = 3; ///< spans without a storm that do not end one

std::int64_t floorDivided(std::int64_t value, std::int64_t by)
{
    return value / by - (value % by < 0 ? 1 : 0);
}

std::optional<std::size_t> codeOf(const LoggedAnswer &answer)
{
    if (answer.status != 0 && (answer.status < 500 || answer.status > 599))
        return std::nullopt;
    const auto found = std::find(kCodes.begin(), kCodes.end(), answer.status);
    return found == kCodes.end() ? kCodes.size() - 1 : static_cast<std::size_t>(found - kCodes.begin());
}

double hundredths(double share)
{
    return std::round(share * 100) / 100;
}

} // namespace

std::uint64_t StormWatch::Span::failed() const
{
    return std::accumulate(faults.begin(), faults.end(), std::uint64_t{0});
}

void StormWatch::Span::add(const Span &other)
{
    if (other.failed() > 0) {
        firstFault = failed() > 0 ? std::min(firstFault, other.firstFault) : other.firstFault;
        lastFault = failed() > 0 ? std::max(lastFault, other.lastFault) : other.lastFault;
    }
    answers += other.answers;
    for (std::size_t i = 0; i < faults.size(); ++i)
        faults[i] += other.faults[i];
}

void StormWatch::take(const LoggedAnswer &answer)
{
    const std::int64_t at = answer.at.time_since_epoch().count();
    if (answer.refused) {
        ++m_refusals;
        if (const std::int64_t number = floorDivided(at, kMinuteLength); m_minutes.size() < kMostMinutes || m_minutes.contains(number)) {
            Refusals &minute = m_minutes[number];
            minute.first = minute.count == 0 ? answer.at : std::min(minute.first, answer.at);
            ++minute.count;
        }
        if (m_keys.size() < kMostKeys || m_keys.contains(answer.key))
            ++m_keys[answer.key];
        return;
    }
    Span one;
    one.answers = 1;
    if (const auto code = codeOf(answer)) {
        one.faults[*code] = 1;
        one.firstFault = one.lastFault = answer.at;
    }
    const auto [span, isNew] = m_servers[answer.server].try_emplace(floorDivided(at, m_length));
    span->second.add(one);
    m_spans += isNew;
    if (m_spans > kMostSpans)
        coarsen();
}

void StormWatch::coarsen()
{
    m_length *= 2;
    m_spans = 0;
    for (auto &[server, spans] : m_servers) {
        Spans coarser;
        for (const auto &[number, span] : spans)
            coarser[floorDivided(number, 2)].add(span);
        spans = std::move(coarser);
        m_spans += spans.size();
    }
}

/// The share of failures in the better half of the spans, so that a storm does not raise what counts as usual.
double StormWatch::usualShare(const Spans &spans)
{
    std::vector<std::pair<double, const Span *>> shares;
    for (const auto &[number, span] : spans)
        shares.emplace_back(static_cast<double>(span.failed()) / static_cast<double>(span.answers), &span);
    const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
    std::nth_element(shares.begin(), middle, shares.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    std::uint64_t failed = 0, answers = 0;
    for (auto each = shares.begin(); each != shares.end() && each <= middle; ++each) {
        failed += each->second->failed();
        answers += each->second->answers;
    }
    return answers == 0 ? 0 : static_cast<double>(failed) / static_cast<double>(answers);
}

std::vector<Storm> StormWatch::storms() const
{
    std::vector<Storm> storms;
    for (const auto &[server, spans] : m_servers) {
        const double threshold = std::max(kStormy, kFarAbove * usualShare(spans));
        const auto isStormy
            = [threshold](const Span &span) { return static_cast<double>(span.failed()) >= threshold * static_cast<double>(span.answers); };
        for (auto begin = spans.begin(); begin != spans.end();) {
            if (!isStormy(begin->second)) {
                ++begin;
                continue;
            }
            auto last = begin;
            for (auto next = std::next(begin); next != spans.end() && next->first - last->first <= kLongestLull + 1; ++next) {
                if (isStormy(next->second))
                    last = next;
            }
            const auto end = std::next(last);
            if (auto storm = stormOf(server, begin, end))
                storms.push_back(std::move(*storm));
            begin = end;
        }
    }
    std::stable_sort(storms.begin(), storms.end(), [](const Storm &a, const Storm &b) { return a.begin < b.begin; });
    return storms;
}

/// From its first failure to its last. None where it is too little to speak of: one failure of one request in the night.
std::optional<Storm> StormWatch::stormOf(std::uint32_t server, Spans::const_iterator begin, Spans::const_iterator end) const
{
    Span whole;
    for (auto each = begin; each != end; ++each)
        whole.add(each->second);
    if (whole.failed() < kFewestFailed)
        return std::nullopt;
    Storm storm;
    storm.server = server;
    const std::int64_t first = floorDivided(whole.firstFault.time_since_epoch().count(), kMicroseconds);
    const std::int64_t last = floorDivided(whole.lastFault.time_since_epoch().count(), kMicroseconds);
    storm.begin = WallTime{Duration{first * kMicroseconds}};
    storm.span = Duration{(last + 1 - first) * kMicroseconds};
    // The spans at both ends hold answers from before and after: the shares are those in between, if there are any; else
    // the ends count for the part that the storm covers.
    Span inner;
    for (auto each = std::next(begin); std::distance(begin, end) > 2 && std::next(each) != end; ++each)
        inner.add(each->second);
    const double covered
        = static_cast<double>(storm.span.count()) / static_cast<double>((std::prev(end)->first + 1 - begin->first) * m_length);
    const bool hasInner = inner.failed() >= kFewestFailed;
    const Span &measured = hasInner ? inner : whole;
    const double answers
        = std::max(static_cast<double>(measured.failed()), static_cast<double>(measured.answers) * (hasInner ? 1 : std::min(1.0, covered)));
    for (std::size_t i = 0; i < measured.faults.size(); ++i) {
        if (const double share = hundredths(measured.faults[i] / answers); share > 0)
            storm.faults.emplace(kCodes[i], share);
    }
    return storm;
}

std::optional<Flood> StormWatch::flood(std::size_t mostKeys) const
{
    if (m_refusals == 0)
        return std::nullopt;
    constexpr std::int64_t longestPause = 5;
    Flood flood;
    flood.refusals = m_refusals;
    const auto peak = std::max_element(
        m_minutes.begin(), m_minutes.end(), [](const auto &a, const auto &b) { return a.second.count < b.second.count; });
    flood.peakMinute = WallTime{Duration{peak->first * kMinuteLength}};
    flood.peakRefusals = peak->second.count;
    // A few refusals a minute are everyday; the flood begins where they become more than a twentieth of the worst.
    auto onset = peak;
    for (auto each = peak;; --each) {
        if (onset->first - each->first > longestPause)
            break;
        if (each->second.count * 20 >= peak->second.count)
            onset = each;
        if (each == m_minutes.begin())
            break;
    }
    flood.onset = onset->second.first;
    for (const auto &[key, refusals] : m_keys)
        flood.topKeys.push_back({key, refusals, static_cast<double>(refusals) / static_cast<double>(m_refusals)});
    std::sort(flood.topKeys.begin(), flood.topKeys.end(), [](const KeyShare &a, const KeyShare &b) {
        return std::pair{b.refusals, a.key} < std::pair{a.refusals, b.key};
    });
    flood.topKeys.resize(std::min(flood.topKeys.size(), mostKeys));
    return flood;
}

} // namespace throttlescope::incident
