// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/limit_inference.h"

#include "simulator/incident/limit_periods.h"
#include "simulator/incident/limit_verdict.h"

#include <algorithm>
#include <fmt/format.h>

namespace throttlescope::incident {

namespace {

/// Of a sliding window the log must tell the span it covers to 2 %: else what goes through steadily looks like one.
constexpr std::int64_t kFinest = 50;

/// Holds every kind and period against the log, once for everybody together and once for each key by itself.
class LimitSearch {
public:
    LimitSearch(std::span<const Arrival> arrivals, const Tolerance &tolerance, Duration utcOffset, std::optional<WindowKind> known)
        : m_tolerance(tolerance)
        , m_utcOffset(utcOffset)
        , m_known(known)
        , m_together(momentsOfAll(arrivals))
    {
        const std::uint32_t key = arrivals.front().key;
        m_hasManyKeys = std::any_of(arrivals.begin(), arrivals.end(), [key](const Arrival &each) { return each.key != key; });
        if (m_hasManyKeys)
            m_byKey = momentsByKey(arrivals);
    }

    Inference run()
    {
        for (const Duration period : usualPeriods(m_tolerance))
            hold(period);
        if (wants(WindowKind::TokenBucket)) {
            keep(fitBucket(m_together, m_tolerance, {m_known.has_value(), m_hasManyKeys}), false);
            if (m_hasManyKeys)
                keep(fitBucket(m_byKey, m_tolerance, {m_known.has_value(), m_hasManyKeys}), true);
        }
        if (std::none_of(m_fits.begin(), m_fits.end(), isPlausible)) {
            const std::vector<Duration> seen = periodsSeen(m_hasManyKeys ? m_byKey : m_together, m_tolerance);
            for (const Duration period : seen)
                hold(period);
        }
        return verdictOn(std::move(m_fits), m_hasManyKeys);
    }

private:
    bool wants(WindowKind kind) const { return !m_known || *m_known == kind; }
    void hold(Duration period)
    {
        hold(m_together, period, false);
        if (m_hasManyKeys)
            hold(m_byKey, period, true);
    }
    void hold(const Moments &moments, Duration period, bool perKey)
    {
        if (wants(WindowKind::Fixed)) {
            keep(fitCalendar(moments, m_tolerance, period, m_utcOffset), perKey);
            keep(fitFirstRequest(moments, m_tolerance, period), perKey);
        }
        if (wants(WindowKind::Sliding) && period.count() >= kFinest * m_tolerance.slack) {
            keep(sliding(moments, period, false), perKey);
            keep(sliding(moments, period, true), perKey);
        }
    }
    std::optional<Fit> sliding(const Moments &moments, Duration period, bool countsRefused) const
    {
        auto fit = fitSliding(moments, m_tolerance, period, countsRefused);
        if (!fit || !isPlausible(*fit))
            return fit;
        for (const double other : {0.75, 1.5}) {
            const auto nearby = fitSliding(moments, m_tolerance, scaled(period, other), countsRefused);
            fit->isSteady = fit->isSteady || (nearby && nearby->candidate.windows >= kFewestWindows && isPlausible(*nearby));
        }
        return fit;
    }
    void keep(std::optional<Fit> fit, bool perKey)
    {
        if (!fit)
            return;
        fit->candidate.limit.perKey = perKey;
        const bool isBucket = fit->candidate.limit.kind == WindowKind::TokenBucket; // has no period, only a rate
        const std::int64_t span = m_tolerance.logEnd - m_tolerance.logBegin;
        fit->periods = isBucket ? fit->candidate.windows : span / fit->candidate.limit.per.count() + 1;
        m_fits.push_back(*fit);
    }

    const Tolerance m_tolerance;
    const Duration m_utcOffset;
    const std::optional<WindowKind> m_known;
    const Moments m_together;
    Moments m_byKey;
    bool m_hasManyKeys = false;
    std::vector<Fit> m_fits;
};

} // namespace

Inference inferLimit(std::span<const Arrival> arrivals, Duration precision, Duration utcOffset, std::optional<WindowKind> known)
{
    const auto refused = std::count_if(arrivals.begin(), arrivals.end(), [](const Arrival &arrival) { return arrival.refused; });
    if (refused == 0) {
        Inference inference;
        inference.why = fmt::format("nothing was refused: 0 of {}", arrivals.size());
        return inference;
    }
    Tolerance tolerance;
    tolerance.precision = precision.count();
    tolerance.slack = std::max(tolerance.precision, 2 * Tolerance::kClockError);
    tolerance.logBegin = arrivals.front().at.time_since_epoch().count();
    tolerance.logEnd = arrivals.back().at.time_since_epoch().count();
    return LimitSearch{arrivals, tolerance, utcOffset, known}.run();
}

} // namespace throttlescope::incident
