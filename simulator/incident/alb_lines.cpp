// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/access_lines.h"
#include "simulator/incident/entry_fields.h"
#include "simulator/incident/line_cursor.h"
#include "simulator/incident/refusal.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace throttlescope::incident {

namespace {

constexpr std::array<std::string_view, 6> kTypes{"http", "https", "h2", "grpcs", "ws", "wss"};
/// The client closed the connection before the answer.
constexpr int kAlbClientGone = 460;
/// A load balancer holds no request that long: the documentation's own examples were edited in one of two places.
constexpr Duration kLongestRequest = std::chrono::hours{24};

/// `type time elb client:port target:port processing×3 elb_status target_status received sent "request" "user_agent" cipher
/// protocol target_group "trace_id" "domain" "certificate" priority request_creation_time "actions" …`. Fields may be added at
/// the end; nothing behind the actions is looked at.
class AwsAlbReader final : public LineReader {
public:
    explicit AwsAlbReader(const ReaderOptions &options)
        : m_options(options)
    {
    }

    Reading read(std::string_view line, LogEntry &entry) override
    {
        clear(entry);
        LineCursor cursor{line};
        if (const std::string_view type = cursor.word(); std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end())
            return malformed(1, "expected http, https, h2, grpcs, ws or wss");
        const std::size_t timeColumn = cursor.column();
        const auto time = readIsoTime(cursor.word());
        if (!time)
            return malformed(timeColumn, "expected a time as 2018-07-02T22:23:00.186641Z");
        cursor.word();
        setClient(entry, cursor.word());
        cursor.word();
        Duration took{};
        bool known = true;
        for (int i = 0; i < 3; ++i) {
            const std::size_t column = cursor.column();
            const std::string_view text = cursor.word();
            const auto part = loggedSeconds(text);
            if (!part && text != "-1")
                return malformed(column, "expected a processing time in seconds or -1");
            known = known && part;
            took = saturatingAdd(took, part.value_or(Duration::zero()));
        }
        if (known)
            entry.took = took;
        return answer(cursor, *time, entry);
    }

private:
    Reading answer(LineCursor &cursor, const LogTime &time, LogEntry &entry)
    {
        const std::size_t column = cursor.column();
        const auto status = statusOf(cursor.word());
        const std::string_view target = cursor.word();
        if (!status || !statusOf(target))
            return malformed(column, "expected the statuses of load balancer and target");
        entry.status = *status == kAlbClientGone ? std::nullopt : *status;
        const std::size_t sizeColumn = cursor.column();
        entry.requestSize = countOf(cursor.word());
        if (!entry.requestSize || !countOf(cursor.word()))
            return malformed(sizeColumn, "expected bytes received and sent");
        const auto request = cursor.quoted();
        if (!request)
            return malformed(cursor.column(), "expected the request in quotes");
        setRequestLine(entry, *request);
        if (!cursor.quoted())
            return malformed(cursor.column(), "expected the user agent in quotes");
        const std::string_view actions = tail(cursor, time, entry);
        const bool answered = target != "-";
        judge(entry, {.answeredBehind = answered, .how = answered ? "target" : actions.starts_with("waf") ? "waf" : "no target"});
        return Reading::Entry;
    }

    /// Sets the time; gives the actions, empty where the line ends before.
    std::string_view tail(LineCursor &cursor, const LogTime &time, LogEntry &entry)
    {
        for (int i = 0; i < 3; ++i)
            cursor.word();
        const auto trace = cursor.quoted();
        if (trace && m_options.correlate == "x-amzn-trace-id")
            setCorrelation(entry, *trace);
        const auto domain = cursor.quoted();
        cursor.quoted();
        cursor.word();
        const auto created = readIsoTime(cursor.word());
        const Duration took = entry.took.value_or(Duration::zero());
        setTime(entry, time, m_options.zone, took);
        if (created && created->local <= time.local && time.local - created->local < kLongestRequest)
            setTime(entry, *created, m_options.zone, Duration::zero());
        if (entry.host.empty() && domain)
            setHost(entry, *domain);
        return cursor.quoted().value_or(std::string_view{});
    }

    const ReaderOptions m_options;
};

} // namespace

std::unique_ptr<LineReader> awsAlbReader(const ReaderOptions &options)
{
    return std::make_unique<AwsAlbReader>(options);
}

} // namespace throttlescope::incident
