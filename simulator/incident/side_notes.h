// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/log_entry.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

namespace throttlescope::incident {

/// Brings together what an nginx error log tells (`limiting requests`) and the access log's line of the same request, which
/// has the status: same client, method and path, within two seconds. Which status this server limits with is learned from
/// the cases that leave no choice. Entries pass through, held back for some seconds of the log's time.
class SideNotes {
public:
    using Sink = std::function<void(LogEntry &)>;
    explicit SideNotes(Sink sink)
        : m_sink(std::move(sink))
    {
    }

    void accept(LogEntry &entry);
    void finish();
    std::uint64_t matched() const { return m_matched; }

private:
    /// What an entry may be the counterpart of.
    enum class Kind { Refused, Unavailable, TooMany, OtherError, Answer, LimitNote, DelayNote };
    using Numbers = std::deque<std::uint64_t>;
    struct Held {
        LogEntry entry;
        Kind kind{};
        bool matched = false;
    };

    static Kind kindOf(const LogEntry &entry);
    void setKey(Kind kind, const LogEntry &entry);
    Held &held(std::uint64_t number) { return m_held[number - m_firstNumber]; }
    void settle(WallTime now);
    void settleNote(std::uint64_t number);
    std::optional<std::uint64_t> candidate(Kind kind, const LogEntry &note);
    std::optional<Kind> refusedKind(const LogEntry &note);
    std::optional<Kind> delayedKind(const LogEntry &note);
    void releaseFirst();

    Sink m_sink;
    std::deque<Held> m_held; ///< in the order of arrival
    std::uint64_t m_firstNumber = 0;
    std::size_t m_bytes = 0; ///< of what is held
    std::unordered_map<std::string, Numbers> m_waiting; ///< by kind and request: entries without a note
    Numbers m_limitNotes; ///< not settled yet
    Numbers m_delayNotes;
    std::array<std::uint64_t, 4> m_votes{}; ///< by kind up to OtherError: what a limit note had to be
    std::string m_key;
    WallTime m_newest = WallTime::min();
    WallTime m_lastEntry = WallTime::min(); ///< of an access log
    std::uint64_t m_matched = 0;
};

} // namespace throttlescope::incident
