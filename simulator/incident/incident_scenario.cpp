// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/incident_scenario.h"

#include "core/engine/words.h"
#include "core/journal/json_line.h"
#include "simulator/incident/finding_words.h"
#include "simulator/incident/limit_block.h"
#include "simulator/scenario/text_values.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace throttlescope::incident {

namespace {

/// A double-quoted scalar is JSON's string; a word needs no quotes.
std::string yamlText(std::string_view text)
{
    const auto isPlain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.'; };
    const bool isWord = !text.empty() && text.front() >= 'a' && text.front() <= 'z' && std::all_of(text.begin(), text.end(), isPlain);
    if (isWord && text != "true" && text != "false" && text != "null" && text != "yes" && text != "no" && text != "on" && text != "off")
        return std::string{text};
    std::string out;
    journal::appendJsonText(out, text);
    return out;
}

/// What somebody would have written who meant this, where it is measured to 2 % only: nobody's policy says 1.012 s.
Duration rounded(Duration value)
{
    using namespace std::chrono_literals;
    for (const Duration step :
        {Duration{1h}, Duration{10min}, Duration{1min}, Duration{10s}, Duration{1s}, Duration{100ms}, Duration{10ms}, Duration{1ms}}) {
        const Duration near = (value + step / 2) / step * step;
        if (near > Duration{} && std::chrono::abs(near - value) * 40 <= value)
            return near;
    }
    return value;
}

std::string percent(double share)
{
    return fmt::format("{:.0f}%", share * 100);
}

class Writer {
public:
    Writer(const Incident &incident, const ServerPlan &plan, const Behaviours &behaviours, const TraceSummary &trace,
        const ScenarioNames &names)
        : m_incident(incident)
        , m_plan(plan)
        , m_behaviours(behaviours)
        , m_trace(trace)
        , m_names(names)
    {
    }

    ScenarioText text()
    {
        head();
        servers();
        timeline();
        policies();
        workload();
        expect();
        return std::move(m_result);
    }

private:
    template <typename... Parts>
    void line(fmt::format_string<Parts...> format, Parts &&...parts)
    {
        m_result.yaml += fmt::format(format, std::forward<Parts>(parts)...) + '\n';
    }
    void assume(std::string what)
    {
        if (std::find(m_result.assumed.begin(), m_result.assumed.end(), what) == m_result.assumed.end())
            m_result.assumed.push_back(std::move(what));
    }

    void head()
    {
        const std::string day = dateText(m_trace.start, m_incident.log.offset);
        line("# Made by `throttlescope import`. What the log does not tell is marked ASSUMED; look at it first.");
        if (m_trace.cut)
            line("# The log has more than a trace holds: this is {}.", spanText(m_trace.start, m_trace.end, m_incident.log.offset));
        line("throttlescope: 1");
        line("name: {}", yamlText(m_names.scenario.empty() ? "incident of " + day : m_names.scenario));
        line("summary: {}", yamlText(fmt::format("{} of {} requests were refused.", grouped(m_trace.refusals), grouped(m_trace.requests))));
        line("seed: 1");
        std::string start;
        journal::appendRfc3339(start, m_trace.start);
        line("start: {}Z", start.substr(0, start.find('.'))); // a whole minute
    }

    void servers()
    {
        line("servers:");
        for (std::size_t server = 0; server < m_plan.servers.size(); ++server) {
            if (m_trace.requestsByServer[server] == 0)
                continue;
            line("  {}:", yamlText(m_plan.servers[server].name));
            latency(m_trace.latencies[server]);
            limits(m_plan.servers[server]);
        }
        if (m_trace.requests == 0)
            line("  server: {{latency: {{fixed: 1ms}}}}");
    }

    void latency(const LogHistogram &took)
    {
        const auto median = took.quantile(0.5), p99 = took.quantile(0.99);
        if (!median) {
            assume("durations (not logged)");
            line("    latency: {{fixed: 1ms}} # ASSUMED: durations are not logged");
        } else if (took.count() < 20 || median->count() < 100 || *p99 <= *median + *median / 20) {
            line("    latency: {{fixed: {}}}", durationText(*median));
        } else {
            line("    latency: {{lognormal: {{median: {}, p99: {}}}}}", durationText(*median), durationText(*p99));
        }
    }

    void limits(const ServerPlan::Entry &server)
    {
        std::set<std::string> names;
        if (!server.limits.empty())
            line("    limits:");
        for (const LimitFinding &finding : server.limits) {
            const LimitBlock block = limitBlock(finding, m_incident, m_behaviours, names);
            m_result.yaml += block.yaml;
            for (const std::string &assumed : block.assumed)
                assume(assumed);
        }
    }

    void timeline()
    {
        std::string entries;
        std::size_t number = 0;
        for (const Storm &storm : m_incident.storms) {
            const Duration at = storm.begin - m_trace.start;
            if (at < Duration{} || storm.begin > m_trace.end)
                continue;
            ++number;
            for (std::size_t server = 0; server < m_plan.servers.size(); ++server) {
                const ServerPlan::Entry &entry = m_plan.servers[server];
                if (entry.host == storm.server && m_trace.requestsByServer[server] > 0)
                    entries += fmt::format("  - {{at: {}, for: {}, label: storm {}, server: {}, faults: {{{}}}}}\n", durationText(at),
                        durationText(storm.span), number, yamlText(entry.name), faults(storm));
            }
        }
        if (!entries.empty())
            m_result.yaml += "timeline:\n" + entries;
    }

    /// Shares were rounded one by one: together they may be a little more than all.
    static std::string faults(const Storm &storm)
    {
        std::string text;
        double left = 1;
        for (const auto &[status, share] : storm.faults) {
            const double held = std::min(share, left);
            left -= held;
            const std::string name = status == Storm::kAborted ? "reset" : std::to_string(status == 599 ? 500 : status);
            if (text.find(name + ':') == std::string::npos)
                text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, percent(held));
        }
        return text;
    }

    void policies()
    {
        assume(m_behaviours.kinds.size() == 1 ? "the clients' policy" : "the clients' policies");
        line("policies:");
        for (std::size_t kind = 0; kind < m_behaviours.kinds.size(); ++kind) {
            if (isUsed(kind))
                policy(kind, m_behaviours.kinds[kind]);
        }
    }

    void policy(std::size_t kind, const Behaviour &behaviour)
    {
        line("  # ASSUMED: what {} of the clients did, as far as the log shows it.", m_behaviours.kinds.size() == 1 ? "most" : "some");
        line("  {}:", numbered("now", kind));
        if (behaviour.maxAttempts == 1) {
            line("    max_attempts: 1 # they did not come again");
            line("    rate_limit: {{statuses: [{}]}}", fmt::join(statuses(), ", "));
            return;
        }
        line("    replay: safe");
        line("    max_attempts: {}", behaviour.maxAttempts);
        line("    retry_on: [rate_limited{}]", behaviour.retriesFailures ? ", ambiguous, transport" : "");
        line("    attempt_timeout: 1h");
        line("    rate_limit: {{statuses: [{}], {}}}", fmt::join(statuses(), ", "), hints(behaviour));
        std::vector<std::string> waits;
        for (const Duration wait : behaviour.waits)
            waits.push_back(durationText(rounded(wait)));
        while (waits.size() > 1 && waits.back() == waits[waits.size() - 2])
            waits.pop_back(); // the last one repeats
        const std::string jitter = behaviour.spread < 0.05 ? "none" : fmt::format("{{plus_minus: {}}}", percent(behaviour.spread));
        line("    backoff: {{sequence: [{}], max: 1h, jitter: {}}}", fmt::join(waits, ", "), jitter);
    }

    static std::string hints(const Behaviour &behaviour)
    {
        if (!behaviour.obeysHints)
            return "hint: ignore, zero_hint: as_no_hint, max_wait: 1h";
        const Duration longest = std::max(Duration{std::chrono::minutes{1}}, scaled(*behaviour.longestWait, 1.1));
        return fmt::format("hint: exact, max_wait: {}, padding: {{add: {}, jitter: {}}}", durationText(rounded(longest)),
            durationText(rounded(behaviour.later)), durationText(rounded(behaviour.latest)));
    }

    static std::string numbered(std::string_view name, std::size_t kind)
    {
        return kind == 0 ? std::string{name} : fmt::format("{}-{}", name, kind + 1);
    }
    bool isUsed(std::size_t kind) const { return kind == 0 || m_trace.operationsByKind[kind] > 0; }

    std::set<int> statuses() const
    {
        std::set<int> statuses;
        for (const ServerPlan::Entry &server : m_plan.servers) {
            for (const LimitFinding &finding : server.limits)
                statuses.insert(refusalStatus(finding));
        }
        return statuses.empty() ? std::set<int>{429} : statuses;
    }

    void workload()
    {
        const auto busiest = std::max_element(m_trace.requestsByServer.begin(), m_trace.requestsByServer.end());
        const std::string server
            = m_trace.requests == 0 ? "server" : m_plan.servers[static_cast<std::size_t>(busiest - m_trace.requestsByServer.begin())].name;
        line("workload:");
        for (std::size_t kind = 0; kind < m_behaviours.kinds.size(); ++kind) {
            if (isUsed(kind))
                line("  - {{operation: {}, server: {}, policy: {}, arrivals: {{trace: {}}}}}", numbered("request", kind), yamlText(server),
                    numbered("now", kind), yamlText(m_names.traces[kind]));
        }
    }

    void expect()
    {
        const auto low = static_cast<std::uint64_t>(std::ceil(0.9 * static_cast<double>(m_trace.refusals)));
        const auto high = static_cast<std::uint64_t>(std::floor(1.1 * static_cast<double>(m_trace.refusals)));
        const std::string bounds = m_trace.refusals == 0 ? "0" : fmt::format("{{min: {}, max: {}}}", low, high);
        const std::set<int> limited = statuses();
        const bool isExact = std::none_of(m_incident.storms.begin(), m_incident.storms.end(), [&limited](const Storm &storm) {
            return std::any_of(
                storm.faults.begin(), storm.faults.end(), [&limited](const auto &fault) { return limited.contains(fault.first); });
        });
        line("# What was logged, give or take 10 %.");
        if (isExact) {
            line("expect:");
            line("  throttled_responses: {} # {} in the log", bounds, grouped(m_trace.refusals));
        } else {
            line("# The storms have the status of a refusal, and would be counted: `import --verify` tells them apart.");
            line("# expect: {{throttled_responses: {}}}", bounds);
        }
    }

    const Incident &m_incident;
    const ServerPlan &m_plan;
    const Behaviours &m_behaviours;
    const TraceSummary &m_trace;
    const ScenarioNames &m_names;
    ScenarioText m_result;
};

} // namespace

ScenarioText scenarioOf(
    const Incident &incident, const ServerPlan &plan, const Behaviours &behaviours, const TraceSummary &trace, const ScenarioNames &names)
{
    return Writer{incident, plan, behaviours, trace, names}.text();
}

} // namespace throttlescope::incident
