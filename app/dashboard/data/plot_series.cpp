// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/plot_series.h"

#include "core/engine/words.h"

#include <algorithm>

namespace throttlescope::dashboard {

namespace {

float seconds(Duration duration)
{
    return static_cast<float>(secondsOf(duration));
}

float percent(std::uint64_t used, std::uint64_t quota)
{
    return quota == 0 ? 0.0F : static_cast<float>(100.0 * static_cast<double>(used) / static_cast<double>(quota));
}

/// One that was not reached is forgotten: of a sliding window it moves on with each request.
void noteReset(std::vector<MonotonicTime> &resets, MonotonicTime at, std::optional<MonotonicTime> reset)
{
    if (!reset || (!resets.empty() && resets.back() == *reset))
        return;
    if (!resets.empty() && resets.back() > at)
        resets.back() = *reset;
    else
        resets.push_back(*reset);
}

} // namespace

bool PlotSeries::follow(const EventStore &store, Row most)
{
    if (m_runId != store.runId()) {
        clear();
        m_runId = store.runId();
    }
    const Row end = store.rowCount() - m_next > most ? m_next + most : store.rowCount();
    for (; m_next < end; ++m_next)
        take(store, m_next);
    return m_next == store.rowCount();
}

void PlotSeries::take(const EventStore &store, Row row)
{
    if (const auto rare = rareOf(store, row))
        m_rareEvents.append(*rare, store.at(row), row);
    switch (store.kind(row)) {
    case EventKind::AttemptFinished:
        m_attempts.append(
            {store.at(row), seconds(store.duration(row).value_or(Duration{})), static_cast<std::uint8_t>(store.outcome(row)), row});
        takeToldWindows(store, row);
        break;
    case EventKind::RetryScheduled:
    case EventKind::RetryRefused:
    case EventKind::RateLimitWaitExceeded:
    case EventKind::BudgetExhausted: takeDecision(store, row); break;
    case EventKind::ServerWindow: takeWindow(store, row); break;
    case EventKind::BreakerOpened:
    case EventKind::BreakerHalfOpen:
    case EventKind::BreakerClosed: takeBreaker(store, row); break;
    case EventKind::Marker: takeMarker(store, row); break;
    case EventKind::PolicyChanged: m_policyChanges.push_back(row); break;
    case EventKind::RunStarted:
    case EventKind::RunFinished:
    case EventKind::OperationStarted:
    case EventKind::OperationFinished:
    case EventKind::PacerWait:
    case EventKind::AttemptStarted:
    case EventKind::RateLimitDetected:
    case EventKind::BreakerRejected:
    case EventKind::FallbackStarted:
    case EventKind::FallbackFinished:
    case EventKind::ServerAnswered:
    case EventKind::TransportResent: break;
    }
}

void PlotSeries::takeDecision(const EventStore &store, Row row)
{
    const MonotonicTime at = store.at(row);
    const auto addWait = [&](Duration wait, WaitClass waitClass) {
        if (wait > Duration::zero())
            m_waits.append({at, seconds(wait), static_cast<std::uint8_t>(waitClass), row});
    };
    const auto addTokens = [&](double tokens) { scopeOf(store.serverText(row)).tokens.append({at, static_cast<float>(tokens), 0, row}); };
    const journal::Event &event = store.event(row, m_buffer);
    if (const auto *exhausted = std::get_if<journal::BudgetExhausted>(&event.payload))
        return addTokens(exhausted->tokens);
    if (const auto *exceeded = std::get_if<journal::RateLimitWaitExceeded>(&event.payload))
        return addWait(exceeded->delay, WaitClass::Exceeded);
    if (const auto *scheduled = std::get_if<journal::RetryScheduled>(&event.payload))
        addWait(
            scheduled->decision->wait(), scheduled->decision->source == DelaySource::Provider ? WaitClass::Provider : WaitClass::Backoff);
    else if (rareOf(store, row) && store.reason(row) == RefusalReason::WaitExceeded) // of a backoff: it had no event of its own
        addWait(store.duration(row).value_or(Duration{}), WaitClass::Exceeded);
    const Decision &decision = m_buffer.decision;
    if (const auto tokens = decision.tokensAfter ? decision.tokensAfter : decision.tokensBefore)
        addTokens(*tokens);
}

void PlotSeries::takeWindow(const EventStore &store, Row row)
{
    const journal::Event &event = store.event(row, m_buffer);
    const auto &window = std::get<journal::ServerWindow>(event.payload);
    const TextId server = store.serverText(row);
    if (std::find(m_accountable.begin(), m_accountable.end(), server) == m_accountable.end())
        m_accountable.push_back(server);
    WindowSeries &series = windowOf(server, store.textId(window.limit).value_or(0), store.textId(window.key).value_or(0), false);
    series.quota = window.quota;
    series.used.append({store.at(row), percent(window.used, window.quota), 0, row});
    noteReset(series.resets, store.at(row), window.resets);
}

void PlotSeries::takeToldWindows(const EventStore &store, Row row)
{
    const TextId server = store.serverText(row);
    if (!store.status(row) || std::find(m_accountable.begin(), m_accountable.end(), server) != m_accountable.end())
        return;
    const journal::Event &event = store.event(row, m_buffer);
    const signals::RateLimitState *state = std::get<journal::AttemptFinished>(event.payload).state;
    for (std::size_t i = 0; state && i < state->windows.size(); ++i) {
        const signals::Window &window = state->windows[i];
        if (!window.limit || !window.remaining)
            continue;
        WindowSeries &series = windowOf(server, store.textId(window.name).value_or(0), store.textId(window.partition).value_or(0), true);
        series.quota = *window.limit;
        series.used.append({store.at(row), percent(*window.limit - std::min(*window.limit, *window.remaining), *window.limit), 0, row});
        if (window.reset)
            noteReset(series.resets, store.at(row), saturatingAdd(store.at(row), *window.reset));
    }
}

void PlotSeries::takeBreaker(const EventStore &store, Row row)
{
    std::vector<BreakerBand> &bands = scopeOf(store.serverText(row)).breaker;
    if (!bands.empty() && !bands.back().to)
        bands.back().to = store.at(row);
    if (store.kind(row) != EventKind::BreakerClosed)
        bands.push_back({store.at(row), std::nullopt, store.kind(row) == EventKind::BreakerHalfOpen, row});
}

void PlotSeries::takeMarker(const EventStore &store, Row row)
{
    const journal::Event &event = store.event(row, m_buffer);
    const auto &marker = std::get<journal::Marker>(event.payload);
    const TextId label = store.textId(marker.label).value_or(0);
    if (marker.begin) {
        m_labels.push_back({label, store.at(row), std::nullopt, row});
        return;
    }
    const auto open
        = std::find_if(m_labels.rbegin(), m_labels.rend(), [label](const LabelSpan &each) { return each.label == label && !each.end; });
    if (open != m_labels.rend())
        open->end = store.at(row);
}

WindowSeries &PlotSeries::windowOf(TextId server, TextId limit, TextId key, bool told)
{
    const auto [found, isNew] = m_windowIndex.try_emplace({server, limit, key}, m_windows.size());
    if (isNew)
        m_windows.push_back({server, limit, key, told, 0, {}, {}});
    return m_windows[found->second];
}

ScopeSeries &PlotSeries::scopeOf(TextId server)
{
    const auto found = std::find_if(m_scopes.begin(), m_scopes.end(), [server](const ScopeSeries &each) { return each.server == server; });
    return found != m_scopes.end() ? *found : m_scopes.emplace_back(ScopeSeries{server, {}, {}});
}

std::size_t PlotSeries::bytes() const
{
    std::size_t bytes = m_attempts.bytes() + m_waits.bytes() + m_rareEvents.bytes() + m_labels.capacity() * sizeof(LabelSpan);
    for (const WindowSeries &window : m_windows)
        bytes += sizeof window + window.used.bytes() + window.resets.capacity() * sizeof(MonotonicTime);
    for (const ScopeSeries &scope : m_scopes)
        bytes += sizeof scope + scope.tokens.bytes() + scope.breaker.capacity() * sizeof(BreakerBand);
    return bytes;
}

} // namespace throttlescope::dashboard
