// SPDX-License-Identifier: Apache-2.0
#include "core/journal/event_reader.h"

#include "core/engine/words.h"
#include "core/journal/event_writer.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <simdjson.h>

namespace throttlescope::journal {

namespace {

/// The value of `E` that `word` spells so; nothing where none does.
template <typename E>
std::optional<E> fromWord(std::string_view text, int count)
{
    for (int i = 0; i < count; ++i) {
        if (word(static_cast<E>(i)) == text)
            return static_cast<E>(i);
    }
    return std::nullopt;
}

/// A journal that does not say it is of the version that only simulated.
Traffic trafficNamed(std::string_view name)
{
    for (const Traffic traffic : {Traffic::Loopback, Traffic::Real}) {
        if (trafficName(traffic) == name)
            return traffic;
    }
    return Traffic::Simulated;
}

/// One JSON object's members, read by key; what is absent or of another type reads as the default.
class Members {
public:
    explicit Members(simdjson::dom::element element)
        : m_element(element)
    {
    }

    bool has(const char *key) const { return !m_element[key].error(); }
    std::string_view text(const char *key) const
    {
        std::string_view value;
        return m_element[key].get(value) ? std::string_view{} : value;
    }
    bool flag(const char *key) const
    {
        bool value = false;
        return !m_element[key].get(value) && value;
    }
    std::optional<double> number(const char *key) const
    {
        double value = 0;
        return m_element[key].get(value) ? std::nullopt : std::optional{value};
    }
    std::uint64_t count(const char *key) const
    {
        std::uint64_t value = 0;
        return m_element[key].get(value) ? 0 : value;
    }
    std::optional<int> integer(const char *key) const
    {
        std::int64_t value = 0;
        return m_element[key].get(value) ? std::nullopt : std::optional{static_cast<int>(value)};
    }
    std::optional<Duration> duration(const char *key) const
    {
        const auto seconds = number(key);
        return seconds ? std::optional{durationFromSeconds(*seconds)} : std::nullopt;
    }
    Duration durationOr0(const char *key) const { return duration(key).value_or(Duration::zero()); }
    std::optional<MonotonicTime> time(const char *key) const
    {
        const auto since = duration(key);
        return since ? std::optional{MonotonicTime{*since}} : std::nullopt;
    }
    std::optional<Members> object(const char *key) const
    {
        simdjson::dom::element value;
        return m_element[key].get(value) || !value.is_object() ? std::nullopt : std::optional{Members{value}};
    }
    template <typename Each>
    void each(const char *key, Each onItem) const
    {
        simdjson::dom::array items;
        if (m_element[key].get(items))
            return;
        for (const simdjson::dom::element item : items) {
            if (item.is_object())
                onItem(Members{item});
        }
    }
    std::string minified(const char *key) const
    {
        simdjson::dom::element value;
        return m_element[key].get(value) ? std::string{} : simdjson::minify(value);
    }

private:
    simdjson::dom::element m_element;
};

signals::Hint hintOf(const Members &members)
{
    signals::Hint hint;
    hint.delay = members.durationOr0("delay");
    hint.header = members.text("header");
    hint.form = fromWord<signals::HintForm>(members.text("form"), 6).value_or(signals::HintForm::DelaySeconds);
    hint.raw = members.text("raw");
    hint.why = members.text("why");
    return hint;
}

WallTime wallOf(std::string_view text)
{
    int year = 0;
    unsigned month = 0, day = 0;
    std::int64_t hour = 0, minute = 0, second = 0, micros = 0;
    const auto part = [text](std::size_t at, std::size_t size, auto &value) {
        if (at + size <= text.size())
            std::from_chars(text.data() + at, text.data() + at + size, value);
    };
    part(0, 4, year), part(5, 2, month), part(8, 2, day), part(11, 2, hour), part(14, 2, minute), part(17, 2, second), part(20, 6, micros);
    const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{day}};
    if (!date.ok())
        return {};
    return WallTime{std::chrono::sys_days{date}.time_since_epoch()} + std::chrono::hours{hour} + std::chrono::minutes{minute}
    + std::chrono::seconds{second} + Duration{micros};
}

} // namespace

struct EventReader::Private {
    simdjson::dom::parser parser;
    Event event;
    std::string error;
    std::string padded;
    Decision decision;
    signals::Hint hint;
    signals::RateLimitState state;
    std::string policiesJson;

    bool fill(std::string_view name, const Members &members);
    Payload attemptFinished(const Members &members);
    void readDecision(const Members &members);
    Payload operationFinished(const Members &members) const;
    Payload operationStarted(const Members &members) const;
    Payload serverAnswered(const Members &members) const;
};

Payload EventReader::Private::attemptFinished(const Members &members)
{
    AttemptFinished finished;
    finished.fallback = members.flag("fallback");
    finished.status = members.integer("status");
    finished.failure = fromWord<TransportFailureKind>(members.text("failure"), 6);
    finished.family = fromWord<Family>(members.text("family"), 6).value_or(Family::Success);
    const std::string_view cancelled = members.text("cancelled");
    finished.end = cancelled == "deadline" ? AttemptEnd::Deadline : cancelled == "cancelled" ? AttemptEnd::Cancelled : AttemptEnd::Answered;
    finished.took = members.durationOr0("took");
    state = {};
    members.each("windows", [this](const Members &item) {
        const auto count = [&item](const char *key) { return item.has(key) ? std::optional{item.count(key)} : std::nullopt; };
        state.windows.push_back(
            {std::string{item.text("name")}, item.duration("length"), count("limit"), count("remaining"), item.duration("reset")});
    });
    members.each("unreadable", [this](const Members &item) {
        state.unreadable.push_back({std::string{item.text("header")}, std::string{item.text("raw")}, std::string{item.text("why")}});
    });
    finished.state = finished.status ? &state : nullptr;
    return finished;
}

void EventReader::Private::readDecision(const Members &members)
{
    decision = {};
    decision.attempt = event.attempt;
    decision.family = fromWord<Family>(members.text("family"), 6).value_or(Family::Permanent);
    decision.status = members.integer("status");
    decision.finalAttempt = members.flag("final_attempt");
    if (const auto told = members.object("hint"))
        decision.hint = hintOf(*told);
    decision.backoff = members.duration("backoff");
    decision.jitterDraw = members.number("jitter_draw");
    decision.rule = fromWord<DelayRule>(members.text("rule"), 7);
    decision.source = fromWord<DelaySource>(members.text("source"), 2);
    decision.delay = members.duration("delay");
    decision.padding = members.durationOr0("padding");
    decision.paddingDraw = members.number("padding_draw");
    decision.maxWait = members.durationOr0("max_wait");
    decision.clamped = members.flag("clamped");
    decision.timeLeft = members.duration("time_left");
    decision.earliestSlot = members.duration("earliest_slot");
    decision.maxAttempts = members.integer("max_attempts").value_or(0);
    decision.tokensBefore = members.number("tokens_before");
    decision.tokensAfter = members.number("tokens_after");
    decision.windowExhausted = members.text("window_exhausted");
    decision.extractionError = members.text("extraction_error");
    decision.refusal = refusalReason(members.text("reason"));
}

Payload EventReader::Private::operationStarted(const Members &members) const
{
    OperationStarted started;
    started.policy = members.text("policy");
    started.method = members.text("method");
    started.operationClass = fromWord<OperationClass>(members.text("class"), 4);
    started.replay = fromWord<ReplayRule>(members.text("replay"), 3).value_or(ReplayRule::Never);
    started.units = members.count("units");
    return started;
}

Payload EventReader::Private::operationFinished(const Members &members) const
{
    OperationFinished finished;
    finished.result = fromWord<Result>(members.text("result"), 5).value_or(Result::Unfinished);
    finished.reason = refusalReason(members.text("reason"));
    finished.viaFallback = members.text("via") == "fallback";
    finished.status = members.integer("status");
    finished.attempts = members.integer("attempts").value_or(0);
    finished.retryAfter = members.text("retry_after");
    finished.metadata = {
        members.flag("rate_limit_encountered"), members.durationOr0("rate_limit_wait_seconds"), members.flag("rate_limit_wait_exceeded")};
    finished.waited = members.durationOr0("waited");
    finished.paced = members.durationOr0("paced");
    finished.rejected = finished.result == Result::Rejected ? finished.reason : refusalReason(members.text("rejected"));
    return finished;
}

Payload EventReader::Private::serverAnswered(const Members &members) const
{
    return ServerAnswered{members.integer("status"), members.flag("admitted"), members.flag("executed"), members.flag("effect"),
        static_cast<std::uint32_t>(members.count("executions")), members.text("violated"), members.text("fault"), members.time("due"),
        members.time("told")};
}

/// False: no event of that name is known.
bool EventReader::Private::fill(std::string_view name, const Members &members)
{
    Payload &payload = event.payload;
    if (name == "run.started") {
        policiesJson = members.minified("policies");
        payload = RunStarted{members.integer("schema").value_or(0), members.text("version"), members.text("scenario"),
            members.text("scenario_hash"), members.count("seed"), policiesJson, trafficNamed(members.text("traffic"))};
    } else if (name == "run.finished") {
        payload = RunFinished{members.count("operations"), members.flag("stopped")};
    } else if (name == "marker") {
        payload = Marker{members.text("label"), members.flag("begin")};
    } else if (name == "operation.started") {
        payload = operationStarted(members);
    } else if (name == "operation.finished") {
        payload = operationFinished(members);
    } else if (name == "pacer.wait") {
        payload = PacerWait{members.count("ahead"), members.time("earliest"), members.flag("cooldown")};
    } else if (name == "attempt.started") {
        payload
            = AttemptStarted{members.flag("fallback"), members.flag("probe"), members.durationOr0("waited"), members.durationOr0("paced")};
    } else if (name == "attempt.finished") {
        payload = attemptFinished(members);
    } else if (name == "rate_limit.detected") {
        const auto told = members.object("hint");
        hint = told ? hintOf(*told) : signals::Hint{};
        payload = RateLimitDetected{members.integer("status").value_or(0), told ? &hint : nullptr, members.flag("final_attempt")};
    } else if (name == "rate_limit.wait_exceeded") {
        payload = RateLimitWaitExceeded{members.durationOr0("delay"), members.durationOr0("max_wait"),
            fromWord<DelaySource>(members.text("source"), 2).value_or(DelaySource::Provider)};
    } else if (name == "retry.scheduled") {
        readDecision(members);
        payload = RetryScheduled{&decision, members.time("until").value_or(event.at.monotonic)};
    } else if (name == "retry.refused") {
        readDecision(members);
        decision.refusal = decision.refusal.value_or(RefusalReason::NotSelected);
        payload = RetryRefused{&decision};
    } else if (name == "breaker.opened") {
        payload = BreakerOpened{members.time("until"), members.count("generation"), members.text("cause")};
    } else if (name == "breaker.half_open") {
        payload = BreakerHalfOpen{members.count("generation")};
    } else if (name == "breaker.closed") {
        payload = BreakerClosed{members.count("generation")};
    } else if (name == "breaker.rejected") {
        payload = BreakerRejected{members.time("until"), members.flag("half_open")};
    } else if (name == "budget.exhausted") {
        payload = BudgetExhausted{members.number("tokens").value_or(0), members.number("cost").value_or(0)};
    } else if (name == "fallback.started") {
        payload = FallbackStarted{members.text("to"), members.text("to_server")};
    } else if (name == "fallback.finished") {
        payload = FallbackFinished{
            members.text("to"), fromWord<Result>(members.text("result"), 5).value_or(Result::Failed), members.integer("status")};
    } else if (name == "policy.changed") {
        policiesJson = members.minified("values");
        payload = PolicyChanged{members.text("policy"), policiesJson, members.count("waits_kept")};
    } else if (name == "server.answered") {
        payload = serverAnswered(members);
    } else if (name == "server.window") {
        payload = ServerWindow{members.text("limit"), members.text("key"), members.count("used"), members.count("quota"),
            members.time("begins"), members.time("resets")};
    } else if (name == "transport.resent") {
        payload = TransportResent{static_cast<std::uint32_t>(members.count("requests"))};
    } else {
        return false;
    }
    return true;
}

EventReader::EventReader()
    : d(std::make_unique<Private>())
{
}
EventReader::~EventReader() = default;

const std::string &EventReader::error() const
{
    return d->error;
}

const Event *EventReader::parse(std::string_view line)
{
    d->error.clear();
    simdjson::dom::element element;
    if (const auto error = d->parser.parse(line.data(), line.size()).get(element)) {
        d->error = fmt::format("no JSON object ({})", simdjson::error_message(error));
        return nullptr;
    }
    const Members members{element};
    if (!element.is_object() || !members.has("event") || !members.number("t")) {
        d->error = "no journal event, expected an object with 'event' and 't'";
        return nullptr;
    }
    Event &event = d->event;
    event.seq = members.count("seq");
    event.at = {MonotonicTime{members.durationOr0("t")}, wallOf(members.text("time"))};
    event.op = members.count("op");
    event.operation = members.text("operation");
    event.server = members.text("server");
    event.attempt = members.integer("attempt").value_or(0);
    if (!d->fill(members.text("event"), members)) {
        d->error = fmt::format("unknown event '{}'", members.text("event"));
        return nullptr;
    }
    return &event;
}

} // namespace throttlescope::journal
