// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/bucket_rate.h"
#include "simulator/incident/limit_fit.h"

#include <algorithm>
#include <cmath>

namespace throttlescope::incident {

namespace {

/// Follows the level of a bucket as the band in which it may be: what is let through needs a token, what is refused finds
/// none. The band is kept as level - gained + taken, which stands still while the bucket is not full, so that the little
/// that a time may be off by is never added up.
class LevelBand {
public:
    enum class Verdict { Fits, Nearly, Contradicted };

    LevelBand(const BucketShape &shape, const Tolerance &tolerance)
        : m_capacity(static_cast<double>(shape.capacity))
        , m_rate(shape.rate() / 1e6)
        , m_early(m_rate * static_cast<double>(Tolerance::kClockError) + 1e-6)
        , m_late(m_early + m_rate * static_cast<double>(tolerance.precision))
        , m_logBegin(tolerance.logBegin)
    {
        m_high = m_capacity;
    }

    /// `around`: let through within the slack after the moment, which may have been before the refusal.
    Verdict take(const Moment &moment, std::int64_t around)
    {
        const double gained = m_rate * static_cast<double>(moment.at - m_logBegin);
        const double surelyThere = std::min(m_capacity, m_low + gained - m_early - m_taken) - moment.accepted - static_cast<double>(around);
        const double full = m_capacity + m_taken - gained;
        m_high = std::min(m_high, full + m_early);
        m_low = std::min(m_low, full - m_late);
        Verdict verdict = Verdict::Fits;
        if (moment.accepted > 0) {
            m_taken += moment.accepted;
            const double empty = m_taken - gained - m_late;
            verdict = judge(empty - m_high);
            m_low = std::max(m_low, empty);
            m_high = std::max(m_high, m_low);
        }
        if (moment.refused > 0) {
            const double token = 1 + m_taken + static_cast<double>(around) - gained + m_early;
            verdict = std::max(verdict, judge(surelyThere - 1 + 1e-9));
            m_high = std::min(m_high, token);
            m_low = std::min(m_low, m_high);
        }
        return verdict;
    }

private:
    Verdict judge(double tooMuch) const
    {
        // A small bucket can never be off by more, so there it would excuse everything.
        const double oneLost = m_capacity > 2 ? 1.1 : 0;
        return tooMuch <= 0 ? Verdict::Fits : tooMuch <= oneLost ? Verdict::Nearly : Verdict::Contradicted;
    }

    const double m_capacity;
    const double m_rate; ///< a microsecond
    const double m_early, m_late; ///< tokens gained in the time by which a moment may have been earlier, or later, than logged
    const std::int64_t m_logBegin;
    double m_low = -1e18;
    double m_high;
    double m_taken = 0;
};

/// The verdicts of one span of time, the worst of which is the span's.
struct Span {
    bool filled = false;
    LevelBand::Verdict verdict = LevelBand::Verdict::Fits;
};

class SpanTally {
public:
    explicit SpanTally(Candidate &candidate)
        : m_candidate(candidate)
    {
    }
    void add(const Span &span)
    {
        m_candidate.windows += span.filled || span.verdict == LevelBand::Verdict::Contradicted;
        m_candidate.fits += span.filled && span.verdict == LevelBand::Verdict::Fits;
        m_candidate.nearly += span.filled && span.verdict == LevelBand::Verdict::Nearly;
    }
    bool isHopeless() const
    {
        const std::int64_t good = m_candidate.fits + m_candidate.nearly;
        return m_candidate.windows - good > 32 + good;
    }

private:
    Candidate &m_candidate;
};

void replay(Series series, const BucketShape &shape, const Tolerance &tolerance, std::int64_t length, SpanTally &tally)
{
    LevelBand band{shape, tolerance};
    std::size_t ahead = 0;
    std::int64_t around = 0; // let through from this moment's successor to `ahead`
    Span span;
    std::int64_t end = series.empty() ? 0 : series.front().at + length;
    for (std::size_t i = 0; i < series.size() && !tally.isHopeless(); ++i) {
        const Moment &moment = series[i];
        if (moment.at >= end) {
            tally.add(span);
            span = {};
            end = moment.at + length;
        }
        for (; ahead < series.size() && series[ahead].at < moment.at + tolerance.slack; ++ahead)
            around += series[ahead].accepted;
        around -= moment.accepted;
        span.filled = span.filled || moment.refused > 0;
        span.verdict = std::max(span.verdict, band.take(moment, around));
    }
    tally.add(span);
}

/// A bucket that fills within the log's precision explains nearly everything.
bool canBeTold(const BucketShape &shape, const Tolerance &tolerance)
{
    const double gained = shape.rate() * static_cast<double>(tolerance.slack) / 1e6;
    return gained <= 0.5 || static_cast<double>(shape.capacity) >= 2 + 2 * gained;
}

/// Of every token that a bucket of one gains, some time passes until somebody takes it; of a larger one hardly.
double wasted(const BucketShape &shape, const Moments &moments, const Tolerance &tolerance)
{
    double requests = 0;
    for (const Moment &moment : moments.all)
        requests += moment.accepted + moment.refused;
    const double perSeries = requests / static_cast<double>(moments.count());
    const double seconds = static_cast<double>(tolerance.logEnd - tolerance.logBegin) / 1e6;
    // What the log's times hide of a capacity cannot be relied on: whole seconds make a bucket look larger than it is.
    const double hidden = shape.rate() * static_cast<double>(tolerance.precision) / 1e6;
    const double capacity = std::max(1.0, static_cast<double>(shape.capacity) - hidden);
    return std::pow(std::min(1.0, shape.rate() * seconds / perSeries), capacity);
}

std::optional<Fit> fitShape(const Moments &moments, const Tolerance &tolerance, BucketShape shape, bool isKnown)
{
    measureCapacity(moments, tolerance, shape);
    const bool told = canBeTold(shape, tolerance);
    if (!isKnown && !told)
        return std::nullopt;
    Fit fit;
    auto &limit = fit.candidate.limit;
    limit.kind = WindowKind::TokenBucket;
    limit.quota = shape.quota;
    limit.per = shape.per;
    limit.burst = shape.capacity;
    fit.burstSeen = shape.capacitySeen && told;
    // Long enough to fill the bucket, and for a few requests.
    const double seconds = std::max(static_cast<double>(shape.capacity), 4.0) / shape.rate();
    const auto length = std::max(durationFromSeconds(seconds).count(), 4 * tolerance.slack);
    SpanTally tally{fit.candidate};
    for (std::size_t i = 0; i < moments.count() && !tally.isHopeless(); ++i)
        replay(moments.series(i), shape, tolerance, length, tally);
    return fit.candidate.windows > 0 ? std::optional{fit} : std::nullopt;
}

double worth(const Fit &fit)
{
    const Candidate &c = fit.candidate;
    return (static_cast<double>(c.fits) + 0.5 * static_cast<double>(c.nearly)) / static_cast<double>(c.windows);
}

/// The best of the rates in a range; those that are hardly worse say how certain it is.
std::optional<Fit> bestIn(const Moments &moments, const Tolerance &tolerance, const RateRange &range, bool isKnown)
{
    std::vector<Fit> fits;
    for (const BucketShape &shape : shapesIn(range)) {
        if (const auto fit = fitShape(moments, tolerance, shape, isKnown))
            fits.push_back(*fit);
    }
    if (fits.empty())
        return std::nullopt;
    const auto rate = [](const Fit &fit) { return static_cast<double>(fit.candidate.limit.quota) / secondsOf(fit.candidate.limit.per); };
    Fit best = *std::max_element(fits.begin(), fits.end(), [](const Fit &a, const Fit &b) { return worth(a) < worth(b); });
    double apart = 0;
    for (const Fit &fit : fits) {
        if (worth(fit) > worth(best) - 0.05)
            apart = std::max(apart, std::abs(rate(fit) / rate(best) - 1));
    }
    best.candidate.approximate = apart > 0;
    best.uncertainty = apart;
    return best;
}

} // namespace

std::optional<Fit> fitBucket(const Moments &moments, const Tolerance &tolerance, BucketHints hints)
{
    const auto [isKnown, hasManyKeys] = hints;
    std::optional<Fit> best;
    if (const auto rate = bucketRate(moments, tolerance)) {
        best = bestIn(moments, tolerance, {rate->least * 0.995, rate->most * 1.005}, isKnown);
        if (best) {
            const InferredLimit &limit = best->candidate.limit;
            best->uncertainty += wasted({limit.quota, limit.per, *limit.burst, false}, moments, tolerance);
        }
    }
    // Whether it is one bucket or one for each key must show, too.
    if (best && isKnown
        && !canBeTold({best->candidate.limit.quota, best->candidate.limit.per, *best->candidate.limit.burst, false}, tolerance))
        best->uncertainty += hasManyKeys ? 1 : 0;
    const auto single = singleTokenRate(moments, tolerance);
    const auto fit = single ? bestIn(moments, tolerance, *single, isKnown) : std::nullopt;
    return fit && fit->candidate.limit.burst == 1 && (!best || worth(*fit) >= worth(*best)) ? fit : best;
}

} // namespace throttlescope::incident
