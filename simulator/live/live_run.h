// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/net/client.h"
#include "simulator/http/scenario_ports.h"
#include "simulator/live/live_accounts.h"
#include "simulator/run/work_source.h"

#include <QEventLoop>
#include <QFutureWatcher>
#include <QObject>
#include <QTimer>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace throttlescope::live {

/// A scenario through both real ends: its workload sent by net::Client to its servers on loopback sockets, in one thread and
/// one event loop. Both ends share a clock that runs `scale` times faster than the machine's and begins at the scenario's
/// `start`, so that policies, headers and the journal speak of scenario time as they do in virtual time, and all draws are the
/// same. What differs is what real time does: a request takes a moment, timers have milliseconds, and beyond
/// net::kConnectionsPerHost requests of one client to one server wait in the pacer's queue.
class LiveRun final : public QObject {
    Q_OBJECT

public:
    /// `scenario` outlives it. `scale` ≥ 1.
    LiveRun(const Scenario &scenario, std::int64_t scale);
    ~LiveRun() override;

    /// Opens every port. Else what was in the way, in one line. Once.
    std::optional<std::string> listen();
    const std::vector<http::Endpoint> &endpoints() const { return m_ports.endpoints(); }

    /// After listen(). Runs to the end of the scenario, or until `interrupted` (may be null) is seen true: then what is open ends
    /// `unfinished`. Records run.started first and run.finished last; `sink` outlives the run. What was in the way, in one line, or
    /// nothing. Once.
    std::string run(journal::EventSink &sink, const std::atomic<bool> *interrupted);

    /// Replaces a policy of the scenario from the next decision on (DESIGN.md section 4, Retuning), for operations under way and
    /// to come. In the thread of run(), while it runs. Where it is used in several scopes, what other policies write for the
    /// first of them holds for it.
    void replacePolicy(const std::string &name, const std::shared_ptr<const Policy> &policy);

    MonotonicTime now() const { return m_ports.clock().now(); }
    bool stopped() const { return m_stopped; }
    std::uint64_t operationsStarted() const { return m_operationsStarted; }
    std::uint64_t attemptsSent() const { return m_client->attemptsSent(); }
    std::uint64_t resends() const { return m_client->resends(); }
    /// Requests of the run that the servers got whole.
    std::uint64_t requestsReceived() const { return m_accounts.received(); }

private:
    using Watcher = QFutureWatcher<net::Result>;

    void go(journal::EventSink &sink, const std::atomic<bool> *interrupted);
    void startClient(journal::EventSink &sink);
    void startSources();
    void startDue(std::size_t source);
    void startWorkersNext(std::size_t source);
    void startOperation(std::size_t source, std::uint64_t index);
    void operationEnded(std::size_t source, const QFuture<net::Result> &future);
    net::Request requestOf(const ScenarioCall &call, std::uint32_t client, std::uint64_t place);
    std::shared_ptr<const Policy> policyOf(const ScenarioCall &call);
    std::shared_ptr<const Policy> withScope(const std::shared_ptr<const Policy> &policy, const std::string &scope) const;
    bool isTooLate(MonotonicTime time) const { return m_scenario.stopAfter && time.time_since_epoch() >= *m_scenario.stopAfter; }
    void stop();
    void endIfOver();

    const Scenario &m_scenario;
    PhiloxDraw m_draw;
    WakeList m_wakeList; ///< the book's scopes are not used
    CallBook m_calls;
    std::vector<WorkSource> m_sources;
    http::ScenarioPorts m_ports;
    LiveAccounts m_accounts;
    std::unique_ptr<net::Client> m_client;
    std::map<const ScenarioCall *, std::shared_ptr<const Policy>> m_policies;
    std::string m_failure;
    QEventLoop m_loop;
    std::size_t m_sourcesOpen = 0;
    std::size_t m_operationsOpen = 0;
    std::uint64_t m_operationsStarted = 0;
    bool m_stopped = false;
};

} // namespace throttlescope::live
