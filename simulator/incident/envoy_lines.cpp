// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/access_lines.h"
#include "simulator/incident/entry_fields.h"
#include "simulator/incident/envoy_words.h"
#include "simulator/incident/line_cursor.h"

#include "core/signals/numbers.h"

#include <algorithm>
#include <array>

namespace throttlescope::incident {

namespace {

/// Flags by which Envoy says that it turned the request away to protect something: rate limited here, the rate limit service
/// failed and it fails closed, the upstream's circuit breaker is open, the overload manager, a cluster that drops a share.
constexpr std::array<std::string_view, 5> kLimiting{"RL", "RLSE", "UO", "OM", "DO"};
/// Details that say the same where the flags are not logged.
constexpr std::array<std::string_view, 4> kLimitingDetails{"request_rate_limited", "local_rate_limited", "rate_limiter_error", "overload"};

/// `[2016-04-15T20:17:00.310Z] "POST /api/v1/locations HTTP/2" 204 - 154 0 226 100 "10.0.35.28" "nsq2http"
/// "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "locations" "tcp://10.0.2.1:80"`.
class EnvoyTextReader final : public LineReader {
public:
    explicit EnvoyTextReader(const ReaderOptions &options)
        : m_options(options)
    {
    }

    Reading read(std::string_view line, LogEntry &entry) override
    {
        clear(entry);
        const std::size_t end = line.find(']');
        const auto time = line.starts_with('[') && end != std::string_view::npos ? readIsoTime(line.substr(1, end - 1)) : std::nullopt;
        if (!time)
            return malformed(1, "expected a time as [2016-04-15T20:17:00.310Z]");
        LineCursor cursor{line, end + 1};
        if (!cursor.take(" "))
            return malformed(cursor.column(), "expected a blank");
        const auto request = cursor.quoted();
        if (!request)
            return malformed(cursor.column(), "expected the request in quotes");
        setRequestLine(entry, *request);
        const std::size_t column = cursor.column();
        const auto status = statusOf(cursor.word());
        if (!status)
            return malformed(column, "expected a status of three digits or 0");
        entry.status = *status;
        return numbers(cursor, *time, entry);
    }

private:
    Reading numbers(LineCursor &cursor, const LogTime &time, LogEntry &entry)
    {
        const std::size_t flagsColumn = cursor.column();
        const std::string_view flags = cursor.word();
        const auto isFlag = [](char c) { return c == '-' || c == ',' || c == '_' || (lowered(c) >= 'a' && lowered(c) <= 'z'); };
        if (flags.empty() || !std::all_of(flags.begin(), flags.end(), isFlag))
            return malformed(flagsColumn, "expected response flags as UO,URX or '-'");
        // Newer formats write details, termination and failure between the flags and the numbers.
        const std::size_t received = cursor.rest().find_first_not_of("0123456789") == 0 ? std::string_view::npos : 0;
        std::string_view details;
        if (received == std::string_view::npos) {
            details = cursor.word();
            for (int i = 0; i < 3 && !signals::isDigit(cursor.peek()); ++i) {
                if (!cursor.quoted())
                    cursor.word();
            }
        }
        const std::size_t column = cursor.column();
        const auto receivedBytes = countOf(cursor.word());
        const auto sentBytes = countOf(cursor.word());
        const auto took = countOf(cursor.word());
        if (!receivedBytes || !sentBytes || !took)
            return malformed(column, "expected bytes received, bytes sent and a duration");
        entry.requestSize = receivedBytes;
        entry.took = saturatingMultiply(Duration{1000}, static_cast<std::int64_t>(*took));
        cursor.word();
        return texts(cursor, flags, details, time, entry);
    }

    Reading texts(LineCursor &cursor, std::string_view flags, std::string_view details, const LogTime &time, LogEntry &entry)
    {
        std::array<std::string_view, 5> values; // forwarded for, user agent, request id, authority, upstream
        for (std::string_view &value : values) {
            const auto quoted = cursor.quoted();
            if (!quoted)
                return malformed(
                    cursor.column(), "expected five texts in quotes: forwarded for, user agent, request id, authority, upstream");
            value = *quoted;
        }
        setForwarded(entry, values[0]);
        if (m_options.correlate == "x-request-id")
            setCorrelation(entry, values[2]);
        setHost(entry, values[3]);
        setTime(entry, time, m_options.zone, Duration::zero());
        judge(entry, envoyEvidence(flags, details, values[4]));
        return Reading::Entry;
    }

    const ReaderOptions m_options;
};

} // namespace

Evidence envoyEvidence(std::string_view flags, std::string_view details, std::string_view upstream)
{
    Evidence evidence;
    for (std::string_view left = flags; !left.empty();) {
        const std::size_t end = std::min(left.find(','), left.size());
        const auto known = std::find(kLimiting.begin(), kLimiting.end(), left.substr(0, end));
        if (known != kLimiting.end())
            evidence.limited = *known;
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    for (const std::string_view word : kLimitingDetails) {
        // "overload", and "upstream_reset_before_response_started{overflow}" is UO's.
        if (evidence.limited.empty() && (details == word || details.starts_with(word)))
            evidence.limited = word;
    }
    if (evidence.limited.empty() && details.find("{overflow") != std::string_view::npos)
        evidence.limited = "overflow";
    if (details == "via_upstream") {
        evidence.answeredBehind = true;
        evidence.how = "via_upstream";
    } else if (!details.empty() && details != "-") {
        evidence.answeredBehind = false;
        evidence.how = details == "direct_response" ? "direct_response" : "not via_upstream";
    } else {
        evidence.answeredBehind = !upstream.empty() && upstream != "-" && upstream != "null";
        evidence.how = *evidence.answeredBehind ? "upstream host" : "no upstream host";
    }
    return evidence;
}

std::unique_ptr<LineReader> envoyTextReader(const ReaderOptions &options)
{
    return std::make_unique<EnvoyTextReader>(options);
}

} // namespace throttlescope::incident
