// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/log_format.h"

#include "simulator/incident/access_lines.h"
#include "simulator/incident/entry_fields.h"
#include "simulator/incident/log_format_pieces.h"
#include "simulator/incident/refusal.h"

#include <algorithm>

namespace throttlescope::incident {

namespace {

constexpr std::size_t kIsoTimeSize = 25; // 2026-06-02T09:00:12+02:00

bool absent(std::string_view value)
{
    return value.empty() || value == "-";
}

/// Where the value that begins at `at` ends: at the next `literal`. npos where there is none. nginx and Apache escape a quote
/// within quotes, and a list's own separators hold blanks.
std::size_t valueEnd(std::string_view line, std::size_t at, std::string_view literal, bool list)
{
    if (literal.empty())
        return line.size();
    if (literal.front() == '"') {
        for (std::size_t i = at; i < line.size(); ++i) {
            if (line[i] == '\\')
                ++i;
            else if (line[i] == '"' && line.substr(i).starts_with(literal))
                return i;
        }
        return std::string_view::npos;
    }
    for (std::size_t found = line.find(literal, at);; found = line.find(literal, found + 1)) {
        const bool inList = list && found != std::string_view::npos && literal.front() == ' ' && found > at
            && (line[found - 1] == ',' || (line[found - 1] == ':' && found > at + 1 && line[found - 2] == ' ')
                || line.substr(found).starts_with(" : "));
        if (!inList)
            return found;
    }
}

class LogFormatReader final : public LineReader {
public:
    LogFormatReader(const ReaderOptions &options, LogFormatPieces pieces)
        : m_options(options)
        , m_format(std::move(pieces))
        , m_tellsUpstream(m_format.has(LogVariable::UpstreamStatus))
    {
    }

    Reading read(std::string_view line, LogEntry &entry) override
    {
        clear(entry);
        m_time.reset();
        m_hostRank = 0;
        m_limited = m_upstream = {};
        std::size_t at = 0;
        for (std::size_t i = 0; i < m_format.pieces.size(); ++i) {
            const LogFormatPiece &piece = m_format.pieces[i];
            if (!line.substr(at).starts_with(piece.before))
                return malformed(at + 1, piece.complaint);
            at += piece.before.size();
            const bool last = i + 1 == m_format.pieces.size();
            const std::string_view next = last ? std::string_view{m_format.after} : std::string_view{m_format.pieces[i + 1].before};
            const std::size_t end = endOf(piece, line, at, next);
            if (end == std::string_view::npos)
                return malformed(at + 1, last ? std::string_view{"expected the format's end"} : m_format.pieces[i + 1].complaint);
            if (const std::string_view wrong = take(piece, line.substr(at, end - at), entry); !wrong.empty())
                return malformed(at + 1, wrong);
            at = end;
        }
        if (line.substr(at) != m_format.after)
            return malformed(at + 1, "expected the format's end");
        setTime(entry, *m_time, m_options.zone, entry.took.value_or(Duration::zero()));
        settle(entry);
        return Reading::Entry;
    }

private:
    static std::size_t endOf(const LogFormatPiece &piece, std::string_view line, std::size_t at, std::string_view next)
    {
        const std::size_t fixed = piece.variable == LogVariable::TimeLocal ? kClfTimeSize
            : piece.variable == LogVariable::TimeIso                       ? kIsoTimeSize
                                                                           : 0;
        return fixed > 0 && at + fixed <= line.size() ? at + fixed : valueEnd(line, at, next, piece.list);
    }

    /// What is wrong with the value; empty where nothing is.
    std::string_view take(const LogFormatPiece &piece, std::string_view value, LogEntry &entry)
    {
        if (piece.variable == LogVariable::TimeLocal)
            return takeTime(readClfTime(value), "expected $time_local as 10/Oct/2000:13:55:36 -0700");
        if (piece.variable == LogVariable::TimeIso)
            return takeTime(readIsoTime(value), "expected $time_iso8601 as 2000-10-10T13:55:36-07:00");
        if (piece.variable == LogVariable::Msec)
            return takeTime(readEpochTime(value, EpochUnit::Seconds), "expected $msec as 971211336.123");
        if (piece.variable == LogVariable::Status) {
            const auto status = statusOf(value);
            entry.status = status.value_or(std::nullopt);
            return status ? std::string_view{} : "expected $status, three digits";
        }
        if (piece.variable == LogVariable::RequestTime) {
            entry.took = loggedSeconds(value);
            return entry.took || absent(value) ? std::string_view{} : "expected $request_time, seconds as 0.123";
        }
        if (piece.variable != LogVariable::Other)
            takeText(piece, value, entry); // may be anything
        return {};
    }

    std::string_view takeTime(const std::optional<LogTime> &time, std::string_view expected)
    {
        if (!time)
            return expected;
        if (!m_time || time->precision < m_time->precision)
            m_time = time; // $msec is finer than $time_local
        return {};
    }

    void takeText(const LogFormatPiece &piece, std::string_view value, LogEntry &entry)
    {
        if (piece.variable == LogVariable::UpstreamStatus) {
            m_upstream = value;
            return;
        }
        if (absent(value))
            return;
        if (piece.variable == LogVariable::Request)
            setRequestLine(entry, value);
        else if (piece.variable == LogVariable::Method)
            setMethod(entry, value);
        else if (piece.variable == LogVariable::RequestUri || (piece.variable == LogVariable::Uri && entry.path.empty()))
            setTarget(entry, value);
        else if (piece.variable == LogVariable::RemoteAddress && entry.client.empty())
            setClient(entry, value);
        else if (piece.variable == LogVariable::ForwardedFor)
            setForwarded(entry, value);
        else if (piece.variable == LogVariable::RequestLength)
            entry.requestSize = countOf(value);
        else if (piece.variable == LogVariable::ResponseHeader)
            addHeader(entry, piece.header, value);
        else
            takeVerdict(piece, value, entry);
        const bool correlates = (piece.variable == LogVariable::RequestHeader && piece.header == m_options.correlate)
            || (piece.variable == LogVariable::RequestId && m_options.correlate == "x-request-id" && entry.correlation.empty());
        if (correlates)
            setCorrelation(entry, value);
    }

    void takeVerdict(const LogFormatPiece &piece, std::string_view value, LogEntry &entry)
    {
        if (piece.variable == LogVariable::LimitReqStatus) {
            entry.delayed = value == "DELAYED";
            if (value == "REJECTED")
                m_limited = "limit_req";
        } else if (piece.variable == LogVariable::LimitConnStatus && value == "REJECTED") {
            m_limited = "limit_conn";
        }
        // What the client asked for goes before what it wrote, and that before the server block's name.
        const int rank = piece.variable == LogVariable::Host ? 3
            : piece.variable == LogVariable::HttpHost        ? 2
            : piece.variable == LogVariable::ServerName      ? 1
                                                             : 0;
        if (rank > m_hostRank) {
            setHost(entry, value);
            m_hostRank = rank;
        }
    }

    void settle(LogEntry &entry) const
    {
        // Tried one after another, the last one's answer is what came: "502, 429", "- : 429".
        std::string_view last = m_upstream;
        last.remove_prefix(std::min(last.find_last_of(" ,:") + 1, last.size()));
        Evidence evidence{.limited = m_limited, .proxyAnswers503 = true};
        if (m_tellsUpstream) {
            evidence.answeredBehind = !absent(last);
            evidence.how = absent(last) ? "no upstream" : "upstream_status";
        }
        if (entry.status == kNginxClientGone && last != "499")
            entry.status.reset();
        judge(entry, evidence);
    }

    const ReaderOptions m_options;
    const LogFormatPieces m_format;
    const bool m_tellsUpstream;
    // Of the line at hand.
    std::optional<LogTime> m_time;
    int m_hostRank = 0;
    std::string_view m_limited;
    std::string_view m_upstream;
};

} // namespace

tl::expected<std::unique_ptr<LineReader>, std::string> logFormatReader(const ReaderOptions &options)
{
    auto pieces = logFormatPieces(options.logFormat);
    if (!pieces)
        return tl::unexpected(pieces.error());
    return std::make_unique<LogFormatReader>(options, std::move(*pieces));
}

} // namespace throttlescope::incident
