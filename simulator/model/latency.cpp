// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/latency.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace throttlescope {

namespace {

constexpr double kNormalP99 = 2.3263478740408408; ///< inverseNormal(0.99)
constexpr double kSmallest = 0x1.0p-54;           ///< half a step of the draw: a draw of 0 is no infinity

template <std::size_t N>
double polynomial(const std::array<double, N> &coefficients, double x)
{
    double value = 0;
    for (std::size_t i = N; i-- > 0;)
        value = value * x + coefficients[i];
    return value;
}

// Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution", Applied Statistics 37 (1988).
constexpr std::array<double, 8> kCentralA{3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125, 45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727};
constexpr std::array<double, 8> kCentralB{1.0, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077, 21213.794301586595867, 39307.895800092710610, 28729.085735721942674, 5226.4952788528545610};
constexpr std::array<double, 8> kMiddleC{1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504, 1.27045825245236838258, 0.241780725177450611770, 0.0227238449892691845833, 7.74545014278341407640e-4};
constexpr std::array<double, 8> kMiddleD{1.0, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550, 0.148103976427480074590, 0.0151986665636164571966, 5.47593808499534494600e-4, 1.05075007164441684324e-9};
constexpr std::array<double, 8> kTailE{6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580, 0.296560571828504891230, 0.0265321895265761230930, 0.00124266094738807843860, 2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr std::array<double, 8> kTailF{1.0, 0.599832206555887937690, 0.136929880922735805310, 0.0148753612908506148525, 7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15};

struct Quantile {
    double draw;
    double normal() const { return inverseNormal(std::max(draw, kSmallest)); }

    Duration operator()(const FixedLatency &fixed) const { return fixed.value; }
    Duration operator()(const UniformLatency &uniform) const { return uniform.min + scaled(uniform.max - uniform.min, draw); }
    Duration operator()(const NormalLatency &latency) const { return latency.mean + scaled(latency.deviation, normal()); }
    Duration operator()(const LognormalLatency &latency) const
    {
        const double ratio = static_cast<double>(latency.p99.count()) / static_cast<double>(std::max<std::int64_t>(latency.median.count(), 1));
        return scaled(latency.median, std::exp(std::log(ratio) / kNormalP99 * normal()));
    }
    Duration operator()(const ExponentialLatency &latency) const { return scaled(latency.mean, -std::log1p(-draw)); }
};

} // namespace

double inverseNormal(double p)
{
    const double q = p - 0.5;
    if (std::abs(q) <= 0.425) {
        const double r = 0.180625 - q * q;
        return q * polynomial(kCentralA, r) / polynomial(kCentralB, r);
    }
    const double r = std::sqrt(-std::log(q < 0 ? p : 1 - p));
    const double tail = r <= 5 ? polynomial(kMiddleC, r - 1.6) / polynomial(kMiddleD, r - 1.6) : polynomial(kTailE, r - 5) / polynomial(kTailF, r - 5);
    return q < 0 ? -tail : tail;
}

Duration latencyAt(const Latency &latency, double draw)
{
    return std::max(Duration::zero(), std::visit(Quantile{draw}, latency.kind));
}

} // namespace throttlescope
