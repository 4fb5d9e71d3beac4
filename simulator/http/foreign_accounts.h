// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/philox_draw.h"
#include "core/journal/recorder.h"
#include "simulator/http/accounts.h"
#include "simulator/http/operations.h"
#include "simulator/http/run_clock.h"

#include <memory>
#include <vector>

namespace throttlescope::http {

/// Of clients that say nothing of operations: their requests become attempts of operations, as far as a server can tell.
class ForeignAccounts final : public Accounts {
public:
    /// All outlive it.
    ForeignAccounts(const Scenario &scenario, const RunClock &clock, journal::EventSink &sink);

    /// run.started.
    void begin();
    /// Drawn by the request's number: nobody knows yet whose attempt it is.
    Duration travelOut(std::size_t server, const Exchange &exchange) override;
    void arrive(std::size_t server, Exchange &exchange) override;
    void leave(std::size_t server, Exchange &exchange) override;
    void end(std::size_t server, Exchange &exchange, Ending ending) override;
    void mark(const TimelineEntry &entry, bool begin) override;
    /// The run is being ended: who is hung up on now did not go by itself.
    void stopping() { m_stopping = true; }
    /// Everything open ends: `failed` where its last attempt did, `unfinished` where one is under way; run.finished.
    void finish(bool stopped);

    const ServerModel &model(std::size_t server) const { return m_servers[server].model; }
    /// The request whose events are being recorded; null where they are of none.
    const ReceivedRequest *current() const { return m_current; }
    std::uint64_t operationsStarted() const { return m_operationsStarted; }

private:
    struct ServerAccount {
        const Server *server;
        ServerModel model;
        Operations operations;
        bool refusalsTellOfWindows; ///< counts: all, early_retry: extend, or windows by key
    };

    /// Reads the clock, once for all events of one occasion.
    void readClock();
    void record(const Operation &operation, std::size_t server, std::uint32_t attempt, journal::Payload &&payload);
    void recordArrival(std::size_t server, Exchange &exchange);
    void recordThrottled(std::size_t server, const Exchange &exchange);
    void finishOperation(Operation &operation, std::size_t server, Result result);
    static Request requestOf(const Exchange &exchange);

    const Scenario &m_scenario;
    const RunClock &m_clock;
    journal::Recorder m_recorder;
    PhiloxDraw m_draw;
    std::vector<ServerAccount> m_servers;
    Now m_now{};
    std::uint64_t m_operationsStarted = 0;
    signals::Hint m_hint;
    const ReceivedRequest *m_current = nullptr;
    bool m_stopping = false;
};

} // namespace throttlescope::http
