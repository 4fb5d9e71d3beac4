// SPDX-License-Identifier: Apache-2.0
#include "simulator/model/server_model.h"

#include "core/signals/http_date.h"
#include "core/signals/rate_limit_state.h"
#include "simulator/model/dialect_headers.h"
#include "simulator/model/faults.h"
#include "simulator/model/latency.h"
#include "simulator/model/limit_stack.h"
#include "simulator/model/retry_after_writer.h"
#include "simulator/model/script.h"
#include "simulator/model/told_time.h"

#include <algorithm>
#include <utility>

namespace throttlescope {

using namespace model;

namespace {

constexpr int kLostWrite = 409;
constexpr Duration kSlow = std::chrono::seconds{10};
/// A body must be there for a connection to break inside it; a success has none otherwise.
constexpr std::uint64_t kTruncatedBodySize = 1024;

void clear(Answer &answer)
{
    answer.kind = AnswerKind::Respond;
    answer.response.status = 0;
    answer.response.body.clear(); // the headers are written over
    answer.response.bodyComplete = true;
    answer.response.bytesHandedOn = 0;
    answer.serverTime = Duration::zero();
    answer.bodySize = answer.bytesBeforeBreak = 0;
    answer.admitted = answer.executed = answer.plain = false;
    answer.violated = answer.fault = {};
    answer.due.reset();
    answer.versionRead.reset();
}

void setBody(Answer &answer, const std::string &body, std::uint64_t size)
{
    answer.response.body.assign(body, 0, static_cast<std::size_t>(std::min<std::uint64_t>(size, body.size())));
    answer.bodySize = answer.bytesBeforeBreak = size;
}

/// The connection breaks after this share of the body.
void breakBody(Answer &answer, double share)
{
    answer.bytesBeforeBreak = std::min(answer.bodySize, static_cast<std::uint64_t>(static_cast<double>(answer.bodySize) * share));
    auto &body = answer.response.body;
    body.resize(static_cast<std::size_t>(std::min<std::uint64_t>(answer.bytesBeforeBreak, body.size())));
    answer.response.bodyComplete = false;
}

/// Faults that say nothing back; the others end in a response.
std::optional<AnswerKind> silentKind(FaultKind kind)
{
    switch (kind) {
    case FaultKind::Reset: return AnswerKind::Reset;
    case FaultKind::Timeout: return AnswerKind::Timeout;
    case FaultKind::Refuse: return AnswerKind::Refuse;
    case FaultKind::Status:
    case FaultKind::Truncate:
    case FaultKind::Slow: break;
    }
    return std::nullopt;
}

bool goesThroughLimits(FaultKind kind)
{
    return kind == FaultKind::Slow || kind == FaultKind::Truncate;
}

} // namespace

struct ServerModel::Private {
    Private(const Server &served, const std::vector<TimelineEntry> &timeline, WallTime start, const Draw &source,
        const std::optional<ClientClock> &client)
        : server(served)
        , draw(source)
        , clock(start, server.clockSkew)
        , told(client, clock, server.clockSkew)
        , limits(server, clock)
        , script(server.script)
        , faults(timeline, server.name)
        , dialects(server, told.scale())
    {
    }

    void arrive(const Request &request, Answer &answer);
    void play(const ScriptAnswer &scripted, const Request &request, Answer &answer);
    void strike(const Fault &fault, Answer &answer);
    void serve(const Fault *fault, const Request &request, Answer &answer);
    void refuse(const TrackedLimit &refusing, Answer &answer);
    void writeHeaders(Answer &answer);
    void writeDate(MonotonicTime arrived, Response &response);
    void writeDialects(HeaderSink &sink, const OnLimit &rules, std::optional<Duration> delay);
    std::optional<MonotonicTime> dueOf(HeaderSink &sink, const Response &response, const OnLimit &rules) const;
    void beSilent(AnswerKind kind, Answer &answer);
    void occupy(const Request &request, Answer &answer);
    void write(Answer &answer);
    double drawn(Stream stream, const Request &request) const { return draw({stream, request.drawKey, request.attempt}); }
    Duration drawn(const Distribution &kind, Stream stream, std::uint64_t key, std::uint32_t attempt) const
    {
        return drawnLatency(kind, needsDraw(kind) ? draw({stream, key, attempt}) : 0);
    }

    const Server server;
    const Draw &draw;
    const ServerClock clock;
    const ToldTime told;
    LimitStack limits;
    Script script;
    FaultTimeline faults;
    DialectHeaders dialects;
    PlainHeaders plainHeaders = PlainHeaders::Now;
    signals::DateText date;
    MonotonicTime now{};
    int inFlight = 0;
    std::uint64_t version = 0; ///< of the row
    std::vector<WindowReading> readings;
    bool readingsCurrent = false;
};

void ServerModel::Private::arrive(const Request &request, Answer &answer)
{
    clear(answer);
    limits.select(now, request);
    if (const auto *scripted = script.answer(request)) {
        play(*scripted, request, answer);
    } else {
        const auto *fault = faults.at(now, request.drawKey, request.attempt, draw);
        if (fault && !goesThroughLimits(fault->kind))
            strike(*fault, answer);
        else
            serve(fault, request, answer);
    }
    occupy(request, answer);
}

void ServerModel::Private::play(const ScriptAnswer &scripted, const Request &request, Answer &answer)
{
    answer.fault = "script";
    if (const auto silent = scripted.fault ? silentKind(*scripted.fault) : std::nullopt) {
        beSilent(*silent, answer);
        answer.executed = scripted.executed.value_or(false) && *silent != AnswerKind::Refuse;
        return;
    }
    const bool truncated = scripted.fault == FaultKind::Truncate;
    answer.response.status = scripted.status.value_or(200);
    answer.executed = scripted.executed.value_or(answer.response.status < 400);
    const auto ownSize = truncated && scripted.body.empty() ? kTruncatedBodySize : scripted.body.size();
    setBody(answer, scripted.body, scripted.size.value_or(ownSize));
    if (scripted.breakAt || truncated)
        breakBody(answer, scripted.breakAt ? *scripted.breakAt : drawn(Stream::BreakAt, request));
    if (scripted.fault == FaultKind::Slow)
        answer.serverTime = kSlow;

    HeaderSink sink{answer.response.headers};
    for (const auto &field : scripted.headers)
        sink.add(field.name) = field.value;
    if (!sink.has("Date"))
        sink.add("Date") = date.at(told.wall(now));
    writeDialects(sink, server.onLimit, std::nullopt);
    if (answer.response.status >= 300) // on a success a Retry-After orders nothing
        answer.due = dueOf(sink, answer.response, server.onLimit);
}

/// A fault that answers before the limits are asked; it uses no quota.
void ServerModel::Private::strike(const Fault &fault, Answer &answer)
{
    answer.fault = fault.name;
    if (const auto silent = silentKind(fault.kind)) {
        beSilent(*silent, answer);
        return;
    }
    answer.response.status = fault.status;
    writeHeaders(answer);
}

void ServerModel::Private::serve(const Fault *fault, const Request &request, Answer &answer)
{
    if (const auto *refusing = limits.refusal(now, request)) {
        refuse(*refusing, answer);
    } else if (server.kind == ServerKind::Occ) {
        answer.admitted = true;
        answer.versionRead = version;
    } else {
        answer.admitted = answer.executed = true;
        answer.response.status = 200;
        writeHeaders(answer);
    }
    if (!fault)
        return;
    if (fault->kind == FaultKind::Slow) {
        answer.fault = fault->name;
        answer.serverTime = kSlow;
    } else if (answer.admitted) {
        answer.fault = fault->name;
        answer.bodySize = kTruncatedBodySize;
        if (std::exchange(answer.plain, false))
            writeDate(now, answer.response);
        breakBody(answer, drawn(Stream::BreakAt, request));
    }
}

void ServerModel::Private::refuse(const TrackedLimit &refusing, Answer &answer)
{
    const auto &rules = refusing.onLimit();
    answer.violated = refusing.limit().name;
    answer.response.status = rules.status;
    setBody(answer, rules.body, rules.body.size());

    const auto wall = told.wall(now);
    const auto reset = limits.reportedReset(now, refusing);
    const auto delay = reset ? std::optional{told.delay(*reset - now)} : std::nullopt;
    HeaderSink sink{answer.response.headers};
    sink.add("Date") = date.at(wall);
    const bool literal = std::holds_alternative<LiteralRetryAfter>(rules.retryAfter);
    if (literal || !DialectHeaders::ownRetryAfter(rules.headers))
        writeRetryAfter(sink, rules.retryAfter, delay, wall);
    writeDialects(sink, rules, delay);
    answer.due = dueOf(sink, answer.response, rules);
}

/// As a client reads it that knows the dialect: what cannot be read was not told.
std::optional<MonotonicTime> ServerModel::Private::dueOf(HeaderSink &sink, const Response &response, const OnLimit &rules) const
{
    sink.cut();
    signals::ReadOptions options;
    if (!rules.headers.empty())
        options.dialect = rules.headers.front();
    const auto hint = signals::readHint(response, told.wall(now), options);
    if (!hint)
        return std::nullopt;
    const bool moment = hint->form == signals::HintForm::HttpDate || hint->form == signals::HintForm::EpochSeconds;
    return told.moment(now, moment ? told.byOwnClock(hint->delay, told.wall(now)) : hint->delay);
}

void ServerModel::Private::writeHeaders(Answer &answer)
{
    answer.plain = plainHeaders == PlainHeaders::Later && server.onLimit.headers.empty();
    if (answer.plain)
        return;
    HeaderSink sink{answer.response.headers};
    sink.add("Date") = date.at(told.wall(now));
    writeDialects(sink, server.onLimit, std::nullopt);
}

void ServerModel::Private::writeDate(MonotonicTime arrived, Response &response)
{
    HeaderSink{response.headers}.add("Date") = date.at(told.wall(arrived));
}

void ServerModel::Private::writeDialects(HeaderSink &sink, const OnLimit &rules, std::optional<Duration> delay)
{
    if (!rules.headers.empty())
        dialects.write(sink, rules.headers, limits, delay, now, told.wall(now));
}

void ServerModel::Private::beSilent(AnswerKind kind, Answer &answer)
{
    answer.kind = kind;
    answer.plain = true;
    answer.response.headers.clear();
}

/// It succeeds if nobody else wrote since the row was read.
void ServerModel::Private::write(Answer &answer)
{
    answer.executed = *answer.versionRead == version;
    version += answer.executed ? 1 : 0;
    answer.response.status = answer.executed ? 200 : kLostWrite;
    answer.versionRead.reset();
    writeHeaders(answer);
}

/// What is at the server slows the next one down; a connection that was refused or reset at once never was.
void ServerModel::Private::occupy(const Request &request, Answer &answer)
{
    const auto time = [&](const Distribution &kind, Stream stream) { return drawn(kind, stream, request.drawKey, request.attempt); };
    answer.travelBack = time(server.network.back, Stream::NetworkBack);
    if (answer.kind == AnswerKind::Refuse || answer.kind == AnswerKind::Reset)
        return;
    if (answer.kind == AnswerKind::Respond) {
        const Duration own = time(server.latency.kind, Stream::Latency);
        answer.serverTime = saturatingAdd(answer.serverTime, saturatingAdd(own, addedByOthers(server.latency, own, inFlight)));
    }
    if (answer.versionRead)
        answer.serverTime = saturatingAdd(
            answer.serverTime, saturatingAdd(time(server.network.back, Stream::ReadBack), time(server.network.out, Stream::WriteOut)));
    ++inFlight;
}

ServerModel::ServerModel(const Server &server, const std::vector<TimelineEntry> &timeline, WallTime start, const Draw &draw,
    const std::optional<ClientClock> &client)
    : d(std::make_unique<Private>(server, timeline, start, draw, client))
{
}

ServerModel::~ServerModel() = default;
ServerModel::ServerModel(ServerModel &&) noexcept = default;
ServerModel &ServerModel::operator=(ServerModel &&) noexcept = default;

void ServerModel::arrive(MonotonicTime now, const Request &request, Answer &answer, PlainHeaders headers)
{
    d->now = now;
    d->readingsCurrent = false;
    d->plainHeaders = headers;
    d->arrive(request, answer);
    d->plainHeaders = PlainHeaders::Now;
}

void ServerModel::writePlain(MonotonicTime arrived, int status, Response &response)
{
    response.status = status;
    response.body.clear();
    response.bodyComplete = true;
    response.bytesHandedOn = 0;
    d->writeDate(arrived, response);
}

Duration ServerModel::travelOut(std::uint64_t drawKey, std::uint32_t attempt) const
{
    return d->drawn(d->server.network.out, Stream::NetworkOut, drawKey, attempt);
}

void ServerModel::write(MonotonicTime now, const Request &request, Answer &answer)
{
    d->now = now;
    d->readingsCurrent = false;
    d->limits.select(now, request);
    d->write(answer);
}

bool ServerModel::freesAbandoned() const
{
    return d->server.latency.abandoned == Abandoned::Freed;
}

void ServerModel::finished(MonotonicTime now, const Request &request, const Answer &answer)
{
    d->now = now;
    d->readingsCurrent = false;
    if (answer.kind == AnswerKind::Respond || answer.kind == AnswerKind::Timeout)
        --d->inFlight;
    // Selecting also forgets what the last arrival changed.
    d->limits.select(now, request);
    if (answer.admitted)
        d->limits.release();
}

const std::vector<WindowReading> &ServerModel::windows() const
{
    // Only who asks pays for it: the readings cost a division here and there, and most runs write no journal.
    if (!d->readingsCurrent) {
        d->readings.clear();
        for (const auto &limit : d->limits.limits())
            d->readings.push_back(limit->reading(d->now));
        d->readingsCurrent = true;
    }
    return d->readings;
}

bool ServerModel::touchedWindows() const
{
    const auto &limits = d->limits.limits();
    return std::any_of(limits.begin(), limits.end(), [](const auto &limit) { return limit->touched(); });
}

int ServerModel::inFlight() const
{
    return d->inFlight;
}

} // namespace throttlescope
