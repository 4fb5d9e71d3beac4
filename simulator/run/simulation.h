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
    static constexpr std::uint64_t kMostOpen = 2'000'000; ///< half a GB, and up to 3 GB where answers say much

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
    // A hundred thousand of each may be open at once: they hold indices, and what most of them need not is elsewhere.
    struct OperationRun {
        std::optional<Execution> execution; ///< none: the slot is free
        OperationAtServer atServer;
        std::uint32_t epoch = 0; ///< counts the uses of this slot
        std::uint32_t timerEpoch = 0; ///< only the newest timer counts
        std::uint32_t source = 0;
        std::uint32_t request = kNone; ///< under way and not given up
        std::uint32_t holders = 0; ///< of this slot: the operation until it is finished, and its requests, given up ones included
        std::uint32_t toldBy = kNone; ///< a call to another server is no return
        std::uint32_t sentAt = 0; ///< m_moment of the last attempt
        std::uint32_t sentAtOnce = 0; ///< attempts in that moment

        bool open() const { return execution && !execution->finished(); }
        const ScenarioCall &call() const { return static_cast<const ScenarioCall &>(execution->call()); } // all are of the book
    };
    struct OpenRequest {
        MonotonicTime arrivedAt{};
        std::uint32_t operation = kNone; ///< kNone: the slot is free
        std::uint32_t epoch = 0; ///< counts the uses of this slot
        std::uint32_t attempt = 1;
        std::uint32_t answer = kNone; ///< in m_answers; none while it is on its way, and where the answer is plain
        std::int16_t status = 0; ///< of a plain answer
        AnswerKind kind = AnswerKind::Respond;
        bool admitted = false;
        bool fallback = false;
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
    void keepAnswer(OpenRequest &request, std::uint32_t answer);
    void leaveServer(OpenRequest &request, Leaving leaving);
    void deliver(OpenRequest &request);
    void giveUp(OperationRun &run);
    void releaseIfOver(std::uint32_t request);
    void finishOperation(std::uint32_t operation);
    void letGo(std::uint32_t operation);
    void recordArrival(const OpenRequest &request, const Answer &answer);
    void recordAnswer(const OpenRequest &request, const Answer &answer);
    const ScenarioCall &callOf(const OpenRequest &request) const;
    ServerModel &serverOf(const OpenRequest &request) { return *m_sites[callOf(request).serverIndex].server; }
    Request asked(const OpenRequest &request) const;
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
    Slots<Answer> m_answers;
    Answer m_plain; ///< what a plain answer looks like to its server
    Outcome m_response = Response{}; ///< the one that reaches its operation now

    const std::atomic<bool> *m_interrupted = nullptr;
    std::string m_failure;
    MonotonicTime m_now{};
    std::uint32_t m_moment = 0; ///< counts the moments so far
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
