// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/log_entry.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>

namespace throttlescope::incident {

/// Brings together what an nginx error log tells (`limiting requests`) and the access log's line of the same request, which
/// has the status: same client, method and path, within a second or two. Entries pass through, held back that long.
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
    struct Held {
        LogEntry entry;
        bool taken = false; ///< a note that found its entry
        bool noted = false; ///< an entry that has its note
    };

    Held &held(std::uint64_t number) { return m_held[number - m_firstNumber]; }
    bool match(LogEntry &entry, std::deque<std::uint64_t> &others);
    void release(WallTime before);
    void releaseFirst();

    Sink m_sink;
    std::deque<Held> m_held; ///< in the order of arrival
    std::uint64_t m_firstNumber = 0;
    std::unordered_map<std::string, std::deque<std::uint64_t>> m_byRequest; ///< held ones that wait for their counterpart
    std::string m_key;
    WallTime m_lastEntry = WallTime::min(); ///< of an access log
    std::uint64_t m_matched = 0;
};

} // namespace throttlescope::incident
