// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/incident.h"

#include "core/engine/outcome.h"
#include "simulator/incident/pseudonyms.h"

#include <algorithm>
#include <array>

namespace throttlescope::incident {

namespace {

constexpr std::array<std::string_view, 9> kMethods{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "OTHER"};
constexpr std::size_t kMostEndpoints = 20'000;
constexpr Duration kCoarse = std::chrono::milliseconds{500};

/// A name of the domain name system. Anything else may be what somebody typed into a header; an address is somebody's.
bool namesOneHost(std::string_view text)
{
    const auto isPart = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_'; };
    return text.size() <= 100 && std::all_of(text.begin(), text.end(), isPart)
        && std::any_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

std::uint32_t milliseconds(Duration value)
{
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>((value.count() + 500) / 1000, 0, 4'000'000'000));
}

/// A log's own words end up on terminals and in comments.
std::string printable(std::string_view text)
{
    std::string plain{text.substr(0, 100)};
    std::replace_if(
        plain.begin(), plain.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?'); // and what is no ASCII
    return plain;
}

Ending endingOf(const LogEntry &entry)
{
    if (entry.refusedBy != RefusedBy::Nobody)
        return Ending::Refused;
    if (!entry.status)
        return entry.sideNote ? Ending::Succeeded : Ending::Failed; // who was only delayed got an answer
    switch (*entry.status) {
    case 499: // the client went away; so has it for nginx
    case 500:
    case 502:
    case 503:
    case 504: return Ending::Failed;
    default: return *entry.status < 400 ? Ending::Succeeded : Ending::Final;
    }
}

/// Puts what the log says into tables and records, entry by entry.
class Digest {
public:
    Digest()
    {
        m_incident.methods.assign(kMethods.begin(), kMethods.end());
        m_incident.refusalKinds.push_back({});
    }

    void take(const LogEntry &entry)
    {
        begin(entry);
        KeptRequest record;
        record.at = entry.at;
        record.coarse = entry.precision >= kCoarse;
        const Endpoint endpoint{host(entry), method(entry.method), m_incident.routes.take(entry.path)};
        record.endpoint = numberOf(endpoint);
        record.client = m_clients.take(entry.client);
        m_incident.hasClients = m_incident.hasClients || !entry.client.empty();
        record.refusal = refusal(entry);
        record.status = statusOf(entry, record.refusal != 0);
        if (entry.took)
            record.took = static_cast<std::uint32_t>(std::clamp<std::int64_t>(entry.took->count(), 0, 3'600'000'000));
        const auto told = readHeaders(entry, endpoint.host, record.refusal != 0);
        if (told)
            record.told = milliseconds(*told);
        group(entry, record, endpoint, told);
        m_incident.aborted += !entry.status && !entry.sideNote;
        m_incident.statusAssumed = m_incident.statusAssumed || (record.refusal != 0 && !entry.status && entry.sideNote);
        m_storms.take({entry.at, record.status, record.refusal != 0, endpoint.host, record.client});
        m_incident.records.add(record);
    }

    Incident finish(LogSummary summary)
    {
        m_incident.log = std::move(summary);
        m_incident.clientRanks = m_clients.ranks();
        m_incident.clientsShared = m_clients.shared();
        if (m_grouping)
            m_incident.operations = m_grouping->totals();
        m_incident.storms = m_storms.storms();
        m_incident.flood = m_storms.flood();
        return std::move(m_incident);
    }
    const std::string &fault() const { return m_incident.records.fault(); }

private:
    void begin(const LogEntry &entry)
    {
        m_incident.precision = std::max(m_incident.precision, entry.precision);
        if (!m_grouping)
            m_grouping.emplace(entry.precision);
        // The error log names hosts that an access log without them does not: then what was refused would be another server's.
        if (!entry.sideNote && !m_sawRequest) {
            m_sawRequest = true;
            m_hostless = entry.host.empty();
        }
    }

    std::uint32_t host(const LogEntry &entry)
    {
        const std::string_view name = m_hostless || !namesOneHost(entry.host) ? std::string_view{} : entry.host;
        auto found = m_hosts.find(name);
        if (found == m_hosts.end()) {
            const bool isOneTooMany = m_incident.hosts.size() >= Incident::kMostHosts;
            const std::size_t number = isOneTooMany ? Incident::kMostHosts - 1 : m_incident.hosts.size();
            if (isOneTooMany) {
                m_incident.hosts.back() = "other-hosts";
                return static_cast<std::uint32_t>(number);
            }
            m_incident.hosts.emplace_back(name);
            m_incident.told.emplace_back();
            found = m_hosts.emplace(name, static_cast<std::uint32_t>(number)).first;
        }
        return found->second;
    }

    static std::uint32_t method(std::string_view name)
    {
        const auto found = std::find(kMethods.begin(), kMethods.end() - 1, name);
        return static_cast<std::uint32_t>(found - kMethods.begin());
    }

    std::uint32_t numberOf(const Endpoint &endpoint)
    {
        if (m_incident.endpoints.size() >= kMostEndpoints && !m_endpoints.contains(endpoint))
            return static_cast<std::uint32_t>(kMostEndpoints - 1);
        const auto [found, isNew] = m_endpoints.try_emplace(endpoint, static_cast<std::uint32_t>(m_incident.endpoints.size()));
        if (isNew)
            m_incident.endpoints.push_back(endpoint);
        return found->second;
    }

    std::uint16_t refusal(const LogEntry &entry)
    {
        if (entry.refusedBy == RefusedBy::Nobody)
            return 0;
        auto &kinds = m_incident.refusalKinds;
        const RefusalKind its{entry.refusedBy, printable(entry.refusedHow)};
        const auto same = std::find(kinds.begin() + 1, kinds.end(), its);
        if (same != kinds.end() || kinds.size() >= Incident::kMostRefusalKinds)
            return static_cast<std::uint16_t>(std::min<std::ptrdiff_t>(same - kinds.begin(), std::ssize(kinds) - 1));
        kinds.push_back(its);
        return static_cast<std::uint16_t>(kinds.size() - 1);
    }

    /// An error log has none; nginx answers 503 where nobody told it otherwise.
    static std::uint16_t statusOf(const LogEntry &entry, bool refused)
    {
        if (!entry.status)
            return entry.sideNote ? (refused ? 503 : 200) : 0;
        return static_cast<std::uint16_t>(std::clamp(*entry.status, 0, 999));
    }

    std::optional<Duration> readHeaders(const LogEntry &entry, std::uint32_t host, bool refused)
    {
        ToldWindows &told = m_incident.told[host];
        if (refused)
            told.countRefusal();
        if (entry.limitHeaders.empty())
            return std::nullopt;
        m_response.status = entry.status.value_or(0);
        m_response.headers.clear();
        for (const auto &[name, value] : entry.limitHeaders)
            m_response.headers.push_back({name, value});
        const signals::RateLimitState state = signals::read(m_response, entry.at);
        told.take(state, entry.at, refused);
        return refused && state.hint ? std::optional{state.hint->delay} : std::nullopt;
    }

    void group(const LogEntry &entry, KeptRequest &record, const Endpoint &endpoint, std::optional<Duration> told)
    {
        LoggedRequest request;
        request.at = entry.at;
        request.took = entry.took;
        request.key = record.client;
        request.method = endpoint.method;
        request.path = static_cast<std::uint32_t>(textHash(entry.path) >> 32) ^ endpoint.host;
        request.bodySize = entry.requestSize;
        request.ending = endingOf(entry);
        request.told = told;
        if (!entry.correlation.empty())
            request.correlation = textHash(entry.correlation);
        const GroupedRequest grouped = m_grouping->take(request);
        const FollowUp followUp = m_followUps.take(request, grouped);
        record.attempt = static_cast<std::uint8_t>(std::min<std::uint32_t>(255, grouped.attempt));
        record.came = followUp.came;
        record.gap = milliseconds(followUp.gap);
        record.overshoot = milliseconds(followUp.overshoot);
    }

    Incident m_incident;
    Pseudonyms m_clients;
    StormWatch m_storms;
    FollowUps m_followUps;
    std::optional<OperationGrouping> m_grouping;
    std::map<std::string, std::uint32_t, std::less<>> m_hosts;
    std::map<Endpoint, std::uint32_t> m_endpoints;
    Response m_response;
    bool m_sawRequest = false;
    bool m_hostless = false;
};

template <typename Read>
tl::expected<Incident, IncidentError> digest(LogReadOptions options, const Read &read)
{
    Digest digest;
    options.goOn = [&digest, asked = std::move(options.goOn)] { return digest.fault().empty() && (!asked || asked()); };
    auto summary = read(options, [&digest](LogEntry &entry) { digest.take(entry); });
    if (!summary)
        return tl::unexpected(IncidentError{IncidentError::Kind::Unreadable, summary.error()});
    if (!digest.fault().empty())
        return tl::unexpected(IncidentError{IncidentError::Kind::NoRoom, digest.fault()});
    return digest.finish(std::move(*summary));
}

} // namespace

std::vector<std::uint32_t> resolvedEndpoints(const Incident &incident)
{
    std::map<Endpoint, std::uint32_t> first;
    std::vector<std::uint32_t> resolved;
    for (Endpoint endpoint : incident.endpoints) {
        endpoint.route = incident.routes.route(endpoint.route);
        resolved.push_back(first.try_emplace(endpoint, static_cast<std::uint32_t>(resolved.size())).first->second);
    }
    return resolved;
}

tl::expected<Incident, IncidentError> readIncident(const std::vector<std::string> &files, const LogReadOptions &options)
{
    return digest(options, [&files](const LogReadOptions &own, const EntrySink &sink) { return readLogs(files, own, sink); });
}

tl::expected<Incident, IncidentError> readIncident(std::vector<std::unique_ptr<LogStream>> streams, const LogReadOptions &options)
{
    return digest(
        options, [&streams](const LogReadOptions &own, const EntrySink &sink) { return readStreams(std::move(streams), own, sink); });
}

} // namespace throttlescope::incident
