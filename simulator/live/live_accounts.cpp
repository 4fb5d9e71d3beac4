// SPDX-License-Identifier: Apache-2.0
#include "simulator/live/live_accounts.h"

#include "simulator/scenario/text_values.h"

namespace throttlescope::live {

LiveAccounts::LiveAccounts(const Scenario &scenario, const http::RunClock &clock, Record record)
    : m_scenario(scenario)
    , m_clock(clock)
    , m_record(std::move(record))
    , m_draw(scenario.seed)
{
    m_servers.reserve(scenario.servers.size());
    for (const Server &server : scenario.servers)
        m_servers.emplace_back(server, scenario.timeline, scenario.start, m_draw);
}

Now LiveAccounts::now() const
{
    const MonotonicTime now = m_clock.now();
    return {now, m_scenario.start + now.time_since_epoch()};
}

std::uint64_t LiveAccounts::expect(std::shared_ptr<const ScenarioCall> call, std::uint64_t drawKey)
{
    m_operations.push_back({std::move(call), drawKey, {}, {}});
    return m_operations.size() - 1;
}

/// "17.2", "17.fallback.1": the client's own words (ClientOptions::attemptHeader).
std::optional<LiveAccounts::Claim> LiveAccounts::claim(const http::ReceivedRequest &request)
{
    constexpr std::string_view mark = ".fallback.";
    const std::string *place = findHeader(request.headers, kOperationHeader);
    const std::string *attempt = findHeader(request.headers, kAttemptHeader);
    if (!place || !attempt)
        return std::nullopt;
    const auto dot = attempt->find('.');
    const bool fallback = dot != std::string::npos && attempt->compare(dot, mark.size(), mark) == 0;
    const auto index = parseDigits(*place);
    const auto id = parseDigits(std::string_view{*attempt}.substr(0, dot));
    const auto count = dot == std::string::npos ? std::nullopt : parseDigits(std::string_view{*attempt}.substr(attempt->rfind('.') + 1));
    if (!index || *index >= static_cast<std::int64_t>(m_operations.size()) || !id || !count)
        return std::nullopt;
    LiveOperation &operation = m_operations[*index];
    if (fallback && !operation.call->fallback)
        return std::nullopt;
    return Claim{&operation, static_cast<journal::OperationId>(*id), static_cast<int>(*count), fallback};
}

Request LiveAccounts::requestOf(const http::Exchange &exchange, const ScenarioCall &call)
{
    return {call.operation, 0, exchange.attempt, exchange.request.method, call.request.path, &exchange.request.headers, call.units,
        call.request.key, {}};
}

std::uint64_t LiveAccounts::drawKeyOf(const Claim &claim)
{
    return claim.fallback ? fallbackDrawKey(claim.operation->drawKey) : claim.operation->drawKey;
}

Duration LiveAccounts::travelOut(std::size_t server, const http::Exchange &exchange)
{
    const auto claimed = claim(exchange.request);
    return claimed ? m_servers[server].travelOut(drawKeyOf(*claimed), static_cast<std::uint32_t>(claimed->attempt)) : Duration::zero();
}

void LiveAccounts::arrive(std::size_t server, http::Exchange &exchange)
{
    const Now now = this->now();
    exchange.arrived = now.monotonic;
    const auto claimed = claim(exchange.request);
    if (!claimed) { // somebody else's
        exchange.answer = {};
        exchange.answer.response.status = 421; // RFC 9110 15.5.20: misdirected
        return;
    }
    ++m_received;
    LiveOperation &operation = *claimed->operation;
    // A fallback's calls come from the same book.
    const auto &call = claimed->fallback ? static_cast<const ScenarioCall &>(*operation.call->fallback) : *operation.call;
    if (operation.toldBy != server)
        operation.atServer.due = std::nullopt;
    operation.toldBy = server;
    exchange.attempt = static_cast<std::uint32_t>(claimed->attempt);
    exchange.call = &call;
    Request request = requestOf(exchange, call);
    request.drawKey = drawKeyOf(*claimed);
    request.due = operation.atServer.due;
    ServerModel &model = m_servers[server];
    model.arrive(now.monotonic, request, exchange.answer);
    exchange.atServer = exchange.answer.kind == AnswerKind::Respond || exchange.answer.kind == AnswerKind::Timeout;
    exchange.accounted = true;
    m_record({0, now, claimed->id, operation.call->operation, call.server, claimed->attempt,
        accountFor(exchange.answer, call.request.effect, operation.atServer)});
    forEachWindow(model, [&](const journal::ServerWindow &window) { m_record({0, now, 0, {}, call.server, 0, window}); });
}

void LiveAccounts::leave(std::size_t server, http::Exchange &exchange)
{
    m_servers[server].finished(m_clock.now(), requestOf(exchange, static_cast<const ScenarioCall &>(*exchange.call)), exchange.answer);
}

void LiveAccounts::mark(const TimelineEntry &entry, bool begin)
{
    m_record({0, now(), 0, {}, entry.server, 0, journal::Marker{entry.label, begin}});
}

} // namespace throttlescope::live
