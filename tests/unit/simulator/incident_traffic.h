// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/philox_draw.h"
#include "model_support.h"
#include "simulator/incident/limit_inference.h"
#include "simulator/model/limit_stack.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <string>
#include <vector>

/// Logs whose limit is known: arrivals drawn by a seed, answered by the model's own limits.
namespace throttlescope::test {

class Dice {
public:
    explicit Dice(std::uint64_t seed)
        : m_draw(seed)
    {
    }
    double unit() { return m_draw({Stream::Arrival, ++m_drawn, 1}); }
    double between(double least, double most) { return least + (most - least) * unit(); }
    std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(unit() * static_cast<double>(n)); }
    bool chance(double share) { return unit() < share; }
    double exponential(double mean) { return -mean * std::log(1 - unit()); }
    template <typename T>
    T oneOf(std::initializer_list<T> values)
    {
        return *(values.begin() + below(static_cast<std::int64_t>(values.size())));
    }

private:
    PhiloxDraw m_draw;
    std::uint64_t m_drawn = 0;
};

enum class Retries { None, Backoff, Told };

/// A limit, who calls against it and how, and what the log makes of it.
struct LogPlan {
    Limit limit;
    bool perKey = false;
    bool countsRefused = false;
    int clients = 1;
    double load = 2; ///< what is wanted, in quotas a period
    bool bursts = false;
    Retries retries = Retries::None;
    int periods = 15;
    Duration begin{}; ///< after midnight
    Duration jitter{};
    Duration precision{1};
    double lost = 0;
};

struct PlannedCall {
    double at; ///< seconds
    int client;
    int attempt;
    bool operator>(const PlannedCall &other) const { return at > other.at; }
};
using Calls = std::priority_queue<PlannedCall, std::vector<PlannedCall>, std::greater<>>;

inline Calls plannedCalls(const LogPlan &plan, Dice &dice)
{
    const double period = secondsOf(plan.limit.per.length), end = period * plan.periods;
    const double each = plan.load * static_cast<double>(plan.limit.quota) / period / (plan.perKey ? 1 : plan.clients); // a second
    Calls calls;
    for (int client = 0; client < plan.clients; ++client) {
        const double steady = plan.bursts ? 0.3 * each : each;
        double tide = 1; // some periods are busy, some are not
        std::int64_t tideOf = -1;
        for (double at = dice.exponential(1 / steady); at < end; at += dice.exponential(1 / steady)) {
            if (const auto now = static_cast<std::int64_t>(at / period); now != tideOf) {
                tideOf = now;
                tide = dice.chance(0.25) ? 0.1 : 1;
            }
            if (dice.chance(tide))
                calls.push({at, client, 1});
        }
        if (!plan.bursts)
            continue;
        const double size = std::max(1.0, each * period / 2);
        for (double at = dice.exponential(period / 3); at < end; at += dice.exponential(period / 2.5)) {
            const double gap = period * dice.between(0.01, 0.1) / size;
            for (double i = 0, n = size * dice.between(0.5, 2); i < n; ++i)
                calls.push({at + i * gap, client, 1});
        }
    }
    return calls;
}

inline std::vector<incident::Arrival> logOf(const LogPlan &plan, std::uint64_t seed)
{
    Dice dice{seed};
    Server server = serverWith({plan.limit});
    server.limits[0].keyHeader = plan.perKey ? "k" : "";
    server.onLimit.counts = plan.countsRefused ? Counts::All : Counts::Accepted;
    const WallTime start = wall("2026-06-02T00:00:00Z") + plan.begin;
    model::LimitStack stack{server, model::ServerClock{start, {}}};
    std::vector<incident::Arrival> log;
    const double period = secondsOf(plan.limit.per.length), end = period * plan.periods;
    Calls calls = plannedCalls(plan, dice);
    while (!calls.empty()) {
        const PlannedCall call = calls.top();
        calls.pop();
        if (call.at >= end)
            break;
        const MonotonicTime now{durationFromSeconds(call.at)};
        Request request;
        const std::string key = std::to_string(call.client);
        request.key = key;
        stack.select(now, request);
        const auto *refusing = stack.refusal(now, request);
        if (refusing && plan.retries == Retries::Backoff && call.attempt < 5)
            calls.push({call.at + period / 60 * std::pow(2, call.attempt) * dice.unit(), call.client, call.attempt + 1});
        if (refusing && plan.retries == Retries::Told && call.attempt < 4) {
            const auto reset = stack.reportedReset(now, *refusing);
            const double at = reset ? secondsOf(reset->time_since_epoch()) : call.at + period;
            calls.push({std::max(call.at, at) + dice.between(0, 0.02) * period, call.client, call.attempt + 1});
        }
        const Duration off = scaled(plan.jitter, dice.between(-1, 1));
        const std::int64_t told = (start + now.time_since_epoch() + off).time_since_epoch().count();
        if (!dice.chance(plan.lost))
            log.push_back(
                {WallTime{Duration{told - told % plan.precision.count()}}, refusing != nullptr, static_cast<std::uint32_t>(call.client)});
    }
    std::stable_sort(log.begin(), log.end(), [](const auto &a, const auto &b) { return a.at < b.at; });
    return log;
}

/// The scenarios of the acceptance: fixed and sliding, minute, hour and day, bursts, one and twenty clients, with retries
/// and without, clock jitter, times to the microsecond, the millisecond and the second, and one in four loses a line in 100.
inline LogPlan planOf(std::uint64_t seed)
{
    Dice dice{seed ^ 0x5eed};
    LogPlan plan;
    const Duration per = dice.oneOf<Duration>({1min, 1h, 24h});
    const auto quota = static_cast<std::uint64_t>(dice.oneOf({5, 10, 20, 30, 60, 77, 100, 250}));
    plan.clients = dice.chance(0.5) ? 20 : 1;
    const std::int64_t kind = dice.below(3);
    plan.countsRefused = kind == 2 && dice.chance(0.25);
    plan.perKey = plan.clients > 1 && (plan.countsRefused || dice.chance(0.5));
    plan.limit = kind == 0 ? calendarLimit("l", quota, per)
        : kind == 1        ? firstRequestLimit("l", quota, per)
                           : limit("l", quota, per, WindowKind::Sliding);
    if (plan.perKey)
        plan.limit.quota = std::min<std::uint64_t>(plan.limit.quota, 20);
    // Where refused requests count and too many come all the time, nothing is let through any more.
    plan.bursts = plan.countsRefused || dice.chance(0.4);
    plan.load = plan.countsRefused ? dice.between(0.4, 0.8) : dice.between(1.3, 3);
    plan.retries = plan.countsRefused ? Retries::None : dice.oneOf({Retries::None, Retries::Backoff, Retries::Told});
    plan.periods = static_cast<int>(15 + dice.below(15));
    plan.begin = durationFromSeconds(dice.chance(0.3) ? 0 : dice.between(0, 80'000));
    plan.jitter = dice.chance(0.6) ? Duration{5ms} : Duration{};
    plan.precision = dice.oneOf<Duration>({1us, 1ms, 1s});
    plan.lost = dice.chance(0.25) ? 0.01 : 0;
    return plan;
}

/// Right: every word of it. Certain: and it says so of every word.
/// Buckets as nginx has them: a rate and a burst, one client or several, hammering or not.
inline LogPlan bucketPlanOf(std::uint64_t seed)
{
    Dice dice{seed ^ 0xb0cce7};
    LogPlan plan;
    const Duration per = dice.chance(0.6) ? Duration{1s} : Duration{1min};
    plan.limit = limit("l", static_cast<std::uint64_t>(dice.oneOf({2, 5, 10, 20, 30})), per, WindowKind::TokenBucket);
    plan.limit.burst = static_cast<std::uint64_t>(dice.oneOf({1, 6, 11, 21, 51}));
    plan.clients = dice.chance(0.3) ? 5 : 1;
    plan.perKey = plan.clients > 1 && dice.chance(0.5);
    plan.load = dice.between(1.3, 4);
    plan.retries = dice.oneOf({Retries::None, Retries::Backoff, Retries::Told});
    plan.periods = per == Duration{1s} ? 200 : 30;
    plan.begin = durationFromSeconds(dice.between(0, 80'000));
    plan.jitter = dice.chance(0.6) ? Duration{5ms} : Duration{};
    plan.precision = dice.oneOf<Duration>({1us, 1ms, 1s});
    plan.lost = dice.chance(0.25) ? 0.01 : 0;
    return plan;
}

enum class Recovered { Certain, Right, CannotTell, Wrong };

inline Recovered judge(const LogPlan &plan, const incident::Inference &said)
{
    if (!said.best)
        return Recovered::CannotTell;
    const auto &limit = said.best->limit;
    const auto quota = static_cast<std::int64_t>(plan.limit.quota);
    const auto apart = std::abs(limit.quota - quota);
    const bool quotaRight = apart == 0 || (said.best->approximate && apart * 50 <= quota);
    const auto kind = plan.limit.window == WindowKind::Fixed ? incident::WindowKind::Fixed : incident::WindowKind::Sliding;
    const auto alignment = plan.limit.align == Align::Calendar ? incident::Alignment::Calendar : incident::Alignment::FirstRequest;
    const bool aligned = kind != incident::WindowKind::Fixed || limit.alignment == alignment;
    const bool keyed = plan.clients == 1 || limit.perKey == plan.perKey;
    const bool counted = limit.countsRefused == plan.countsRefused;
    if (!quotaRight || limit.per != plan.limit.per.length || limit.kind != kind || (said.settled.alignment && !aligned)
        || (said.settled.perKey && !keyed) || (said.settled.countsRefused && !counted))
        return Recovered::Wrong;
    const bool allSettled = said.settled.alignment && said.settled.countsRefused && (plan.clients == 1 || said.settled.perKey);
    if (!aligned || !keyed || !counted)
        return Recovered::CannotTell;
    return allSettled ? Recovered::Certain : Recovered::Right;
}

} // namespace throttlescope::test
