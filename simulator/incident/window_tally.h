// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulator/incident/limit_fit.h"

#include <map>
#include <vector>

namespace throttlescope::incident {

/// Collects fixed windows, and says which quota they speak of. One that took something after it had refused something
/// contradicts every quota; so does a refusal while no window was open.
class WindowTally {
public:
    struct Seen {
        std::int64_t accepted = 0;
        std::int64_t atEdges = 0; ///< near an end: the neighbour's, if the clocks differ
        bool filled = false;
        bool onlyAtEdge = false; ///< filled within the first moments, if it was: says something only if the number is right
    };

    void add(const Seen &window);
    void addContradicted() { ++m_contradicted; }
    bool isHopeless() const { return m_contradicted > 32 && m_contradicted > m_clean; }
    std::optional<Fit> result(const Tolerance &tolerance) const;

private:
    struct Row {
        std::int64_t filled = 0, filledNearEdge = 0;
        std::int64_t open = 0, openNearEdge = 0;
        std::int64_t onlyAtEdge = 0;
    };
    std::vector<std::int64_t> quotas() const;
    Fit held(std::int64_t quota, const Tolerance &tolerance) const;

    std::map<std::int64_t, Row> m_rows; ///< by the number accepted
    std::int64_t m_clean = 0;
    std::int64_t m_contradicted = 0;
};

} // namespace throttlescope::incident
