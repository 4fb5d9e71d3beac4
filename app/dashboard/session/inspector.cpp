// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/session/inspector.h"

#include "app/dashboard/session/spoken.h"
#include "core/engine/words.h"
#include "core/journal/printable.h"

#include <cctype>
#include <fmt/format.h>

namespace throttlescope::dashboard {

namespace {

using journal::printable;

std::string momentText(MonotonicTime moment)
{
    return fmt::format("t = {:.3f} s", secondsOf(moment.time_since_epoch()));
}

std::string cameBackText(const journal::AttemptFinished &finished)
{
    switch (finished.end) {
    case journal::AttemptEnd::Cancelled: return fmt::format("cancelled after {}", spoken(finished.took));
    case journal::AttemptEnd::Deadline: return fmt::format("stopped after {}: total_timeout was up", spoken(finished.took));
    case journal::AttemptEnd::Answered:
    case journal::AttemptEnd::TransportFailed: break;
    }
    const std::string what = finished.failure ? std::string{word(*finished.failure)} : std::to_string(finished.status.value_or(0));
    return fmt::format("{} after {}, {}", what, spoken(finished.took), word(finished.family));
}

} // namespace

const DecisionStory *Inspection::decisionAfter(int attempt) const
{
    for (const DecisionStory &decision : decisions) {
        if (decision.attempt == attempt)
            return &decision;
    }
    return nullptr;
}

/// Writes down what each event adds.
class Inspector::Listener {
public:
    Listener(Inspector &inspector, const journal::Event &event)
        : m_to(inspector)
        , m_event(event)
    {
    }

    void operator()(const journal::OperationStarted &started) const
    {
        m_to.m_seen.policy = started.policy;
        m_to.m_units = started.units;
    }
    void operator()(const journal::AttemptStarted &started) const
    {
        std::string sent = fmt::format("to {}", printable(m_event.server));
        if (started.waited > Duration::zero()) {
            sent += fmt::format(", after a wait of {}", spoken(started.waited));
            m_to.m_waited = saturatingAdd(m_to.m_waited, started.waited);
            ++m_to.m_waits;
        }
        if (started.paced > Duration::zero())
            sent += fmt::format(", after {} in the pacer's queue", spoken(started.paced));
        if (started.probe)
            sent += ", as the breaker's probe";
        m_to.m_seen.exchanges.push_back({m_event.attempt, started.fallback, m_event.at.monotonic, sent, {}});
    }
    void operator()(const journal::AttemptFinished &finished) const
    {
        if (!m_to.m_seen.exchanges.empty())
            m_to.m_seen.exchanges.back().cameBack = cameBackText(finished);
        m_to.m_unreadable.clear();
        m_to.m_lateHint.clear();
        if (!finished.state)
            return;
        for (const signals::Unreadable &each : finished.state->unreadable)
            m_to.m_unreadable.push_back(printable(fmt::format("{}: {} — {}", each.header, each.raw, each.why)));
        if (const auto &hint = finished.state->hint)
            m_to.m_lateHint = printable(fmt::format("{}: {}", hint->header, hint->raw));
    }
    void operator()(const journal::RetryScheduled &scheduled) const { decided(*scheduled.decision); }
    void operator()(const journal::RetryRefused &refused) const { decided(*refused.decision); }
    void operator()(const journal::OperationFinished &finished) const
    {
        m_to.m_ending = Ending{
            finished.result, finished.reason, finished.rejected, finished.status, finished.attempts, finished.viaFallback, finished.waited};
        if (!finished.rejected)
            return;
        Decision decision; // there was none, but there is a remedy
        decision.refusal = finished.rejected;
        m_to.m_seen.remedy = remedyFor(decision, m_to.m_seen.policy, m_to.m_units, m_to.m_draft);
    }
    void operator()(const journal::PacerWait &wait) const
    {
        aside(fmt::format("Queued {} {}, {} ahead{}", wait.cooldown ? "behind the shared cooldown of" : "in the pacer of",
            printable(m_event.server), wait.ahead, wait.earliest ? ", not before " + momentText(*wait.earliest) : ""));
    }
    void operator()(const journal::BreakerOpened &opened) const
    {
        aside(fmt::format("Opened the breaker ({}) {}", opened.cause,
            opened.until ? "until " + momentText(*opened.until) : std::string{"for the rest of the run"}));
    }
    void operator()(const journal::BreakerHalfOpen &) const { aside("The breaker went half-open"); }
    void operator()(const journal::BreakerClosed &) const { aside("Closed the breaker"); }
    void operator()(const journal::BreakerRejected &rejected) const
    {
        aside(rejected.halfOpen  ? "Met a half-open breaker whose probes were out"
                : rejected.until ? "Met a breaker that was open until " + momentText(*rejected.until)
                                 : "Met a breaker that was open for the rest of the run");
    }
    void operator()(const journal::BudgetExhausted &exhausted) const
    {
        aside(fmt::format("The retry budget had {:g} tokens left, a retry cost {:g}", exhausted.tokens, exhausted.cost));
    }
    void operator()(const journal::FallbackStarted &fallback) const
    {
        m_to.m_fallbackTo = m_to.m_seen.fallback = printable(fallback.to);
        m_to.m_seen.fallbackServer = printable(fallback.toServer);
        aside(fmt::format("Fell back to {} on {}", m_to.m_fallbackTo, printable(fallback.toServer)));
    }
    template <typename T>
    void operator()(const T &) const
    {
    }

private:
    void aside(std::string text) const { m_to.m_seen.asides.push_back({m_event.at.monotonic, std::move(text)}); }

    void decided(const Decision &decision) const
    {
        DecisionStory story = decisionStory(decision, m_event.at.monotonic, m_to.m_seen.policy, m_to.m_units, m_to.m_draft);
        story.unreadable = std::move(m_to.m_unreadable);
        m_to.m_unreadable.clear();
        if (story.header.empty() && decision.finalAttempt && !m_to.m_lateHint.empty()) { // rule 5
            story.header = m_to.m_lateHint;
            story.reading = "not judged on the final attempt";
        }
        if (decision.refusal)
            m_to.m_seen.remedy = story.remedy;
        m_to.m_seen.decisions.push_back(std::move(story));
        m_to.m_last = decision;
    }

    Inspector &m_to;
    const journal::Event &m_event;
};

void Inspector::accept(const journal::Event &event)
{
    if (event.op != m_op || m_op == 0)
        return;
    m_seen.op = m_op;
    if (m_seen.operation.empty()) {
        m_seen.operation = printable(event.operation);
        m_seen.server = printable(event.server);
    }
    std::visit(Listener{*this, event}, event.payload);
}

Inspection Inspector::inspection() const
{
    Inspection inspection = m_seen;
    if (inspection.found()) {
        inspection.headline = headline();
        inspection.sentences = sentences();
    }
    return inspection;
}

std::string Inspector::reasonOfEnd() const
{
    if (m_last && m_last->refusal)
        return spokenRefusal(*m_last);
    return m_ending && m_ending->reason ? spokenRejection(*m_ending->reason) : std::string{};
}

std::string Inspector::headlineOfSuccess() const
{
    if (m_ending->viaFallback && m_ending->rejected)
        return fmt::format("Turned away, then served by {}", m_fallbackTo);
    if (m_ending->viaFallback)
        return fmt::format("Given up after attempt {}, then served by {}", m_ending->attempts, m_fallbackTo);
    if (m_waits > 1)
        return fmt::format("Waited {} times, {} together, then succeeded", m_waits, spoken(m_waited));
    if (m_waits == 1)
        return fmt::format("Waited {}, then succeeded", spoken(m_waited));
    return m_ending->attempts > 1 ? std::string{"Tried again at once, then succeeded"} : std::string{"Succeeded at the first attempt"};
}

std::string Inspector::headline() const
{
    if (!m_ending)
        return m_last && !m_last->refusal && m_seen.exchanges.size() == static_cast<std::size_t>(m_last->attempt)
            ? fmt::format("Was told to wait {}, and has not ended", spoken(m_last->wait()))
            : std::string{"Has not ended"};
    switch (m_ending->result) {
    case Result::Succeeded: return headlineOfSuccess();
    case Result::Failed:
        if (m_ending->rejected) // and the fallback did no better
            return fmt::format("Turned away before its first attempt: {}", spokenRejection(*m_ending->rejected));
        return m_ending->attempts == 0 ? "Given up before its first attempt: " + reasonOfEnd()
                                       : fmt::format("Given up after attempt {}: {}", m_ending->attempts, reasonOfEnd());
    case Result::Rejected:
        return fmt::format(
            "Turned away before its first attempt: {}", spokenRejection(m_ending->reason.value_or(RefusalReason::BreakerOpen)));
    case Result::Cancelled:
        return m_ending->waited > Duration::zero()
            ? fmt::format("Cancelled {} into a wait", spoken(m_ending->waited))
            : fmt::format("Cancelled after {} attempt{}", m_ending->attempts, m_ending->attempts == 1 ? "" : "s");
    case Result::Unfinished: return "Not finished when the run was stopped";
    }
    return {};
}

/// What the server said and what was made of it; what followed.
std::vector<std::string> Inspector::sentences() const
{
    std::vector<std::string> told;
    if (!m_last) {
        if (!m_seen.exchanges.empty() && !m_seen.exchanges.back().cameBack.empty())
            told.push_back(fmt::format("Sent {}; {}.", m_seen.exchanges.back().sent, m_seen.exchanges.back().cameBack));
        else if (m_ending && (m_ending->rejected || m_ending->result == Result::Rejected))
            told.push_back("Nothing was sent.");
        return told;
    }
    const Decision &decision = *m_last;
    std::string first = fmt::format("Attempt {} met {}", decision.attempt, spokenFamily(decision.family, decision.status));
    if (decision.hint)
        first += fmt::format(", and the server asked for {}", spoken(decision.hint->delay));
    else if (decision.family == Family::RateLimited && !decision.finalAttempt)
        first += ", and the server named no delay";
    if (decision.padding > Duration::zero())
        first += fmt::format("; {} of padding came on top", spoken(decision.padding));
    told.push_back(first + '.');
    if (decision.refusal) {
        std::string second = reasonOfEnd();
        second[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(second[0])));
        told.push_back(fmt::format("{}, so there was no further attempt.", second));
    } else if (decision.delay) {
        const auto [delay, maxWait] = spokenApart(*decision.delay, decision.maxWait);
        const bool sent = m_seen.exchanges.size() > static_cast<std::size_t>(decision.attempt);
        told.push_back(fmt::format("{} was within max_wait {}{}.", delay, maxWait,
            sent && !m_seen.exchanges.back().cameBack.empty()
                ? fmt::format("; attempt {} came back {}", m_seen.exchanges.back().attempt, m_seen.exchanges.back().cameBack)
                : std::string{}));
    }
    return told;
}

} // namespace throttlescope::dashboard
