// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/side_notes.h"

#include "simulator/incident/entry_fields.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace throttlescope::incident {

namespace {

/// Both write whole seconds, each of them cut, and a request may take a while.
constexpr Duration kNotesApart = std::chrono::seconds{2};
constexpr std::size_t kMostBytes = std::size_t{80} << 20;
/// An access log that was silent for so long is not the one of this moment.
constexpr Duration kSilence = std::chrono::minutes{1};

void takeOver(LogEntry &entry, const LogEntry &note)
{
    entry.delayed = entry.delayed || note.delayed;
    if (note.refusedBy != RefusedBy::Nobody) {
        entry.refusedBy = note.refusedBy;
        entry.refusedHow = note.refusedHow;
    }
    if (entry.host.empty())
        entry.host = note.host;
}

} // namespace

SideNotes::Kind SideNotes::kindOf(const LogEntry &entry)
{
    if (entry.sideNote)
        return entry.delayed ? Kind::DelayNote : Kind::LimitNote;
    if (entry.refusedBy == RefusedBy::ThisProxy)
        return Kind::Refused; // it says so itself: `$limit_req_status`
    if (entry.status && *entry.status < 400)
        return Kind::Answer;
    return entry.status == 503 ? Kind::Unavailable : entry.status == 429 ? Kind::TooMany : Kind::OtherError;
}

void SideNotes::accept(LogEntry &entry)
{
    m_newest = std::max(m_newest, entry.at);
    settle(m_newest);
    const Kind kind = kindOf(entry);
    const std::uint64_t number = m_firstNumber + m_held.size();
    if (kind == Kind::LimitNote) {
        m_limitNotes.push_back(number);
    } else if (kind == Kind::DelayNote) {
        m_delayNotes.push_back(number);
    } else {
        m_lastEntry = std::max(m_lastEntry, entry.at);
        setKey(kind, entry);
        m_waiting[m_key].push_back(number);
    }
    m_bytes += memoryOf(entry);
    m_held.push_back({std::move(entry), kind, false});
    while (m_bytes > kMostBytes && !m_held.empty())
        releaseFirst();
}

/// Where the access log has the address that was forwarded and the error log the proxy's, they do not meet.
void SideNotes::setKey(Kind kind, const LogEntry &entry)
{
    m_key.assign(1, static_cast<char>('a' + static_cast<int>(kind)));
    m_key.append(entry.client).append(1, ' ').append(entry.method).append(1, ' ').append(entry.path);
}

/// A note is settled when all it may belong to is there. Those of refusals come first: a delay fits any answer.
void SideNotes::settle(WallTime now)
{
    const auto due
        = [this, now](const Numbers &notes, Duration after) { return !notes.empty() && held(notes.front()).entry.at + after < now; };
    while (due(m_limitNotes, kNotesApart)) {
        settleNote(m_limitNotes.front());
        m_limitNotes.pop_front();
    }
    while (due(m_delayNotes, 2 * kNotesApart)) {
        settleNote(m_delayNotes.front());
        m_delayNotes.pop_front();
    }
    while (!m_held.empty() && m_held.front().entry.at + 3 * kNotesApart < now)
        releaseFirst();
}

void SideNotes::settleNote(std::uint64_t number)
{
    Held &note = held(number);
    const auto kind = note.kind == Kind::LimitNote ? refusedKind(note.entry) : delayedKind(note.entry);
    if (!kind)
        return;
    Held &entry = held(*candidate(*kind, note.entry));
    takeOver(entry.entry, note.entry);
    entry.matched = note.matched = true;
    ++m_matched;
    const auto waiting = m_waiting.find(m_key);
    waiting->second.pop_front();
    if (waiting->second.empty())
        m_waiting.erase(waiting);
}

/// The first entry of that kind and the note's request; those that are too old for it are for no later one either.
std::optional<std::uint64_t> SideNotes::candidate(Kind kind, const LogEntry &note)
{
    setKey(kind, note);
    const auto found = m_waiting.find(m_key);
    if (found == m_waiting.end())
        return std::nullopt;
    Numbers &numbers = found->second;
    while (!numbers.empty() && held(numbers.front()).entry.at + kNotesApart < note.at)
        numbers.pop_front();
    if (numbers.empty()) {
        m_waiting.erase(found);
        return std::nullopt;
    }
    return held(numbers.front()).entry.at <= note.at + kNotesApart ? std::optional{numbers.front()} : std::nullopt;
}

std::optional<SideNotes::Kind> SideNotes::refusedKind(const LogEntry &note)
{
    if (candidate(Kind::Refused, note)) {
        ++m_votes[static_cast<std::size_t>(Kind::Refused)];
        return Kind::Refused;
    }
    if (m_votes[static_cast<std::size_t>(Kind::Refused)] > 0)
        return std::nullopt; // an access log that says it itself
    std::optional<Kind> chosen;
    std::size_t choices = 0;
    // In this order where nothing was learned: 503 is the default of limit_req_status.
    for (const Kind kind : {Kind::Unavailable, Kind::TooMany, Kind::OtherError}) {
        if (!candidate(kind, note))
            continue;
        ++choices;
        if (!chosen || m_votes[static_cast<std::size_t>(kind)] > m_votes[static_cast<std::size_t>(*chosen)])
            chosen = kind;
    }
    if (choices == 1)
        ++m_votes[static_cast<std::size_t>(*chosen)];
    return chosen;
}

std::optional<SideNotes::Kind> SideNotes::delayedKind(const LogEntry &note)
{
    for (const Kind kind : {Kind::Answer, Kind::OtherError, Kind::TooMany, Kind::Unavailable}) {
        if (candidate(kind, note))
            return kind;
    }
    return std::nullopt;
}

void SideNotes::releaseFirst()
{
    // Only where too much is held are there notes of it that are not settled.
    if (!m_limitNotes.empty() && m_limitNotes.front() == m_firstNumber) {
        settleNote(m_firstNumber);
        m_limitNotes.pop_front();
    }
    if (!m_delayNotes.empty() && m_delayNotes.front() == m_firstNumber) {
        settleNote(m_firstNumber);
        m_delayNotes.pop_front();
    }
    Held &first = m_held.front();
    if (!first.entry.sideNote && !first.matched) {
        setKey(first.kind, first.entry);
        const auto waiting = m_waiting.find(m_key);
        // It may have gone from there as too old.
        if (waiting != m_waiting.end() && waiting->second.front() == m_firstNumber) {
            waiting->second.pop_front();
            if (waiting->second.empty())
                m_waiting.erase(waiting);
        }
    }
    // A note that found its entry is told there. Who was only delayed stands in the access log, as long as there is one.
    const bool told = first.entry.sideNote && (first.matched || (first.entry.delayed && m_lastEntry >= first.entry.at - kSilence));
    m_bytes -= std::min(m_bytes, memoryOf(first.entry)); // a name may have come to it
    if (m_held.size() == 1)
        m_bytes = 0;
    if (!told)
        m_sink(first.entry);
    m_held.pop_front();
    ++m_firstNumber;
}

void SideNotes::finish()
{
    settle(WallTime::max() - kSilence);
}

} // namespace throttlescope::incident
