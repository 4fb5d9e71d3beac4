// SPDX-License-Identifier: Apache-2.0
#include "core/journal/event_writer.h"
#include "net_support.h"
#include "simulator/run/simulation.h"
#include "simulator/scenario/loader.h"

using namespace throttlescope;
using namespace throttlescope::testing;

namespace {

/// One answer of the script, as the scenario file and as the wire have it.
struct Said {
    QByteArray yaml;
    PeerReply reply;
};

Said status(int code, const QByteArray &retryAfter = {}, const QByteArray &body = {})
{
    QByteArray yaml = "{status: " + QByteArray::number(code);
    if (!retryAfter.isEmpty())
        yaml += ", headers: {Retry-After: \"" + retryAfter + "\"}";
    if (!body.isEmpty())
        yaml += ", body: '" + body + "'";
    return {yaml + "}", respond(code, retryAfter.isEmpty() ? QByteArray{} : "Retry-After: " + retryAfter + "\r\n", body)};
}

Said interrupted()
{
    return {"{status: 200, size: 100B, break_at: 50%}", reset("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + QByteArray(50, 'x'))};
}

Said lostConnection()
{
    return {"{fault: reset}", reset()};
}

/// What of a decision cannot depend on how long things took.
Decision withoutTime(Decision decision)
{
    decision.timeLeft = std::nullopt;
    decision.earliestSlot = std::nullopt;
    return decision;
}

struct Course {
    std::string events;
    std::vector<Decision> decisions;
};

Course courseOf(const Log &log, journal::OperationId op)
{
    Course course;
    for (const Seen &seen : log.seenEvents) {
        const bool ours = seen.op == op && !seen.as<journal::ServerAnswered>();
        if (!ours)
            continue;
        course.events.append(journal::eventName(seen.payload)).append(" ");
        if (seen.as<journal::RetryScheduled>() || seen.as<journal::RetryRefused>())
            course.decisions.push_back(withoutTime(seen.decision));
    }
    return course;
}

} // namespace

/// The same answers through virtual time and through sockets: the same decisions, one by one.
class TestNetParity : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theSameAnswersGiveTheSameDecisions_data()
    {
        QTest::addColumn<QByteArray>("policy");
        QTest::addColumn<QByteArray>("row");
        QTest::addColumn<QList<Said>>("script");
        const auto row = [](const char *name, const char *policy, const char *call, QList<Said> script) {
            QTest::newRow(name) << QByteArray{policy} << QByteArray{call} << script;
        };
        const char *backoff = "{backoff: {kind: exponential, base: 5ms, max: 40ms}}";
        const char *get = "method: GET";
        row("success at once", backoff, get, {status(200)});
        row("a permanent answer", backoff, get, {status(404)});
        row("ambiguous, then good", backoff, get, {status(503), status(500), status(200)});
        row("ambiguous to the end", backoff, get, {status(503), status(502), status(504), status(500)});
        row("a hint of a second", backoff, get, {status(429, "1"), status(200)});
        row("a hint on a 503", backoff, get, {status(503, "1"), status(200)});
        row("a hint of nothing is now", backoff, get, {status(429, "0"), status(429, "0"), status(200)});
        row("a hint too long", backoff, get, {status(429, "61")});
        row("a hint that cannot be read", backoff, get, {status(429, "soon"), status(200)});
        row("no hint, refused", "{rate_limit: {no_hint: refuse}}", get, {status(429)});
        row("no hint, fixed and padded", "{rate_limit: {no_hint: {fixed: 7ms, times: 1}, padding: {add: 1s, jitter: 20ms}}}", get,
            {status(429), status(429)});
        row("at least, spread apart", "{rate_limit: {hint: at_least, zero_hint: as_no_hint}, backoff: {base: 5ms, max: 9ms}}", get,
            {status(429, "0"), status(429), status(200)});
        row("clamped", "{rate_limit: {max_wait: 10ms, over_max_wait: clamp}}", get, {status(429, "30"), status(200)});
        row("an extractor", "{rate_limit: {extractor: {json: /wait, unit: ms}}}", get,
            {status(429, {}, R"({"wait": 12})"), status(429, {}, R"({"wait": "x"})")});
        row("the body breaks off", backoff, get, {interrupted(), status(200)});
        row("retry off", "{retry: off}", get, {status(503)});
        row("a write that is throttled", backoff, "method: POST, class: write", {status(429, "0"), status(503)});
        row("an action is never replayed", backoff, "method: POST, class: action", {status(503)});
        row("an action whose connection is lost", backoff, "method: POST, class: action", {lostConnection()});
        row("a connection lost twice", backoff, "method: POST, idempotent: true", {lostConnection(), lostConnection(), status(200)});
        row("a stream that breaks", backoff, "method: GET, streaming: true", {status(503), interrupted()});
        row("a budget runs out", "{budget: {token_bucket: {capacity: 8, cost: 5}}, backoff: {base: 5ms}}", get, {status(503), status(503)});
        row("a breaker opens", "{breaker: {trip: {consecutive: 2}, counts: attempts, open_for: 10s}, backoff: {base: 5ms}}", get,
            {status(503), status(503)});
    }

    void theSameAnswersGiveTheSameDecisions()
    {
        QFETCH(QByteArray, policy);
        QFETCH(QByteArray, row);
        QFETCH(QList<Said>, script);
        QByteArray yaml = "throttlescope: 1\nseed: 11\nservers:\n  api:\n    script:\n";
        QList<PeerReply> replies;
        for (const Said &scripted : script) {
            yaml += "      - {when: {attempt: " + QByteArray::number(replies.size() + 1) + "}, answer: " + scripted.yaml + "}\n";
            replies << scripted.reply;
        }
        yaml += "policies:\n  p: " + policy + "\nworkload:\n  - {operation: call, server: api, policy: p, " + row
            + ", arrivals: {batch: 1}}\n";
        const auto loaded = loadScenarioText(yaml.toStdString(), "parity.yaml");
        QVERIFY2(loaded.has_value(), (loaded ? yaml : QByteArray::fromStdString(loaded.error().front().format())).constData());
        const Scenario &scenario = loaded->scenario;

        Log virtualLog;
        Simulation{scenario, &virtualLog}.run();
        const Course expected = courseOf(virtualLog, 1);
        const Course live = liveCourse(scenario, replies);
        QCOMPARE(live.events, expected.events);
        QCOMPARE(live.decisions.size(), expected.decisions.size());
        for (std::size_t i = 0; i < live.decisions.size(); ++i)
            QVERIFY2(live.decisions[i] == expected.decisions[i], qPrintable(QStringLiteral("decision %1").arg(i)));
    }

private:
    static Course liveCourse(const Scenario &scenario, const QList<PeerReply> &replies)
    {
        const ScriptedPeer peer{replies};
        const WorkloadRow &row = scenario.workload[0];
        net::ClientOptions options;
        const auto log = std::make_shared<Log>();
        options.policy = row.policy;
        options.journal = log;
        options.seed = scenario.seed;
        net::Client client{std::move(options)};
        net::Request request;
        request.url = peer.url();
        request.method = row.method;
        if (row.method == "POST")
            request.body = QByteArray{"x"};
        request.operation = row.operation;
        request.server = row.server;
        request.operationClass = row.operationClass;
        request.idempotent = row.idempotent;
        request.drawKey = operationDrawKey(row.operation, 0, 0);
        if (row.streaming)
            request.onBody = [](const QByteArray &) {};
        await(client.send(std::move(request)));
        return courseOf(*log, 1);
    }
};

QTEST_GUILESS_MAIN(TestNetParity)
#include "tst_net_parity.moc"
