// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

namespace throttlescope {

using Duration = std::chrono::duration<std::int64_t, std::micro>;

/// A clock without now(): the engine is told the time, it never reads it.
struct MonotonicClock {
    using duration = Duration;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<MonotonicClock, Duration>;
    static constexpr bool is_steady = true;
};

using MonotonicTime = MonotonicClock::time_point;
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;

/// Both clocks at one moment. Every decision uses the monotonic time; the wall time only reads and writes dates.
struct Now {
    MonotonicTime monotonic;
    WallTime wall;
};

inline constexpr Duration kMaxDuration = Duration::max();
/// "Not at any known time": the driver sets no timer and waits to be woken by the scope.
inline constexpr MonotonicTime kNever = MonotonicTime::max();

/// Sums saturate at both ends instead of wrapping: `Retry-After: 9223372037` must never become a negative wait.
constexpr Duration saturatingAdd(Duration a, Duration b)
{
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a.count(), b.count(), &sum))
        return a.count() > 0 ? Duration::max() : Duration::min();
    return Duration{sum};
}

constexpr MonotonicTime saturatingAdd(MonotonicTime time, Duration delay)
{
    return MonotonicTime{saturatingAdd(time.time_since_epoch(), delay)};
}

constexpr Duration saturatingMultiply(Duration value, std::int64_t factor)
{
    std::int64_t product = 0;
    if (__builtin_mul_overflow(value.count(), factor, &product))
        return (value.count() > 0) == (factor > 0) ? Duration::max() : Duration::min();
    return Duration{product};
}

/// A real number of microseconds, rounded to nearest; NaN is zero, and what does not fit saturates.
constexpr Duration durationFromMicroseconds(double microseconds)
{
    constexpr double limit = 9.2e18;
    if (microseconds != microseconds)
        return Duration::zero();
    if (microseconds >= limit)
        return Duration::max();
    if (microseconds <= -limit)
        return Duration::min();
    return Duration{static_cast<std::int64_t>(microseconds + (microseconds < 0 ? -0.5 : 0.5))};
}

constexpr Duration durationFromSeconds(double seconds)
{
    return durationFromMicroseconds(seconds * 1e6);
}

constexpr Duration scaled(Duration value, double factor)
{
    return durationFromMicroseconds(static_cast<double>(value.count()) * factor);
}

constexpr double secondsOf(Duration value)
{
    return static_cast<double>(value.count()) / 1e6;
}

} // namespace throttlescope
