// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/time.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

namespace throttlescope::http {

/// Scenario time: `scale` times faster than the machine's steady clock, or moved by hand.
class RunClock {
public:
    enum class Kind { Real, Manual };

    RunClock(Kind kind, std::int64_t scale)
        : m_kind(kind)
        , m_scale(scale)
    {
        restart();
    }

    void restart()
    {
        m_zero = std::chrono::steady_clock::now();
        m_wallAtZero = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
        m_manual = MonotonicTime{};
    }
    MonotonicTime now() const
    {
        if (m_kind == Kind::Manual)
            return m_manual;
        const auto real = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - m_zero);
        return MonotonicTime{saturatingMultiply(real, m_scale)};
    }
    /// Of a manual clock; never back.
    void moveTo(MonotonicTime time) { m_manual = std::max(m_manual, time); }
    /// Real time until then; none on a manual clock, where nobody can know.
    std::optional<Duration> realUntil(MonotonicTime time) const
    {
        return m_kind == Kind::Manual ? std::nullopt : std::optional{std::max(Duration::zero(), time - now()) / m_scale};
    }
    Kind kind() const { return m_kind; }
    std::int64_t scale() const { return m_scale; }
    /// The machine's wall clock at scenario time 0.
    WallTime wallAtZero() const { return m_wallAtZero; }

private:
    Kind m_kind;
    std::int64_t m_scale;
    std::chrono::steady_clock::time_point m_zero;
    WallTime m_wallAtZero;
    MonotonicTime m_manual{};
};

/// What is to happen when, in scenario time; what is due at one moment happens in the order in which it was put down.
class Agenda {
public:
    void at(MonotonicTime time, std::function<void()> task) { m_tasks.push({time, ++m_sequence, std::move(task)}); }
    std::optional<MonotonicTime> next() const { return m_tasks.empty() ? std::nullopt : std::optional{m_tasks.top().time}; }
    /// Takes the first task out.
    std::function<void()> take()
    {
        auto task = std::move(m_tasks.top().task);
        m_tasks.pop();
        return task;
    }
    void clear() { m_tasks = {}; }

private:
    struct Task {
        MonotonicTime time;
        std::uint64_t sequence;
        mutable std::function<void()> task; ///< a priority_queue shows its top as const
        bool operator<(const Task &other) const { return time != other.time ? time > other.time : sequence > other.sequence; }
    };
    std::priority_queue<Task> m_tasks;
    std::uint64_t m_sequence = 0;
};

} // namespace throttlescope::http
