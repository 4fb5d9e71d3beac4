// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/journal/event.h"

#include <utility>

namespace throttlescope::journal {

/// Numbers the events of one run in the order in which they are recorded, and hands them on. Single-threaded.
class Recorder {
public:
    /// `sink` may be null: then nobody listens.
    explicit Recorder(EventSink *sink)
        : m_sink(sink)
    {
    }

    bool listening() const { return m_sink != nullptr; }
    void record(Event &&event)
    {
        event.seq = ++m_recorded;
        if (m_sink)
            m_sink->accept(event);
    }
    std::uint64_t recorded() const { return m_recorded; }

private:
    EventSink *m_sink;
    std::uint64_t m_recorded = 0;
};

} // namespace throttlescope::journal
