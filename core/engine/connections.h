// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/pacer.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace throttlescope {

/// What a transport can keep open to one host at a time, whichever scopes its callers belong to. A caller beyond that stays
/// in the queue of its scope's pacer, first come, first served. One thread, that of the scopes.
class Connections {
public:
    /// `limit` > 0; `wakeList` outlives it.
    Connections(int limit, WakeList &wakeList)
        : m_limit(limit)
        , m_wakeList(wakeList)
    {
    }

    bool free() const { return m_inUse < m_limit; }
    void take() { ++m_inUse; }
    /// Wakes everybody who waits: the first takes the connection, the others ask for the next. Only the head of a pacer's
    /// queue ever waits here, so there are as many as there are scopes.
    void giveBack()
    {
        --m_inUse;
        for (const WaiterId id : std::exchange(m_waiting, {}))
            m_wakeList.push_back(id);
    }
    void awaitFree(WaiterId id)
    {
        if (std::find(m_waiting.begin(), m_waiting.end(), id) == m_waiting.end())
            m_waiting.push_back(id);
    }

private:
    int m_limit;
    int m_inUse = 0;
    WakeList &m_wakeList;
    std::vector<WaiterId> m_waiting;
};

} // namespace throttlescope
