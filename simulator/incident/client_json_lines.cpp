// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/entry_fields.h"
#include "simulator/incident/json_lines.h"
#include "simulator/incident/json_reader.h"
#include "simulator/incident/refusal.h"

#include "core/engine/outcome.h"
#include "core/journal/event_reader.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <variant>

namespace throttlescope::incident {

namespace {

/// HAR 1.2, https://w3c.github.io/web-performance/specs/HAR/Overview.html. `time` is in milliseconds, sizes of -1 are unknown, a
/// status of 0 means that nothing was answered.
class HarEntryReader final : public JsonReader {
public:
    explicit HarEntryReader(const ReaderOptions &options)
        : m_options(options)
    {
    }

private:
    Reading readObject(const JsonMembers &members, LogEntry &entry) override
    {
        const auto time = readIsoTime(members.text("startedDateTime"));
        if (!time)
            return wrong("startedDateTime", "expected 'startedDateTime' as 2009-04-16T12:07:23.596Z");
        const auto request = members.object("request");
        const auto response = members.object("response");
        if (!request || request->text("url").empty())
            return wrong("request", "expected 'request' with a 'url'");
        const std::string_view url = request->text("url");
        if (url.starts_with("data:") || url.starts_with("blob:") || url.starts_with("about:") || url.starts_with("chrome-extension:"))
            return Reading::NotARequest; // never left the browser
        if (response && !setStatus(entry, response->element("status")))
            return wrong("status", "expected a status of three digits or 0");
        setMethod(entry, request->text("method"));
        setTarget(entry, url);
        const std::int64_t size = wholeOf(*request, "bodySize");
        if (size >= 0)
            entry.requestSize = static_cast<std::uint64_t>(size);
        double milliseconds = -1;
        if (const auto took = members.element("time"); took && !took->get(milliseconds) && milliseconds >= 0)
            entry.took = durationFromMicroseconds(milliseconds * 1000);
        if (response) {
            each(*response, [&entry](std::string_view name, std::string_view value) { addHeader(entry, name, value); });
        }
        each(*request, [&](std::string_view name, std::string_view value) {
            if (!m_options.correlate.empty() && sameHeaderName(name, m_options.correlate))
                setCorrelation(entry, value);
        });
        setTime(entry, *time, m_options.zone, Duration::zero());
        judge(entry, {.how = "response", .clientsOwn = true});
        return Reading::Entry;
    }

    static std::int64_t wholeOf(const JsonMembers &members, std::string_view key)
    {
        std::int64_t value = -1;
        const auto found = members.element(key);
        return found && !found->get(value) ? value : -1;
    }

    template <typename OnHeader>
    static void each(const JsonMembers &message, OnHeader onHeader)
    {
        simdjson::dom::array headers;
        const auto found = message.element("headers");
        if (!found || found->get(headers))
            return;
        for (const simdjson::dom::element header : headers) {
            simdjson::dom::object object;
            if (!header.get(object))
                onHeader(JsonMembers{object}.text("name"), JsonMembers{object}.text("value"));
        }
    }

    const ReaderOptions m_options;
};

/// An attempt ends with `attempt.finished`, and where it was rate limited the hint follows in `rate_limit.detected`.
class JournalReader final : public LineReader {
public:
    Reading read(std::string_view line, LogEntry &entry) override
    {
        if (!line.starts_with('{'))
            return malformed(1, "expected a JSON object");
        const journal::Event *event = m_reader.parse(line);
        if (!event) {
            // A later version may know more events than this one.
            return m_reader.error().starts_with("unknown event") ? Reading::NotARequest
                                                                 : malformed(1, "expected a journal event with 'event' and 't'");
        }
        if (const auto *started = std::get_if<journal::OperationStarted>(&event->payload)) {
            if (m_methods.size() < kMostOperations && !started->method.empty())
                m_methods.insert_or_assign(event->op, std::string{started->method});
        } else if (std::holds_alternative<journal::OperationFinished>(event->payload)) {
            m_methods.erase(event->op);
        } else if (const auto *finished = std::get_if<journal::AttemptFinished>(&event->payload)) {
            return attempt(*event, *finished, entry);
        } else if (const auto *detected = std::get_if<journal::RateLimitDetected>(&event->payload)) {
            return limited(*event, *detected, entry);
        }
        return Reading::NotARequest;
    }

private:
    static constexpr std::size_t kMostOperations = 100'000;
    static constexpr Duration kLongestAttempt = std::chrono::hours{24 * 365};

    Reading attempt(const journal::Event &event, const journal::AttemptFinished &finished, LogEntry &entry)
    {
        LogEntry &filled = finished.family == Family::RateLimited && !finished.fallback ? m_limited : entry;
        clear(filled);
        // A journal of anybody's hand: its numbers may be anything.
        filled.took = std::clamp(finished.took, Duration::zero(), kLongestAttempt);
        filled.at = event.at.wall - *filled.took;
        filled.precision = Duration{1};
        if (finished.status && *finished.status >= 100 && *finished.status <= 999)
            filled.status = finished.status;
        if (const auto method = m_methods.find(event.op); method != m_methods.end())
            setMethod(filled, method->second);
        setHost(filled, event.server);
        setTarget(filled, event.operation.starts_with('/') ? std::string{event.operation} : '/' + std::string{event.operation});
        if (&filled == &m_limited) {
            m_limitedOp = event.op;
            return Reading::NotARequest; // its hint comes with the next line
        }
        judge(entry, {.how = "response", .clientsOwn = true});
        return Reading::Entry;
    }

    Reading limited(const journal::Event &event, const journal::RateLimitDetected &detected, LogEntry &entry)
    {
        if (m_limitedOp != event.op)
            return Reading::NotARequest;
        m_limitedOp = 0;
        entry = m_limited;
        if (detected.hint)
            addHeader(entry, detected.hint->header, detected.hint->raw);
        entry.refusedBy = RefusedBy::Upstream; // the engine has classified it
        entry.refusedHow = "rate_limit.detected";
        return Reading::Entry;
    }

    journal::EventReader m_reader;
    std::map<journal::OperationId, std::string> m_methods;
    LogEntry m_limited;
    journal::OperationId m_limitedOp = 0;
};

} // namespace

std::unique_ptr<LineReader> harEntryReader(const ReaderOptions &options)
{
    return std::make_unique<HarEntryReader>(options);
}

std::unique_ptr<LineReader> journalReader(const ReaderOptions &)
{
    return std::make_unique<JournalReader>();
}

} // namespace throttlescope::incident
