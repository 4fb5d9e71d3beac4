// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/server_model.h"

#include "core/signals/http_date.h"
#include "core/signals/rate_limit_state.h"
#include "simulator/model/dialect_headers.h"
#include "simulator/model/faults.h"
#include "simulator/model/latency.h"
#include "simulator/model/limits.h"
#include "simulator/model/retry_after.h"

#include <fmt/format.h>

namespace throttlescope {

namespace {

constexpr Duration kSlowness = std::chrono::seconds{10}; ///< what a `slow` answer takes longer

} // namespace

struct ServerModel::Private {
    Private(const Server &described, const std::vector<TimelineEntry> &timeline, WallTime start, const Draw &drawing)
        : server(described), draw(drawing), clock{start + described.clockSkew}, limits(server, clock), faults(server.name, timeline, draw), script(server.script)
    {
    }

    void respond(MonotonicTime now, int status, const OnLimit &onLimit, const Limits::Verdict *verdict, const ScriptAnswer *scripted, Answer &answer);
    void occupy(MonotonicTime now, const Request &request, Answer &answer);
    void answerScript(MonotonicTime now, const ScriptAnswer &scripted, Answer &answer);
    void breakBody(double share, Answer &answer) const;
    bool answerFault(MonotonicTime now, FaultKind kind, int status, Answer &answer);
    const std::string &dateText(MonotonicTime now);

    const Server server;
    const Draw &draw;
    ServerClock clock;
    Limits limits;
    Faults faults;
    Script script;
    int inFlight = 0;
    std::int64_t dateSecond = -1;
    std::string date;
    std::string faultName;
};

ServerModel::ServerModel(const Server &server, const std::vector<TimelineEntry> &timeline, WallTime start, const Draw &draw)
    : d(std::make_unique<Private>(server, timeline, start, draw))
{
}

ServerModel::~ServerModel() = default;
ServerModel::ServerModel(ServerModel &&) noexcept = default;

const std::string &ServerModel::Private::dateText(MonotonicTime now)
{
    const auto second = std::chrono::floor<std::chrono::seconds>(clock.wall(now));
    if (second.time_since_epoch().count() != dateSecond) {
        dateSecond = second.time_since_epoch().count();
        date.clear();
        signals::appendImfFixdate(date, second);
    }
    return date;
}

/// Header lines: the script's own, Date, Retry-After, then the dialects, none of them twice.
void ServerModel::Private::respond(MonotonicTime now, int status, const OnLimit &onLimit, const Limits::Verdict *verdict, const ScriptAnswer *scripted, Answer &answer)
{
    Response &response = answer.response;
    response.status = status;
    response.bodyComplete = true;
    response.bytesHandedOn = 0;
    HeaderWriter headers{response.headers};
    if (scripted) {
        for (const HeaderField &field : scripted->headers)
            headers.add(field.name) = field.value;
    }
    if (!scripted || !headers.has("Date"))
        headers.add("Date") = dateText(now);
    if (verdict && verdict->reportedReset) {
        const auto told = writeRetryAfter(onLimit.retryAfter, *verdict->reportedReset - now, clock.wall(now), headers);
        if (told)
            answer.due = saturatingAdd(now, *told);
    }
    for (const Dialect dialect : server.onLimit.headers)
        writeDialect(dialect, limits, now, clock, headers);
    headers.finish();
    // What else told the client when to come back: a script's own header, or a dialect's reset.
    if (!answer.due && (scripted || verdict)) {
        const signals::RateLimitState state = signals::read(response, clock.wall(now));
        if (state.hint && (verdict || status == 429 || status == 503))
            answer.due = saturatingAdd(now, state.hint->delay);
    }
}

void ServerModel::Private::occupy(MonotonicTime, const Request &request, Answer &answer)
{
    const double drawn = std::holds_alternative<FixedLatency>(server.latency.kind) ? 0 : draw({Stream::Latency, request.drawKey, request.attempt});
    answer.serverTime = saturatingAdd(answer.serverTime, latencyAt(server.latency, drawn));
    answer.serverTime = saturatingAdd(answer.serverTime, saturatingMultiply(server.latency.perConcurrent, inFlight));
    ++inFlight;
}

void ServerModel::Private::breakBody(double share, Answer &answer) const
{
    answer.response.bodyComplete = false;
    answer.bytesBeforeBreak = static_cast<std::uint64_t>(share * static_cast<double>(answer.bodySize));
    if (answer.response.body.size() > answer.bytesBeforeBreak)
        answer.response.body.resize(answer.bytesBeforeBreak);
}

void ServerModel::Private::answerScript(MonotonicTime now, const ScriptAnswer &scripted, Answer &answer)
{
    answer.fault = "script";
    if (scripted.fault) {
        answerFault(now, *scripted.fault, 200, answer);
        answer.executed = scripted.executed.value_or(answer.executed);
        return;
    }
    const int status = scripted.status.value_or(200);
    respond(now, status, server.onLimit, nullptr, &scripted, answer);
    answer.response.body = scripted.body;
    answer.bodySize = scripted.size.value_or(scripted.body.size());
    answer.executed = scripted.executed.value_or(status < 400);
    if (scripted.breakAt)
        breakBody(*scripted.breakAt, answer);
}

/// True: the fault is the whole answer, and no limit is asked.
bool ServerModel::Private::answerFault(MonotonicTime now, FaultKind kind, int status, Answer &answer)
{
    switch (kind) {
    case FaultKind::Status:
        faultName = fmt::format("{}", status);
        answer.fault = faultName;
        respond(now, status, server.onLimit, nullptr, nullptr, answer);
        return true;
    case FaultKind::Reset:
        answer.fault = "reset";
        answer.kind = AnswerKind::Reset;
        return true;
    case FaultKind::Timeout:
        answer.fault = "timeout";
        answer.kind = AnswerKind::Timeout;
        return true;
    case FaultKind::Refuse:
        answer.fault = "refuse";
        answer.kind = AnswerKind::Refuse;
        return true;
    case FaultKind::Truncate: answer.fault = "truncate"; return false;
    case FaultKind::Slow:
        answer.fault = "slow";
        answer.serverTime = kSlowness;
        return false;
    }
    return false;
}

void ServerModel::arrive(MonotonicTime now, const Request &request, Answer &answer)
{
    answer.kind = AnswerKind::Respond;
    answer.response.body.clear();
    answer.serverTime = Duration::zero();
    answer.bodySize = answer.bytesBeforeBreak = 0;
    answer.admitted = answer.executed = false;
    answer.violated = answer.fault = {};
    answer.due = std::nullopt;
    for (WindowReading &reading : d->limits.readings())
        reading.changed = false;

    if (const ScriptAnswer *scripted = d->script.answer(request)) {
        d->answerScript(now, *scripted, answer);
    } else {
        const FaultShare *fault = d->faults.at(now, request);
        if (!fault || !d->answerFault(now, fault->kind, fault->status, answer)) {
            const Limits::Verdict verdict = d->limits.arrive(now, request);
            answer.admitted = answer.executed = verdict.admitted;
            if (verdict.admitted) {
                d->respond(now, 200, d->server.onLimit, nullptr, nullptr, answer);
                if (fault && fault->kind == FaultKind::Truncate)
                    d->breakBody(d->draw({Stream::BreakAt, request.drawKey, request.attempt}), answer);
            } else {
                answer.violated = d->limits.limit(verdict.decisive).name;
                d->respond(now, verdict.onLimit->status, *verdict.onLimit, &verdict, nullptr, answer);
                answer.response.body = verdict.onLimit->body;
                answer.bodySize = answer.response.body.size();
            }
        }
    }
    if (answer.kind == AnswerKind::Respond || answer.kind == AnswerKind::Timeout)
        d->occupy(now, request, answer);
}

void ServerModel::finished(MonotonicTime now, const Request &request, const Answer &answer)
{
    d->inFlight -= d->inFlight > 0 ? 1 : 0;
    if (answer.admitted)
        d->limits.release(now, request);
}

const std::vector<WindowReading> &ServerModel::windows() const
{
    return d->limits.readings();
}

int ServerModel::inFlight() const
{
    return d->inFlight;
}

} // namespace throttlescope
