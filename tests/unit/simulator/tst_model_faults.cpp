// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "model_support.h"

#include <cmath>

using namespace throttlescope;
using namespace throttlescope::test;

namespace {

constexpr double kJustUnderOne = 1 - 0x1p-53;

TimelineEntry outage(Duration from, Duration span, std::vector<FaultShare> faults, std::string server = "api")
{
    TimelineEntry entry;
    entry.at = from;
    entry.span = span;
    entry.server = std::move(server);
    entry.faults = std::move(faults);
    return entry;
}

const std::string kStart = "2026-06-02T09:00:00Z";

} // namespace

class TestModelFaults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneDrawIsHeldAgainstTheShares_data();
    void oneDrawIsHeldAgainstTheShares();
    void entriesThatOverlapAddInTheOrderOfTheFile();
    void theSpanIsHalfOpen();
    void otherServersAndBareLabelsDoNotMatter();
    void sharesThatSumToOneLeaveNoGap();
    void aFaultedRequestUsesNoQuota_data();
    void aFaultedRequestUsesNoQuota();
    void slowAndTruncateGoThroughTheLimits();
    void aTruncatedBodyBreaksWhereTheDrawSays();
    void aTimeoutOccupiesTheServerUntilItIsGivenUp();
    void refuseHoldsForTheWholeSpan();
};

void TestModelFaults::oneDrawIsHeldAgainstTheShares_data()
{
    QTest::addColumn<double>("drawn");
    QTest::addColumn<QString>("fault");
    // 503: 0.5, reset: 0.25, timeout: 0.125; all of them exact in binary.
    QTest::newRow("0 is the first fault") << 0.0 << "503";
    QTest::newRow("just under a half is the first fault") << std::nextafter(0.5, 0.0) << "503";
    QTest::newRow("a half is the second") << 0.5 << "reset";
    QTest::newRow("three quarters are the third") << 0.75 << "timeout";
    QTest::newRow("just under seven eighths is the third") << std::nextafter(0.875, 0.0) << "timeout";
    QTest::newRow("seven eighths are no fault") << 0.875 << "";
    QTest::newRow("just under 1 is no fault") << kJustUnderOne << "";
}

void TestModelFaults::oneDrawIsHeldAgainstTheShares()
{
    QFETCH(double, drawn);
    QFETCH(QString, fault);
    Bench bench{serverWith({}), kStart,
        {outage(0s, 1s, {{FaultKind::Status, 503, 0.5}, {FaultKind::Reset, 0, 0.25}, {FaultKind::Timeout, 0, 0.125}})}};
    bench.draw.values[Stream::NetworkFault] = drawn;
    QCOMPARE(bench.visit(0s).fault, std::string_view{fault.toStdString()});
    QCOMPARE(bench.draw.asked[Stream::NetworkFault], 1);
    QCOMPARE(bench.answer.executed, fault.isEmpty());
}

void TestModelFaults::entriesThatOverlapAddInTheOrderOfTheFile()
{
    // The one that begins later stands first in the file.
    Bench bench{
        serverWith({}), kStart, {outage(10s, 10s, {{FaultKind::Reset, 0, 0.5}}), outage(0s, 20s, {{FaultKind::Status, 500, 0.25}})}};
    const auto faultAt = [&](Duration when, double drawn) {
        bench.draw.values[Stream::NetworkFault] = drawn;
        return std::string{bench.visit(when).fault};
    };
    QCOMPARE(faultAt(5s, 0.2), std::string{"500"});
    QCOMPARE(faultAt(5s, 0.25), std::string{});
    QCOMPARE(faultAt(10s, 0.2), std::string{"reset"});
    QCOMPARE(faultAt(10s, 0.5), std::string{"500"});
    QCOMPARE(faultAt(10s, 0.75), std::string{});
    QCOMPARE(faultAt(20s, 0.2), std::string{});
}

void TestModelFaults::theSpanIsHalfOpen()
{
    Bench bench{serverWith({}), kStart, {outage(10s, 5s, {{FaultKind::Status, 503, 1}})}};
    QCOMPARE(bench.visit(10s - 1us).response.status, 200);
    QCOMPARE(bench.draw.asked[Stream::NetworkFault], 0);
    QCOMPARE(bench.visit(10s).response.status, 503);
    QCOMPARE(bench.answer.bodySize, 0u);
    QVERIFY(!bench.answer.executed && !bench.answer.admitted);
    QCOMPARE(bench.header("Date"), std::string{"Tue, 02 Jun 2026 09:00:10 GMT"});
    QCOMPARE(bench.visit(15s - 1us).response.status, 503);
    QCOMPARE(bench.visit(15s).response.status, 200);
    QVERIFY(bench.answer.fault.empty());
}

void TestModelFaults::otherServersAndBareLabelsDoNotMatter()
{
    auto label = outage(0s, 10s, {});
    label.label = "deploy";
    auto instant = outage(0s, 0s, {{FaultKind::Status, 503, 1}});
    instant.span.reset();
    Bench bench{serverWith({}), kStart, {label, instant, outage(0s, 10s, {{FaultKind::Status, 503, 1}}, "other")}};
    QCOMPARE(bench.visit(0s).response.status, 200);
    QCOMPARE(bench.draw.asked[Stream::NetworkFault], 0);
}

void TestModelFaults::sharesThatSumToOneLeaveNoGap()
{
    // 0.7 + 0.2 + 0.1 is 0.9999999999999999 in binary, which is the largest draw there is.
    Bench bench{serverWith({}), kStart,
        {outage(0s, 1s, {{FaultKind::Status, 500, 0.7}, {FaultKind::Status, 502, 0.2}, {FaultKind::Status, 503, 0.1}})}};
    bench.draw.values[Stream::NetworkFault] = kJustUnderOne;
    QCOMPARE(bench.visit(0s).response.status, 503);
}

void TestModelFaults::aFaultedRequestUsesNoQuota_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("answer");
    const auto row = [](const char *name, FaultKind kind, AnswerKind answer) {
        QTest::newRow(name) << static_cast<int>(kind) << static_cast<int>(answer);
    };
    row("a status answers before the limits", FaultKind::Status, AnswerKind::Respond);
    row("a reset", FaultKind::Reset, AnswerKind::Reset);
    row("a timeout", FaultKind::Timeout, AnswerKind::Timeout);
    row("a refused connection", FaultKind::Refuse, AnswerKind::Refuse);
}

void TestModelFaults::aFaultedRequestUsesNoQuota()
{
    QFETCH(int, kind);
    QFETCH(int, answer);
    Bench bench{serverWith({calendarLimit("minute", 1, 60s), limit("parallel", 1, {}, WindowKind::Concurrency)}), kStart,
        {outage(0s, 10s, {{static_cast<FaultKind>(kind), 500, 1}})}};
    for (int i = 0; i < 5; ++i) {
        QCOMPARE(static_cast<int>(bench.ask(0s).kind), answer);
        QVERIFY(!bench.answer.admitted && !bench.answer.executed);
    }
    QCOMPARE(bench.model.windows()[0].used, 0u);
    QCOMPARE(bench.model.windows()[1].used, 0u);
    QVERIFY(bench.ask(10s).admitted);
}

void TestModelFaults::slowAndTruncateGoThroughTheLimits()
{
    auto server = serverWith({calendarLimit("minute", 1, 60s)});
    server.latency.kind = FixedLatency{100ms};
    Bench bench{server, kStart, {outage(0s, 60s, {{FaultKind::Slow, 0, 1}}), outage(60s, 60s, {{FaultKind::Truncate, 0, 1}})}};
    QCOMPARE(bench.visit(0s).serverTime, Duration{10s + 100ms});
    QVERIFY(bench.answer.admitted && bench.answer.executed);
    QCOMPARE(bench.answer.fault, std::string_view{"slow"});
    QCOMPARE(bench.visit(1s).response.status, 429); // slow as well
    QCOMPARE(bench.answer.serverTime, Duration{10s + 100ms});
    QCOMPARE(bench.visit(60s).response.status, 200);
    QVERIFY(bench.answer.admitted && bench.answer.executed && !bench.answer.response.bodyComplete);
    QCOMPARE(bench.answer.fault, std::string_view{"truncate"});
    QCOMPARE(bench.visit(61s).response.status, 429); // there is no success to cut off
    QVERIFY(bench.answer.response.bodyComplete);
    QVERIFY(bench.answer.fault.empty());
}

void TestModelFaults::aTruncatedBodyBreaksWhereTheDrawSays()
{
    Bench bench{serverWith({}), kStart, {outage(0s, 60s, {{FaultKind::Truncate, 0, 1}})}};
    bench.draw.values[Stream::BreakAt] = 0.5;
    bench.visit(0s);
    QVERIFY(bench.answer.bodySize > 0);
    QCOMPARE(bench.answer.bytesBeforeBreak, bench.answer.bodySize / 2);
    bench.draw.values[Stream::BreakAt] = 0;
    QCOMPARE(bench.visit(0s).bytesBeforeBreak, 0u);
    bench.draw.values[Stream::BreakAt] = kJustUnderOne;
    QCOMPARE(bench.visit(0s).bytesBeforeBreak, bench.answer.bodySize - 1);
    QVERIFY(!bench.answer.response.bodyComplete);
}

void TestModelFaults::aTimeoutOccupiesTheServerUntilItIsGivenUp()
{
    auto server = serverWith({});
    server.latency = {FixedLatency{100ms}, 10ms};
    Bench bench{server, kStart, {outage(0s, 1s, {{FaultKind::Timeout, 0, 1}})}};
    const auto timedOut = bench.ask(0s);
    QCOMPARE(bench.visit(1s).serverTime, Duration{110ms});
    bench.model.finished(at(2s), {}, timedOut);
    QCOMPARE(bench.model.inFlight(), 0);
    QCOMPARE(bench.visit(2s).serverTime, Duration{100ms});
}

void TestModelFaults::refuseHoldsForTheWholeSpan()
{
    Bench bench{serverWith({}), kStart, {outage(0s, 20s, {{FaultKind::Refuse, 0, 1}})}};
    for (const double drawn : {0.0, 0.5, kJustUnderOne}) {
        bench.draw.values[Stream::NetworkFault] = drawn;
        QCOMPARE(bench.visit(10s).kind, AnswerKind::Refuse);
        QCOMPARE(bench.answer.fault, std::string_view{"refuse"});
        QCOMPARE(bench.model.inFlight(), 0);
    }
}

QTEST_APPLESS_MAIN(TestModelFaults)
#include "tst_model_faults.moc"
