// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/journal/event_writer.h"
#include "simulator/http/foreign_accounts.h"
#include "simulator/run/expectations.h"
#include "simulator/run/first_breaks.h"
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

/// One run of a served scenario, from t = 0 to its end or its reset. One thread.
class ServedRun final : private journal::EventSink {
public:
    /// All outlive it; `journal` may be null.
    ServedRun(const Scenario &scenario, const RunClock &clock, std::FILE *journal);

    ForeignAccounts &accounts() { return m_accounts; }
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
    ForeignAccounts m_accounts;
};

} // namespace throttlescope::http
