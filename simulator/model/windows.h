// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"
#include "simulator/scenario/scenario.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <variant>

/// The window kinds of a limit, exact to the microsecond: never more than the quota in one window, whatever the order of
/// arrival. Each answers the same questions at the time of an arrival; times never run back.
namespace throttlescope {

/// Converts between the run's monotonic time and the server's own wall clock (start + t + clock_skew).
struct ServerClock {
    WallTime atZero;
    WallTime wall(MonotonicTime time) const { return atZero + time.time_since_epoch(); }
    MonotonicTime monotonic(WallTime time) const { return MonotonicTime{time - atZero}; }
};

/// [begin, end) with a count. Aligned to the server's calendar, or opened by the first counted request.
class FixedWindow {
public:
    FixedWindow(const Limit &limit, const ServerClock &clock);
    void advance(MonotonicTime now);
    bool admits(std::uint64_t units) const { return m_used + units <= m_limit->quota; }
    void count(MonotonicTime now, std::uint64_t units);
    std::optional<MonotonicTime> admissible(std::uint64_t units) const;
    std::optional<MonotonicTime> resets() const;
    void restart(MonotonicTime now);
    std::uint64_t used() const { return m_used; }
    std::optional<MonotonicTime> begins() const { return m_open ? std::optional{m_begin} : std::nullopt; }

private:
    const Limit *m_limit;
    const ServerClock *m_clock;
    bool m_open = false;
    MonotonicTime m_begin{}, m_end{};
    std::uint64_t m_used = 0;
};

/// At most the quota in any half-open span of `per`.
class SlidingWindow {
public:
    explicit SlidingWindow(const Limit &limit);
    void advance(MonotonicTime now);
    bool admits(std::uint64_t units) const { return m_used + units <= m_limit->quota; }
    void count(MonotonicTime now, std::uint64_t units);
    std::optional<MonotonicTime> admissible(std::uint64_t units) const;
    std::optional<MonotonicTime> resets() const;
    void restart(MonotonicTime now);
    std::uint64_t used() const { return m_used; }
    std::optional<MonotonicTime> begins() const { return std::nullopt; }

private:
    struct Entry {
        MonotonicTime at;
        std::uint64_t units;
    };
    const Limit *m_limit;
    std::deque<Entry> m_log; ///< oldest first, one entry a moment
    std::uint64_t m_used = 0;
};

/// Holds up to `burst` tokens and gains `quota` of them per `per`. Levels are counted in quota × microseconds, so that
/// nothing is rounded.
class TokenBucket {
public:
    explicit TokenBucket(const Limit &limit);
    void advance(MonotonicTime now);
    bool admits(std::uint64_t units) const { return cost(units) <= m_level; }
    void count(MonotonicTime now, std::uint64_t units);
    std::optional<MonotonicTime> admissible(std::uint64_t units) const;
    std::optional<MonotonicTime> resets() const;
    void restart(MonotonicTime now);
    std::uint64_t used() const;
    std::optional<MonotonicTime> begins() const { return std::nullopt; }

private:
    __extension__ using Level = __int128;
    Level cost(std::uint64_t units) const { return static_cast<Level>(units) * m_limit->per.length.count(); }
    Level capacity() const { return cost(m_limit->burst.value_or(m_limit->quota)); }
    MonotonicTime whenAt(Level level) const;

    const Limit *m_limit;
    Level m_level = 0;
    MonotonicTime m_at{};
};

/// Requests at the server now. It has no reset, hence no header.
class ConcurrencyLimit {
public:
    explicit ConcurrencyLimit(const Limit &limit) : m_limit(&limit) {}
    void advance(MonotonicTime) {}
    bool admits(std::uint64_t) const { return m_inFlight < m_limit->quota; }
    void count(MonotonicTime, std::uint64_t) { ++m_inFlight; }
    void release() { m_inFlight -= m_inFlight > 0 ? 1 : 0; }
    std::optional<MonotonicTime> admissible(std::uint64_t) const { return std::nullopt; }
    std::optional<MonotonicTime> resets() const { return std::nullopt; }
    void restart(MonotonicTime) {}
    std::uint64_t used() const { return m_inFlight; }
    std::optional<MonotonicTime> begins() const { return std::nullopt; }

private:
    const Limit *m_limit;
    std::uint64_t m_inFlight = 0;
};

using WindowState = std::variant<FixedWindow, SlidingWindow, TokenBucket, ConcurrencyLimit>;

WindowState makeWindow(const Limit &limit, const ServerClock &clock);

} // namespace throttlescope
