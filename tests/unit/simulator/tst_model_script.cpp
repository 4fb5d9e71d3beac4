// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "model_support.h"

using namespace throttlescope;
using namespace throttlescope::test;

namespace {

ScriptEntry entry(ScriptWhen when, int status, std::optional<int> times = {})
{
    ScriptEntry made;
    made.when = std::move(when);
    made.times = times;
    made.answer.status = status;
    return made;
}

ScriptEntry faulty(FaultKind fault, std::optional<bool> executed = {})
{
    ScriptEntry made;
    made.answer.fault = fault;
    made.answer.executed = executed;
    return made;
}

Request get(std::string_view operation, std::string_view path = "/")
{
    Request request;
    request.operation = operation;
    request.method = "GET";
    request.path = path;
    return request;
}

} // namespace

class TestModelScript : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theFirstEntryThatIsNotUsedUpAnswers();
    void keysAreAnded_data();
    void keysAreAnded();
    void nthCountsWhatMeetsTheOtherKeys();
    void timesAndNthTogether();
    void itIsAskedBeforeFaultsAndLimits();
    void theAnswerIsWhatWasWritten();
    void aStatusBelow400WasExecuted_data();
    void aStatusBelow400WasExecuted();
    void sizeAndBreak_data();
    void sizeAndBreak();
    void faultsByScript();
    void plainSecondsOfARetryAfterAreRemembered();
};

void TestModelScript::theFirstEntryThatIsNotUsedUpAnswers()
{
    auto server = serverWith({});
    server.script = {entry({}, 500, 2), entry({}, 501, 1), entry({}, 502)};
    Bench bench{server};
    std::vector<int> statuses;
    for (int i = 0; i < 6; ++i)
        statuses.push_back(bench.visit(i * 1s).response.status);
    QCOMPARE(statuses, (std::vector<int>{500, 500, 501, 502, 502, 502}));
}

void TestModelScript::keysAreAnded_data()
{
    QTest::addColumn<QString>("changed");
    QTest::addColumn<int>("status");
    QTest::newRow("a request that meets every key is answered") << "" << 503;
    QTest::newRow("another operation is not") << "operation" << 200;
    QTest::newRow("another attempt is not") << "attempt" << 200;
    QTest::newRow("another method is not") << "method" << 200;
    QTest::newRow("another path is not") << "path" << 200;
    QTest::newRow("another value of the header is not") << "value" << 200;
    QTest::newRow("without headers it is not") << "headers" << 200;
    QTest::newRow("the header's name is compared without case, and any line of it will do") << "case" << 503;
}

void TestModelScript::keysAreAnded()
{
    QFETCH(QString, changed);
    QFETCH(int, status);
    ScriptWhen when;
    when.operation = "convert";
    when.attempt = 2;
    when.method = "POST";
    when.path = "/x";
    when.headers = {{"X-A", "b"}};
    auto server = serverWith({});
    server.script = {entry(when, 503)};
    Bench bench{server};

    Headers headers{{"X-A", "b"}};
    Request request = get("convert", "/x");
    request.method = "POST";
    request.attempt = 2;
    request.headers = &headers;
    if (changed == "operation")
        request.operation = "converts";
    else if (changed == "attempt")
        request.attempt = 1;
    else if (changed == "method")
        request.method = "GET";
    else if (changed == "path")
        request.path = "/x/";
    else if (changed == "value")
        headers[0].value = "B";
    else if (changed == "headers")
        request.headers = nullptr;
    else if (changed == "case")
        headers = {{"x-a", "a"}, {"x-a", "b"}};
    QCOMPARE(bench.visit(0s, request).response.status, status);
}

void TestModelScript::nthCountsWhatMeetsTheOtherKeys()
{
    ScriptWhen third;
    third.operation = "convert";
    third.nth = 3;
    ScriptWhen second;
    second.nth = 2;
    auto server = serverWith({});
    server.script = {entry(third, 503), entry(second, 504)};
    Bench bench{server};
    std::vector<int> statuses;
    for (const char *operation : {"convert", "other", "convert", "other", "convert", "convert"})
        statuses.push_back(bench.visit(0s, get(operation)).response.status);
    // The second of all is answered 504, the third conversion 503: the fifth of all.
    QCOMPARE(statuses, (std::vector<int>{200, 504, 200, 200, 503, 200}));
}

void TestModelScript::timesAndNthTogether()
{
    ScriptWhen first;
    first.nth = 1;
    ScriptWhen second;
    second.nth = 2;
    auto server = serverWith({});
    // The second request is counted by the other entries although the first entry answers it.
    server.script = {entry({}, 500, 2), entry(second, 501), entry(first, 502), entry({}, 503, 1)};
    Bench bench{server};
    std::vector<int> statuses;
    for (int i = 0; i < 5; ++i)
        statuses.push_back(bench.visit(0s).response.status);
    QCOMPARE(statuses, (std::vector<int>{500, 500, 503, 200, 200}));
}

void TestModelScript::itIsAskedBeforeFaultsAndLimits()
{
    TimelineEntry outage;
    outage.span = 1h;
    outage.server = "api";
    outage.faults = {{FaultKind::Status, 503, 1}};
    auto server = serverWith({calendarLimit("minute", 1, 60s)});
    server.latency.kind = FixedLatency{120ms};
    server.script = {entry({}, 200, 3)};
    Bench bench{server, "2026-06-02T09:00:00Z", {outage}};
    for (int i = 0; i < 3; ++i) {
        const auto &answer = bench.visit(0s);
        QCOMPARE(answer.response.status, 200);
        QCOMPARE(answer.fault, std::string_view{"script"});
        QCOMPARE(answer.serverTime, Duration{120ms}); // it takes its time all the same
        QVERIFY(!answer.admitted);
        QVERIFY(answer.executed);
        QVERIFY(!bench.model.windows()[0].changed);
    }
    QCOMPARE(bench.model.windows()[0].used, 0u);
    QCOMPARE(bench.draw.asked[Stream::NetworkFault], 0);
    QCOMPARE(bench.visit(0s).response.status, 503);
}

void TestModelScript::theAnswerIsWhatWasWritten()
{
    auto scripted = entry({}, 503);
    scripted.answer.headers = {{"Retry-After", "30"}, {"X-Why", "maintenance"}, {"X-Why", "twice"}};
    scripted.answer.body = "{\"retry_after\": \"soon\"}";
    auto server = serverWith({});
    server.script = {scripted};
    Bench bench{server};
    const auto &answer = bench.visit(0s);
    QCOMPARE(answer.response.headers,
        (Headers{{"Retry-After", "30"}, {"X-Why", "maintenance"}, {"X-Why", "twice"}, {"Date", "Tue, 02 Jun 2026 09:00:00 GMT"}}));
    QCOMPARE(answer.response.body, scripted.answer.body);
    QCOMPARE(answer.bodySize, scripted.answer.body.size());
    QCOMPARE(answer.bytesBeforeBreak, scripted.answer.body.size());
    QVERIFY(answer.response.bodyComplete);
}

void TestModelScript::aStatusBelow400WasExecuted_data()
{
    QTest::addColumn<int>("status");
    QTest::addColumn<std::optional<bool>>("said");
    QTest::addColumn<bool>("executed");
    using Said = std::optional<bool>;
    QTest::newRow("200 was executed") << 200 << Said{} << true;
    QTest::newRow("399 was executed") << 399 << Said{} << true;
    QTest::newRow("400 was not") << 400 << Said{} << false;
    QTest::newRow("502 was not") << 502 << Said{} << false;
    QTest::newRow("502 after the effect was") << 502 << Said{true} << true;
    QTest::newRow("200 that did nothing was not") << 200 << Said{false} << false;
}

void TestModelScript::aStatusBelow400WasExecuted()
{
    QFETCH(int, status);
    QFETCH(std::optional<bool>, said);
    QFETCH(bool, executed);
    auto server = serverWith({});
    server.script = {entry({}, status)};
    server.script[0].answer.executed = said;
    Bench bench{server};
    QCOMPARE(bench.visit(0s).executed, executed);
}

void TestModelScript::sizeAndBreak_data()
{
    QTest::addColumn<QString>("body");
    QTest::addColumn<std::optional<std::uint64_t>>("size");
    QTest::addColumn<std::optional<double>>("breakAt");
    QTest::addColumn<QString>("arrived");
    QTest::addColumn<int>("whole");
    QTest::addColumn<int>("sent");
    using Size = std::optional<std::uint64_t>;
    using Share = std::optional<double>;
    QTest::newRow("a body has its own size") << "0123456789" << Size{} << Share{} << "0123456789" << 10 << 10;
    QTest::newRow("a size without a body is only counted") << "" << Size{4000} << Share{} << "" << 4000 << 4000;
    QTest::newRow("a size above the body's is only counted") << "0123" << Size{4000} << Share{} << "0123" << 4000 << 4000;
    QTest::newRow("a size below the body's cuts it") << "0123456789" << Size{4} << Share{} << "0123" << 4 << 4;
    QTest::newRow("half of the body arrives") << "0123456789" << Size{} << Share{0.5} << "01234" << 10 << 5;
    QTest::newRow("half of the size arrives, the text lies within") << "0123" << Size{4000} << Share{0.5} << "0123" << 4000 << 2000;
    QTest::newRow("it breaks before the first byte") << "0123456789" << Size{} << Share{0} << "" << 10 << 0;
    QTest::newRow("it breaks after the last byte") << "0123456789" << Size{} << Share{1} << "0123456789" << 10 << 10;
}

void TestModelScript::sizeAndBreak()
{
    QFETCH(QString, body);
    QFETCH(std::optional<std::uint64_t>, size);
    QFETCH(std::optional<double>, breakAt);
    QFETCH(QString, arrived);
    QFETCH(int, whole);
    QFETCH(int, sent);
    auto server = serverWith({});
    server.script = {entry({}, 200)};
    server.script[0].answer.body = body.toStdString();
    server.script[0].answer.size = size;
    server.script[0].answer.breakAt = breakAt;
    Bench bench{server};
    const auto &answer = bench.visit(0s);
    QCOMPARE(answer.response.body, arrived.toStdString());
    QCOMPARE(answer.bodySize, static_cast<std::uint64_t>(whole));
    QCOMPARE(answer.bytesBeforeBreak, static_cast<std::uint64_t>(sent));
    QCOMPARE(answer.response.bodyComplete, !breakAt.has_value());
}

void TestModelScript::faultsByScript()
{
    auto server = serverWith({});
    server.latency.kind = FixedLatency{1s};
    server.script = {faulty(FaultKind::Timeout), faulty(FaultKind::Timeout, true), faulty(FaultKind::Reset),
        faulty(FaultKind::Refuse, true), faulty(FaultKind::Truncate), faulty(FaultKind::Slow)};
    for (auto &scripted : server.script)
        scripted.times = 1;
    Bench bench{server};
    bench.draw.values[Stream::BreakAt] = 0.25;
    QCOMPARE(bench.ask(0s).kind, AnswerKind::Timeout);
    QVERIFY(!bench.answer.executed);
    QCOMPARE(bench.ask(0s).kind, AnswerKind::Timeout);
    QVERIFY(bench.answer.executed); // the effect happened, only nobody heard of it
    QCOMPARE(bench.model.inFlight(), 2);
    QCOMPARE(bench.ask(0s).kind, AnswerKind::Reset);
    QCOMPARE(bench.ask(0s).kind, AnswerKind::Refuse);
    QVERIFY(!bench.answer.executed); // it never reached the server, whatever the script says
    QCOMPARE(bench.model.inFlight(), 2);
    QVERIFY(bench.answer.response.headers.empty());
    QCOMPARE(bench.ask(0s).response.status, 200);
    QVERIFY(!bench.answer.response.bodyComplete);
    QCOMPARE(bench.answer.bytesBeforeBreak, bench.answer.bodySize / 4);
    QVERIFY(bench.answer.executed);
    QCOMPARE(bench.ask(0s).serverTime, Duration{11s});
    QVERIFY(bench.answer.response.bodyComplete);
    QCOMPARE(bench.answer.fault, std::string_view{"script"});
}

void TestModelScript::plainSecondsOfARetryAfterAreRemembered()
{
    auto server = serverWith({});
    for (const char *value : {"30", "soon", "99999999999999999999"}) {
        server.script.push_back(entry({}, 429, 1));
        server.script.back().answer.headers = {{"retry-after", value}};
    }
    Bench bench{server};
    QCOMPARE(bench.visit(5s).due, std::optional{at(35s)});
    QVERIFY(!bench.visit(5s).due);
    QCOMPARE(bench.visit(5s).due, std::optional{kNever}); // it saturates
}

QTEST_APPLESS_MAIN(TestModelScript)
#include "tst_model_script.moc"
