// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "model_support.h"

using namespace throttlescope;
using namespace throttlescope::test;

class TestModelLayers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRequestIsCountedOnlyIfEveryLimitAdmitsIt();
    void refusedRequestsCountEverywhereWhereTheServerSaysSo();
    void aRefusedRequestCountsBeforeItsOwnHint();
    void aFloodOfRefusedRequestsStaysSmall();
    void anEmptyBucketOwesNothing();
    void reportsChoosesTheReset_data();
    void reportsChoosesTheReset();
    void theLimitWithTheLongestWaitAnswers();
    void aConcurrencyLimitAnswersOnlyAlone();
    void keysHaveWindowsOfTheirOwn();
    void theTracesKeyStandsInForTheHeader();
    void usageBeforeTheStartIsEveryKeys();
    void concurrencyIsReleasedForTheKeyThatTookIt();
    void comingBackEarlyRestartsTheWindow_data();
    void comingBackEarlyRestartsTheWindow();
    void comingBackInTimeOrUntoldRestartsNothing();
    void aRestartNeverHandsOutALongDayTwice();
};

void TestModelLayers::aRequestIsCountedOnlyIfEveryLimitAdmitsIt()
{
    Bench bench{serverWith({calendarLimit("minute", 1, 60s), limit("hour", 3, 1h, WindowKind::Sliding)})};
    QVERIFY(bench.visit(0s).admitted);
    for (int i = 1; i <= 50; ++i)
        QCOMPARE(bench.visit(i * 1s).violated, std::string_view{"minute"});
    QCOMPARE(bench.model.windows()[1].used, 1u);
    QVERIFY(bench.visit(60s).admitted);
    QVERIFY(bench.visit(120s).admitted);
    QCOMPARE(bench.visit(180s).violated, std::string_view{"hour"});
    QCOMPARE(bench.model.windows()[0].used, 0u); // the minute had room, and has it still
}

void TestModelLayers::refusedRequestsCountEverywhereWhereTheServerSaysSo()
{
    auto server
        = serverWith({calendarLimit("minute", 1, 60s), calendarLimit("hour", 3, 1h), limit("parallel", 9, {}, WindowKind::Concurrency)});
    server.onLimit.counts = Counts::All;
    Bench bench{server};
    QVERIFY(bench.visit(0s).admitted);
    QCOMPARE(bench.visit(1s).violated, std::string_view{"minute"});
    QCOMPARE(bench.visit(2s).violated, std::string_view{"minute"});
    QCOMPARE(bench.model.windows()[0].used, 3u);
    QCOMPARE(bench.model.windows()[1].used, 3u);
    QCOMPARE(bench.model.windows()[2].used, 0u); // what was refused is not at the server
    QCOMPARE(bench.visit(60s).violated, std::string_view{"hour"});
}

void TestModelLayers::aRefusedRequestCountsBeforeItsOwnHint()
{
    auto server = serverWith({limit("sliding", 2, 60s, WindowKind::Sliding)});
    server.onLimit.counts = Counts::All;
    Bench bench{server};
    bench.visit(0s);
    bench.visit(10s);
    // Counted at 0, 10 and 20 s: room for one more is there when those of 0 and 10 s have left.
    QVERIFY(!bench.visit(20s).admitted);
    QCOMPARE(bench.header("Retry-After"), std::string{"50"});
    QVERIFY(!bench.visit(60s).admitted); // those of 10 and 20 s are still there, and now this one
    QCOMPARE(bench.header("Retry-After"), std::string{"20"});
}

void TestModelLayers::aFloodOfRefusedRequestsStaysSmall()
{
    auto server = serverWith({limit("sliding", 5, 1h, WindowKind::Sliding)});
    server.onLimit.counts = Counts::All;
    server.onLimit.retryAfter = RetryAfterForm::Milliseconds;
    Bench bench{server};
    for (int i = 0; i < 100'000; ++i)
        bench.visit(i * 1ms);
    QVERIFY(!bench.answer.admitted);
    QCOMPARE(bench.model.windows()[0].used, 6u); // the rest lies behind a newer full quota and decides nothing
    // The five newest came at 99.995 to 99.999 s; there is room when the first of them has left.
    QCOMPARE(bench.answer.due, std::optional{at(99'995ms + 1h)});
}

void TestModelLayers::anEmptyBucketOwesNothing()
{
    auto server = serverWith({limit("bucket", 1, 10s, WindowKind::TokenBucket)});
    server.onLimit.counts = Counts::All;
    Bench bench{server};
    QVERIFY(bench.visit(0s).admitted);
    QVERIFY(!bench.visit(4s).admitted); // takes the 0.4 tokens that were there
    QCOMPARE(bench.header("Retry-After"), std::string{"10"});
    QVERIFY(bench.visit(14s).admitted);
}

void TestModelLayers::reportsChoosesTheReset_data()
{
    QTest::addColumn<int>("reports");
    QTest::addColumn<QString>("expected");
    // At 09:00:00, the second request: the minute is violated (60 s), the ten seconds have room (10 s), the hour has too.
    QTest::newRow("violated: the limit that refused") << static_cast<int>(Reports::Violated) << "60";
    QTest::newRow("shortest: of all, also those that had room") << static_cast<int>(Reports::Shortest) << "10";
    QTest::newRow("longest: of all, also those that had room") << static_cast<int>(Reports::Longest) << "3600";
}

void TestModelLayers::reportsChoosesTheReset()
{
    QFETCH(int, reports);
    QFETCH(QString, expected);
    auto server = serverWith({calendarLimit("seconds", 9, 10s), calendarLimit("minute", 1, 60s), calendarLimit("hour", 9, 1h),
        limit("parallel", 9, {}, WindowKind::Concurrency), firstRequestLimit("unused", 1, 100h)});
    server.limits[4].keyHeader = "X-Key"; // the second request opens no window in it
    server.onLimit.reports = static_cast<Reports>(reports);
    Bench bench{server};
    bench.visit(0s);
    Request other;
    other.key = "k2";
    bench.visit(0s, other);
    QCOMPARE(bench.answer.violated, std::string_view{"minute"});
    QCOMPARE(bench.header("Retry-After"), expected.toStdString());
    QCOMPARE(bench.answer.due, std::optional{at(std::chrono::seconds{expected.toInt()})});
}

void TestModelLayers::theLimitWithTheLongestWaitAnswers()
{
    auto server = serverWith({calendarLimit("minute", 1, 60s), calendarLimit("hour", 1, 1h), calendarLimit("other hour", 1, 1h)});
    OnLimit own;
    own.status = 403;
    own.retryAfter = RetryAfterForm::Milliseconds;
    own.body = "the hour is over";
    server.limits[1].onLimit = own;
    Bench bench{server};
    bench.visit(0s);
    const auto &answer = bench.visit(30s);
    QCOMPARE(answer.violated, std::string_view{"hour"}); // as long as the other hour's, and first in the file
    QCOMPARE(answer.response.status, 403);
    QCOMPARE(answer.response.body, std::string{"the hour is over"});
    QCOMPARE(answer.bodySize, 16u);
    QCOMPARE(bench.header("retry-after-ms"), std::string{"3570000"});
    QCOMPARE(bench.header("Retry-After"), std::string{"-"});
}

void TestModelLayers::aConcurrencyLimitAnswersOnlyAlone()
{
    auto server = serverWith({limit("parallel", 1, {}, WindowKind::Concurrency), limit("sliding", 1, 10s, WindowKind::Sliding)});
    OnLimit own;
    own.status = 503;
    server.limits[0].onLimit = own;
    Bench bench{server};
    bench.ask(0s);
    bench.ask(1s);
    QCOMPARE(bench.answer.violated, std::string_view{"sliding"});
    QCOMPARE(bench.answer.response.status, 429);
    bench.ask(10s); // the first request is still there
    QCOMPARE(bench.answer.violated, std::string_view{"parallel"});
    QCOMPARE(bench.answer.response.status, 503);
    QCOMPARE(bench.header("Retry-After"), std::string{"-"});
    QVERIFY(!bench.answer.due);
}

void TestModelLayers::keysHaveWindowsOfTheirOwn()
{
    auto keyed = calendarLimit("minute", 1, 60s);
    keyed.keyHeader = "X-Api-Key";
    Bench bench{serverWith({keyed})};
    const Headers one{{"x-api-key", "k1"}}, two{{"X-API-KEY", "k2"}};
    Request request;
    request.headers = &one;
    QVERIFY(bench.visit(0s, request).admitted);
    QVERIFY(!bench.visit(1s, request).admitted);
    QCOMPARE(bench.model.windows()[0].key, std::string_view{"#1"});
    request.headers = &two;
    QVERIFY(bench.visit(2s, request).admitted);
    QCOMPARE(bench.model.windows()[0].key, std::string_view{"#2"});
    QVERIFY(!bench.visit(3s, request).admitted);
    QVERIFY(bench.visit(4s).admitted); // no key at all is a key, too
    QVERIFY(!bench.visit(5s).admitted);
    request.headers = &one;
    QVERIFY(bench.visit(60s, request).admitted);
}

void TestModelLayers::theTracesKeyStandsInForTheHeader()
{
    auto keyed = calendarLimit("minute", 1, 60s);
    keyed.keyHeader = "X-Api-Key";
    Bench bench{serverWith({keyed})};
    const Headers headers{{"X-Api-Key", "k1"}};
    Request request;
    request.key = "k1";
    QVERIFY(bench.visit(0s, request).admitted);
    request.key = "k2";
    QVERIFY(bench.visit(0s, request).admitted);
    request.headers = &headers;
    QVERIFY(!bench.visit(0s, request).admitted); // the header's k1, not the trace's
}

void TestModelLayers::usageBeforeTheStartIsEveryKeys()
{
    auto keyed = limit("sliding", 3, 60s, WindowKind::Sliding);
    keyed.keyHeader = "X-Api-Key";
    keyed.used = 2;
    Bench bench{serverWith({keyed})};
    for (const char *key : {"a", "b"}) {
        Request request;
        request.key = key;
        QVERIFY(bench.visit(30s, request).admitted);
        QVERIFY(!bench.visit(30s, request).admitted);
        QCOMPARE(bench.header("Retry-After"), std::string{"30"});
    }
    Request late;
    late.key = "c";
    QVERIFY(bench.visit(60s, late).admitted);
    QCOMPARE(bench.model.windows()[0].used, 1u);
}

void TestModelLayers::concurrencyIsReleasedForTheKeyThatTookIt()
{
    auto keyed = limit("parallel", 1, {}, WindowKind::Concurrency);
    keyed.keyHeader = "X-Api-Key";
    Bench bench{serverWith({keyed})};
    Request a, b;
    a.key = "a";
    b.key = "b";
    QVERIFY(bench.ask(0s, a).admitted);
    QVERIFY(bench.ask(0s, b).admitted);
    bench.model.finished(at(1s), a, bench.answer);
    QVERIFY(!bench.ask(1s, b).admitted);
    QVERIFY(bench.ask(1s, a).admitted);
}

void TestModelLayers::comingBackEarlyRestartsTheWindow_data()
{
    QTest::addColumn<Limit>("limit");
    QTest::addColumn<int>("seconds");
    // One request at 09:00:00 uses the quota up, one comes back at 45 s although it was told 60 s.
    QTest::newRow("a calendar minute runs from the early request") << calendarLimit("m", 1, 60s) << 60;
    QTest::newRow("a window of the first request, too") << firstRequestLimit("m", 1, 60s) << 60;
    QTest::newRow("a sliding window stamps everything anew") << limit("m", 1, 60s, WindowKind::Sliding) << 60;
    QTest::newRow("a bucket loses the three quarters that it had") << limit("m", 1, 60s, WindowKind::TokenBucket) << 60;
}

void TestModelLayers::comingBackEarlyRestartsTheWindow()
{
    QFETCH(Limit, limit);
    QFETCH(int, seconds);
    auto server = serverWith({limit});
    server.onLimit.earlyRetry = EarlyRetry::Extend;
    Bench bench{server};
    bench.visit(0s);
    Request early;
    early.due = at(60s);
    QVERIFY(!bench.ask(45s, early).admitted);
    QCOMPARE(bench.header("Retry-After"), std::to_string(seconds));
    QCOMPARE(bench.answer.due, std::optional{at(105s)});
    QVERIFY(bench.model.windows()[0].changed);
    QVERIFY(!bench.visit(105s - 1us).admitted);
    QVERIFY(bench.visit(105s).admitted);
}

void TestModelLayers::comingBackInTimeOrUntoldRestartsNothing()
{
    auto server = serverWith({calendarLimit("minute", 1, 60s)});
    server.onLimit.earlyRetry = EarlyRetry::Extend;
    Bench bench{server};
    bench.visit(0s);
    Request request;
    QVERIFY(!bench.visit(45s, request).admitted); // nobody had told it anything
    QCOMPARE(bench.header("Retry-After"), std::string{"15"});
    request.due = at(50s);
    QVERIFY(!bench.visit(50s, request).admitted); // due now is not early
    QCOMPARE(bench.header("Retry-After"), std::string{"10"});
    request.due = at(70s);
    QVERIFY(bench.visit(60s, request).admitted); // early, but not refused
    QVERIFY(!bench.visit(61s).admitted);
    QCOMPARE(bench.header("Retry-After"), std::string{"59"});
}

void TestModelLayers::aRestartNeverHandsOutALongDayTwice()
{
    // 2026-10-25 has 25 hours in Berlin, from 22:00 to 23:00 UTC. Restarted at its beginning, 24 h would end inside it.
    auto server = serverWith({civilLimit("day", 1, Period::Civil::Day, "Europe/Berlin")});
    server.onLimit.earlyRetry = EarlyRetry::Extend;
    Bench bench{server, "2026-10-24T22:00:00Z"};
    QVERIFY(bench.visit(0s).admitted);
    Request early;
    early.due = at(25h);
    QVERIFY(!bench.visit(10s, early).admitted);
    QCOMPARE(bench.answer.due, std::optional{at(25h)});
    QVERIFY(bench.visit(25h).admitted);
}

QTEST_APPLESS_MAIN(TestModelLayers)
#include "tst_model_layers.moc"
