// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/loader.h"

#include "core/engine/words.h"
#include "simulator/model/calendar.h"

#include <set>

namespace throttlescope {

namespace {

constexpr Duration kDay = std::chrono::hours{24};

class Validator {
public:
    Validator(const Scenario &scenario, const Node &document, Problems &problems) : m_scenario(scenario), m_document(document), m_problems(problems) {}

    void all()
    {
        for (const Server &server : m_scenario.servers)
            limits(server);
        timeline();
        for (std::size_t i = 0; i < m_scenario.workload.size(); ++i)
            row(m_scenario.workload[i]);
        fallbackCycles();
        scopes();
        expectations();
    }

private:
    void wrong(Mark mark, std::string text) { m_problems.add(m_scenario.file, mark, std::move(text)); }

    std::vector<std::string> serverNames() const
    {
        std::vector<std::string> names;
        for (const Server &server : m_scenario.servers)
            names.push_back(server.name);
        return names;
    }
    std::vector<std::string> operationNames() const
    {
        std::vector<std::string> names;
        for (const WorkloadRow &row : m_scenario.workload) {
            names.push_back(row.operation);
            if (const auto *trace = std::get_if<TraceArrivals>(&row.arrivals); trace && trace->operations) {
                for (const TracedOperation &operation : *trace->operations)
                    names.push_back(operation.operation);
            }
        }
        return names;
    }
    static bool has(const std::vector<std::string> &names, const std::string &name) { return std::find(names.begin(), names.end(), name) != names.end(); }

    /// The place of a value below a node, or the node's own.
    static Mark placeOf(const Node *node, std::string_view key, Mark otherwise)
    {
        const Node *value = node ? node->find(key) : nullptr;
        return value && value->mark.line > 0 ? value->mark : otherwise;
    }

    void limits(const Server &server)
    {
        const Node *servers = m_document.find("servers");
        const Node *node = servers ? servers->find(server.name) : nullptr;
        const Node *list = node ? node->find("limits") : nullptr;
        std::set<std::string> names;
        for (std::size_t i = 0; list && i < server.limits.size() && i < list->items.size(); ++i) {
            const Node &item = list->items[i];
            if (!names.insert(server.limits[i].name).second)
                wrong(placeOf(&item, "name", item.mark), fmt::format("a second limit called '{}', expected names that differ", server.limits[i].name));
            window(server.limits[i], item);
        }
    }

    void window(const Limit &limit, const Node &node)
    {
        const bool concurrency = limit.window == WindowKind::Concurrency;
        const bool calendar = limit.window == WindowKind::Fixed && limit.align == Align::Calendar;
        const Mark per = placeOf(&node, "per", node.mark);
        if (!concurrency && !node.find("per"))
            return wrong(node.mark, fmt::format("'per' is missing, expected the length of the window '{}'", limit.name));
        if (concurrency && node.find("per"))
            return wrong(per, "'per' on a concurrency limit, expected none: it has no window");
        if (concurrency && limit.used > 0)
            return wrong(placeOf(&node, "used", node.mark), "'used' on a concurrency limit, expected none");
        if (limit.per.civil == Period::Civil::Month && !calendar)
            return wrong(per, "1mo on a window that is not aligned to the calendar, expected a duration");
        if (calendar && limit.per.civil == Period::Civil::None && (limit.per.length > kDay || kDay.count() % limit.per.length.count() != 0))
            return wrong(per, fmt::format("a calendar window of {} does not divide the day, expected one that does, 1d or 1mo", periodText(limit.per)));
        if (!limit.timeZone.empty() && !knownTimeZone(limit.timeZone))
            return wrong(placeOf(&node, "time_zone", node.mark), fmt::format("unknown time zone '{}', expected an IANA name such as Europe/Berlin", limit.timeZone));
        if (limit.burst && limit.window != WindowKind::TokenBucket)
            return wrong(placeOf(&node, "burst", node.mark), "'burst' on a window that is no token_bucket, expected none");
        if (!concurrency && limit.quota == 0)
            return wrong(placeOf(&node, "quota", node.mark), "a quota of 0 admits nothing, expected 1 or more");
    }

    void timeline()
    {
        for (const TimelineEntry &entry : m_scenario.timeline) {
            if (!entry.server.empty() && !has(serverNames(), entry.server))
                wrong(entry.mark, fmt::format("unknown server '{}'{}", entry.server, suggestion(entry.server, serverNames())));
        }
        // Shares only grow where an entry begins: it is enough to add up there.
        for (const TimelineEntry &entry : m_scenario.timeline) {
            double sum = 0;
            for (const TimelineEntry &other : m_scenario.timeline) {
                const bool active = other.server == entry.server && other.at <= entry.at && other.span && entry.at < saturatingAdd(other.at, *other.span);
                for (const FaultShare &fault : other.faults)
                    sum += active ? fault.share : 0;
            }
            if (!entry.faults.empty() && sum > 1 + 1e-9)
                wrong(entry.mark, fmt::format("faults of '{}' add up to {} at {}, expected at most 100%", entry.server, percentText(sum), durationText(entry.at)));
        }
    }

    const Node *rowNode(const WorkloadRow &row) const
    {
        const Node *workload = m_document.find("workload");
        for (std::size_t i = 0; workload && i < workload->items.size(); ++i) {
            if (workload->items[i].mark == row.mark)
                return &workload->items[i];
        }
        return nullptr;
    }

    void row(const WorkloadRow &row)
    {
        const Node *node = rowNode(row);
        if (!has(serverNames(), row.server))
            wrong(placeOf(node, "server", row.mark), fmt::format("unknown server '{}'{}", row.server, suggestion(row.server, serverNames())));
        if (!row.fallback.empty()) {
            std::vector<std::string> rows;
            for (const WorkloadRow &each : m_scenario.workload)
                rows.push_back(each.operation);
            const auto count = std::count(rows.begin(), rows.end(), row.fallback);
            if (count == 0)
                wrong(placeOf(node, "fallback", row.mark), fmt::format("unknown fallback '{}'{}", row.fallback, suggestion(row.fallback, rows)));
            else if (count > 1)
                wrong(placeOf(node, "fallback", row.mark), fmt::format("{} rows are called '{}', expected one that serves as the fallback", count, row.fallback));
        }
        if (const auto *trace = std::get_if<TraceArrivals>(&row.arrivals); trace && trace->operations) {
            for (const TracedOperation &operation : *trace->operations) {
                if (operation.server && !has(serverNames(), *operation.server))
                    return m_problems.add(trace->file, {operation.line, 1}, fmt::format("unknown server '{}'{}", *operation.server, suggestion(*operation.server, serverNames())));
            }
        }
    }

    void fallbackCycles()
    {
        for (const WorkloadRow &start : m_scenario.workload) {
            const WorkloadRow *at = &start;
            for (std::size_t steps = 0; at && !at->fallback.empty() && steps <= m_scenario.workload.size(); ++steps) {
                const auto next = std::find_if(m_scenario.workload.begin(), m_scenario.workload.end(), [&at](const WorkloadRow &row) { return row.operation == at->fallback; });
                at = next == m_scenario.workload.end() ? nullptr : &*next;
                if (at == &start) {
                    wrong(placeOf(rowNode(start), "fallback", start.mark), fmt::format("the fallbacks of '{}' come back to it, expected a chain that ends", start.operation));
                    return;
                }
            }
        }
    }

    /// Two written values that differ on one scope.
    void scopes()
    {
        struct Written {
            const Policy *policy = nullptr;
        };
        std::map<std::string, Written> pacers, breakers, budgets;
        std::set<std::string> reported;
        for (const WorkloadRow &row : m_scenario.workload) {
            const std::string scope = row.policy->scope.value_or(row.server);
            const auto agree = [&](std::map<std::string, Written> &seen, const auto &value, auto member, std::string_view what) {
                if (!value)
                    return;
                const Policy *&first = seen[scope].policy;
                if (!first)
                    first = row.policy.get();
                else if (first->*member != value && reported.insert(scope + std::string{what}).second)
                    wrong(placeOf(rowNode(row), "policy", row.mark), fmt::format("policies '{}' and '{}' write different {}s for the scope '{}', expected one", first->name, row.policy->name, what, scope));
            };
            agree(pacers, row.policy->pacer, &Policy::pacer, "pacer");
            agree(breakers, row.policy->breaker, &Policy::breaker, "breaker");
            agree(budgets, row.policy->budget, &Policy::budget, "budget");
        }
    }

    void expectations()
    {
        std::vector<std::string> labels;
        for (const TimelineEntry &entry : m_scenario.timeline) {
            if (!entry.label.empty())
                labels.push_back(entry.label);
        }
        const auto operations = operationNames();
        std::set<std::string> reported;
        for (const Expectation &expectation : m_scenario.expectations) {
            const bool label = expectation.selector == Expectation::Selector::During;
            if (expectation.selector == Expectation::Selector::Run || has(label ? labels : operations, expectation.of) || !reported.insert(expectation.of).second)
                continue;
            wrong(expectation.mark, fmt::format("unknown {} '{}'{}", label ? "label" : "operation", expectation.of, suggestion(expectation.of, label ? labels : operations)));
        }
        for (const ExpectedDecisions &decisions : m_scenario.decisions) {
            if (!has(operations, decisions.operation))
                wrong(decisions.mark, fmt::format("unknown operation '{}'{}", decisions.operation, suggestion(decisions.operation, operations)));
        }
    }

    const Scenario &m_scenario;
    const Node &m_document;
    Problems &m_problems;
};

} // namespace

void validate(const Scenario &scenario, const Node &document, Problems &problems)
{
    Validator{scenario, document, problems}.all();
}

} // namespace throttlescope
