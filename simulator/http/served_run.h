// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/journal/event_writer.h"
#include "simulator/http/accounts.h"
#include "simulator/run/expectations.h"
#include "simulator/run/runner.h"

#include <string>
#include <vector>

namespace throttlescope::http {

/// What of a scenario's expectations a server can judge: what only the client's own engine knows is left out.
struct ServerSide {
    Scenario scenario;
    std::vector<std::string> leftOut; ///< metrics, and "decisions of chat 1"
};
ServerSide serverSide(const Scenario &scenario);

/// Watches a live run for the request that first breaks each expectation; there is no second run to look for it.
class FirstBreaks {
public:
    explicit FirstBreaks(const Scenario &scenario);
    /// `request`: the one that is being accounted for.
    void accept(const journal::Event &event, const ReceivedRequest *request);
    /// Adds what was seen to the expectations that failed.
    void explain(std::vector<Judged> &judged) const;

private:
    std::vector<Judged> m_suspected; ///< one an expectation, all taken as failed
    std::size_t m_open = 0;
    std::vector<std::string> m_requests;
    ExcessFinder m_finder;
};

/// One run of a served scenario, from t = 0 to its end or its reset. One thread.
class ServedRun final : private journal::EventSink {
public:
    /// All outlive it; `journal` may be null.
    ServedRun(const Scenario &scenario, const RunClock &clock, std::FILE *journal);

    Accounts &accounts() { return m_accounts; }
    const journal::RunMetrics &metrics() const { return m_expectations.metrics(); }
    /// What was recorded so far is in the file. False: it could not be written.
    bool flush() { return !m_writer || m_writer->flush(); }
    /// Ends what is open, and judges. Once.
    RunReport finish(bool stopped, const std::string &journalName);

private:
    void accept(const journal::Event &event) override;

    Expectations m_expectations;
    FirstBreaks m_breaks;
    std::optional<journal::JsonLinesWriter> m_writer;
    Accounts m_accounts;
};

} // namespace throttlescope::http
