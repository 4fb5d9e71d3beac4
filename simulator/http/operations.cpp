// SPDX-License-Identifier: Apache-2.0
#include "simulator/http/operations.h"

#include "core/engine/philox_draw.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace throttlescope::http {

namespace {

constexpr std::size_t kLongestName = 200;

std::uint64_t mixed(std::uint64_t hash, std::string_view text)
{
    return (hash ^ std::hash<std::string_view>{}(text)) * 0x9e3779b97f4a7c15;
}

/// "/" is before every path, "/items" before "/items/7" and not before "/itemsets".
bool isBefore(std::string_view prefix, std::string_view path)
{
    return path.substr(0, prefix.size()) == prefix && (path.size() == prefix.size() || prefix.back() == '/' || path[prefix.size()] == '/');
}

bool meets(const WorkloadRow &row, std::string_view method, std::string_view path)
{
    return (row.method.empty() || row.method == method) && !row.path.empty() && isBefore(row.path, path);
}

} // namespace

bool hasEffect(const OperationKind &kind, std::string_view method)
{
    if (kind.row && kind.row->operationClass)
        return kind.row->operationClass == OperationClass::Write || kind.row->operationClass == OperationClass::Action;
    const bool declaredIdempotent = kind.row && kind.row->idempotent.value_or(false);
    return !declaredIdempotent && (method == "POST" || method == "PATCH");
}

Operations::Operations(const Server &server, const std::vector<WorkloadRow> &workload)
    : m_correlate(server.correlate)
{
    for (const WorkloadRow &row : workload) {
        if (row.server != server.name)
            continue;
        const auto added = m_kinds.try_emplace(row.operation, OperationKind{row.operation, &row, row.method, row.units});
        if (added.second)
            m_rows.push_back(&added.first->second);
    }
    std::stable_sort(m_rows.begin(), m_rows.end(),
        [](const OperationKind *a, const OperationKind *b) { return a->row->path.size() > b->row->path.size(); });
}

std::uint64_t Operations::keyOf(const ReceivedRequest &request, bool &named) const
{
    if (m_correlate.by == Correlate::By::Header) {
        if (const auto *value = findHeader(request.headers, m_correlate.header)) {
            named = true;
            return mixed(1, *value);
        }
    }
    const std::uint64_t key = mixed(mixed(2, request.method), request.target);
    return needsBody() ? (key ^ request.bodyHash) * 0x9e3779b97f4a7c15 : key;
}

OperationKind &Operations::kindOf(const ReceivedRequest &request)
{
    const std::string_view path = request.path();
    for (OperationKind *kind : m_rows) {
        if (meets(*kind->row, request.method, path))
            return *kind;
    }
    m_scratch.assign(request.method, 0, kLongestName).append(1, ' ').append(path.substr(0, kLongestName));
    auto found = m_kinds.find(m_scratch);
    if (found != m_kinds.end())
        return found->second;
    if (++m_namesMade > kMostNames)
        m_scratch = "other requests";
    return m_kinds.try_emplace(m_scratch, OperationKind{m_scratch, nullptr, request.method.substr(0, kLongestName)}).first->second;
}

Operation &Operations::claim(const ReceivedRequest &request, const Operation *&givenUp)
{
    bool named = false;
    const std::uint64_t key = keyOf(request, named);
    Operation *operation = nullptr;
    if (named) {
        const auto found = m_named.find(key);
        operation = found == m_named.end() ? nullptr : found->second;
    } else if (const auto line = m_waiting.find(key); line != m_waiting.end()) {
        operation = line->second.first;
        takeOut(*operation);
    }
    if (!operation) {
        operation = &create(request, key, givenUp);
        if (named)
            m_named[key] = operation;
    }
    ++operation->underWay;
    return *operation;
}

Operation &Operations::create(const ReceivedRequest &request, std::uint64_t key, const Operation *&givenUp)
{
    Operation *operation = nullptr;
    if (!m_free.empty()) {
        operation = m_free.back();
        m_free.pop_back();
    } else if (m_slots.size() >= kMost) {
        operation = evict(givenUp);
    }
    if (!operation)
        operation = &m_slots.emplace_back();
    *operation = Operation{};
    operation->kind = &kindOf(request);
    operation->key = key;
    operation->drawKey = operationDrawKey(operation->kind->name, 0, operation->kind->started++);
    return *operation;
}

/// Slots are looked at in turn, so the one that goes is among the oldest. None where every one has an attempt under way:
/// there are never more of those than connections and their pipelines allow.
Operation *Operations::evict(const Operation *&givenUp)
{
    for (std::size_t looked = 0; looked < m_slots.size(); ++looked) {
        Operation &candidate = m_slots[m_hand++ % m_slots.size()];
        if (candidate.underWay > 0)
            continue;
        if (candidate.waiting)
            takeOut(candidate);
        m_named.erase(candidate.key);
        m_evicted = candidate;
        givenUp = m_evicted.finished ? nullptr : &m_evicted;
        return &candidate;
    }
    return nullptr;
}

void Operations::release(Operation &operation, bool finished)
{
    --operation.underWay;
    operation.finished = operation.finished || finished;
    const auto named = m_named.find(operation.key);
    if (named != m_named.end() && named->second == &operation)
        return;
    if (!operation.finished)
        return append(operation);
    operation.id = 0;
    m_free.push_back(&operation);
}

void Operations::append(Operation &operation)
{
    Line &line = m_waiting[operation.key];
    (line.last ? line.last->nextWaiting : line.first) = &operation;
    line.last = &operation;
    operation.nextWaiting = nullptr;
    operation.waiting = true;
}

void Operations::takeOut(Operation &operation)
{
    const auto found = m_waiting.find(operation.key);
    Line &line = found->second;
    Operation *before = nullptr;
    for (Operation *each = line.first; each != &operation; each = each->nextWaiting)
        before = each;
    (before ? before->nextWaiting : line.first) = operation.nextWaiting;
    if (line.last == &operation)
        line.last = before;
    if (!line.first)
        m_waiting.erase(found);
    operation.nextWaiting = nullptr;
    operation.waiting = false;
}

} // namespace throttlescope::http
