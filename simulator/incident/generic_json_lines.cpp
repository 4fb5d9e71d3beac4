// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/entry_fields.h"
#include "simulator/incident/json_lines.h"
#include "simulator/incident/json_reader.h"
#include "simulator/incident/refusal.h"

#include "core/signals/numbers.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace throttlescope::incident {

namespace {

struct CommonName {
    FieldRole role;
    std::string_view key;
    EpochUnit unit = EpochUnit::Guessed;
};

/// What frameworks and people call them; of several the first one counts.
constexpr std::array kCommonNames{
    CommonName{FieldRole::Start, "start_time"},
    CommonName{FieldRole::Start, "startTime"},
    CommonName{FieldRole::Start, "started_at"},
    CommonName{FieldRole::Time, "time"},
    CommonName{FieldRole::Time, "ts"},
    CommonName{FieldRole::Time, "timestamp"},
    CommonName{FieldRole::Time, "@timestamp"},
    CommonName{FieldRole::Time, "msec"},
    CommonName{FieldRole::Time, "time_iso8601"},
    CommonName{FieldRole::Time, "time_local"},
    CommonName{FieldRole::Time, "datetime"},
    CommonName{FieldRole::Time, "date"},
    CommonName{FieldRole::Duration, "request_time", EpochUnit::Seconds},
    CommonName{FieldRole::Duration, "duration_ms", EpochUnit::Milliseconds},
    CommonName{FieldRole::Duration, "latency_ms", EpochUnit::Milliseconds},
    CommonName{FieldRole::Duration, "elapsed_ms", EpochUnit::Milliseconds},
    CommonName{FieldRole::Duration, "response_time_ms", EpochUnit::Milliseconds},
    CommonName{FieldRole::Duration, "durationMs", EpochUnit::Milliseconds},
    CommonName{FieldRole::Duration, "responseTime", EpochUnit::Milliseconds},
    CommonName{FieldRole::Duration, "duration_us", EpochUnit::Microseconds},
    CommonName{FieldRole::Duration, "duration_ns", EpochUnit::Nanoseconds},
    CommonName{FieldRole::Duration, "duration", EpochUnit::Seconds},
    CommonName{FieldRole::Duration, "httpRequest.latency", EpochUnit::Seconds},
    CommonName{FieldRole::Status, "status"},
    CommonName{FieldRole::Status, "status_code"},
    CommonName{FieldRole::Status, "statusCode"},
    CommonName{FieldRole::Status, "response_code"},
    CommonName{FieldRole::Status, "http_status"},
    CommonName{FieldRole::Status, "http.response.status_code"},
    CommonName{FieldRole::Status, "response.status"},
    CommonName{FieldRole::Status, "res.statusCode"},
    CommonName{FieldRole::Status, "httpRequest.status"},
    CommonName{FieldRole::Status, "code"},
    CommonName{FieldRole::Method, "method"},
    CommonName{FieldRole::Method, "request_method"},
    CommonName{FieldRole::Method, "http.request.method"},
    CommonName{FieldRole::Method, "request.method"},
    CommonName{FieldRole::Method, "req.method"},
    CommonName{FieldRole::Method, "httpRequest.requestMethod"},
    CommonName{FieldRole::Path, "path"},
    CommonName{FieldRole::Path, "uri"},
    CommonName{FieldRole::Path, "request_uri"},
    CommonName{FieldRole::Path, "url"},
    CommonName{FieldRole::Path, "url.path"},
    CommonName{FieldRole::Path, "request_path"},
    CommonName{FieldRole::Path, "request.uri"},
    CommonName{FieldRole::Path, "request.url"},
    CommonName{FieldRole::Path, "req.url"},
    CommonName{FieldRole::Path, "httpRequest.requestUrl"},
    CommonName{FieldRole::Request, "request"},
    CommonName{FieldRole::Request, "request_line"},
    CommonName{FieldRole::Host, "host"},
    CommonName{FieldRole::Host, "http_host"},
    CommonName{FieldRole::Host, "authority"},
    CommonName{FieldRole::Host, "server_name"},
    CommonName{FieldRole::Host, "url.domain"},
    CommonName{FieldRole::Host, "request.host"},
    CommonName{FieldRole::Client, "client_ip"},
    CommonName{FieldRole::Client, "clientIp"},
    CommonName{FieldRole::Client, "remote_addr"},
    CommonName{FieldRole::Client, "remote_ip"},
    CommonName{FieldRole::Client, "client"},
    CommonName{FieldRole::Client, "ip"},
    CommonName{FieldRole::Client, "client.ip"},
    CommonName{FieldRole::Client, "source.ip"},
    CommonName{FieldRole::Client, "req.remoteAddress"},
    CommonName{FieldRole::Client, "httpRequest.remoteIp"},
    CommonName{FieldRole::RequestSize, "request_length"},
    CommonName{FieldRole::RequestSize, "request_size"},
    CommonName{FieldRole::RequestSize, "bytes_received"},
    CommonName{FieldRole::UpstreamStatus, "upstream_status"},
};

constexpr std::size_t kRoleCount = static_cast<std::size_t>(FieldRole::Header) + 1;
/// So many lines without a role's key, and it is not looked for any more: a log that has it has it early.
constexpr int kPatience = 200;

class JsonLinesReader final : public JsonReader {
public:
    explicit JsonLinesReader(const ReaderOptions &options)
        : m_options(options)
    {
        for (const FieldMapping &field : options.fields)
            m_named[static_cast<std::size_t>(field.role)] = true;
    }

private:
    struct Field {
        simdjson::dom::element value;
        std::string_view key;
        EpochUnit unit;
    };

    Reading readObject(const JsonMembers &members, LogEntry &entry) override
    {
        if (members.has("event") && members.has("seq") && members.has("t"))
            return wrong("event", "expected no journal of ours, which has a reader of its own");
        const auto start = find(FieldRole::Start, members);
        const auto end = start ? std::nullopt : find(FieldRole::Time, members);
        const auto status = find(FieldRole::Status, members);
        setRequest(members, entry);
        if (!status && entry.method.empty() && !m_named[static_cast<std::size_t>(FieldRole::Status)])
            return Reading::NotARequest; // a message of the program
        const auto time = start || end ? timeOf(start ? *start : *end) : std::nullopt;
        if (!time)
            return wrong(start ? start->key : end ? end->key : "", "expected a time; its key can be named: time=KEY");
        if (!status)
            return wrong("", "expected a status; its key can be named: status=KEY");
        if (!setStatus(entry, status->value))
            return wrong(status->key, "expected a status of three digits or 0");
        if (const auto took = find(FieldRole::Duration, members))
            entry.took = durationOf(*took);
        setTime(entry, *time, m_options.zone, start ? Duration::zero() : entry.took.value_or(Duration::zero()));
        Evidence evidence = setHeaders(members, entry);
        if (const auto upstream = find(FieldRole::UpstreamStatus, members)) {
            const std::string text = JsonMembers::scalarOf(upstream->value);
            evidence.answeredBehind = !text.empty() && text != "-" && text != "0";
            evidence.how = *evidence.answeredBehind ? "upstream_status" : "no upstream_status";
        }
        judge(entry, evidence);
        return Reading::Entry;
    }

    std::optional<Field> find(FieldRole role, const JsonMembers &members)
    {
        const auto index = static_cast<std::size_t>(role);
        for (const FieldMapping &field : m_options.fields) {
            if (field.role != role)
                continue;
            if (const auto found = members.element(field.key))
                return Field{*found, field.key, field.unit};
        }
        if (m_named[index] || m_missed[index] >= kPatience)
            return std::nullopt;
        for (const CommonName &name : kCommonNames) {
            if (name.role != role)
                continue;
            if (const auto found = members.element(name.key); found && !found->is_object() && !found->is_array()) {
                m_missed[index] = 0;
                return Field{*found, name.key, name.unit};
            }
        }
        ++m_missed[index];
        return std::nullopt;
    }

    void setRequest(const JsonMembers &members, LogEntry &entry)
    {
        const auto text = [&](FieldRole role) {
            const auto found = find(role, members);
            return found ? JsonMembers::scalarOf(found->value) : std::string{};
        };
        if (const std::string request = text(FieldRole::Request); !request.empty())
            setRequestLine(entry, request);
        if (const std::string method = text(FieldRole::Method); !method.empty())
            setMethod(entry, method);
        if (const std::string path = text(FieldRole::Path); !path.empty())
            setTarget(entry, path);
        if (const std::string host = text(FieldRole::Host); !host.empty())
            setHost(entry, host);
        const std::string client = text(FieldRole::Client);
        if (client.find(',') != std::string::npos)
            setForwarded(entry, client);
        else if (!client.empty())
            setClient(entry, client);
        entry.requestSize = countOf(text(FieldRole::RequestSize));
        setCorrelation(entry, text(FieldRole::Correlation));
    }

    static std::optional<LogTime> timeOf(const Field &field) { return readAnyTime(JsonMembers::scalarOf(field.value), field.unit); }

    static std::optional<Duration> durationOf(const Field &field)
    {
        const std::string text = JsonMembers::scalarOf(field.value);
        const auto number = signals::decimal(text);
        if (!number)
            return signals::unitDuration(text);
        switch (field.unit) {
        case EpochUnit::Guessed:
        case EpochUnit::Seconds: return signals::times(*number, std::chrono::seconds{1});
        case EpochUnit::Milliseconds: return signals::times(*number, std::chrono::milliseconds{1});
        case EpochUnit::Microseconds: return signals::times(*number, std::chrono::microseconds{1});
        case EpochUnit::Nanoseconds: return signals::times(*number, std::chrono::nanoseconds{1});
        }
        return std::nullopt;
    }

    /// By mapping, and under the names that nginx' variables would have.
    Evidence setHeaders(const JsonMembers &members, LogEntry &entry) const
    {
        Evidence evidence;
        for (const FieldMapping &field : m_options.fields) {
            if (field.role == FieldRole::Header)
                addHeader(entry, field.header, JsonMembers::scalarOf(members.element(field.key)));
        }
        for (const auto &[key, value] : members.all()) {
            const std::size_t prefix = key.substr(0, 10) == "sent_http_" ? 10 : key.substr(0, 14) == "upstream_http_" ? 14 : 0;
            if (prefix > 0 || key == "retry_after") {
                std::string name{key.substr(prefix)};
                std::replace(name.begin(), name.end(), '_', '-');
                addHeader(entry, name, JsonMembers::scalarOf(value));
            } else if (key == "limit_req_status") {
                const std::string text = JsonMembers::scalarOf(value);
                entry.delayed = text == "DELAYED";
                evidence.limited = text == "REJECTED" ? "limit_req" : "";
                evidence.proxyAnswers503 = true;
            }
        }
        return evidence;
    }

    const ReaderOptions m_options;
    std::array<bool, kRoleCount> m_named{};
    std::array<int, kRoleCount> m_missed{};
};

} // namespace

std::unique_ptr<LineReader> jsonLinesReader(const ReaderOptions &options)
{
    return std::make_unique<JsonLinesReader>(options);
}

} // namespace throttlescope::incident
