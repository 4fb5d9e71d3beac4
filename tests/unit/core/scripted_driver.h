// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/execution.h"
#include "core/engine/words.h"
#include "engine_values.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <vector>

/// Runs executions against scripted answers in virtual time: time jumps to the next thing due, and what is due at the same
/// moment happens in the order in which it was arranged.
namespace throttlescope::testing {

/// An event with everything that its payload only points at.
struct Seen {
    MonotonicTime at;
    journal::OperationId op = 0;
    std::string operation, server;
    int attempt = 0;
    journal::Payload payload; ///< its pointers and views are not to be followed
    Decision decision; ///< of retry.scheduled and retry.refused
    std::optional<signals::Hint> hint;
    std::string retryAfter; ///< of operation.finished

    template <typename Payload>
    const Payload *as() const
    {
        return std::get_if<Payload>(&payload);
    }
};

class Log final : public journal::EventSink {
public:
    void accept(const journal::Event &event) override
    {
        Seen seen{event.at.monotonic, event.op, std::string{event.operation}, std::string{event.server}, event.attempt, event.payload, {},
            {}, {}};
        if (const auto *scheduled = seen.as<journal::RetryScheduled>())
            seen.decision = *scheduled->decision;
        if (const auto *refused = seen.as<journal::RetryRefused>())
            seen.decision = *refused->decision;
        if (const auto *detected = seen.as<journal::RateLimitDetected>(); detected && detected->hint)
            seen.hint = *detected->hint;
        if (const auto *finished = seen.as<journal::OperationFinished>())
            seen.retryAfter = std::string{finished->retryAfter};
        seenEvents.push_back(std::move(seen));
    }

    template <typename Payload>
    std::vector<Seen> all(journal::OperationId op = 0) const
    {
        std::vector<Seen> found;
        for (const Seen &seen : seenEvents) {
            if (seen.as<Payload>() && (op == 0 || seen.op == op))
                found.push_back(seen);
        }
        return found;
    }
    template <typename Payload>
    std::size_t count(journal::OperationId op = 0) const
    {
        return all<Payload>(op).size();
    }
    /// Names of the events of one operation, in order: "attempt.finished" is AttemptFinished.
    std::string names(journal::OperationId op) const;

    std::vector<Seen> seenEvents;
};

/// What the server does with one request.
struct Scripted {
    std::optional<Outcome> outcome; ///< none: never answers
    Duration after{};
};

struct Flight {
    journal::OperationId op;
    const Call &call;
    int attempt;
    bool fallback;
};
using Server = std::function<Scripted(const Flight &)>;

/// Answers one after the other, the last one again and again.
inline Server inTurn(std::vector<Scripted> answers)
{
    auto next = std::make_shared<std::size_t>(0);
    return [answers = std::move(answers), next](const Flight &) { return answers[std::min((*next)++, answers.size() - 1)]; };
}

class Driver {
public:
    explicit Driver(const Draw &draw)
        : m_environment{draw, m_recorder}
    {
    }

    std::shared_ptr<Scope> scope(const ScopeSpec &spec = {}) { return std::make_shared<Scope>(spec, m_wakeList); }

    /// The operation's id, from 1.
    journal::OperationId start(Duration when, std::shared_ptr<const Call> call, Server server)
    {
        const journal::OperationId id = m_operations.size() + 1;
        m_operations.emplace_back();
        Operation &operation = m_operations.back();
        operation.execution = std::make_unique<Execution>(*call, OperationIdentity{id, id, static_cast<WaiterId>(id)}, m_environment);
        operation.call = std::move(call);
        operation.server = std::move(server);
        schedule(at(when), [this, id] { feed(id, Start{}); });
        return id;
    }
    void cancel(Duration when, journal::OperationId id, bool runStopped = false)
    {
        schedule(at(when), [this, id, runStopped] { feed(id, Cancelled{runStopped}); });
    }
    void replacePolicy(Duration when, journal::OperationId id, std::shared_ptr<const Policy> policy)
    {
        schedule(at(when), [this, id, policy] { feed(id, PolicyReplaced{policy}); });
    }
    void then(Duration when, std::function<void()> what) { schedule(at(when), std::move(what)); }

    void run(std::size_t mostEvents = 1'000'000)
    {
        for (std::size_t i = 0; !m_agenda.empty() && i < mostEvents; ++i) {
            const Item item = m_agenda.top();
            m_agenda.pop();
            m_now = item.at;
            item.what();
            while (!m_wakeList.empty()) {
                const WakeList woken = std::exchange(m_wakeList, {});
                for (const WaiterId id : woken)
                    feed(id, TimeReached{});
            }
        }
    }

    const Log &log() const { return m_log; }
    Summary summary(journal::OperationId id) const { return m_operations.at(id - 1).execution->summary(); }
    const Execution &execution(journal::OperationId id) const { return *m_operations.at(id - 1).execution; }
    bool finished(journal::OperationId id) const { return m_operations.at(id - 1).finishes == 1; }
    int finishes(journal::OperationId id) const { return m_operations.at(id - 1).finishes; }
    MonotonicTime finishedAt(journal::OperationId id) const { return m_operations.at(id - 1).finishedAt; }
    const std::optional<Step> &lastStep(journal::OperationId id) const { return m_operations.at(id - 1).lastStep; }
    MonotonicTime now() const { return m_now; }
    const Environment &environment() const { return m_environment; }
    WakeList &wakeList() { return m_wakeList; }
    static Now nowAt(MonotonicTime time) { return {time, WallTime{1'780'000'000s} + time.time_since_epoch()}; }

private:
    struct Operation {
        std::shared_ptr<const Call> call;
        std::unique_ptr<Execution> execution;
        Server server;
        std::uint64_t timer = 0; ///< the running one; older ones are void
        std::uint64_t flight = 0;
        bool inFlight = false;
        int finishes = 0;
        MonotonicTime finishedAt{};
        std::optional<Step> lastStep;
    };
    struct Item {
        MonotonicTime at;
        std::uint64_t sequence;
        std::function<void()> what;
        bool operator<(const Item &other) const { return at != other.at ? at > other.at : sequence > other.sequence; }
    };

    void schedule(MonotonicTime when, std::function<void()> what) { m_agenda.push({when, ++m_sequence, std::move(what)}); }

    void setTimer(journal::OperationId id, MonotonicTime when)
    {
        const std::uint64_t timer = ++m_operations[id - 1].timer;
        if (when == kNever)
            return;
        schedule(std::max(when, m_now), [this, id, timer] {
            if (m_operations[id - 1].timer == timer)
                feed(id, TimeReached{});
        });
    }

    void feed(journal::OperationId id, const Input &input)
    {
        Operation &operation = m_operations[id - 1];
        if (operation.finishes > 0)
            return;
        const Step step = operation.execution->next(nowAt(m_now), input);
        operation.lastStep = step;
        if (const auto *send = std::get_if<Send>(&step)) {
            operation.inFlight = true;
            const std::uint64_t flight = ++operation.flight;
            const Scripted scripted = operation.server({id, operation.execution->currentCall(), send->attempt, send->fallback});
            if (scripted.outcome) {
                schedule(saturatingAdd(m_now, scripted.after), [this, id, flight, outcome = *scripted.outcome] {
                    Operation &asked = m_operations[id - 1];
                    if (asked.inFlight && asked.flight == flight) {
                        asked.inFlight = false;
                        feed(id, Answered{outcome});
                    }
                });
            }
            setTimer(id, send->deadline);
        } else if (const auto *wait = std::get_if<WaitUntil>(&step)) {
            operation.inFlight = operation.inFlight && wait->why == Waiting::Answer;
            setTimer(id, wait->at);
        } else {
            ++operation.timer;
            operation.inFlight = false;
            ++operation.finishes;
            operation.finishedAt = m_now;
        }
    }

    WakeList m_wakeList;
    Log m_log;
    journal::Recorder m_recorder{&m_log};
    Environment m_environment;
    std::deque<Operation> m_operations;
    std::priority_queue<Item> m_agenda;
    std::uint64_t m_sequence = 0;
    MonotonicTime m_now{};
};

inline std::string Log::names(journal::OperationId op) const
{
    static const std::map<std::size_t, const char *> words{{3, "operation.started"}, {4, "operation.finished"}, {5, "pacer.wait"},
        {6, "attempt.started"}, {7, "attempt.finished"}, {8, "rate_limit.detected"}, {9, "rate_limit.wait_exceeded"},
        {10, "retry.scheduled"}, {11, "retry.refused"}, {12, "breaker.opened"}, {13, "breaker.half_open"}, {14, "breaker.closed"},
        {15, "breaker.rejected"}, {16, "budget.exhausted"}, {17, "fallback.started"}, {18, "fallback.finished"}};
    std::string text;
    for (const Seen &seen : seenEvents) {
        if (seen.op != op)
            continue;
        text += text.empty() ? "" : " ";
        text += words.at(seen.payload.index());
        if (seen.as<journal::RetryRefused>())
            text.append("{").append(word(*seen.decision.refusal)).append("}");
    }
    return text;
}

/// A call that may be replayed, under `policy`, on `scope`.
inline Call callOf(Policy policy, std::shared_ptr<Scope> scope, ReplayRule replay = ReplayRule::Safe)
{
    Call call;
    call.operation = "chat";
    call.server = "api";
    call.method = "POST";
    call.replay = replay;
    call.policy = std::make_shared<const Policy>(std::move(policy));
    call.counters = std::make_shared<PolicyCounters>();
    call.scope = std::move(scope);
    return call;
}

inline std::shared_ptr<const Call> shared(Call call)
{
    return std::make_shared<const Call>(std::move(call));
}

/// Constant backoff of 1 s without jitter, so that times can be worked out in the head.
inline Policy plainPolicy()
{
    Policy policy;
    policy.name = "plain";
    policy.backoff = {.kind = BackoffKind::Constant, .base = 1s, .max = 30s, .jitter = NoJitter{}};
    return policy;
}

} // namespace throttlescope::testing
