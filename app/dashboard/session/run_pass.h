// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/chunk.h"
#include "app/dashboard/session/policy_draft.h"
#include "simulator/run/expectations.h"
#include "simulator/run/runner.h"
#include "simulator/run/simulation.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace throttlescope::dashboard {

/// Where `step` stops: a decision, a refusal, a change of the breaker or of a policy, a label, an operation that failed.
bool isOfInterest(const journal::Event &event);

/// A policy that was replaced during a run.
struct Retuned {
    std::string policy;
    std::uint64_t waitsKept = 0; ///< waits already begun, which keep the old limit
    MonotonicTime at;
    bool operator==(const Retuned &) const = default;
};

/// One run in virtual time, driven in turns that are short enough to be talked to between them. It knows no clock. One
/// thread.
class RunPass final : private journal::EventSink {
public:
    static constexpr std::size_t kLargestBatch = 8'192; ///< events; the window takes them in some two milliseconds

    using OnBatch = std::function<void(ChunkPointer)>;
    enum class State { Going, Over, Cancelled };

    /// `cancelled` is looked at with every event.
    RunPass(ScenarioPointer scenario, const std::atomic<bool> &cancelled, OnBatch onBatch, std::uint64_t mostOpen = Simulation::kMostOpen);

    /// Goes on, for a turn, but not past `until`.
    State turn(MonotonicTime until);
    /// Goes on to the moment of the next event of interest.
    State step();
    /// Hands over the events that are no whole batch.
    void flush();
    /// Replaces every policy that differs from now on.
    std::vector<Retuned> retune(const ScenarioPointer &scenario);

    State state() const { return m_state == State::Going && m_cancelled.load() ? State::Cancelled : m_state; }
    /// Everything up to here has happened.
    MonotonicTime reached() const { return m_reached; }
    std::uint64_t operations() const { return m_simulation.operationsStarted(); }
    std::uint64_t attempts() const { return m_simulation.attemptsSent(); }
    std::size_t unflushed() const { return m_builder.size(); }
    /// What it came to, judged where it went to its end.
    RunReport report() const;

private:
    void accept(const journal::Event &event) override;
    void advance(MonotonicTime until);

    ScenarioPointer m_scenario;
    std::vector<ScenarioPointer> m_retuned; ///< whose policies are in use
    const std::atomic<bool> &m_cancelled;
    OnBatch m_onBatch;
    ChunkBuilder m_builder;
    Expectations m_expectations;
    Simulation m_simulation;
    std::map<std::string, std::shared_ptr<const Policy>> m_policies;

    State m_state = State::Going;
    MonotonicTime m_reached{};
    MonotonicTime m_lastEvent{};
    Duration m_slice{1ms};
    std::uint64_t m_events = 0;
    std::uint64_t m_waitsKept = 0;
    bool m_interesting = false;
};

} // namespace throttlescope::dashboard
