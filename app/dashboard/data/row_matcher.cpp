// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/event_words.h"
#include "app/dashboard/data/filter.h"
#include "app/dashboard/data/filter_keys.h"

#include <algorithm>

namespace throttlescope::dashboard {

namespace {

bool isWait(EventKind kind)
{
    return kind == EventKind::RateLimitDetected || kind == EventKind::RateLimitWaitExceeded || kind == EventKind::RetryScheduled
        || kind == EventKind::RetryRefused || kind == EventKind::AttemptStarted;
}

template <typename T>
std::optional<std::int64_t> number(const std::optional<T> &value)
{
    return value ? std::optional{static_cast<std::int64_t>(*value)} : std::nullopt;
}

std::optional<std::int64_t> microseconds(bool applies, const std::optional<Duration> &duration)
{
    return applies && duration ? std::optional{duration->count()} : std::nullopt;
}

} // namespace

RowMatcher::RowMatcher(Filter filter, const EventStore &store)
    : m_filter(std::move(filter))
    , m_store(store)
{
}

bool RowMatcher::matches(Row row)
{
    return std::all_of(
        m_filter.terms.begin(), m_filter.terms.end(), [this, row](const FilterTerm &term) { return matches(term, row) != term.negated; });
}

bool RowMatcher::matches(const FilterTerm &term, Row row)
{
    const EventKind kind = m_store.kind(row);
    switch (term.key) {
    case FilterKey::Op: {
        const auto op = static_cast<std::int64_t>(m_store.op(row));
        return anyNumber(term, op > 0 ? std::optional{op} : std::nullopt);
    }
    case FilterKey::Event: return anyText(term, eventName(kind));
    case FilterKey::Operation: return anyText(term, m_store.operation(row));
    case FilterKey::Server: return anyText(term, m_store.server(row));
    case FilterKey::Attempt:
        return anyNumber(term, m_store.attempt(row) > 0 ? std::optional<std::int64_t>{m_store.attempt(row)} : std::nullopt);
    case FilterKey::Status: return anyNumber(term, number(m_store.status(row)));
    case FilterKey::Outcome: return kind == EventKind::AttemptFinished && anyNumber(term, static_cast<std::int64_t>(m_store.outcome(row)));
    case FilterKey::Result: return kind == EventKind::OperationFinished && anyNumber(term, static_cast<std::int64_t>(m_store.result(row)));
    case FilterKey::Reason: return anyNumber(term, number(m_store.reason(row)));
    case FilterKey::Wait: return anyNumber(term, microseconds(isWait(kind), m_store.duration(row)));
    case FilterKey::Took: return anyNumber(term, microseconds(kind == EventKind::AttemptFinished, m_store.duration(row)));
    case FilterKey::Time: return anyNumber(term, m_store.at(row).time_since_epoch().count());
    case FilterKey::Label: return inLabel(term, row);
    case FilterKey::Words: return anyWord(term, row);
    }
    return false;
}

bool RowMatcher::anyText(const FilterTerm &term, std::string_view text) const
{
    return std::any_of(term.values.begin(), term.values.end(),
        [text](const FilterValue &value) { return value.prefix ? text.substr(0, value.text.size()) == value.text : text == value.text; });
}

bool RowMatcher::anyNumber(const FilterTerm &term, std::optional<std::int64_t> number) const
{
    if (!number)
        return false;
    return std::any_of(term.values.begin(), term.values.end(), [&](const FilterValue &value) {
        switch (term.comparison) {
        case Comparison::Is: return *number >= value.low && *number <= value.high;
        case Comparison::Below: return *number < value.low;
        case Comparison::AtMost: return *number <= value.high;
        case Comparison::AtLeast: return *number >= value.low;
        case Comparison::Above: return *number > value.high;
        }
        return false;
    });
}

bool RowMatcher::anyWord(const FilterTerm &term, Row row)
{
    std::string text;
    for (const std::string_view part : {eventName(m_store.kind(row)), m_store.operation(row), m_store.server(row)})
        (text += part) += '\n';
    text += whatHappened(m_store.event(row, m_buffer));
    text = loweredText(text);
    return std::any_of(
        term.values.begin(), term.values.end(), [&text](const FilterValue &value) { return text.find(value.text) != std::string::npos; });
}

bool RowMatcher::inLabel(const FilterTerm &term, Row row)
{
    learnLabels(row);
    return std::any_of(m_labels.begin(), m_labels.end(), [&](const LabelRows &label) {
        return label.begin <= row && row <= label.end
            && std::any_of(term.values.begin(), term.values.end(),
                [&label](const FilterValue &value) { return label.label.find(value.text) != std::string::npos; });
    });
}

/// From the markers up to that row: what comes behind it does not change whether it is within a label.
void RowMatcher::learnLabels(Row row)
{
    const std::vector<Row> &markers = m_store.markerRows();
    for (; m_markersSeen < markers.size() && markers[m_markersSeen] <= row; ++m_markersSeen) {
        const journal::Event &event = m_store.event(markers[m_markersSeen], m_buffer);
        const auto &marker = std::get<journal::Marker>(event.payload);
        const std::string label = loweredText(marker.label);
        if (marker.begin) {
            m_labels.push_back({label, markers[m_markersSeen]});
            continue;
        }
        const auto open = std::find_if(
            m_labels.rbegin(), m_labels.rend(), [&label](const LabelRows &each) { return each.label == label && each.end == kNoRow; });
        if (open != m_labels.rend())
            open->end = markers[m_markersSeen];
    }
}

} // namespace throttlescope::dashboard
