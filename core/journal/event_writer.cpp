// SPDX-License-Identifier: Apache-2.0
#include "core/journal/event_writer.h"

#include "core/engine/operation.h"
#include "core/engine/words.h"
#include "core/journal/json_line.h"

#include <array>
#include <cerrno>

namespace throttlescope::journal {

namespace {

constexpr std::array<std::string_view, std::variant_size_v<Payload>> kEventNames{"run.started", "run.finished", "marker",
    "operation.started", "operation.finished", "pacer.wait", "attempt.started", "attempt.finished", "rate_limit.detected",
    "rate_limit.wait_exceeded", "retry.scheduled", "retry.refused", "breaker.opened", "breaker.half_open", "breaker.closed",
    "breaker.rejected", "budget.exhausted", "fallback.started", "fallback.finished", "policy.changed", "server.answered", "server.window",
    "transport.resent"};

constexpr std::size_t kFlushAt = 64 * 1024;

void writeHint(JsonLine &line, const signals::Hint &hint)
{
    line.open("hint", '{');
    line.member("delay", hint.delay);
    line.member("header", hint.header);
    line.member("form", word(hint.form));
    line.member("raw", hint.raw);
    if (!hint.why.empty())
        line.member("why", hint.why);
    line.close('}');
}

void writeState(JsonLine &line, const signals::RateLimitState &state)
{
    if (!state.windows.empty()) {
        line.open("windows", '[');
        for (const signals::Window &window : state.windows) {
            line.openItem();
            if (!window.name.empty())
                line.member("name", window.name);
            line.member("length", window.length);
            line.member("limit", window.limit);
            line.member("remaining", window.remaining);
            line.member("reset", window.reset);
            line.close('}');
        }
        line.close(']');
    }
    if (!state.unreadable.empty()) {
        line.open("unreadable", '[');
        for (const signals::Unreadable &header : state.unreadable) {
            line.openItem();
            line.member("header", header.header);
            line.member("raw", header.raw);
            line.member("why", header.why);
            line.close('}');
        }
        line.close(']');
    }
}

void writeAttemptMetadata(JsonLine &line, const AttemptMetadata &metadata)
{
    line.member("rate_limited", metadata.rateLimited);
    if (!metadata.rateLimited)
        return;
    const auto orNull
        = [&line](std::string_view key, const std::optional<Duration> &value) { value ? line.member(key, *value) : line.null(key); };
    orNull("rate_limit_retry_after_seconds", metadata.retryAfter);
    orNull("rate_limit_delay_seconds", metadata.delay);
    metadata.delaySource ? line.member("rate_limit_delay_source", word(*metadata.delaySource)) : line.null("rate_limit_delay_source");
    line.member("rate_limit_wait_exceeded", metadata.waitExceeded);
}

void writeDecision(JsonLine &line, const Decision &decision)
{
    line.member("family", word(decision.family));
    line.member("status", decision.status);
    if (decision.hint)
        writeHint(line, *decision.hint);
    line.member("backoff", decision.backoff);
    line.member("jitter_draw", decision.jitterDraw);
    if (decision.rule)
        line.member("rule", word(*decision.rule));
    if (decision.source)
        line.member("source", word(*decision.source));
    line.member("delay", decision.delay);
    if (decision.padding > Duration::zero())
        line.member("padding", decision.padding);
    line.member("padding_draw", decision.paddingDraw);
    if (decision.delay)
        line.member("wait", decision.wait());
    line.member("max_wait", decision.maxWait);
    if (decision.clamped)
        line.member("clamped", true);
    line.member("time_left", decision.timeLeft);
    line.member("earliest_slot", decision.earliestSlot);
    line.member("max_attempts", decision.maxAttempts);
    line.member("tokens_before", decision.tokensBefore);
    line.member("tokens_after", decision.tokensAfter);
    if (!decision.windowExhausted.empty())
        line.member("window_exhausted", decision.windowExhausted);
    if (!decision.extractionError.empty())
        line.member("extraction_error", decision.extractionError);
    if (decision.finalAttempt)
        line.member("final_attempt", true);
    writeAttemptMetadata(line, attemptMetadata(decision));
}

struct PayloadWriter {
    JsonLine &line;

    void text(std::string_view key, std::string_view value) const
    {
        if (!value.empty())
            line.member(key, value);
    }
    void flag(std::string_view key, bool value) const
    {
        if (value)
            line.member(key, true);
    }
    void positive(std::string_view key, Duration value) const
    {
        if (value > Duration::zero())
            line.member(key, value);
    }

    void operator()(const RunStarted &run) const
    {
        line.member("schema", run.schema);
        line.member("version", run.version);
        line.member("scenario", run.scenario);
        line.member("scenario_hash", run.scenarioHash);
        line.raw("seed", std::to_string(run.seed));
        line.member("traffic", trafficName(run.traffic));
        line.raw("policies", run.policiesJson.empty() ? "{}" : run.policiesJson);
    }
    void operator()(const RunFinished &run) const
    {
        line.member("operations", run.operations);
        line.member("stopped", run.stopped);
    }
    void operator()(const Marker &marker) const
    {
        line.member("label", marker.label);
        line.member(marker.begin ? "begin" : "end", true);
    }
    void operator()(const OperationStarted &started) const
    {
        line.member("policy", started.policy);
        text("method", started.method);
        if (started.operationClass)
            line.member("class", word(*started.operationClass));
        line.member("replay", word(started.replay));
        line.member("units", started.units);
    }
    void operator()(const OperationFinished &finished) const
    {
        line.member("result", word(finished.result));
        if (finished.viaFallback)
            line.member("via", "fallback");
        if (finished.reason)
            line.member("reason", word(*finished.reason));
        line.member("status", finished.status);
        text("retry_after", finished.retryAfter);
        line.member("attempts", finished.attempts);
        line.member("rate_limit_encountered", finished.metadata.rateLimitEncountered);
        line.member("rate_limit_wait_seconds", finished.metadata.rateLimitWait);
        line.member("rate_limit_wait_exceeded", finished.metadata.rateLimitWaitExceeded);
        positive("waited", finished.waited);
        positive("paced", finished.paced);
        if (finished.rejected && finished.result != Result::Rejected)
            line.member("rejected", word(*finished.rejected));
    }
    void operator()(const PacerWait &wait) const
    {
        line.member("ahead", wait.ahead);
        line.member("earliest", wait.earliest);
        flag("cooldown", wait.cooldown);
    }
    void operator()(const AttemptStarted &started) const
    {
        flag("fallback", started.fallback);
        flag("probe", started.probe);
        positive("waited", started.waited);
        positive("paced", started.paced);
    }
    void operator()(const AttemptFinished &finished) const
    {
        flag("fallback", finished.fallback);
        line.member("status", finished.status);
        if (finished.failure)
            line.member("failure", word(*finished.failure));
        switch (finished.end) {
        case AttemptEnd::Answered:
        case AttemptEnd::TransportFailed: line.member("family", word(finished.family)); break;
        case AttemptEnd::Cancelled: line.member("cancelled", "cancelled"); break;
        case AttemptEnd::Deadline: line.member("cancelled", "deadline"); break;
        }
        line.member("took", finished.took);
        if (finished.state)
            writeState(line, *finished.state);
    }
    void operator()(const RateLimitDetected &detected) const
    {
        line.member("status", detected.status);
        if (detected.hint)
            writeHint(line, *detected.hint);
        flag("final_attempt", detected.finalAttempt);
    }
    void operator()(const RateLimitWaitExceeded &exceeded) const
    {
        line.member("delay", exceeded.delay);
        line.member("max_wait", exceeded.maxWait);
        line.member("source", word(exceeded.source));
    }
    void operator()(const RetryScheduled &scheduled) const
    {
        writeDecision(line, *scheduled.decision);
        line.member("until", scheduled.until);
    }
    void operator()(const RetryRefused &refused) const
    {
        line.member("reason", word(*refused.decision->refusal));
        writeDecision(line, *refused.decision);
    }
    void operator()(const BreakerOpened &opened) const
    {
        line.member("cause", opened.cause);
        opened.until ? line.member("until", *opened.until) : line.null("until");
        line.member("generation", opened.generation);
    }
    void operator()(const BreakerHalfOpen &halfOpen) const { line.member("generation", halfOpen.generation); }
    void operator()(const BreakerClosed &closed) const { line.member("generation", closed.generation); }
    void operator()(const BreakerRejected &rejected) const
    {
        rejected.until ? line.member("until", *rejected.until) : line.null("until");
        if (rejected.halfOpen)
            line.member("half_open", true);
    }
    void operator()(const BudgetExhausted &exhausted) const
    {
        line.member("tokens", exhausted.tokens);
        line.member("cost", exhausted.cost);
    }
    void operator()(const FallbackStarted &fallback) const
    {
        line.member("to", fallback.to);
        line.member("to_server", fallback.toServer);
    }
    void operator()(const FallbackFinished &fallback) const
    {
        line.member("to", fallback.to);
        line.member("result", word(fallback.result));
        line.member("status", fallback.status);
    }
    void operator()(const PolicyChanged &changed) const
    {
        line.member("policy", changed.policy);
        line.raw("values", changed.policyJson.empty() ? "{}" : changed.policyJson);
        line.member("waits_kept", changed.waitsKept);
    }
    void operator()(const ServerAnswered &answered) const
    {
        line.member("status", answered.status);
        line.member("admitted", answered.admitted);
        line.member("executed", answered.executed);
        flag("effect", answered.effect);
        if (answered.executions > 0)
            line.member("executions", answered.executions);
        text("violated", answered.violated);
        text("fault", answered.fault);
        line.member("due", answered.due);
        line.member("told", answered.told);
    }
    void operator()(const ServerWindow &window) const
    {
        line.member("limit", window.limit);
        text("key", window.key);
        line.member("used", window.used);
        line.member("quota", window.quota);
        line.member("begins", window.begins);
        line.member("resets", window.resets);
    }
    void operator()(const TransportResent &resent) const { line.member("requests", resent.requests); }
};

} // namespace

std::string_view trafficName(Traffic traffic)
{
    switch (traffic) {
    case Traffic::Simulated: return "simulated";
    case Traffic::Loopback: return "loopback";
    case Traffic::Real: return "real";
    }
    return {};
}

std::string_view eventName(const Payload &payload)
{
    return kEventNames[payload.index()];
}

void appendJson(std::string &out, const Event &event)
{
    JsonLine line{out};
    line.member("seq", event.seq);
    line.member("t", event.at.monotonic);
    line.member("time", event.at.wall);
    line.member("event", eventName(event.payload));
    if (event.op != 0)
        line.member("op", event.op);
    if (!event.operation.empty())
        line.member("operation", event.operation);
    if (!event.server.empty())
        line.member("server", event.server);
    if (event.attempt != 0)
        line.member("attempt", event.attempt);
    std::visit(PayloadWriter{line}, event.payload);
    line.end();
}

void JsonLinesWriter::accept(const Event &event)
{
    appendJson(m_buffer, event);
    m_buffer.push_back('\n');
    if (m_buffer.size() >= kFlushAt)
        flush();
}

bool JsonLinesWriter::flush()
{
    if (m_error == 0 && !m_buffer.empty()) {
        errno = 0;
        if (std::fwrite(m_buffer.data(), 1, m_buffer.size(), m_file) != m_buffer.size() || std::fflush(m_file) != 0)
            m_error = errno != 0 ? errno : EIO;
    }
    m_buffer.clear();
    return m_error == 0;
}

} // namespace throttlescope::journal
