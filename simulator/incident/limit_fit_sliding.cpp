// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/limit_fit.h"

#include <algorithm>
#include <limits>

namespace throttlescope::incident {

namespace {

constexpr std::int64_t kAny = std::numeric_limits<std::int32_t>::max();

/// What a span of a period says of the quota: at least what was let through together, at most what was there when
/// something was refused.
struct Bounds {
    std::int32_t least = 0;
    std::int32_t most = kAny;
    bool isFilled() const { return most != kAny; }
    bool isEmpty() const { return least == 0 && !isFilled(); }
};

struct Counts {
    std::int64_t accepted = 0;
    std::int64_t refused = 0;
};

/// A place in a series that only moves forward, and what was passed on the way.
class Cursor {
public:
    explicit Cursor(Series series)
        : m_series(series)
    {
    }
    /// Passes all before `at`.
    const Counts &to(std::int64_t at)
    {
        for (; m_next < m_series.size() && m_series[m_next].at < at; ++m_next) {
            m_passed.accepted += m_series[m_next].accepted;
            m_passed.refused += m_series[m_next].refused;
        }
        return m_passed;
    }

private:
    Series m_series;
    std::size_t m_next = 0;
    Counts m_passed;
};

/// The bounds of every span of a period in which something was let through or refused.
class SlidingSpans {
public:
    SlidingSpans(const Tolerance &tolerance, std::int64_t per, bool countsRefused)
        : m_tolerance(tolerance)
        , m_per(per)
        , m_countsRefused(countsRefused)
    {
    }

    void take(Series series)
    {
        const std::int64_t slack = m_tolerance.slack;
        Cursor surelyLeft{series}, perhapsLeft{series}, surelyBefore{series}, perhapsBefore{series};
        Counts passed;
        std::int64_t cell = std::numeric_limits<std::int64_t>::min();
        Bounds bounds;
        for (const Moment &moment : series) {
            if (moment.at >= cell + m_per || cell == std::numeric_limits<std::int64_t>::min()) {
                keep(bounds);
                bounds = {};
                cell = moment.at - moment.at % m_per;
            }
            passed.accepted += moment.accepted;
            passed.refused += moment.refused;
            if (moment.accepted > 0) {
                // All of these lie within one period, whatever their order; the last of them was let through.
                const Counts &left = surelyLeft.to(moment.at - m_per + slack);
                const std::int64_t refused = m_countsRefused ? surelyBefore.to(moment.at - slack + 1).refused - left.refused : 0;
                bounds.least
                    = narrow(std::max<std::int64_t>(bounds.least, passed.accepted - left.accepted + std::max<std::int64_t>(0, refused)));
            }
            if (moment.refused > 0 && moment.at >= m_tolerance.logBegin + m_per) {
                const Counts &left = perhapsLeft.to(moment.at - m_per - slack + 1);
                const Counts &before = perhapsBefore.to(moment.at + slack);
                const std::int64_t refused = m_countsRefused ? before.refused - left.refused - 1 : 0;
                bounds.most = narrow(std::min<std::int64_t>(bounds.most, before.accepted - left.accepted + refused));
            }
        }
        keep(bounds);
    }
    bool isHopeless() const { return m_contradicted > 32 && m_contradicted * 2 > m_filled; }
    const std::vector<Bounds> &spans() const { return m_spans; }

private:
    static std::int32_t narrow(std::int64_t count) { return static_cast<std::int32_t>(std::min(count, kAny - 1)); }
    void keep(const Bounds &bounds)
    {
        if (bounds.isEmpty())
            return;
        m_filled += bounds.isFilled();
        m_contradicted += bounds.isFilled() && bounds.least > bounds.most + lossAllowance(bounds.least) + 1;
        m_spans.push_back(bounds);
    }

    const Tolerance &m_tolerance;
    const std::int64_t m_per;
    const bool m_countsRefused;
    std::vector<Bounds> m_spans;
    std::int64_t m_filled = 0;
    std::int64_t m_contradicted = 0;
};

std::int64_t mostWithLoss(const Bounds &bounds)
{
    return bounds.most + lossAllowance(std::max(bounds.most, bounds.least));
}

struct Range {
    std::int64_t least = 0, most = 0;
    std::int64_t spans = 0;
};

/// The quotas that the most filled spans agree on. Bounds are few values many times, so counting beats comparing pairs.
Range agreed(const std::vector<Bounds> &spans, bool withLoss)
{
    std::vector<std::pair<std::int64_t, int>> ends;
    for (const Bounds &span : spans) {
        const std::int64_t most = withLoss ? mostWithLoss(span) : span.most;
        if (!span.isFilled() || span.least > most || most < 1)
            continue;
        ends.emplace_back(std::max(1, span.least), 1);
        ends.emplace_back(most + 1, -1);
    }
    std::sort(ends.begin(), ends.end());
    Range best;
    std::int64_t covering = 0;
    for (std::size_t i = 0; i < ends.size();) {
        const std::int64_t at = ends[i].first;
        for (; i < ends.size() && ends[i].first == at; ++i)
            covering += ends[i].second;
        if (covering > best.spans)
            best = {at, i < ends.size() ? ends[i].first - 1 : at, covering};
    }
    return best;
}

/// A lost line makes the log show less than there was, never more: the quota is at least what was let through together.
/// Only where times are coarse may one of a neighbouring second slip in, now and then.
std::int64_t surelyLetThrough(std::vector<Bounds> spans, const Tolerance &tolerance)
{
    const std::size_t strays = tolerance.isCoarse() ? 1 + spans.size() / 20 : 0;
    if (strays >= spans.size())
        return 0;
    std::nth_element(spans.begin(), spans.begin() + static_cast<std::ptrdiff_t>(strays), spans.end(),
        [](const Bounds &a, const Bounds &b) { return a.least > b.least; });
    return spans[strays].least;
}

struct Judged {
    Fit fit;
    std::int64_t missing = 0; ///< from the spans that nearly fit
    /// No more is missing than where about 1 % of the lines are lost.
    bool isLossLikely() const { return missing <= lossAllowance(fit.candidate.limit.quota * (fit.candidate.fits + fit.candidate.nearly)); }
};

Judged judged(const std::vector<Bounds> &spans, const Range &range, const Tolerance &tolerance, bool countsRefused)
{
    Judged result;
    Fit &fit = result.fit;
    fit.candidate.limit.countsRefused = countsRefused;
    auto &[limit, windows, fits, nearly, approximate] = fit.candidate;
    limit.quota = range.least;
    const std::int64_t surplus = tolerance.isCoarse() ? std::max<std::int64_t>(1, range.least / 100) : 0;
    bool someAreShort = false;
    for (const Bounds &span : spans) {
        // Where refused requests count, refusals alone explain each other, whatever the limit.
        if (countsRefused && span.least == 0 && span.most >= limit.quota)
            continue;
        const bool tooMany = span.least > limit.quota + surplus;
        windows += span.isFilled() || tooMany;
        if (!span.isFilled() || tooMany)
            continue;
        fit.tight += span.most <= limit.quota + std::max<std::int64_t>(1, limit.quota / 50);
        if (span.least <= limit.quota && limit.quota <= span.most) {
            ++fits;
        } else if (limit.quota <= mostWithLoss(span)) {
            ++nearly;
            result.missing += std::max<std::int64_t>(0, limit.quota - span.most);
            someAreShort = someAreShort || span.most < limit.quota;
        }
    }
    fit.uncertainty = static_cast<double>(range.most - range.least) / static_cast<double>(range.least);
    approximate = someAreShort || range.most > range.least;
    return result;
}

} // namespace

std::optional<Fit> fitSliding(const Moments &moments, const Tolerance &tolerance, Duration per, bool countsRefused)
{
    SlidingSpans spans{tolerance, per.count(), countsRefused};
    for (std::size_t i = 0; i < moments.count() && !spans.isHopeless(); ++i)
        spans.take(moments.series(i));
    if (spans.isHopeless())
        return std::nullopt; // and how much of it was looked at depends on whose request came first
    Range range = agreed(spans.spans(), false);
    if (range.spans == 0)
        range = agreed(spans.spans(), true);
    if (range.spans == 0)
        return std::nullopt;
    const std::int64_t surely = std::max(range.least, surelyLetThrough(spans.spans(), tolerance));
    Judged best = judged(spans.spans(), {surely, std::max(range.most, surely), range.spans}, tolerance, countsRefused);
    if (surely > range.least) {
        // Where nearly every span would be short of it, those that show as much are the odd ones: they hold requests that
        // were aborted, or that the limit is not for.
        Judged others = judged(spans.spans(), range, tolerance, countsRefused);
        const Candidate &candidate = others.fit.candidate;
        const bool agree = 10 * candidate.fits >= 9 * candidate.windows; // lines that are lost leave no such agreement
        if (!best.isLossLikely() || others.fit.misses() < best.fit.misses() || agree) {
            best = std::move(others);
            best.fit.candidate.approximate = true;
        }
    }
    Fit &fit = best.fit;
    fit.candidate.limit.per = per;
    fit.candidate.limit.kind = WindowKind::Sliding;
    return fit;
}

} // namespace throttlescope::incident
