// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/journal/event.h"

namespace throttlescope::journal {

/// Hands every event to both, in this order. Both outlive it; the second may be null.
class Tee final : public EventSink {
public:
    Tee(EventSink &first, EventSink *second)
        : m_first(first)
        , m_second(second)
    {
    }
    void accept(const Event &event) override
    {
        m_first.accept(event);
        if (m_second)
            m_second->accept(event);
    }

private:
    EventSink &m_first;
    EventSink *m_second;
};

} // namespace throttlescope::journal
