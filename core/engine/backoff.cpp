// SPDX-License-Identifier: Apache-2.0
#include "core/engine/backoff.h"

#include <algorithm>
#include <cmath>

namespace throttlescope {

namespace {

Duration uniform(Duration low, Duration high, double draw)
{
    return low + scaled(high - low, draw);
}

Duration grown(const Backoff &backoff, int n)
{
    switch (backoff.kind) {
    case BackoffKind::Constant: return backoff.base;
    case BackoffKind::Sequence:
        if (backoff.sequence.empty())
            return Duration::zero();
        return backoff.sequence[std::min(static_cast<std::size_t>(n), backoff.sequence.size()) - 1];
    case BackoffKind::Linear: return saturatingMultiply(backoff.base, n);
    case BackoffKind::Exponential: return scaled(backoff.base, std::pow(backoff.factor, n - 1));
    }
    return {};
}

/// "Exponential Backoff And Jitter", AWS Architecture Blog, 2015: min(cap, U(base, 3 × previous)).
Duration decorrelated(const Backoff &backoff, double draw, BackoffMemory &memory)
{
    const Duration high = saturatingMultiply(memory.previous.value_or(backoff.base), 3);
    const Duration wait = std::min(backoff.max, uniform(backoff.base, std::max(high, backoff.base), draw));
    memory.previous = wait;
    return wait;
}

/// Polly's DecorrelatedJitterBackoffV2: the difference of 2^t × tanh(√(4t)) between retries, t = n - 1 + draw, over 1.4.
Duration decorrelatedV2(const Backoff &backoff, int n, double draw, BackoffMemory &memory)
{
    const double t = n - 1 + draw;
    const double next = std::pow(2.0, t) * std::tanh(std::sqrt(4.0 * t));
    const double intrinsic = next - memory.previousV2;
    memory.previousV2 = next;
    if (!std::isfinite(next) || !std::isfinite(intrinsic))
        return backoff.max;
    return std::clamp(scaled(backoff.base, intrinsic / 1.4), Duration::zero(), backoff.max);
}

} // namespace

Duration plainBackoff(const Backoff &backoff, int n)
{
    const Duration wait = n == 1 && backoff.first ? *backoff.first : grown(backoff, std::max(n, 1));
    return std::clamp(wait, Duration::zero(), backoff.max);
}

Duration jitteredBackoff(const Backoff &backoff, int n, double draw, BackoffMemory &memory)
{
    const Duration plain = plainBackoff(backoff, n);
    struct Visitor {
        const Backoff &backoff;
        Duration plain;
        int n;
        double draw;
        BackoffMemory &memory;

        Duration operator()(const NoJitter &) const { return plain; }
        Duration operator()(const FullJitter &) const { return scaled(plain, draw); }
        Duration operator()(const EqualJitter &) const { return uniform(plain / 2, plain, draw); }
        Duration operator()(const PlusMinusJitter &jitter) const
        {
            return uniform(std::max(Duration::zero(), scaled(plain, 1 - jitter.fraction)),
                std::min(backoff.max, scaled(plain, 1 + jitter.fraction)), draw);
        }
        Duration operator()(const AdditiveJitter &jitter) const
        {
            // At the cap nothing is left above to spread over: the interval ends there instead of starting there.
            if (plain >= backoff.max)
                return uniform(std::max(Duration::zero(), plain - jitter.upTo), plain, draw);
            return uniform(plain, std::min(backoff.max, saturatingAdd(plain, jitter.upTo)), draw);
        }
        Duration operator()(const DecorrelatedJitter &) const { return decorrelated(backoff, draw, memory); }
        Duration operator()(const DecorrelatedV2Jitter &) const { return decorrelatedV2(backoff, n, draw, memory); }
    };
    if (n == 1 && backoff.first
        && (std::holds_alternative<DecorrelatedJitter>(backoff.jitter) || std::holds_alternative<DecorrelatedV2Jitter>(backoff.jitter)))
        return plain; // these jitters have no base to spread: `first` is waited as it is written
    return std::visit(Visitor{backoff, plain, n, draw, memory}, backoff.jitter);
}

Duration Rate::interval(double units) const
{
    return durationFromMicroseconds(std::ceil(static_cast<double>(per.count()) * units / count));
}

} // namespace throttlescope
