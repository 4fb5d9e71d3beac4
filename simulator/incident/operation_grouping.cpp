// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/operation_grouping.h"

#include <algorithm>

namespace throttlescope::incident {

namespace {

/// Of equal operations still under way; those that are over come before them, unless they were told to wait long.
constexpr std::size_t kMostLookedAt = 256;
constexpr Duration kClocksApart = std::chrono::seconds{1}; ///< the client's and the log's, and whole seconds told
constexpr std::uint32_t kManyAttempts = 12; ///< more than any policy that people write

std::uint64_t mixed(std::uint64_t hash, std::uint64_t part)
{
    hash = (hash ^ part) * 0x9e3779b97f4a7c15;
    return hash ^ (hash >> 29);
}

/// Equal for requests that could be attempts of one operation. 64 bits: among millions, none collide by chance.
std::uint64_t fingerprintOf(const LoggedRequest &request)
{
    const std::uint64_t body = request.bodySize ? *request.bodySize + 1 : 0;
    return mixed(mixed(mixed((std::uint64_t{request.key} << 32) | request.path, request.method), body), 0x5ca1ab1e);
}

bool isTriedAgain(Ending ending)
{
    switch (ending) {
    case Ending::Refused:
    case Ending::Failed: return true;
    case Ending::Succeeded:
    case Ending::Final: break;
    }
    return false;
}

} // namespace

OperationGrouping::OperationGrouping(Duration precision, std::size_t mostOpen)
    : m_precision(precision)
    , m_mostOpen(std::max<std::size_t>(1, mostOpen))
{
}

GroupedRequest OperationGrouping::take(const LoggedRequest &request)
{
    if (request.correlation) {
        Operation &operation = named(*request.correlation);
        account(operation, request);
        return {operation.number, operation.attempts};
    }
    expire(request.at);
    const std::uint64_t fingerprint = fingerprintOf(request);
    Operation operation = resumed(request, fingerprint);
    account(operation, request);
    if (isTriedAgain(request.ending))
        wait(operation, request, fingerprint);
    return {operation.number, operation.attempts};
}

/// The operation that this request goes on with, or a new one.
OperationGrouping::Operation OperationGrouping::resumed(const LoggedRequest &request, std::uint64_t fingerprint)
{
    // A log of whole seconds shows a retry within the second as simultaneous.
    const WallTime latest = request.at + m_precision - Duration{1};
    auto chosen = m_waiting.end();
    bool isAmbiguous = false;
    std::size_t looked = 0;
    for (auto each = m_waiting.lower_bound({fingerprint, WallTime::min(), 0});
         each != m_waiting.end() && each->first.fingerprint == fingerprint && !isAmbiguous && looked < kMostLookedAt; ++each, ++looked) {
        if (each->second.since > latest || each->second.until < request.at)
            continue;
        isAmbiguous = chosen != m_waiting.end();
        if (!isAmbiguous)
            chosen = each;
    }
    if (chosen == m_waiting.end())
        return {m_totals.operations++};
    m_totals.ambiguous += isAmbiguous || chosen->second.operation.attempts >= kManyAttempts;
    // If it is a new call, the one that waits was given up: its client would have come before.
    const auto [operation, since, until] = chosen->second;
    const WallTime due = chosen->first.due;
    m_waiting.erase(chosen);
    const bool asTold = due > since && request.at + std::max(m_precision, kClocksApart) >= due;
    const Duration gap = std::max(Duration{}, request.at - (asTold ? due : since));
    return m_gaps.isRetry(operation.attempts, gap, asTold, request.at) ? operation : Operation{m_totals.operations++};
}

void OperationGrouping::account(Operation &operation, const LoggedRequest &request)
{
    ++operation.attempts;
    ++m_totals.attempts;
    m_totals.retries += operation.attempts > 1;
    m_totals.attemptsOfRefused += operation.refused;
    if (request.ending != Ending::Refused)
        return;
    ++m_totals.refusals;
    if (!operation.refused) {
        operation.refused = true;
        ++m_totals.refusedOperations;
        m_totals.attemptsOfRefused += operation.attempts;
    }
}

void OperationGrouping::wait(const Operation &operation, const LoggedRequest &request, std::uint64_t fingerprint)
{
    const WallTime since = request.at + request.took.value_or(Duration{});
    const Duration told = std::clamp(request.told.value_or(Duration{}), Duration{}, Duration{std::chrono::hours{24 * 31}});
    // Whoever obeys comes a little after the told time.
    const WallTime until = since + std::max(kLongestWait, told + told / 4);
    const Place place{fingerprint, since + told, operation.number};
    m_gaps.opened(operation.attempts, told > Duration{}, since);
    m_waiting.insert_or_assign(place, Waiting{operation, since, until});
    m_expiries.push_back({place, operation.attempts, until});
    while (m_waiting.size() > m_mostOpen || m_expiries.size() > 4 * m_mostOpen) {
        m_totals.forgotten += remove(m_expiries.front());
        m_expiries.pop_front();
    }
}

OperationGrouping::Operation &OperationGrouping::named(std::uint64_t id)
{
    const auto [found, isNew] = m_named.try_emplace(id);
    if (!isNew)
        return found->second;
    found->second.number = m_totals.operations++;
    m_namedInOrder.push_back(id);
    if (m_namedInOrder.size() > m_mostOpen) {
        m_named.erase(m_namedInOrder.front());
        m_namedInOrder.pop_front();
        ++m_totals.forgotten;
    }
    return m_named.find(id)->second;
}

void OperationGrouping::expire(WallTime now)
{
    // A longer wait behind a shorter one keeps it a while: that costs room, not truth, for `until` is asked again.
    while (!m_expiries.empty() && m_expiries.front().until < now) {
        remove(m_expiries.front());
        m_expiries.pop_front();
    }
}

/// False where the operation has gone on, or is over.
bool OperationGrouping::remove(const Expiry &expiry)
{
    const auto found = m_waiting.find(expiry.place);
    if (found == m_waiting.end() || found->second.operation.attempts != expiry.attempts)
        return false;
    m_waiting.erase(found);
    return true;
}

} // namespace throttlescope::incident
