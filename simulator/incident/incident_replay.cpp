// SPDX-License-Identifier: Apache-2.0
#include "simulator/incident/incident_replay.h"

#include "simulator/run/simulation.h"

#include <algorithm>
#include <cmath>
#include <variant>

namespace throttlescope::incident {

namespace {

constexpr Duration kMinute = std::chrono::minutes{1};

/// Counts what limits refused, minute by minute; storms are no refusals, whatever their status.
class RefusalCount final : public journal::EventSink {
public:
    explicit RefusalCount(WallTime end)
        : m_end(end)
    {
    }
    void accept(const journal::Event &event) override
    {
        const auto *answer = std::get_if<journal::ServerAnswered>(&event.payload);
        if (answer && !answer->violated.empty() && event.at.wall <= m_end)
            ++byMinute[event.at.wall.time_since_epoch() / kMinute];
    }

    std::map<std::int64_t, std::uint64_t> byMinute;

private:
    const WallTime m_end;
};

std::uint64_t apart(std::uint64_t a, std::uint64_t b)
{
    return a > b ? a - b : b - a;
}

} // namespace

double difference(std::uint64_t logged, std::uint64_t replayed)
{
    if (logged == 0)
        return replayed == 0 ? 0 : 1;
    return (static_cast<double>(replayed) - static_cast<double>(logged)) / static_cast<double>(logged);
}

bool ReplayCheck::isApartInAll() const
{
    return std::abs(difference(logged, replayed)) > kApart && apart(logged, replayed) > 3;
}

bool ReplayCheck::isApartInWorst() const
{
    return std::abs(difference(worst.logged, worst.replayed)) > kApart && apart(worst.logged, worst.replayed) > kFew;
}

ReplayCheck heldAgainst(const std::map<std::int64_t, std::uint64_t> &logged, const std::map<std::int64_t, std::uint64_t> &replayed)
{
    ReplayCheck check;
    std::map<std::int64_t, MinuteApart> minutes;
    for (const auto &[minute, count] : logged) {
        minutes[minute].logged = count;
        check.logged += count;
    }
    for (const auto &[minute, count] : replayed) {
        minutes[minute].replayed = count;
        check.replayed += count;
    }
    for (auto &[minute, each] : minutes) {
        each.minute = minute;
        if (check.worst.minute == 0 || apart(each.logged, each.replayed) > apart(check.worst.logged, check.worst.replayed))
            check.worst = each;
    }
    return check;
}

ReplayCheck replay(const Scenario &scenario, const TraceSummary &trace, const std::atomic<bool> *interrupted)
{
    // The last retries come a latency later than those of the log.
    RefusalCount count{trace.end + std::chrono::seconds{1}};
    Simulation simulation{scenario, &count};
    simulation.run(interrupted);
    ReplayCheck check = heldAgainst(trace.refusalsByMinute, count.byMinute);
    check.failure = simulation.failure();
    check.interrupted = interrupted && interrupted->load();
    return check;
}

} // namespace throttlescope::incident
