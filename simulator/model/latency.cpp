// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/latency.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace throttlescope::model {

namespace {

constexpr double kNormal99 = 2.3263478740408408; ///< Phi^-1(0.99)
constexpr double kSmallestDraw = 0x1p-54;

using Coefficients = std::array<double, 8>;

double polynomial(const Coefficients &c, double x)
{
    double value = c.back();
    for (auto i = c.rbegin() + 1; i != c.rend(); ++i)
        value = value * x + *i;
    return value;
}

// M. J. Wichura, Algorithm AS 241 (PPND16): The percentage points of the normal distribution, Applied Statistics 37
// (1988). About 16 digits, out of polynomials, one logarithm and one square root: the same from every compiler.
constexpr Coefficients kCentralOver{3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
    4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr Coefficients kCentralUnder{1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
    2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3};
constexpr Coefficients kMiddleOver{1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
    1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients kMiddleUnder{1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
    1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9};
constexpr Coefficients kTailOver{6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
    2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients kTailUnder{1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
    7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15};

double microseconds(Duration value)
{
    return static_cast<double>(value.count());
}

struct Quantile {
    double u;

    Duration operator()(const FixedLatency &latency) const { return latency.value; }
    Duration operator()(const UniformLatency &latency) const
    {
        return latency.min + durationFromMicroseconds(u * microseconds(latency.max - latency.min));
    }
    Duration operator()(const NormalLatency &latency) const
    {
        return durationFromMicroseconds(microseconds(latency.mean) + microseconds(latency.deviation) * normalQuantile(u));
    }
    Duration operator()(const LognormalLatency &latency) const
    {
        if (latency.median <= Duration::zero())
            return Duration::zero();
        const double sigma = std::log(microseconds(latency.p99) / microseconds(latency.median)) / kNormal99;
        return durationFromMicroseconds(microseconds(latency.median) * std::exp(sigma * normalQuantile(u)));
    }
    Duration operator()(const ExponentialLatency &latency) const
    {
        return durationFromMicroseconds(-microseconds(latency.mean) * std::log(1 - u));
    }
};

} // namespace

double normalQuantile(double u)
{
    u = std::max(u, kSmallestDraw);
    const double q = u - 0.5;
    if (std::abs(q) <= 0.425) {
        const double r = 0.180625 - q * q;
        return q * polynomial(kCentralOver, r) / polynomial(kCentralUnder, r);
    }
    const double r = std::sqrt(-std::log(q < 0 ? u : 1 - u));
    const double value = r <= 5 ? polynomial(kMiddleOver, r - 1.6) / polynomial(kMiddleUnder, r - 1.6)
                                : polynomial(kTailOver, r - 5) / polynomial(kTailUnder, r - 5);
    return q < 0 ? -value : value;
}

Duration drawnLatency(const Distribution &kind, double u)
{
    return std::max(std::visit(Quantile{u}, kind), Duration::zero());
}

bool needsDraw(const Distribution &kind)
{
    return !std::holds_alternative<FixedLatency>(kind);
}

Duration addedByOthers(const Latency &latency, Duration drawn, int others)
{
    const auto *share = std::get_if<LatencyShare>(&latency.perConcurrent);
    return share ? scaled(drawn, share->value * others) : saturatingMultiply(std::get<Duration>(latency.perConcurrent), others);
}

} // namespace throttlescope::model
