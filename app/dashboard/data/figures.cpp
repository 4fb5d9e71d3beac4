// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/figures.h"

#include "app/dashboard/data/spoken_time.h"
#include "core/engine/words.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace throttlescope::dashboard {

namespace {

/// Kinds that no metric looks at.
bool isMeasured(EventKind kind)
{
    switch (kind) {
    case EventKind::RunStarted:
    case EventKind::RunFinished:
    case EventKind::OperationStarted:
    case EventKind::PacerWait:
    case EventKind::RetryScheduled:
    case EventKind::BreakerHalfOpen:
    case EventKind::BreakerClosed:
    case EventKind::BreakerRejected:
    case EventKind::BudgetExhausted:
    case EventKind::FallbackStarted:
    case EventKind::FallbackFinished:
    case EventKind::PolicyChanged:
    case EventKind::TransportResent: return false;
    case EventKind::Marker:
    case EventKind::OperationFinished:
    case EventKind::AttemptStarted:
    case EventKind::AttemptFinished:
    case EventKind::RateLimitDetected:
    case EventKind::RateLimitWaitExceeded:
    case EventKind::RetryRefused:
    case EventKind::BreakerOpened:
    case EventKind::ServerAnswered:
    case EventKind::ServerWindow: break;
    }
    return true;
}

enum class Wanted : std::uint8_t { More, Less, Neither };

struct Field {
    std::string_view name;
    FigureValue::Unit unit;
    Wanted wanted;
    std::optional<double> (*value)(const Figures &);
};

std::optional<double> counted(std::uint64_t count)
{
    return static_cast<double>(count);
}

/// Of so many there is a value; of none there is none.
std::optional<double> ofAny(std::uint64_t count, Duration value)
{
    return count > 0 ? std::optional{secondsOf(value)} : std::nullopt;
}

std::optional<double> ofEnded(const Figures &figures, double value)
{
    const auto ended = figures.succeeded + figures.failed + figures.rejected + figures.cancelled + figures.unfinished;
    return ended > 0 ? std::optional{value} : std::nullopt;
}

using Unit = FigureValue::Unit;
constexpr Field kFields[] = {
    {"succeeded", Unit::Count, Wanted::More, [](const Figures &f) { return counted(f.succeeded); }},
    {"failed", Unit::Count, Wanted::Less, [](const Figures &f) { return counted(f.failed); }},
    {"rejected", Unit::Count, Wanted::Less, [](const Figures &f) { return counted(f.rejected); }},
    {"wait_exceeded", Unit::Count, Wanted::Less, [](const Figures &f) { return counted(f.waitExceeded); }},
    {"attempts_per_operation", Unit::Ratio, Wanted::Neither, [](const Figures &f) { return ofEnded(f, f.attemptsPerOperation); }},
    {"waits.p50", Unit::Time, Wanted::Neither, [](const Figures &f) { return ofAny(f.waits, f.waitP50); }},
    {"waits.p99", Unit::Time, Wanted::Neither, [](const Figures &f) { return ofAny(f.waits, f.waitP99); }},
    {"refused", Unit::Percent, Wanted::Less, [](const Figures &f) { return ofEnded(f, f.refusedPercent); }},
    {"finish", Unit::Time, Wanted::Less, [](const Figures &f) { return ofEnded(f, secondsOf(f.finish)); }},
    {"early_returns", Unit::Count, Wanted::Less, [](const Figures &f) { return counted(f.earlyReturns); }},
    {"early_by.max", Unit::Time, Wanted::Less, [](const Figures &f) { return ofAny(f.earlyReturns, f.earlyBy); }},
    {"overshoot.p50", Unit::Time, Wanted::Neither, [](const Figures &f) { return ofAny(f.lateReturns, f.overshoot); }},
    {"herd", Unit::Ratio, Wanted::Less, [](const Figures &f) { return f.herd; }},
    {"amplification", Unit::Ratio, Wanted::Less, [](const Figures &f) { return f.amplification; }},
    {"duplicate_effects", Unit::Count, Wanted::Less, [](const Figures &f) { return counted(f.duplicateEffects); }},
};

std::optional<bool> judged(Wanted wanted, double difference)
{
    if (wanted == Wanted::Neither || difference == 0)
        return std::nullopt;
    return (difference > 0) == (wanted == Wanted::More);
}

/// As exact as one reads it: to the tenth of a second, below a second to the millisecond.
std::string timeText(double seconds)
{
    const double step = seconds < 1 ? 1e-3 : 0.1;
    return spoken(durationFromSeconds(std::round(seconds / step) * step));
}

std::string valueText(FigureValue::Unit unit, double value)
{
    switch (unit) {
    case Unit::Count: return fmt::format("{:.0f}", value);
    case Unit::Ratio: return fmt::format("{:.2f}", value);
    case Unit::Percent: return fmt::format("{:.1f} %", value);
    case Unit::Time: return timeText(value);
    }
    return {};
}

} // namespace

Figures figuresOf(const journal::Metrics &metrics)
{
    const auto ended = [&metrics](Result result) { return metrics.operations[static_cast<std::size_t>(result)]; };
    Figures figures;
    figures.succeeded = ended(Result::Succeeded);
    figures.failed = ended(Result::Failed);
    figures.rejected = ended(Result::Rejected);
    figures.cancelled = ended(Result::Cancelled);
    figures.unfinished = ended(Result::Unfinished);
    figures.waitExceeded = metrics.waitExceeded;
    figures.attempts = metrics.attempts;
    figures.throttled = metrics.throttledResponses;
    figures.attemptsPerOperation = metrics.attemptsPerOperation.mean();
    figures.waitP50 = metrics.waits.percentile(50);
    figures.waitP99 = metrics.waits.percentile(99);
    figures.waits = metrics.waits.count();
    const auto refused = std::accumulate(metrics.refused.begin(), metrics.refused.end(), std::uint64_t{0});
    const std::uint64_t operations = metrics.finishedOperations();
    figures.refusedPercent = operations == 0 ? 0 : 100.0 * static_cast<double>(refused) / static_cast<double>(operations);
    figures.finish = metrics.finish.time_since_epoch();
    figures.earlyReturns = metrics.earlyBy.count();
    figures.earlyBy = metrics.earlyBy.max();
    figures.lateReturns = metrics.overshoot.count();
    figures.overshoot = metrics.overshoot.percentile(50);
    if (metrics.attempts > 0)
        figures.herd = metrics.herd;
    if (metrics.operationsWithAttempt > 0)
        figures.amplification = static_cast<double>(metrics.attempts) / static_cast<double>(metrics.operationsWithAttempt);
    figures.duplicateEffects = metrics.duplicateEffects;
    return figures;
}

bool RunFigures::follow(const EventStore &store, Row most)
{
    if (m_runId != store.runId()) {
        clear();
        m_runId = store.runId();
    }
    const Row end = store.rowCount() - m_next > most ? m_next + most : store.rowCount();
    for (; m_next < end; ++m_next) {
        if (isMeasured(store.kind(m_next)))
            m_metrics.accept(store.event(m_next, m_buffer));
    }
    return m_next == store.rowCount();
}

journal::Metrics metricsBetween(const EventStore &store, MonotonicTime from, MonotonicTime to)
{
    journal::Metrics metrics;
    EventBuffer buffer;
    const Row end = store.firstRowAt(to);
    for (Row row = store.firstRowAt(from); row < end; ++row) {
        if (isMeasured(store.kind(row)))
            metrics.accept(store.event(row, buffer));
    }
    return metrics;
}

Figures figuresBetween(const EventStore &store, MonotonicTime from, MonotonicTime to)
{
    Figures figures = figuresOf(metricsBetween(store, from, to));
    figures.herd.reset();
    return figures;
}

std::vector<FigureValue> figureValues(const Figures &figures, const Figures *baseline)
{
    std::vector<FigureValue> values;
    for (const Field &field : kFields) {
        FigureValue &value = values.emplace_back(FigureValue{field.name, field.unit, field.value(figures), std::nullopt, std::nullopt});
        const auto before = baseline ? field.value(*baseline) : std::nullopt;
        if (value.value && before) {
            value.difference = *value.value - *before;
            value.better = judged(field.wanted, *value.difference);
        }
    }
    return values;
}

std::string figureText(const FigureValue &figure)
{
    return figure.value ? valueText(figure.unit, *figure.value) : "–";
}

std::string differenceText(const FigureValue &figure)
{
    if (!figure.difference)
        return {};
    const std::string text = valueText(figure.unit, std::abs(*figure.difference));
    if (text == valueText(figure.unit, 0))
        return "±0";
    return (*figure.difference > 0 ? "+" : "−") + text;
}

} // namespace throttlescope::dashboard
