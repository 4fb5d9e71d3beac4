// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/window_tally.h"

#include <algorithm>

namespace throttlescope::incident {

void WindowTally::add(const Seen &window)
{
    if (window.accepted == 0 && !window.filled)
        return;
    Row &row = m_rows[window.accepted];
    if (window.onlyAtEdge) {
        ++row.onlyAtEdge;
        return;
    }
    if (window.filled) {
        ++(window.atEdges > 0 ? row.filledNearEdge : row.filled);
        ++m_clean;
        return;
    }
    ++(window.atEdges > 0 ? row.openNearEdge : row.open);
}

/// What most filled windows took, or a little more: where lines are lost, windows differ, and the log loses, it does not add.
std::vector<std::int64_t> WindowTally::quotas() const
{
    constexpr std::size_t mostTried = 24;
    std::int64_t mode = 0, atMode = 0;
    for (const auto &[accepted, row] : m_rows) {
        const std::int64_t here = row.filled + row.filledNearEdge + row.onlyAtEdge;
        if (here > 0 && here >= atMode && accepted > 0) {
            mode = accepted;
            atMode = here;
        }
    }
    std::vector<std::int64_t> quotas;
    for (auto row = m_rows.lower_bound(std::max<std::int64_t>(1, mode)); row != m_rows.end() && quotas.size() < mostTried; ++row) {
        if (row->first <= mode + 2 * lossAllowance(mode))
            quotas.push_back(row->first);
    }
    return atMode > 0 ? quotas : std::vector<std::int64_t>{};
}

Fit WindowTally::held(std::int64_t quota, const Tolerance &tolerance) const
{
    Fit fit;
    Candidate &candidate = fit.candidate;
    candidate.limit.quota = quota;
    const std::int64_t allowance = lossAllowance(quota);
    const std::int64_t surplus = std::max<std::int64_t>(tolerance.isCoarse() ? 2 : 1, quota / 100);
    candidate.windows = m_contradicted;
    for (const auto &[accepted, row] : m_rows) {
        const std::int64_t filled = row.filled + row.filledNearEdge;
        const std::int64_t missing = quota - accepted;
        candidate.windows += filled;
        if (missing == 0) {
            candidate.windows += row.onlyAtEdge;
            candidate.fits += filled + row.onlyAtEdge;
        } else if (missing > 0 && missing <= allowance) {
            candidate.nearly += filled;
            candidate.approximate = candidate.approximate || filled > 0;
        } else if (missing > 0) {
            candidate.nearly += missing <= surplus ? row.filledNearEdge : 0;
        } else {
            candidate.nearly += -missing <= surplus ? row.filledNearEdge : 0;
            candidate.windows += row.open + (-missing <= surplus ? 0 : row.openNearEdge);
            if (row.filled > 0 && -missing <= allowance) // or the others lost some
                fit.uncertainty = static_cast<double>(-missing) / static_cast<double>(quota);
        }
    }
    candidate.approximate = candidate.approximate || fit.uncertainty > 0 || candidate.fits * 10 < (candidate.fits + candidate.nearly) * 9;
    fit.tight = candidate.fits + candidate.nearly;
    return fit;
}

std::optional<Fit> WindowTally::result(const Tolerance &tolerance) const
{
    const auto worth = [](const Fit &fit) { return 2 * fit.candidate.fits + fit.candidate.nearly - 2 * fit.misses(); };
    std::optional<Fit> best;
    for (const std::int64_t quota : quotas()) {
        const Fit fit = held(quota, tolerance);
        if (fit.candidate.windows > 0 && (!best || worth(fit) > worth(*best)))
            best = fit;
    }
    return best;
}

} // namespace throttlescope::incident
