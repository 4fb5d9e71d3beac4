// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/execution.h"
#include "core/engine/philox_draw.h"
#include "core/journal/recorder.h"
#include "simulator/model/server_model.h"
#include "simulator/run/event_queue.h"
#include "simulator/run/server_events.h"
#include "simulator/run/slots.h"
#include "simulator/run/work_source.h"
#include "simulator/scenario/scenario.h"

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace throttlescope {

/// The virtual-time driver: time jumps to the next event, ties go by sequence. The same scenario, seed and build give the
/// same events. It knows no rule: it does what a Step says and feeds the Input. One thread.
class Simulation {
public:
    static constexpr std::uint64_t kMostOpen = 2'000'000; ///< some 3 GB

    /// `scenario` and `sink` outlive the simulation; without a sink (null) nothing is recorded. More operations open at
    /// once, or more requests under way, than `mostOpen` are a failure: a machine must hold them.
    Simulation(const Scenario &scenario, journal::EventSink *sink, std::uint64_t mostOpen = kMostOpen);

    /// Runs until nothing is left to happen, or until `interrupted` (may be null) is seen true: then what is open ends
    /// `unfinished`. Records run.started first and run.finished last.
    void run(const std::atomic<bool> *interrupted = nullptr);

    /// For a driver that goes step by step: everything due up to and including `until`. False: the run is over.
    bool advance(MonotonicTime until);

    /// Replaces a policy from now on (DESIGN.md section 4, Retuning). Between calls of advance().
    void replacePolicy(const std::string &name, std::shared_ptr<const Policy> policy);

    bool stopped() const { return m_stopped; }
    /// Why the run cannot go on, in one sentence; empty: it went to its end.
    const std::string &failure() const { return m_failure; }
    std::uint64_t operationsStarted() const { return m_operationsStarted; }
    std::uint64_t attemptsSent() const { return m_attemptsSent; }
    MonotonicTime now() const { return m_now; }
    const std::map<std::string, std::shared_ptr<PolicyCounters>> &counters() const { return m_calls.counters(); }

private:
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;

    struct Site {
        std::unique_ptr<ServerModel> server;
    };
    struct OperationRun {
        std::optional<Execution> execution;
        const ScenarioCall *call = nullptr; ///< null: the slot is free. Lives as long as the book of calls
        journal::OperationId id = 0;
        std::uint32_t epoch = 0; ///< counts the uses of this slot
        std::uint32_t timerEpoch = 0; ///< only the newest timer counts
        std::uint32_t source = 0;
        std::uint32_t request = kNone; ///< under way and not given up
        std::uint32_t requestsOpen = 0; ///< given up ones included
        OperationAtServer atServer;
        MonotonicTime lastSent{};
        std::uint32_t sentAtOnce = 0; ///< attempts at `lastSent`
        const Site *toldBy = nullptr; ///< a call to another server is no return
        bool done = false;
    };
    struct OpenRequest {
        std::uint32_t operation = 0;
        std::uint32_t epoch = 0; ///< counts the uses of this slot
        const ScenarioCall *call = nullptr; ///< null: the slot is free
        Site *site = nullptr;
        std::uint64_t drawKey = 0;
        std::uint32_t attempt = 1;
        MonotonicTime deadline;
        Answer answer;
        bool arrived = false;
        bool left = false; ///< the server is done with it
        bool delivered = false; ///< answered, or given up
    };

    enum class Leaving { AtItsEnd, GivenUp };

    Now clock() const { return {m_now, m_scenario.start + m_now.time_since_epoch()}; }
    void begin();
    void end();
    void dispatch(const Due &due);
    void startWorkersNext(std::uint32_t source);
    void startDueOperations(std::uint32_t source);
    void startOperation(std::uint32_t source, std::uint64_t index);
    void feed(std::uint32_t operation, const Input &input);
    void perform(std::uint32_t operation, const Step &step);
    void wakeWaiters();
    void setTimer(std::uint32_t operation, MonotonicTime at);

    void send(std::uint32_t operation, const Send &send);
    void requestArrives(std::uint32_t request);
    void requestLeaves(std::uint32_t request);
    void answerReaches(std::uint32_t request);
    void leaveServer(OpenRequest &request, Leaving leaving);
    void giveUp(OperationRun &run);
    void releaseIfOver(std::uint32_t request);
    void finishOperation(std::uint32_t operation);
    void recycle(std::uint32_t operation);
    void recordArrival(const OpenRequest &request, OperationRun &run);
    void recordAnswer(const OpenRequest &request, OperationRun &run);
    Request requestOf(const OpenRequest &request, const OperationRun &run) const;
    void markTimeline(std::uint32_t entry, bool begin);
    void stopAll();
    bool stopWanted() const { return m_interrupted && m_interrupted->load(std::memory_order_relaxed); }
    void fail(std::string why);

    const Scenario &m_scenario;
    const std::uint64_t m_mostOpen;
    journal::Recorder m_recorder;
    PhiloxDraw m_draw;
    Environment m_environment;
    WakeList m_wakeList;
    CallBook m_calls;
    std::vector<Site> m_sites; ///< in order of the file
    std::vector<WorkSource> m_sources;
    EventQueue m_queue;
    Slots<OperationRun> m_operations;
    Slots<OpenRequest> m_requests;
    Outcome m_response = Response{}; ///< the one that reaches its operation now

    const std::atomic<bool> *m_interrupted = nullptr;
    std::string m_failure;
    MonotonicTime m_now{};
    std::uint64_t m_operationsStarted = 0;
    std::uint64_t m_attemptsSent = 0;
    std::uint64_t m_operationsOpen = 0;
    std::uint64_t m_requestsOpen = 0;
    std::uint64_t m_sourcesOpen = 0;
    bool m_begun = false;
    bool m_ended = false;
    bool m_stopped = false;
    bool m_waking = false;
};

} // namespace throttlescope
