// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/arrivals.h"

#include "core/engine/philox_draw.h"

#include <cmath>

namespace throttlescope {

std::optional<Duration> ArrivalSource::offset(std::uint64_t index) const
{
    if (const auto *batch = std::get_if<BatchArrivals>(&m_row.arrivals))
        return index < batch->count ? std::optional{Duration::zero()} : std::nullopt;
    if (const auto *workers = std::get_if<WorkerArrivals>(&m_row.arrivals))
        return index < workers->count ? std::optional{Duration::zero()} : std::nullopt;
    if (const auto *trace = std::get_if<TraceArrivals>(&m_row.arrivals)) {
        if (!trace->operations || index >= trace->operations->size())
            return std::nullopt;
        return (*trace->operations)[index].at;
    }
    const auto &rate = std::get<RateArrivals>(m_row.arrivals);
    const Duration at = rate.poisson
        ? m_poissonOffset
        : durationFromMicroseconds(static_cast<double>(index) * static_cast<double>(rate.rate.per.count()) / rate.rate.count);
    if ((rate.count && index >= *rate.count) || (rate.span && at >= *rate.span))
        return std::nullopt;
    return at;
}

std::optional<MonotonicTime> ArrivalSource::nextAt() const
{
    const auto at = offset(m_next);
    return at ? std::optional{MonotonicTime{saturatingAdd(m_row.startAt, *at)}} : std::nullopt;
}

std::uint64_t ArrivalSource::take()
{
    if (const auto *rate = std::get_if<RateArrivals>(&m_row.arrivals); rate && rate->poisson) {
        const double uniform = m_draw({Stream::Arrival, drawKey(m_next), 0});
        const double gap = -std::log1p(-uniform) * static_cast<double>(rate->rate.per.count()) / rate->rate.count;
        m_poissonOffset = saturatingAdd(m_poissonOffset, durationFromMicroseconds(gap));
    }
    return m_next++;
}

const TracedOperation *ArrivalSource::traced(std::uint64_t index) const
{
    const auto *trace = std::get_if<TraceArrivals>(&m_row.arrivals);
    return trace && trace->operations ? &(*trace->operations)[index] : nullptr;
}

std::uint64_t ArrivalSource::drawKey(std::uint64_t index) const
{
    return operationDrawKey(m_drawName, m_client, index);
}

} // namespace throttlescope
