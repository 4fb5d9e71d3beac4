// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/entry_fields.h"
#include "simulator/incident/envoy_words.h"
#include "simulator/incident/json_lines.h"
#include "simulator/incident/json_reader.h"
#include "simulator/incident/refusal.h"

#include "core/engine/outcome.h"
#include "core/signals/numbers.h"

#include <array>
#include <chrono>
#include <initializer_list>

namespace throttlescope::incident {

namespace {

constexpr int kTraefikClientGone = 499; ///< Traefik's, as nginx'

std::string_view firstOf(const JsonMembers &members, std::initializer_list<std::string_view> keys)
{
    for (const std::string_view key : keys) {
        if (const std::string_view text = members.text(key); !text.empty() && text != "-")
            return text;
    }
    return {};
}

void setClientOrList(LogEntry &entry, std::string_view client)
{
    if (client.find(',') != std::string_view::npos)
        setForwarded(entry, client);
    else
        setClient(entry, client);
}

/// The keys of Envoy's documentation, of Envoy Gateway and of Istio.
class EnvoyJsonReader final : public JsonReader {
public:
    explicit EnvoyJsonReader(const ReaderOptions &options)
        : m_options(options)
    {
    }

private:
    Reading readObject(const JsonMembers &members, LogEntry &entry) override
    {
        const auto time = readIsoTime(members.text("start_time"));
        if (!time)
            return wrong("start_time", "expected 'start_time' as 2016-04-15T20:17:00.310Z");
        if (!members.has("response_code") || !members.has("response_flags"))
            return wrong("response_flags", "expected 'response_code' and 'response_flags'");
        if (!setStatus(entry, members.element("response_code")))
            return wrong("response_code", "expected a status of three digits or 0");
        setMethod(entry, firstOf(members, {"method", ":method", "request_method"}));
        setTarget(entry, firstOf(members, {"x-envoy-origin-path", "x-envoy-original-path", "path", ":path", "request_path"}));
        if (entry.method.empty() && entry.path.empty() && !entry.status)
            return Reading::NotARequest; // a TCP connection
        setHost(entry, firstOf(members, {":authority", "authority", "host"}));
        setClient(entry, firstOf(members, {"downstream_remote_address", "downstream_direct_remote_address"}));
        setForwarded(entry, firstOf(members, {"x-forwarded-for", "x_forwarded_for"}));
        entry.requestSize = members.count("bytes_received");
        if (const auto took = countOf(members.scalar("duration")))
            entry.took = saturatingMultiply(Duration{1000}, static_cast<std::int64_t>(*took));
        if (!m_options.correlate.empty())
            setCorrelation(entry, members.text(m_options.correlate));
        setTime(entry, *time, m_options.zone, Duration::zero());
        // Logged response headers stand under names that somebody chose.
        for (const auto &[key, value] : members.all())
            addHeader(entry, key, JsonMembers::firstText(value));
        judge(entry, envoyEvidence(members.text("response_flags"), members.text("response_code_details"), members.text("upstream_host")));
        return Reading::Entry;
    }

    const ReaderOptions m_options;
};

/// `ts` is the end, and `duration` is in seconds; both can be configured to be texts.
class CaddyReader final : public JsonReader {
public:
    explicit CaddyReader(const ReaderOptions &options)
        : m_options(options)
    {
    }

private:
    Reading readObject(const JsonMembers &members, LogEntry &entry) override
    {
        const auto time = readAnyTime(members.scalar("ts"), EpochUnit::Guessed);
        if (!time)
            return wrong("ts", "expected 'ts', a time");
        if (!members.has("logger") && !members.has("msg"))
            return wrong("logger", "expected 'logger' or 'msg'");
        const auto request = members.object("request");
        // The error log tells of the same request once more.
        if (!request || !members.has("status") || members.text("logger").starts_with("http.log.error"))
            return Reading::NotARequest;
        if (!setStatus(entry, members.element("status")))
            return wrong("status", "expected a status of three digits or 0");
        setMethod(entry, request->text("method"));
        setTarget(entry, request->text("uri"));
        setHost(entry, request->text("host"));
        setClient(entry, firstOf(*request, {"client_ip", "remote_ip", "remote_addr"}));
        entry.requestSize = members.count("bytes_read");
        const std::string duration = members.scalar("duration");
        entry.took = loggedSeconds(duration);
        if (!entry.took)
            entry.took = signals::unitDuration(duration);
        const auto headers = members.object("resp_headers");
        addHeaders(entry, headers);
        if (const auto asked = m_options.correlate.empty() ? std::nullopt : request->object("headers")) {
            for (const auto &[name, value] : asked->all()) {
                if (sameHeaderName(name, m_options.correlate))
                    setCorrelation(entry, JsonMembers::firstText(value));
            }
        }
        setTime(entry, *time, m_options.zone, entry.took.value_or(Duration::zero()));
        judge(entry, origin(headers));
        return Reading::Entry;
    }

    /// A proxied answer has `Via: 1.1 Caddy` since 2.9, and before that the server's own `Server`.
    static Evidence origin(const std::optional<JsonMembers> &headers)
    {
        if (!headers)
            return {};
        for (const auto &[name, value] : headers->all()) {
            const std::string_view text = JsonMembers::firstText(value);
            if (sameHeaderName(name, "via") && text.find("Caddy") != std::string_view::npos)
                return {.answeredBehind = true, .how = "Via"};
            if (sameHeaderName(name, "server") && !text.empty() && text != "Caddy")
                return {.answeredBehind = true, .how = "Server"};
            if (sameHeaderName(name, "x-cache") && (text.starts_with("HIT") || text.starts_with("Hit")))
                return {.answeredBehind = false, .how = "X-Cache"};
        }
        return {};
    }

    const ReaderOptions m_options;
};

class TraefikJsonReader final : public JsonReader {
public:
    explicit TraefikJsonReader(const ReaderOptions &options)
        : m_options(options)
    {
    }

private:
    Reading readObject(const JsonMembers &members, LogEntry &entry) override
    {
        const auto start = readIsoTime(firstOf(members, {"StartUTC", "StartLocal"}));
        const auto end = readIsoTime(members.text("time"));
        if (!members.has("DownstreamStatus") && !members.has("RequestMethod"))
            return end && members.has("level") ? Reading::NotARequest : wrong("DownstreamStatus", "expected 'DownstreamStatus'");
        if (!start && !end)
            return wrong("StartUTC", "expected 'StartUTC' as 2021-12-08T14:02:43.587782192Z");
        if (!setStatus(entry, members.element("DownstreamStatus")))
            return wrong("DownstreamStatus", "expected a status of three digits or 0");
        if (entry.status == kTraefikClientGone)
            entry.status.reset();
        setMethod(entry, members.text("RequestMethod"));
        setTarget(entry, members.text("RequestPath"));
        setHost(entry, firstOf(members, {"RequestHost", "RequestAddr"}));
        setClientOrList(entry, firstOf(members, {"ClientHost", "ClientAddr"}));
        entry.requestSize = members.count("RequestContentSize");
        if (const auto took = countOf(members.scalar("Duration")))
            entry.took = Duration{static_cast<std::int64_t>((*took + 999) / 1000)};
        for (const auto &[key, value] : members.all()) {
            if (key.substr(0, 11) == "downstream_")
                addHeader(entry, key.substr(11), JsonMembers::firstText(value));
            else if (key.substr(0, 8) == "request_" && !m_options.correlate.empty() && sameHeaderName(key.substr(8), m_options.correlate))
                setCorrelation(entry, JsonMembers::firstText(value));
        }
        setTime(entry, start ? *start : *end, m_options.zone, start ? Duration::zero() : entry.took.value_or(Duration::zero()));
        judge(entry, origin(members));
        return Reading::Entry;
    }

    /// A middleware that refuses never asks the service: OriginStatus is 0 or absent.
    static Evidence origin(const JsonMembers &members)
    {
        const bool answered = members.count("OriginStatus").value_or(0) != 0;
        return {.answeredBehind = answered, .how = answered ? "OriginStatus" : "no OriginStatus"};
    }

    const ReaderOptions m_options;
};

} // namespace

std::unique_ptr<LineReader> envoyJsonReader(const ReaderOptions &options)
{
    return std::make_unique<EnvoyJsonReader>(options);
}

std::unique_ptr<LineReader> caddyReader(const ReaderOptions &options)
{
    return std::make_unique<CaddyReader>(options);
}

std::unique_ptr<LineReader> traefikJsonReader(const ReaderOptions &options)
{
    return std::make_unique<TraefikJsonReader>(options);
}

} // namespace throttlescope::incident
