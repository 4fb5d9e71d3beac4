// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/side_notes.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace throttlescope::incident {

namespace {

/// Both write whole seconds, each of them cut.
constexpr Duration kApart = std::chrono::seconds{2};
constexpr std::size_t kMostHeld = 32'768;
/// An access log that was silent for so long is not the one of this moment.
constexpr Duration kSilence = std::chrono::minutes{1};

/// An error log may know a client's address where the access log has the address that was forwarded: then they do not meet.
void setKey(std::string &key, const LogEntry &entry)
{
    key.assign(entry.client).append(1, ' ').append(entry.method).append(1, ' ').append(entry.path);
}

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

/// Who was refused got an error. Who was delayed may have got anything.
bool fit(const LogEntry &entry, const LogEntry &note)
{
    const Duration apart = entry.at > note.at ? entry.at - note.at : note.at - entry.at;
    return apart <= kApart && (note.refusedBy == RefusedBy::Nobody || !entry.status || *entry.status >= 400);
}

} // namespace

void SideNotes::accept(LogEntry &entry)
{
    release(entry.at - kApart);
    if (!entry.sideNote)
        m_lastEntry = std::max(m_lastEntry, entry.at);
    setKey(m_key, entry);
    std::deque<std::uint64_t> &waiting = m_byRequest[m_key];
    if (match(entry, waiting)) {
        ++m_matched;
        if (entry.sideNote) {
            if (waiting.empty())
                m_byRequest.erase(m_key);
            return;
        }
        m_held.push_back({std::move(entry), false, true});
        if (waiting.empty())
            m_byRequest.erase(m_key);
    } else {
        m_held.push_back({std::move(entry), false, false});
        waiting.push_back(m_firstNumber + m_held.size() - 1);
    }
    if (m_held.size() > kMostHeld)
        releaseFirst();
}

/// With the one that waits longest.
bool SideNotes::match(LogEntry &entry, std::deque<std::uint64_t> &others)
{
    for (auto other = others.begin(); other != others.end(); ++other) {
        Held &candidate = held(*other);
        if (candidate.entry.sideNote == entry.sideNote
            || !fit(entry.sideNote ? candidate.entry : entry, entry.sideNote ? entry : candidate.entry))
            continue;
        if (entry.sideNote)
            takeOver(candidate.entry, entry);
        else
            takeOver(entry, candidate.entry);
        candidate.taken = candidate.entry.sideNote;
        candidate.noted = true;
        others.erase(other);
        return true;
    }
    return false;
}

void SideNotes::release(WallTime before)
{
    while (!m_held.empty() && (m_held.front().taken || m_held.front().entry.at < before))
        releaseFirst();
}

void SideNotes::releaseFirst()
{
    Held &first = m_held.front();
    if (!first.noted) {
        setKey(m_key, first.entry);
        const auto waiting = m_byRequest.find(m_key);
        if (waiting != m_byRequest.end()) {
            std::erase(waiting->second, m_firstNumber);
            if (waiting->second.empty())
                m_byRequest.erase(waiting);
        }
    }
    // Who was only delayed stands in the access log, as long as there is one.
    const bool doubled = first.entry.sideNote && first.entry.delayed && m_lastEntry >= first.entry.at - kSilence;
    if (!first.taken && !doubled)
        m_sink(first.entry);
    m_held.pop_front();
    ++m_firstNumber;
}

void SideNotes::finish()
{
    while (!m_held.empty())
        releaseFirst();
}

} // namespace throttlescope::incident
