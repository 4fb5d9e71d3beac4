// SPDX-License-Identifier: Apache-2.0
#include "core/signals/rate_limit_state.h"

#include "core/signals/body_hint.h"
#include "core/signals/counters.h"
#include "core/signals/found_lines.h"
#include "core/signals/numbers.h"
#include "core/signals/ratelimit_fields.h"
#include "core/signals/retry_after_lines.h"
#include "core/signals/why.h"

#include <algorithm>
#include <fmt/format.h>
#include <list>

/// The normaliser: which header says what, and which of them is believed. The order is fixed: a delay in milliseconds,
/// Retry-After, the same under other names, the body, the reset of what is exhausted.
namespace throttlescope::signals {

namespace {

bool isBelieved(const ReadOptions &options, const HeaderField &field)
{
    const auto &wanted = options.hintHeaders;
    const auto named = [&field](const std::string &name) { return sameHeaderName(name, field.name); };
    return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), named);
}

/// Among those that say "rate limited" in that dialect.
bool isListed(Dialect dialect, int status)
{
    const auto &statuses = info(dialect).limitedStatuses;
    return status != 0 && std::find(statuses.begin(), statuses.end(), status) != statuses.end();
}

/// "Retry-After: 30" and nothing else, as most servers say it. Reader would come to the same, and takes three times as long.
bool readPlainDelay(const Response &response, const FoundLines &found, const ReadOptions &options, RateLimitState &state)
{
    if (!found.needNoClock() || options.dialect || options.alwaysSayWhy || !isBelieved(options, *found.retryAfter))
        return false;
    const HeaderField &field = *found.retryAfter;
    const std::chrono::seconds delay{*digits(field.value)};
    state.hint.emplace(Hint{delay, field.name, HintForm::DelaySeconds, field.value, {}, Spelling::DelaySeconds});
    state.dialect = Dialect::HttpRetryAfter;
    state.saysRateLimited = isListed(Dialect::HttpRetryAfter, response.status);
    return true;
}

class Reader {
public:
    Reader(
        const Response &response, FoundLines &found, Detection detection, WallTime wall, const ReadOptions &options, RateLimitState &state)
        : m_response(response)
        , m_options(options)
        , m_state(state)
        , m_clock{wall, std::nullopt}
        , m_named(options.dialect ? &*options.dialect : nullptr)
        , m_book(m_state.windows)
        , m_found(found)
        , m_detection(detection)
    {
    }

    void read()
    {
        readDate();
        readDelays();
        readWindows();
        chooseHint();
        sayDialect();
    }

    void readHint()
    {
        readDate();
        readDelays();
        if (!delayTold())
            readWindows();
        chooseHint();
    }

private:
    void readDate()
    {
        if (m_found.date && !m_options.strict && !m_found.needNoClock())
            m_clock.server = parseHttpDate(trimmed(m_found.date->value), m_clock.wall);
    }

    void unreadable(const HeaderField &field, std::string why)
    {
        if (m_state.unreadable.size() < kMostLines)
            m_state.unreadable.push_back({std::string{shown(field.name)}, std::string{shown(field.value)}, std::move(why)});
    }

    // --- the delay itself -------------------------------------------------------------------------------------------

    struct Candidate {
        Told told;
        const HeaderField *field = nullptr;
        void offer(const Told &other, const HeaderField &from)
        {
            if (!field || other.delay > told.delay)
                *this = {other, &from};
        }
    };

    bool believed(const HeaderField &field) const { return isBelieved(m_options, field); }

    void readDelays()
    {
        if (m_found.retryAfter && believed(*m_found.retryAfter))
            readRetryAfter();
        if (m_options.strict)
            return;
        for (const FoundLine &line : m_found.lines) {
            if (line.row->role != Role::RetryAfter || !believed(*line.field))
                continue;
            const bool milliseconds = line.row->form == Form::Milliseconds || line.row->form == Form::WholeMilliseconds;
            if (const auto told = valueOfForm(line.row->form, line.field->value, m_clock))
                (milliseconds ? m_milliseconds : m_otherNames).offer(*told, *line.field);
            else
                unreadable(*line.field, milliseconds ? "not a plain number of milliseconds" : "no delay that could be read");
        }
    }

    void readRetryAfter()
    {
        if (m_options.strict && m_found.severalRetryAfter)
            return unreadable(*m_found.retryAfter, "RFC 9110 allows one line of it");
        if (!m_found.severalRetryAfter)
            return readRetryAfterLine(*m_found.retryAfter);
        for (const HeaderField &field : m_response.headers) {
            if (sameHeaderName(field.name, m_found.retryAfter->name))
                readRetryAfterLine(field);
        }
    }

    void readRetryAfterLine(const HeaderField &field)
    {
        const auto told = m_options.strict ? strictRetryAfter(field.value, m_clock.wall)
                                           : readRetryAfterValue(field.value, m_found.retryAfterRow->form, m_clock);
        if (told)
            m_retryAfter.offer(*told, field);
        else
            unreadable(field, "neither delay-seconds nor an HTTP-date");
    }

    // --- windows ----------------------------------------------------------------------------------------------------

    void readWindows()
    {
        std::vector<QuotaPolicy> policies;
        for (const FoundLine &line : m_found.lines)
            readLine(line, policies);
        if (!m_found.lines.empty()) {
            m_book.settle();
            if (!policies.empty())
                applyPolicies(policies, m_state.windows, kMostWindows);
        }
    }

    std::optional<WindowBook::Entry> windowOf(const FoundLine &line)
    {
        const bool wildcard = line.row->window == "*";
        auto entry = m_book.at(line.entry->group, wildcard ? line.wildcard : line.row->window);
        if (entry && !entry->window.length && line.row->length > 0 && (m_named || line.entry->rows.size() == 1))
            entry->window.length = std::chrono::seconds{line.row->length};
        return entry;
    }

    void readLine(const FoundLine &line, std::vector<QuotaPolicy> &policies)
    {
        switch (line.row->role) {
        case Role::Limit: return readLimit(line, policies);
        case Role::Remaining: return readRemaining(line);
        case Role::Used: return readUsed(line);
        case Role::Reset:
        case Role::SharedReset: return readReset(line);
        case Role::Length: return readLength(line);
        case Role::Name: return readName(line);
        case Role::State: return m_found.isFirst(line) ? readState(line) : void();
        case Role::Policy: return m_found.isFirst(line) ? readPolicy(line, policies) : void();
        case Role::Counters:
            if (!readCounters(line.row->form, line.entry->group, line.wildcard, *line.field, m_book))
                unreadable(*line.field, "not in the form that this header has");
            return;
        case Role::RetryAfter:
        case Role::Age:
        case Role::Mark: return;
        }
    }

    void readLimit(const FoundLine &line, std::vector<QuotaPolicy> &policies)
    {
        const auto entry = windowOf(line);
        if (!entry)
            return;
        if (const auto count = countValue(line.field->value)) {
            entry->window.limit = *count;
        } else if (auto field = readLimitField(line.field->value)) {
            entry->window.limit = field->limit;
            entry->window.length = field->length ? field->length : entry->window.length;
            policies.insert(
                policies.end(), std::make_move_iterator(field->policies.begin()), std::make_move_iterator(field->policies.end()));
        } else if (!saysUnknown(line.field->value)) {
            unreadable(*line.field, "not a count");
        }
    }

    /// A negative number, and ";w=21600" with no number in front: servers write it for "unknown".
    static bool saysUnknown(std::string_view text)
    {
        const std::string_view value = trimmed(text);
        return value.empty() || value.front() == ';' || isNegativeNumber(value);
    }

    void readRemaining(const FoundLine &line)
    {
        const auto entry = windowOf(line);
        if (!entry)
            return;
        if (const auto count = countValue(line.field->value)) {
            // Of two lines the one that lets less through: to come back late is safe.
            entry->window.remaining = std::min(*count, entry->window.remaining.value_or(*count));
        } else if (const auto field = readLimitField(line.field->value)) {
            entry->window.remaining = field->limit;
            entry->window.length = field->length ? field->length : entry->window.length;
        } else {
            entry->source.negativeRemaining = isNegativeNumber(line.field->value);
            if (!saysUnknown(line.field->value))
                unreadable(*line.field, "not a count");
        }
    }

    void readUsed(const FoundLine &line)
    {
        if (const auto entry = windowOf(line))
            entry->source.used = countValue(line.field->value);
    }

    void readReset(const FoundLine &line)
    {
        const auto entry = windowOf(line);
        if (!entry)
            return;
        entry->source.mayShare = line.entry->mayShare;
        const bool exact = line.row->onlyWhenNamed;
        const auto told = exact ? valueOfForm(line.row->form, line.field->value, m_clock) : resetValue(line.field->value, m_clock);
        if (told) {
            m_detection.narrow(*line.entry, columnOf(told->spelling));
            WindowBook::setReset(*entry, *told, *line.field);
        } else if (!isNegativeNumber(line.field->value)) {
            unreadable(*line.field, "neither a plausible delay nor a moment");
        }
    }

    void readLength(const FoundLine &line)
    {
        const auto entry = windowOf(line);
        if (!entry)
            return;
        if (const auto told = valueOfForm(line.row->form, line.field->value, m_clock))
            entry->window.length = told->delay;
        else
            entry->window.length = lengthNamed(trimmed(line.field->value));
    }

    void readName(const FoundLine &line)
    {
        if (const auto entry = windowOf(line))
            entry->window.name = shown(trimmed(line.field->value));
    }

    // --- structured fields ------------------------------------------------------------------------------------------

    bool isStale(const FoundLine &line)
    {
        const bool stale = m_found.fromCache();
        if (stale)
            unreadable(*line.field, "ignored, the response comes from a cache");
        return stale;
    }

    void readState(const FoundLine &line)
    {
        std::string buffer;
        if (isStale(line))
            return;
        const std::string_view whole = m_found.combined(line, buffer);
        auto field = readStateField(whole);
        if (!field)
            return unreadable(*line.field, "neither the list of drafts 08 to 10 nor the dictionary of draft 07");
        m_detection.narrow(*line.entry, field->list ? Form::List : Form::Dictionary);
        // Several lines are one value: none of them alone said it.
        const bool joined = whole.data() == buffer.data();
        const HeaderField &said = joined ? m_joined.emplace_back(HeaderField{line.field->name, std::string{whole}}) : *line.field;
        for (Window &window : field->windows)
            m_book.add(std::move(window), said);
    }

    void readPolicy(const FoundLine &line, std::vector<QuotaPolicy> &policies)
    {
        std::string buffer;
        if (isStale(line))
            return;
        auto field = readPolicyField(m_found.combined(line, buffer));
        if (!field)
            return unreadable(*line.field, "not a list of quota policies");
        policies.insert(policies.end(), std::make_move_iterator(field->begin()), std::make_move_iterator(field->end()));
    }

    // --- which one is believed --------------------------------------------------------------------------------------

    const Candidate *delayTold() const
    {
        for (const Candidate *candidate : {&m_milliseconds, &m_retryAfter, &m_otherNames}) {
            if (candidate->field)
                return candidate;
        }
        return nullptr;
    }

    void chooseHint()
    {
        if (const Candidate *candidate = delayTold()) {
            hint(candidate->told, *candidate->field);
        } else if (!m_options.strict) {
            hintFromBody();
            hintFromExhausted();
        }
    }

    void hint(const Told &told, const HeaderField &field)
    {
        m_state.hint = Hint{told.delay, field.name, formOf(told.spelling), std::string{shown(field.value)}, {}, told.spelling};
        if (m_options.alwaysSayWhy || needsWords(told))
            m_state.hint->why = whyOf(told, field.name, trimmed(field.value), m_clock);
    }

    void hintFromBody()
    {
        if (m_response.status < 400 || m_response.body.empty() || !m_options.hintHeaders.empty())
            return;
        auto told = readBodyHint(m_response.body, m_named, m_clock);
        if (!told)
            return;
        m_bodyDialect = told->dialect;
        const std::string header = fmt::format("body {}", told->pointer);
        std::string why = whyOf(told->told, header, told->raw, m_clock);
        m_state.hint = Hint{told->told.delay, header, HintForm::BodyValue, std::move(told->raw), std::move(why), told->told.spelling};
    }

    void hintFromExhausted()
    {
        const Window *window = m_state.hint || m_found.lines.empty() ? nullptr : m_book.exhausted();
        if (!window)
            return;
        const WindowBook::Source &source = m_book.source(*window);
        if (!believed(*source.resetField))
            return;
        hint(*source.reset, *source.resetField);
        if (m_state.hint->why.empty())
            m_state.hint->why = whyOf(*source.reset, source.resetField->name, trimmed(source.resetField->value), m_clock);
        if (window->name.empty())
            m_state.hint->why += "; nothing is left";
        else
            m_state.hint->why.append("; '").append(window->name).append("' has nothing left");
    }

    void sayDialect()
    {
        if (m_named)
            m_state.dialect = *m_named;
        else if (const auto told = m_detection.dialect())
            m_state.dialect = told;
        else if (m_bodyDialect)
            m_state.dialect = m_bodyDialect;
        else if (m_state.hint)
            m_state.dialect = Dialect::HttpRetryAfter;
        if (!m_state.dialect)
            return;
        m_state.saysRateLimited = isListed(*m_state.dialect, m_response.status) && (delayTold() || m_book.anyExhausted());
    }

    const Response &m_response;
    const ReadOptions &m_options;
    RateLimitState &m_state;
    Clock m_clock;
    const Dialect *m_named;
    WindowBook m_book;
    const FoundLines &m_found;
    Detection m_detection;
    std::list<HeaderField> m_joined; ///< of several lines; what was read from them points here
    std::optional<Dialect> m_bodyDialect;
    Candidate m_milliseconds, m_retryAfter, m_otherNames;
};

} // namespace

namespace {

void readWith(void (Reader::*what)(), const Response &response, WallTime wall, const ReadOptions &options, RateLimitState &state)
{
    FoundLines found;
    Detection detection;
    found.collect(response.headers, options.dialect ? &*options.dialect : nullptr, detection);
    if (!found.any() && response.body.empty())
        return;
    if (readPlainDelay(response, found, options, state))
        return;
    Reader reader{response, found, detection, wall, options, state};
    (reader.*what)();
}

} // namespace

void read(const Response &response, WallTime wall, const ReadOptions &options, RateLimitState &state)
{
    readWith(&Reader::read, response, wall, options, state);
}

RateLimitState read(const Response &response, WallTime wall, const ReadOptions &options)
{
    RateLimitState state;
    read(response, wall, options, state);
    return state;
}

std::optional<Hint> readHint(const Response &response, WallTime wall, const ReadOptions &options)
{
    RateLimitState state;
    readWith(&Reader::readHint, response, wall, options, state);
    return std::move(state.hint);
}

RateLimitState read(const Response &response, WallTime wall)
{
    return read(response, wall, ReadOptions{});
}

} // namespace throttlescope::signals
