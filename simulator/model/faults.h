// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/draw.h"
#include "simulator/model/server_model.h"

#include <vector>

namespace throttlescope {

/// The timeline's faults of one server. Overlapping entries add; one draw an attempt decides among them.
class Faults {
public:
    Faults(std::string_view server, const std::vector<TimelineEntry> &timeline, const Draw &draw);

    /// What befalls a request that arrives at `now`; null: nothing.
    const FaultShare *at(MonotonicTime now, const Request &request) const;

private:
    std::vector<const TimelineEntry *> m_entries;
    const Draw &m_draw;
};

/// The server's script: asked before faults and limits. Keys are AND-ed, the first unexhausted entry wins.
class Script {
public:
    explicit Script(const std::vector<ScriptEntry> &entries);
    const ScriptAnswer *answer(const Request &request);

private:
    struct Progress {
        std::uint64_t matched = 0; ///< requests that met the keys other than `nth`
        int used = 0;
    };
    const std::vector<ScriptEntry> &m_entries;
    std::vector<Progress> m_progress;
};

} // namespace throttlescope
