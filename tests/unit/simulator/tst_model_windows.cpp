// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "model_support.h"

using namespace throttlescope;
using namespace throttlescope::test;

namespace {

/// A request at a moment, and what must become of it.
struct Step {
    Duration at;
    bool admitted;
    std::string retryAfter = "-";
    std::uint64_t units = 1;
};
using Steps = std::vector<Step>;

Limit withUsed(Limit made, std::uint64_t used)
{
    made.used = used;
    return made;
}

Limit inUnits(Limit made)
{
    made.unit = Unit::Units;
    return made;
}

Limit withBurst(Limit made, std::uint64_t burst)
{
    made.burst = burst;
    return made;
}

} // namespace

class TestModelWindows : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void admitsExactlyTheQuota_data();
    void admitsExactlyTheQuota();
    void concurrencyCountsWhatHasNotFinished();
    void readingsTellUsageAndWindow();
    void readingsOfSlidingAndBucket();
    void theBucketLosesNoFraction();
    void anUnlimitedServerAlwaysAnswers();
    void keysBeyondTheBoundShareAWindowUntilThereIsRoom();
    void aLongKeyIsTheSameKey();
};

void TestModelWindows::admitsExactlyTheQuota_data()
{
    QTest::addColumn<Limit>("limit");
    QTest::addColumn<QString>("start");
    QTest::addColumn<Steps>("steps");
    const QString nine = "2026-06-02T09:00:00Z";

    const auto minute = calendarLimit("minute", 2, 60s);
    QTest::newRow("a calendar minute ends with the minute, to the microsecond")
        << minute << QString{"2026-06-02T09:00:12Z"}
        << Steps{{0s, true}, {1s, true}, {2s, false, "46"}, {48s - 1us, false, "1"}, {48s, true}, {49s, true}, {50s, false, "58"}};
    QTest::newRow("arrivals at one moment share the window")
        << minute << nine << Steps{{0s, true}, {0s, true}, {0s, false, "60"}, {60s, true}, {60s, true}, {60s, false, "60"}};
    QTest::newRow("usage before the start belongs to the window that holds the start") << withUsed(
        minute, 1) << QString{"2026-06-02T09:00:12Z"} << Steps{{0s, true}, {0s, false, "48"}, {48s, true}, {48s, true}, {48s, false, "60"}};
    QTest::newRow("units are counted, and a smaller request may still fit")
        << inUnits(calendarLimit("m", 100, 60s)) << nine
        << Steps{{0s, true, "-", 60}, {1s, false, "59", 41}, {2s, true, "-", 40}, {3s, false, "57", 1}};
    QTest::newRow("a request above the quota waits for the window's end, for ever")
        << inUnits(calendarLimit("m", 100, 60s)) << nine << Steps{{0s, false, "60", 101}, {60s, false, "60", 101}, {61s, true, "-", 100}};

    const auto first = firstRequestLimit("first", 2, 60s);
    QTest::newRow("a window opens with its first request")
        << first << nine << Steps{{7s, true}, {66s, true}, {67s - 1us, false, "1"}, {67s, true}, {68s, true}, {69s, false, "58"}};
    QTest::newRow("an outlived window opens again with the next request, not on a grid")
        << first << nine << Steps{{0s, true}, {100s, true}, {159s, true}, {160s - 1us, false, "1"}, {160s, true}};
    QTest::newRow("usage before the start opens the window at the start")
        << withUsed(first, 2) << nine << Steps{{10s, false, "50"}, {60s, true}};
    QTest::newRow("a request above the quota is told 0 where no window is open") << inUnits(first) << nine << Steps{{0s, false, "0", 3}};

    const auto sliding = limit("sliding", 2, 60s, WindowKind::Sliding);
    QTest::newRow("a sliding window gives each request back after its own minute")
        << sliding << nine
        << Steps{{0s, true}, {30s, true}, {59s, false, "1"}, {60s - 1us, false, "1"}, {60s, true}, {61s, false, "29"}, {90s, true},
               {90s, false, "30"}};
    QTest::newRow("usage before the start leaves a sliding window at once")
        << withUsed(sliding, 2) << nine << Steps{{10s, false, "50"}, {60s, true}, {60s, true}, {60s, false, "60"}};
    QTest::newRow("the hint waits until enough of the oldest units have left")
        << inUnits(limit("s", 100, 60s, WindowKind::Sliding)) << nine
        << Steps{{0s, true, "-", 40}, {10s, true, "-", 30}, {20s, true, "-", 30}, {25s, false, "35", 40}, {25s, false, "45", 41},
               {25s, false, "55", 71}, {60s, true, "-", 40}};
    QTest::newRow("a request above a sliding quota is told when the window is empty")
        << inUnits(limit("s", 100, 60s, WindowKind::Sliding)) << nine
        << Steps{{0s, true, "-", 40}, {10s, true, "-", 10}, {20s, false, "50", 101}, {70s, false, "0", 101}};

    const auto bucket = withBurst(limit("bucket", 10, 1s, WindowKind::TokenBucket), 2);
    QTest::newRow("a bucket starts full and gains a token every tenth of a second")
        << bucket << nine
        << Steps{{0s, true}, {0s, true}, {0s, false, "1"}, {100ms - 1us, false, "1"}, {100ms, true}, {199ms, false, "1"}, {200ms, true}};
    QTest::newRow("a bucket never holds more than its burst") << bucket << nine << Steps{{60s, true}, {60s, true}, {60s, false, "1"}};
    QTest::newRow("a bucket starts with what its usage left") << withUsed(limit("b", 3, 60s, WindowKind::TokenBucket), 2) << nine
                                                              << Steps{{0s, true}, {0s, false, "20"}, {20s - 1us, false, "1"}, {20s, true}};
    QTest::newRow("thirds of a microsecond round up to the next one")
        << limit("b", 3, 1s, WindowKind::TokenBucket) << nine
        << Steps{{0s, true}, {0s, true}, {0s, true}, {333333us, false, "1"}, {333334us, true}, {666666us, false, "1"}, {666667us, true}};
    QTest::newRow("a request above the burst is told when the bucket is full") << inUnits(
        limit("b", 10, 10s, WindowKind::TokenBucket)) << nine << Steps{{0s, true, "-", 4}, {0s, false, "4", 11}, {4s, false, "0", 11}};
}

void TestModelWindows::admitsExactlyTheQuota()
{
    QFETCH(Limit, limit);
    QFETCH(QString, start);
    QFETCH(Steps, steps);
    Bench bench{serverWith({limit}), start.toStdString()};
    int number = 0;
    for (const auto &step : steps) {
        Request request;
        request.units = step.units;
        const auto &answer = bench.visit(step.at, request);
        const auto where = QByteArray{"step "} + QByteArray::number(++number);
        QVERIFY2(answer.admitted == step.admitted, where);
        QCOMPARE(answer.response.status, step.admitted ? 200 : 429);
        QCOMPARE(answer.executed, step.admitted);
        QVERIFY2(bench.header("Retry-After") == step.retryAfter, where + ": " + bench.header("Retry-After").c_str());
        QCOMPARE(answer.violated, step.admitted ? std::string_view{} : std::string_view{limit.name});
        QCOMPARE(answer.due.has_value(), !step.admitted);
    }
}

void TestModelWindows::concurrencyCountsWhatHasNotFinished()
{
    Bench bench{serverWith({limit("parallel", 2, {}, WindowKind::Concurrency)})};
    const Request request;
    QVERIFY(bench.ask(0s).admitted);
    const auto first = bench.answer;
    QVERIFY(bench.ask(0s).admitted);
    QVERIFY(!bench.ask(1s).admitted);
    QCOMPARE(bench.header("Retry-After"), std::string{"-"});
    QVERIFY(!bench.answer.due);
    QCOMPARE(bench.model.inFlight(), 3); // the refusal is on its way out, too
    bench.model.finished(at(1s), request, bench.answer);
    QVERIFY(!bench.ask(2s).admitted); // a refused request that leaves frees nothing
    bench.model.finished(at(2s), request, bench.answer);
    bench.model.finished(at(3s), request, first);
    QCOMPARE(bench.model.inFlight(), 1);
    QCOMPARE(bench.model.windows().front().used, 1u);
    QVERIFY(bench.model.windows().front().changed);
    QVERIFY(bench.ask(3s).admitted);
    QVERIFY(!bench.ask(3s).admitted);
}

void TestModelWindows::readingsTellUsageAndWindow()
{
    Bench bench{serverWith({calendarLimit("minute", 5, 60s), firstRequestLimit("first", 2, 10s)}), "2026-06-02T09:00:12Z"};
    const auto before = bench.model.windows();
    QCOMPARE(before[0].begins, std::optional{at(-12s)});
    QCOMPARE(before[0].resets, std::optional{at(48s)});
    QVERIFY(!before[1].begins && !before[1].resets);
    bench.visit(3s);
    bench.ask(4s);
    auto windows = bench.model.windows();
    QCOMPARE(windows[0].limit, std::string_view{"minute"});
    QCOMPARE(windows[0].used, 2u);
    QCOMPARE(windows[0].quota, 5u);
    QVERIFY(windows[0].changed);
    QCOMPARE(windows[1].begins, std::optional{at(3s)});
    QCOMPARE(windows[1].resets, std::optional{at(13s)});
    bench.ask(5s); // refused: nothing is used
    windows = bench.model.windows();
    QCOMPARE(windows[0].used, 2u);
    QVERIFY(!windows[0].changed);
    bench.ask(48s);
    QCOMPARE(bench.model.windows()[0].used, 1u);
    QCOMPARE(bench.model.windows()[0].begins, std::optional{at(48s)});
}

void TestModelWindows::readingsOfSlidingAndBucket()
{
    Bench bench{
        serverWith({limit("sliding", 5, 60s, WindowKind::Sliding), withBurst(limit("bucket", 10, 1s, WindowKind::TokenBucket), 20)})};
    QVERIFY(!bench.model.windows()[0].resets && !bench.model.windows()[1].resets);
    bench.visit(1s);
    bench.visit(2s);
    auto windows = bench.model.windows();
    QCOMPARE(windows[0].used, 2u);
    QCOMPARE(windows[0].resets, std::optional{at(61s)}); // when the oldest leaves
    QVERIFY(!windows[0].begins);
    QCOMPARE(windows[1].used, 1u); // the first token came back in between
    QCOMPARE(windows[1].quota, 20u);
    QCOMPARE(windows[1].resets, std::optional{at(2s + 100ms)}); // when it is full again
    bench.visit(2s + 50ms);
    QCOMPARE(bench.model.windows()[1].used, 2u); // a token and a half are missing
    QCOMPARE(bench.model.windows()[1].resets, std::optional{at(2s + 200ms)});
}

void TestModelWindows::theBucketLosesNoFraction()
{
#ifdef THROTTLESCOPE_SANITIZED
    constexpr Duration per = 100ms; // instrumented code takes some twenty times as long
#else
    constexpr Duration per = 1s;
#endif
    // 7 tokens in `per`, asked every microsecond for twice as long: 7 at once and 14 more, the last exactly at the end.
    Bench bench{serverWith({limit("bucket", 7, per, WindowKind::TokenBucket)})};
    int admitted = 0;
    for (Duration t{}; t < 2 * per; t += 1us)
        admitted += bench.visit(t).admitted ? 1 : 0;
    QCOMPARE(admitted, 7 + 13);
    QVERIFY(bench.visit(2 * per).admitted);
    QVERIFY(!bench.visit(2 * per).admitted);
}

void TestModelWindows::anUnlimitedServerAlwaysAnswers()
{
    Bench bench{serverWith({})};
    for (int i = 0; i < 100; ++i)
        QVERIFY(bench.ask(0s).admitted);
    QCOMPARE(bench.model.inFlight(), 100);
    QVERIFY(bench.model.windows().empty());
}

void TestModelWindows::keysBeyondTheBoundShareAWindowUntilThereIsRoom()
{
    Limit keyed = firstRequestLimit("each", 1, 60s);
    keyed.keyHeader = "X-Key";
    Bench bench{serverWith({keyed})};
    const auto ask = [&bench](Duration when, const std::string &key) {
        const Headers headers{{"X-Key", key}};
        return bench.visit(when, {.headers = &headers}).admitted;
    };
    constexpr int most = 100'000;
    for (int i = 0; i < most; ++i)
        QVERIFY(ask(0s, std::to_string(i)));
    QVERIFY(!ask(0s, "7"));
    QCOMPARE(bench.model.windows().front().key, std::string_view{"#8"});
    QVERIFY(ask(1s, "one more"));
    QCOMPARE(bench.model.windows().front().key, std::string_view{"#more"});
    QVERIFY(!ask(2s, "and another"));
    QVERIFY(ask(61s, "and another")); // nothing is left of the others
    QCOMPARE(bench.model.windows().front().key, std::string_view{"#100001"});
    QVERIFY(ask(61s, "one more"));
}

void TestModelWindows::aLongKeyIsTheSameKey()
{
    Limit keyed = firstRequestLimit("each", 1, 60s);
    keyed.keyHeader = "X-Key";
    Bench bench{serverWith({keyed})};
    const std::string tail(60'000, 'k');
    for (const std::string &key : {tail + 'a', tail + 'b'}) {
        const Headers headers{{"X-Key", key}};
        QVERIFY(bench.visit(0s, {.headers = &headers}).admitted);
        QVERIFY(!bench.visit(0s, {.headers = &headers}).admitted);
    }
}

QTEST_APPLESS_MAIN(TestModelWindows)
#include "tst_model_windows.moc"
