// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/dialect_writers.h"

#include "core/signals/http_date.h"
#include "core/signals/window_book.h"
#include "simulator/model/number_text.h"
#include "simulator/model/rounding.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace throttlescope::model {

namespace {

using signals::Form;
using signals::Role;

template <typename... Args>
void append(std::string &text, fmt::format_string<Args...> format, Args &&...args)
{
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
}

std::int64_t wholeSeconds(Duration delay)
{
    return roundedUp<std::chrono::seconds>(delay).count();
}

/// Where a field must name a reset and nothing is used, everything is there already: 0.
Duration resetOf(const DialectWindow &window)
{
    return window.reset.value_or(Duration::zero());
}

std::int64_t windowSeconds(const DialectWindow &window)
{
    return std::max<std::int64_t>(1, wholeSeconds(window.length));
}

/// Fewer left in proportion; of two with nothing left, the one that stays so for longer.
bool isTighter(const DialectWindow &a, const DialectWindow &b)
{
    if (a.remaining == 0 && b.remaining == 0)
        return a.reset > b.reset;
    __extension__ typedef unsigned __int128 Product;
    return static_cast<Product>(a.remaining) * b.capacity < static_cast<Product>(b.remaining) * a.capacity;
}

std::string_view separator(const std::string &text, std::string_view between)
{
    return text.empty() ? std::string_view{} : between;
}

} // namespace

DialectWriter::DialectWriter(HeaderSink &sink, const std::vector<DialectWindow> &windows, std::optional<Duration> delay, WallTime wall)
    : m_sink(sink)
    , m_windows(windows)
    , m_tightest(*std::min_element(windows.begin(), windows.end(), isTighter))
    , m_delay(delay)
    , m_wall(wall)
{
}

/// Where to write the field's value; null where the response has that field already.
std::string *DialectWriter::fieldOf(const DialectField &field) const
{
    return m_sink.has(field.name, m_before) ? nullptr : &m_sink.add(field.name);
}

const DialectWindow &DialectWriter::shortest() const
{
    return *std::min_element(m_windows.begin(), m_windows.end(), [](const auto &a, const auto &b) { return a.length < b.length; });
}

void DialectWriter::write(const std::vector<DialectField> &fields)
{
    m_before = m_sink.size();
    // Integers name the policies of the drafts up to -07, Strings those of the List.
    const bool named = std::any_of(
        fields.begin(), fields.end(), [](const auto &field) { return field.row->role == Role::State && field.row->form == Form::List; });
    for (const DialectField &field : fields) {
        const DialectWindow &window = field.window ? m_windows[*field.window] : m_tightest;
        switch (field.row->role) {
        case Role::RetryAfter:
            if (m_delay)
                writeDelay(field, *m_delay);
            break;
        case Role::Limit: writeCount(field, window, window.capacity); break;
        case Role::Remaining: writeCount(field, window, window.remaining); break;
        case Role::Used: writeCount(field, window, window.used); break;
        case Role::Reset: writeDelay(field, resetOf(window)); break;
        case Role::SharedReset: writeDelay(field, resetOf(shortest())); break;
        case Role::Length: writeLength(field, window); break;
        case Role::Name:
            if (std::string *text = fieldOf(field))
                *text = window.word;
            break;
        case Role::State: writeState(field); break;
        case Role::Policy: writePolicies(field, named); break;
        case Role::Counters: writeCounters(field, window); break;
        case Role::Age:
        case Role::Mark: break;
        }
    }
}

void DialectWriter::writeCount(const DialectField &field, const DialectWindow &window, std::uint64_t value) const
{
    std::string *text = fieldOf(field);
    if (!text)
        return;
    appendNumber(*text, value);
    if (field.row->form == Form::CountAndLength)
        append(*text, ";w={}", windowSeconds(window));
    if (field.row->form != Form::CountAndPolicies)
        return;
    for (const DialectWindow &policy : m_windows) // draft -03, section 3: the expiring limit first, then every policy
        append(*text, ", {};w={}", policy.quota, windowSeconds(policy));
}

/// A moment is rounded up to what its form can say; a reader holds it against the response's Date, which has lost its part
/// of a second.
void DialectWriter::writeDelay(const DialectField &field, Duration delay) const
{
    std::string *text = fieldOf(field);
    if (!text)
        return;
    const WallTime moment = nextWholeSecond(m_wall + delay);
    switch (field.row->form) {
    case Form::Milliseconds:
    case Form::WholeMilliseconds: appendNumber(*text, roundedUp<std::chrono::milliseconds>(delay).count()); return;
    case Form::EpochSeconds: appendNumber(*text, moment.time_since_epoch() / std::chrono::seconds{1}); return;
    case Form::EpochMilliseconds: appendNumber(*text, moment.time_since_epoch() / std::chrono::milliseconds{1}); return;
    case Form::UnitDuration: append(*text, "{}s", wholeSeconds(delay)); return;
    case Form::HttpDate: signals::appendImfFixdate(*text, moment); return;
    case Form::Iso8601: signals::appendRfc3339(*text, moment); return;
    case Form::JavaScriptDate: signals::appendJavaScriptDate(*text, moment); return;
    case Form::SecondsOrDate:
    case Form::Seconds:
    case Form::Count:
    case Form::CountAndPolicies:
    case Form::CountAndLength:
    case Form::UsedOfLimit:
    case Form::NamedUsedOfLimit:
    case Form::TotalRemainingResets:
    case Form::NamedCounts:
    case Form::SecondsScopes:
    case Form::Dictionary:
    case Form::List:
    case Form::Word: appendNumber(*text, wholeSeconds(delay)); return;
    }
}

/// draft -07: one dictionary; from -08 on a named member for every limit, `t` left out where there is no reset. Units of cost
/// have no registered `qu`, so none is written.
void DialectWriter::writeState(const DialectField &field) const
{
    std::string *text = fieldOf(field);
    if (!text)
        return;
    if (field.row->form == Form::Dictionary) {
        append(*text, "limit={}, remaining={}, reset={}", m_tightest.capacity, m_tightest.remaining, wholeSeconds(resetOf(m_tightest)));
        return;
    }
    for (const DialectWindow &window : m_windows) {
        append(*text, "{}{};r={}", separator(*text, ", "), window.quoted, window.remaining);
        if (window.reset)
            append(*text, ";t={}", wholeSeconds(*window.reset));
    }
}

void DialectWriter::writePolicies(const DialectField &field, bool named) const
{
    std::string *text = fieldOf(field);
    if (!text)
        return;
    for (const DialectWindow &window : m_windows) {
        if (named)
            append(*text, "{}{};q={};w={}", separator(*text, ", "), window.quoted, window.quota, windowSeconds(window));
        else
            append(*text, "{}{};w={}", separator(*text, ", "), window.quota, windowSeconds(window));
    }
}

void DialectWriter::writeCounters(const DialectField &field, const DialectWindow &window) const
{
    const Form form = field.row->form;
    const bool inForce
        = std::any_of(m_windows.begin(), m_windows.end(), [](const auto &each) { return each.remaining == 0 && each.reset.has_value(); });
    if (form == Form::SecondsScopes && !inForce)
        return;
    std::string *text = fieldOf(field);
    if (!text)
        return;
    if (form == Form::UsedOfLimit)
        append(*text, "{}/{}", window.used, window.capacity);
    else if (form == Form::TotalRemainingResets)
        append(*text, "total={}; remaining={}; resets={}", window.capacity, window.remaining, wholeSeconds(resetOf(window)));
    if (form == Form::UsedOfLimit || form == Form::TotalRemainingResets)
        return;
    for (const DialectWindow &each : m_windows) {
        if (form == Form::NamedUsedOfLimit)
            append(*text, "{}{}={}/{}", separator(*text, "; "), each.word, each.used, each.capacity);
        else if (form == Form::NamedCounts)
            append(*text, "{}{};{}", separator(*text, ","), each.word, each.remaining);
        else if (each.remaining == 0 && each.reset)
            append(*text, "{}{}:{}:organization", separator(*text, ", "), wholeSeconds(*each.reset), each.word);
    }
}

void DialectWriter::writeLength(const DialectField &field, const DialectWindow &window) const
{
    std::string *text = fieldOf(field);
    if (!text)
        return;
    if (field.row->form == Form::Milliseconds)
        appendNumber(*text, roundedUp<std::chrono::milliseconds>(window.length).count());
    else if (field.row->form == Form::UnitDuration)
        append(*text, "{}s", windowSeconds(window));
    else if (signals::lengthNamed(window.word) == window.length)
        *text = window.word;
    else
        appendNumber(*text, windowSeconds(window));
}

} // namespace throttlescope::model
