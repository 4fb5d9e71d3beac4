// SPDX-License-Identifier: Apache-2.0
#include "simulator/http/served_run.h"

#include "core/engine/words.h"
#include "simulator/run/journal_file.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace throttlescope::http {

namespace {

/// Metrics, or groups of them, that no event of a server feeds.
constexpr std::array<std::string_view, 8> kClientsOwn{
    "pacing", "wait_exceeded", "refused", "breaker_trips", "fallback_attempts", "operations.rejected", "operations.cancelled", "finish"};

constexpr std::size_t kLongestPath = 100; ///< that a line shows

bool isClientsOwn(const std::string &metric)
{
    return std::any_of(kClientsOwn.begin(), kClientsOwn.end(), [&metric](std::string_view name) {
        return metric.compare(0, name.size(), name) == 0 && (metric.size() == name.size() || metric[name.size()] == '.');
    });
}

/// "GET /items/3, attempt 2, 1.998s before it was due"
std::string requestText(const journal::Event &event, const ReceivedRequest *request)
{
    std::string text{event.operation};
    if (request)
        text = fmt::format("{} {}", request->method, request->path().substr(0, kLongestPath));
    if (event.attempt > 0)
        text += fmt::format(", attempt {}", event.attempt);
    const auto *answered = std::get_if<journal::ServerAnswered>(&event.payload);
    if (answered && answered->due && event.at.monotonic < *answered->due)
        text += fmt::format(", {} before it was due", durationText(*answered->due - event.at.monotonic));
    return text;
}

} // namespace

ServerSide serverSide(const Scenario &scenario)
{
    ServerSide side{scenario, {}};
    auto &expectations = side.scenario.expectations;
    const auto kept = std::stable_partition(
        expectations.begin(), expectations.end(), [](const Expectation &each) { return !isClientsOwn(each.metric); });
    for (auto each = kept; each != expectations.end(); ++each)
        side.leftOut.push_back(each->of.empty() ? each->metric : fmt::format("{}: {}", each->of, each->metric));
    expectations.erase(kept, expectations.end());
    for (const ExpectedDecisions &decisions : scenario.decisions)
        side.leftOut.push_back(fmt::format("decisions of {} {}", decisions.operation, decisions.index));
    side.scenario.decisions.clear();
    return side;
}

ServedRun::ServedRun(const Scenario &scenario, const RunClock &clock, std::FILE *journal)
    : m_expectations(scenario)
    , m_breaks(scenario, [this](const journal::Event &event) { return requestText(event, m_accounts.current()); })
    , m_accounts(scenario, clock, *this)
{
    if (journal)
        m_writer.emplace(journal);
    m_accounts.begin();
}

void ServedRun::accept(const journal::Event &event)
{
    m_expectations.accept(event);
    m_breaks.accept(event);
    if (m_writer)
        m_writer->accept(event);
}

RunReport ServedRun::finish(bool stopped, const std::string &journalName)
{
    m_accounts.finish(stopped);
    RunReport report;
    if (!flush())
        report.error = journalError(journalName, m_writer->error());
    report.take(m_expectations.metrics());
    report.operations = m_accounts.operationsStarted();
    report.judged = m_expectations.judge(stopped);
    m_breaks.explain(report.judged);
    return report;
}

} // namespace throttlescope::http
