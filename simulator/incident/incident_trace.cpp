// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/incident_trace.h"

#include "simulator/incident/pseudonyms.h"
#include "simulator/incident/spans.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace throttlescope::incident {

namespace {

/// Times that lie further apart are of a clock that was wrong, 1970 or 2106.
constexpr Duration kLongest = std::chrono::hours{24 * 366};
constexpr std::size_t kMostOfOneSecond = 100'000;
constexpr std::size_t kTextAtOnce = 1 << 16;
constexpr std::size_t kLongestName = 180; ///< a cell of a trace holds 200

bool isWhole(WallTime at)
{
    return at.time_since_epoch() % kSecond == Duration{};
}

bool isRead(std::string_view method)
{
    return method == "GET" || method == "HEAD" || method == "OPTIONS" || method == "PROPFIND";
}

class Writing {
public:
    Writing(const Incident &incident, const ServerPlan &plan, const Behaviours &behaviours, const TraceWriter::Sink &sink,
        std::uint64_t most, WallTime from)
        : m_incident(incident)
        , m_plan(plan)
        , m_behaviours(behaviours)
        , m_sink(sink)
        , m_most(most)
        , m_from(from)
        , m_cells(incident.endpoints.size())
        , m_texts(behaviours.kinds.size())
    {
        m_summary.start = from;
        m_summary.end = from;
        m_summary.latencies.resize(plan.servers.size());
        m_summary.requestsByServer.resize(plan.servers.size());
        m_summary.operationsByKind.resize(m_texts.size());
        for (std::string &text : m_texts)
            text = incident.hasClients ? "at,operation,server,method,class,key\n" : "at,operation,server,method,class\n";
    }

    bool take(const KeptRequest &request)
    {
        if (request.at < m_from || request.at - m_from > kLongest) {
            m_summary.cut = true;
            return true;
        }
        if (!m_second.empty() && (m_second.front().at != request.at || m_second.size() >= kMostOfOneSecond) && !flush())
            return false;
        m_second.push_back(request);
        return true;
    }

    tl::expected<TraceSummary, std::string> finish()
    {
        flush();
        for (std::size_t kind = 0; kind < m_texts.size(); ++kind)
            put(kind);
        if (m_failed)
            return tl::unexpected(std::string{});
        return std::move(m_summary);
    }

private:
    /// Requests of one whole second came within it, one after the other; all at its beginning would be a burst that never was.
    bool flush()
    {
        const auto count = static_cast<std::int64_t>(m_second.size());
        const bool spread = count > 1 && m_second.front().coarse && isWhole(m_second.front().at);
        for (std::int64_t i = 0; i < count; ++i) {
            KeptRequest &request = m_second[static_cast<std::size_t>(i)];
            if (spread)
                request.at += Duration{kSecond.count() * i / count};
            if (!one(request))
                return false;
        }
        m_second.clear();
        return true;
    }

    bool one(const KeptRequest &request)
    {
        if (request.attempt == 1 && (m_summary.operations >= m_most || m_bytes > TraceWriter::kMostBytes)) {
            m_summary.cut = true;
            m_second.clear();
            return false;
        }
        const std::uint32_t server = m_plan.ofEndpoint[request.endpoint];
        ++m_summary.requests;
        ++m_summary.requestsByServer[server];
        m_summary.end = std::max(m_summary.end, request.at);
        if (request.refusal != 0) {
            ++m_summary.refusals;
            ++m_summary.refusalsByMinute[request.at.time_since_epoch() / kMinute];
        } else if (const auto took = request.duration(); took && request.status < 500) {
            m_summary.latencies[server].add(*took);
        }
        if (request.attempt > 1)
            return true;
        ++m_summary.operations;
        const std::size_t kind = m_behaviours.ofClient[request.client];
        ++m_summary.operationsByKind[kind];
        row(request, m_texts[kind]);
        return m_texts[kind].size() < kTextAtOnce || put(kind);
    }

    void row(const KeptRequest &request, std::string &text)
    {
        const std::int64_t at = (request.at - m_from).count();
        std::string number = fmt::format("{}.{:06}", at / kSecond.count(), at % kSecond.count());
        number.erase(number.find_last_not_of('0') + 1);
        if (number.back() == '.')
            number.pop_back();
        fmt::format_to(std::back_inserter(text), "{},{}", number, cells(request.endpoint));
        if (m_incident.hasClients)
            fmt::format_to(std::back_inserter(text), ",{}", pseudonym(m_incident.clientRanks[request.client]));
        text += '\n';
    }

    /// Nothing in them needs quotes: see segmentTemplate(), and what a host may be.
    const std::string &cells(std::uint32_t number)
    {
        std::string &cells = m_cells[number];
        if (cells.empty()) {
            const Endpoint &endpoint = m_incident.endpoints[number];
            const std::string &method = m_incident.methods[endpoint.method];
            cells = fmt::format(
                "{},{},{},{}", operationName(m_incident, endpoint), m_plan.server(number).name, method, isRead(method) ? "read" : "write");
        }
        return cells;
    }

    bool put(std::size_t kind)
    {
        m_bytes += m_texts[kind].size();
        m_failed = m_failed || !m_sink(kind, m_texts[kind]);
        m_texts[kind].clear();
        return !m_failed;
    }

    const Incident &m_incident;
    const ServerPlan &m_plan;
    const Behaviours &m_behaviours;
    const TraceWriter::Sink &m_sink;
    const std::uint64_t m_most;
    const WallTime m_from;
    std::vector<std::string> m_cells; ///< by endpoint, as they are needed
    std::vector<KeptRequest> m_second; ///< of one moment
    std::vector<std::string> m_texts; ///< by kind of behaviour, on their way out
    std::size_t m_bytes = 0;
    bool m_failed = false;
    TraceSummary m_summary;
};

WallTime floorToMinute(WallTime at)
{
    return std::chrono::floor<std::chrono::minutes>(at);
}

} // namespace

tl::expected<TraceSummary, std::string> TraceWriter::write(
    const Incident &incident, const ServerPlan &plan, const Behaviours &behaviours, const Sink &sink, std::uint64_t mostOperations)
{
    WallTime from = floorToMinute(incident.log.first.value_or(WallTime{}));
    const bool isLong = incident.operations.operations > mostOperations || (incident.log.last && *incident.log.last - from > kLongest);
    if (isLong && incident.flood)
        from = std::max(from, floorToMinute(incident.flood->onset - kBeforeOnset));
    Writing writing{incident, plan, behaviours, sink, mostOperations, from};
    const std::string fault = incident.records.each([&writing](const KeptRequest &request) { return writing.take(request); });
    if (!fault.empty())
        return tl::unexpected(fault);
    return writing.finish();
}

std::string operationName(const Incident &incident, const Endpoint &endpoint)
{
    std::string name = incident.methods[endpoint.method] + ' ' + incident.routes.text(endpoint.route);
    while (name.size() > kLongestName)
        name.erase(name.rfind('/'));
    return name;
}

} // namespace throttlescope::incident
