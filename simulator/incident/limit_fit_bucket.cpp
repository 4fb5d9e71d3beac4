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
        , m_rate(shape.rate / 1e6)
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
            verdict = std::max(verdict, judge(m_low - token));
            m_high = std::min(m_high, token);
            m_low = std::min(m_low, m_high);
        }
        return verdict;
    }

private:
    static Verdict judge(double tooMuch)
    {
        constexpr double oneLost = 1.1;
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
    const double gained = shape.rate * static_cast<double>(tolerance.slack) / 1e6;
    return gained <= 0.5 || static_cast<double>(shape.capacity) >= 2 + 2 * gained;
}

} // namespace

std::optional<Fit> fitBucket(const Moments &moments, const Tolerance &tolerance, bool isKnown)
{
    const auto rate = bucketRate(moments, tolerance);
    if (!rate)
        return std::nullopt;
    BucketShape shape = shapeOf(*rate);
    measureCapacity(moments, tolerance, shape);
    if (!isKnown && !canBeTold(shape, tolerance))
        return std::nullopt;

    Fit fit;
    auto &limit = fit.candidate.limit;
    limit.kind = WindowKind::TokenBucket;
    limit.quota = shape.quota;
    limit.per = shape.per;
    limit.burst = shape.capacity;
    fit.quotaAtMost = std::max(shape.quota, static_cast<std::int64_t>(std::floor(rate->most * secondsOf(shape.per))));
    fit.burstSeen = shape.capacitySeen;
    fit.candidate.approximate = !shape.rateIsExact;
    // Long enough to fill the bucket, and for a few requests.
    const double seconds = std::max(static_cast<double>(shape.capacity), 4.0) / shape.rate;
    const auto length = std::max(durationFromSeconds(seconds).count(), 4 * tolerance.slack);
    SpanTally tally{fit.candidate};
    for (std::size_t i = 0; i < moments.count() && !tally.isHopeless(); ++i)
        replay(moments.series(i), shape, tolerance, length, tally);
    return fit.candidate.windows > 0 ? std::optional{fit} : std::nullopt;
}

} // namespace throttlescope::incident
