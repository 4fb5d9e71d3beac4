// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engine/philox_draw.h"
#include "simulator/http/accounts.h"
#include "simulator/http/run_clock.h"
#include "simulator/run/calls.h"
#include "simulator/run/server_events.h"

#include <deque>
#include <functional>
#include <string_view>
#include <vector>

namespace throttlescope::live {

/// Names the operation of a request among those of its run; with kAttemptHeader it tells the whole of it.
inline constexpr std::string_view kOperationHeader = "X-Throttlescope-Operation";
inline constexpr std::string_view kAttemptHeader = "X-Throttlescope-Attempt";

/// The server's side of a live run: its requests are those of the run's own client, which keeps the operations' journal.
/// What it adds are the events of the servers. The model sees a request as it would in virtual time: with the same draws.
class LiveAccounts final : public http::Accounts {
public:
    using Record = std::function<void(journal::Event &&)>;

    /// All outlive it. `record` writes into the client's journal.
    LiveAccounts(const Scenario &scenario, const http::RunClock &clock, Record record);

    /// An operation that is about to start; returns what kOperationHeader must say of it.
    std::uint64_t expect(std::shared_ptr<const ScenarioCall> call, std::uint64_t drawKey);

    Duration travelOut(std::size_t server, const http::Exchange &exchange) override;
    void arrive(std::size_t server, http::Exchange &exchange) override;
    void leave(std::size_t server, http::Exchange &exchange) override;
    void end(std::size_t, http::Exchange &, http::Ending) override { }
    void mark(const TimelineEntry &entry, bool begin) override;

    /// Requests of the run that arrived.
    std::uint64_t received() const { return m_received; }

private:
    struct LiveOperation {
        std::shared_ptr<const ScenarioCall> call;
        std::uint64_t drawKey;
        OperationAtServer atServer;
        std::optional<std::size_t> toldBy; ///< a call to another server is no return
    };
    struct Claim {
        LiveOperation *operation;
        journal::OperationId id;
        int attempt;
        bool fallback;
    };

    Now now() const;
    std::optional<Claim> claim(const http::ReceivedRequest &request);
    static std::uint64_t drawKeyOf(const Claim &claim);
    static Request requestOf(const http::Exchange &exchange, const ScenarioCall &call);

    const Scenario &m_scenario;
    const http::RunClock &m_clock;
    const Record m_record;
    PhiloxDraw m_draw;
    std::vector<ServerModel> m_servers;
    std::deque<LiveOperation> m_operations;
    std::uint64_t m_received = 0;
};

} // namespace throttlescope::live
