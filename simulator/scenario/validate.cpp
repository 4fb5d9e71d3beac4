// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/validate.h"

#include "core/engine/words.h"
#include "simulator/scenario/codec.h"

#include <map>
#include <set>

namespace throttlescope {

namespace {

/// Every item's text under a key; of a map without a key, its own keys.
class Names {
public:
    void add(std::string name)
    {
        if (m_known.insert(name).second)
            m_inOrder.push_back(std::move(name));
    }
    void addKeys(const Node *map)
    {
        for (std::size_t i = 0; map && i < map->entries.size(); ++i)
            add(map->entries[i].key);
    }
    void addItems(const Node *list, std::string_view key)
    {
        for (std::size_t i = 0; list && i < list->items.size(); ++i) {
            const Node *name = list->items[i].find(key);
            if (name && name->isScalar())
                add(name->text);
        }
    }
    bool has(const std::string &name) const { return m_known.count(name) > 0; }
    std::string suggestionFor(const std::string &name) const { return suggestion(name, m_inOrder); }

private:
    std::set<std::string> m_known;
    std::vector<std::string> m_inOrder;
};

class Validator {
public:
    Validator(const ReadScenario &read, Problems &problems)
        : m_read(read)
        , m_scenario(read.scenario)
        , m_problems(problems)
    {
        m_servers.addKeys(read.document.find("servers"));
        m_labels.addItems(read.document.find("timeline"), "label");
        m_rowNames.addItems(read.document.find("workload"), "operation");
        m_operations.addItems(read.document.find("workload"), "operation");
        for (const WorkloadRow &row : m_scenario.workload) {
            for (const TracedOperation &operation : tracedBy(row))
                m_operations.add(operation.operation);
        }
    }

    void all()
    {
        timelineServers();
        if (m_read.timelineGood)
            faultShares();
        for (std::size_t i = 0; i < m_scenario.workload.size(); ++i) {
            row(m_scenario.workload[i], *m_read.rows[i]);
            trace(m_scenario.workload[i]);
        }
        fallbackCycles();
        if (m_read.policiesGood)
            scopes();
        expectations();
    }

private:
    static const std::vector<TracedOperation> &tracedBy(const WorkloadRow &row)
    {
        static const std::vector<TracedOperation> none;
        const auto *trace = std::get_if<TraceArrivals>(&row.arrivals);
        return trace && trace->operations ? *trace->operations : none;
    }

    /// Refuses the value of a key, or the whole node where the key is not written.
    void wrong(const Node &node, std::string_view key, std::string text)
    {
        const Node *value = node.find(key);
        refuse(value ? *value : node, m_problems, std::move(text));
    }

    /// Where there is no map of servers, that is the error: nobody is unknown.
    bool unknownServer(const std::string &name) const
    {
        const Node *servers = m_read.document.find("servers");
        return servers && servers->isMap() && !m_servers.has(name);
    }

    void timelineServers()
    {
        const Node *timeline = m_read.document.find("timeline");
        for (std::size_t i = 0; timeline && i < timeline->items.size(); ++i) {
            const Node *server = timeline->items[i].find("server");
            if (server && server->isScalar() && unknownServer(server->text))
                refuse(
                    *server, m_problems, fmt::format("unknown server '{}'{}", shown(server->text), m_servers.suggestionFor(server->text)));
        }
    }

    /// Shares only grow where an entry begins: it is enough to look at the sum there.
    void faultShares()
    {
        struct Edge {
            Duration at;
            double share; ///< below 0 where the entry ends
            std::size_t entry;
        };
        std::map<std::string, std::vector<Edge>> byServer;
        for (std::size_t i = 0; i < m_scenario.timeline.size(); ++i) {
            const TimelineEntry &entry = m_scenario.timeline[i];
            double sum = 0;
            for (const FaultShare &fault : entry.faults)
                sum += fault.share;
            if (!entry.span || entry.faults.empty())
                continue;
            byServer[entry.server].push_back({entry.at, sum, i});
            byServer[entry.server].push_back({saturatingAdd(entry.at, *entry.span), -sum, i});
        }
        for (auto &[server, edges] : byServer) {
            std::stable_sort(
                edges.begin(), edges.end(), [](const Edge &a, const Edge &b) { return a.at != b.at ? a.at < b.at : a.share < b.share; });
            double sum = 0;
            for (const Edge &edge : edges) {
                sum += edge.share;
                if (edge.share > 0 && sum > 1 + 1e-9)
                    wrong(m_read.document.find("timeline")->items[edge.entry], "faults",
                        fmt::format(
                            "faults of '{}' add up to {} at {}, expected at most 100%", server, percentText(sum), durationText(edge.at)));
            }
        }
    }

    void row(const WorkloadRow &row, const Node &node)
    {
        if (unknownServer(row.server))
            wrong(node, "server", fmt::format("unknown server '{}'{}", shown(row.server), m_servers.suggestionFor(row.server)));
        if (row.fallback.empty())
            return;
        const auto called = std::count_if(m_scenario.workload.begin(), m_scenario.workload.end(),
            [&row](const WorkloadRow &each) { return each.operation == row.fallback; });
        if (!m_rowNames.has(row.fallback))
            wrong(node, "fallback", fmt::format("unknown fallback '{}'{}", shown(row.fallback), m_rowNames.suggestionFor(row.fallback)));
        else if (called > 1)
            wrong(node, "fallback",
                fmt::format("ambiguous: {} rows are called '{}', expected one that serves as the fallback", called, shown(row.fallback)));
    }

    void trace(const WorkloadRow &row)
    {
        const auto *trace = std::get_if<TraceArrivals>(&row.arrivals);
        for (const TracedOperation &operation : tracedBy(row)) {
            if (operation.server && unknownServer(*operation.server))
                m_problems.add(trace->file, {operation.line, 1},
                    fmt::format("unknown server '{}'{}", shown(*operation.server), m_servers.suggestionFor(*operation.server)));
            const auto operationClass = operation.operationClass ? operation.operationClass : row.operationClass;
            const auto derived = deriveReplay({operationClass, operation.idempotent ? operation.idempotent : row.idempotent,
                operation.method.value_or(row.method), row.callReplay, row.policy->replay, row.policy->writes});
            if (!derived)
                m_problems.add(trace->file, {operation.line, 1}, derived.error() + ", expected never");
            if (m_problems.full())
                return;
        }
    }

    /// A row has at most one fallback: following it from a row either ends or comes back.
    void fallbackCycles()
    {
        std::map<std::string, std::size_t> rows;
        for (std::size_t i = 0; i < m_scenario.workload.size(); ++i)
            rows.emplace(m_scenario.workload[i].operation, i);
        std::vector<std::size_t> visitedFrom(m_scenario.workload.size(), m_scenario.workload.size());
        for (std::size_t start = 0; start < m_scenario.workload.size(); ++start) {
            std::size_t at = start;
            while (visitedFrom[at] == m_scenario.workload.size()) {
                visitedFrom[at] = start;
                const auto next = rows.find(m_scenario.workload[at].fallback);
                if (next == rows.end())
                    break;
                at = next->second;
                if (visitedFrom[at] == start)
                    wrong(*m_read.rows[at], "fallback",
                        fmt::format(
                            "the fallbacks of '{}' come back to it, expected a chain that ends", shown(m_scenario.workload[at].operation)));
            }
        }
    }

    /// Two written values that differ on one scope. A policy that writes none uses the scope's.
    void scopes()
    {
        std::map<std::pair<std::string, std::string_view>, const Policy *> first;
        std::set<std::pair<std::string, std::string_view>> reported;
        for (std::size_t i = 0; i < m_scenario.workload.size(); ++i) {
            const WorkloadRow &row = m_scenario.workload[i];
            const auto agree = [&](const std::string &scope, std::string_view what, auto member) {
                const Policy &policy = *row.policy;
                if (!(policy.*member))
                    return;
                const Policy *other = first.try_emplace({scope, what}, &policy).first->second;
                if (other->*member != policy.*member && reported.insert({scope, what}).second)
                    wrong(*m_read.rows[i], "policy",
                        fmt::format("policies '{}' and '{}' write different {}s for the scope '{}', expected one", shown(other->name),
                            shown(policy.name), what, shown(scope)));
            };
            std::set<std::string> scopes{row.policy->scope.value_or(row.server)};
            for (const TracedOperation &operation : tracedBy(row))
                scopes.insert(row.policy->scope.value_or(operation.server.value_or(row.server)));
            for (const std::string &scope : scopes) {
                agree(scope, "pacer", &Policy::pacer);
                agree(scope, "breaker", &Policy::breaker);
                agree(scope, "budget", &Policy::budget);
            }
        }
    }

    void keysAre(std::string_view part, std::string_view what, const Names &names)
    {
        const Node *expect = m_read.document.find("expect");
        const Node *map = expect ? expect->find(part) : nullptr;
        for (std::size_t i = 0; map && i < map->entries.size(); ++i) {
            const Node::Entry &entry = map->entries[i];
            if (!names.has(entry.key))
                m_problems.add(entry.value.origin ? *entry.value.origin : m_scenario.file, entry.mark,
                    fmt::format("unknown {} '{}'{}", what, shown(entry.key), names.suggestionFor(entry.key)));
        }
    }

    void expectations()
    {
        keysAre("by_operation", "operation", m_operations);
        keysAre("during", "label", m_labels);
        keysAre("recovers_within", "label", m_labels);
        const Node *expect = m_read.document.find("expect");
        const Node *decisions = expect ? expect->find("decisions") : nullptr;
        for (std::size_t i = 0; decisions && i < decisions->items.size(); ++i) {
            const Node *operation = decisions->items[i].find("operation");
            if (operation && operation->isScalar() && !m_operations.has(operation->text))
                refuse(*operation, m_problems,
                    fmt::format("unknown operation '{}'{}", shown(operation->text), m_operations.suggestionFor(operation->text)));
        }
    }

    const ReadScenario &m_read;
    const Scenario &m_scenario;
    Problems &m_problems;
    Names m_servers, m_labels, m_rowNames, m_operations;
};

} // namespace

void validate(const ReadScenario &read, Problems &problems)
{
    Validator{read, problems}.all();
}

} // namespace throttlescope
