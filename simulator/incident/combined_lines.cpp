// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/access_lines.h"
#include "simulator/incident/entry_fields.h"
#include "simulator/incident/line_cursor.h"
#include "simulator/incident/refusal.h"

#include "core/signals/numbers.h"

#include <algorithm>

namespace throttlescope::incident {

namespace {

/// What all descendants of the Common Log Format begin with: `client - user [time] "request" status size`. Fields before
/// the bracket are counted from the left: a user's name may hold blanks.
class ClfReader : public LineReader {
public:
    explicit ClfReader(const ReaderOptions &options)
        : m_options(options)
    {
    }

protected:
    /// The time is read, not yet set: how long it took stands further on.
    Reading head(LineCursor &cursor, LogEntry &entry, LogTime &time)
    {
        if (const Reading reading = clientAndTime(cursor, entry, time); reading != Reading::Entry)
            return reading;
        const auto request = cursor.quoted();
        if (!request)
            return malformed(cursor.column(), "expected the request in quotes");
        setRequestLine(entry, *request);
        const std::size_t column = cursor.column();
        const auto status = statusOf(cursor.word());
        if (!status)
            return malformed(column, "expected a status of three digits or '-'");
        entry.status = *status == kNginxClientGone ? std::nullopt : *status;
        const std::size_t sizeColumn = cursor.column();
        if (const std::string_view size = cursor.word(); size != "-" && !signals::digits(size))
            return malformed(sizeColumn, "expected a size in bytes or '-'");
        return Reading::Entry;
    }

    const ReaderOptions m_options;

private:
    /// A busy server writes the same second many times.
    const std::optional<LogTime> &timeAt(std::string_view text)
    {
        if (text.substr(0, kClfTimeSize) != m_timeText) {
            m_time = readClfTime(text);
            m_timeText.assign(text.substr(0, kClfTimeSize));
        }
        return m_time;
    }

    Reading clientAndTime(LineCursor &cursor, LogEntry &entry, LogTime &time)
    {
        const std::string_view line = cursor.rest();
        std::size_t bracket = line.find('[');
        std::optional<LogTime> read;
        // An address of version 6 in brackets, or a user's name with one, is not the time.
        for (int tries = 0; bracket != std::string_view::npos && tries < 4; ++tries, bracket = line.find('[', bracket + 1)) {
            read = timeAt(line.substr(bracket + 1));
            if (read && line.substr(bracket + 1 + kClfTimeSize).starts_with("] "))
                break;
            read.reset();
        }
        if (!read) {
            bracket = line.find('[');
            return malformed(
                bracket == std::string_view::npos ? 1 : bracket + 2, "expected a time as 10/Oct/2000:13:55:36 -0700 in brackets");
        }
        time = *read;
        LineCursor before{line.substr(0, bracket)};
        std::string_view client = before.word();
        std::string_view second = before.word();
        // Apache's vhost_combined has one field more, and it ends with a port; the identity is nearly always '-'.
        const std::size_t colon = client.rfind(':');
        if (second != "-" && colon != std::string_view::npos && signals::digits(client.substr(colon + 1)) && client.find(':') == colon) {
            setHost(entry, client);
            client = second;
            second = before.word();
        }
        if (client.empty() || second.empty() || before.atEnd())
            return malformed(1, "expected client, identity and user before the time");
        setClient(entry, client);
        cursor.skip(bracket + 1 + kClfTimeSize + 2);
        return Reading::Entry;
    }

    std::string m_timeText;
    std::optional<LogTime> m_time;
};

class CombinedReader final : public ClfReader {
public:
    using ClfReader::ClfReader;

    Reading read(std::string_view line, LogEntry &entry) override
    {
        clear(entry);
        LineCursor cursor{line};
        LogTime time;
        if (const Reading reading = head(cursor, entry, time); reading != Reading::Entry)
            return reading;
        if (!cursor.atEnd()) {
            if (const Reading reading = tail(cursor, entry); reading != Reading::Entry)
                return reading;
        }
        setTime(entry, time, m_options.zone, entry.took.value_or(Duration::zero()));
        judge(entry, {});
        return Reading::Entry;
    }

private:
    /// Referrer and user agent, which are passed over, and what many add to them.
    Reading tail(LineCursor &cursor, LogEntry &entry)
    {
        for (const std::string_view what : {"expected the referrer in quotes", "expected the user agent in quotes"}) {
            if (!cursor.quoted())
                return malformed(cursor.column(), what);
        }
        while (!cursor.atEnd()) {
            if (const auto text = cursor.quoted()) {
                setForwarded(entry, *text);
                continue;
            }
            std::string_view word = cursor.word();
            const std::size_t equals = word.find('=');
            if (equals != std::string_view::npos) {
                const std::string_view name = word.substr(0, equals);
                word = name == "rt" || name == "request_time" ? word.substr(equals + 1) : std::string_view{};
            }
            // A whole number may be anything: Apache's %D counts microseconds, others a connection's requests.
            if (word.find('.') != std::string_view::npos && !entry.took)
                entry.took = loggedSeconds(word);
        }
        return Reading::Entry;
    }
};

/// … `"referrer" "user agent" number "router" "service URL" milliseconds`.
class TraefikClfReader final : public ClfReader {
public:
    using ClfReader::ClfReader;

    Reading read(std::string_view line, LogEntry &entry) override
    {
        clear(entry);
        LineCursor cursor{line};
        LogTime time;
        if (const Reading reading = head(cursor, entry, time); reading != Reading::Entry)
            return reading;
        const auto referrer = cursor.quoted();
        if (!referrer || !cursor.quoted())
            return malformed(cursor.column(), "expected referrer and user agent in quotes");
        const std::size_t column = cursor.column();
        if (!signals::digits(cursor.word()))
            return malformed(column, "expected the number of requests so far");
        const auto router = cursor.quoted();
        const auto service = router ? cursor.quoted() : std::nullopt;
        if (!service)
            return malformed(cursor.column(), "expected router and service in quotes");
        std::string_view took = cursor.rest();
        const auto milliseconds = took.ends_with("ms") ? signals::digits(took.substr(0, took.size() - 2)) : std::nullopt;
        if (!milliseconds)
            return malformed(cursor.column(), "expected a duration in ms");
        entry.took = saturatingMultiply(Duration{1000}, *milliseconds);
        // Traefik writes when the request began; a middleware that refuses never reaches the service.
        setTime(entry, time, m_options.zone, Duration::zero());
        judge(entry, {.answeredBehind = *service != "-" && !service->empty(), .how = *service == "-" ? "no service" : "service answered"});
        return Reading::Entry;
    }
};

} // namespace

std::unique_ptr<LineReader> combinedReader(const ReaderOptions &options)
{
    return std::make_unique<CombinedReader>(options);
}

std::unique_ptr<LineReader> traefikClfReader(const ReaderOptions &options)
{
    return std::make_unique<TraefikClfReader>(options);
}

} // namespace throttlescope::incident
