// SPDX-License-Identifier: Apache-2.0
#include "core/engine/operation.h"
#include "core/engine/time.h"
#include "core/engine/words.h"

#include <QTest>

#include <limits>
#include <set>

using namespace throttlescope;

class TestWords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refusalReasonsAreTheClosedList();
    void wordsAreThoseOfTheDesign();
    void durationsReadBack_data();
    void durationsReadBack();
    void sumsSaturate();
    void realNumbersRoundAndSaturate();
    void theMessageNamesStatusAndRetryAfter();
};

void TestWords::refusalReasonsAreTheClosedList()
{
    const std::vector<std::string_view> words{"retry_off", "not_replayable", "not_selected", "streaming_started", "attempts_exhausted",
        "extraction_failed", "zero_hint", "no_hint", "hints_exhausted", "window_exhausted", "wait_exceeded", "deadline", "budget",
        "breaker_open", "body_not_replayable", "queue_full", "units_too_large"};
    for (const std::string_view text : words) {
        const auto reason = refusalReason(text);
        QVERIFY(reason);
        QVERIFY(word(*reason) == text);
    }
    QVERIFY(!refusalReason(""));
    QVERIFY(!refusalReason("Budget"));
    QVERIFY(word(RefusalReason::WaitExceeded) == "wait_exceeded");
    QVERIFY(word(RefusalReason::UnitsTooLarge) == "units_too_large");
}

void TestWords::wordsAreThoseOfTheDesign()
{
    QVERIFY(word(Family::RateLimited) == "rate_limited");
    QVERIFY(word(Family::Interrupted) == "interrupted");
    QVERIFY(word(Result::Succeeded) == "succeeded");
    QVERIFY(word(Result::Rejected) == "rejected");
    QVERIFY(word(Result::Unfinished) == "unfinished");
    QVERIFY(word(DelaySource::Provider) == "provider");
    QVERIFY(word(DelaySource::Backoff) == "backoff");
    QVERIFY(word(ReplayRule::Limited) == "limited");
    QVERIFY(word(OperationClass::Probe) == "probe");
    QVERIFY(word(WindowSpan::Month) == "month");
}

void TestWords::durationsReadBack_data()
{
    QTest::addColumn<qint64>("microseconds");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char *name, Duration value, const char *text) {
        QTest::newRow(name) << static_cast<qint64>(value.count()) << QString{text};
    };
    row("nothing", 0s, "0s");
    row("microseconds", 250us, "250us");
    row("milliseconds", 250ms, "250ms");
    row("milliseconds with a rest", 1500us, "1500us");
    row("seconds", 47s, "47s");
    row("a microsecond over a minute", 60'000'001us, "60.000001s");
    row("a minute and a half stays in seconds", 90s, "90s");
    row("two minutes", 2min, "2m");
    row("minutes and seconds", 150s, "2m30s");
    row("a day", 24h, "24h");
    row("all three", 3661s + 500ms, "1h1m1.5s");
    row("without end", kMaxDuration, "unbounded");
    row("negative", -1500ms, "-1.5s");
}

void TestWords::durationsReadBack()
{
    QFETCH(qint64, microseconds);
    QFETCH(QString, expected);
    QCOMPARE(QString::fromStdString(durationText(Duration{microseconds})), expected);
}

void TestWords::sumsSaturate()
{
    QVERIFY(saturatingAdd(kMaxDuration, Duration{1us}) == kMaxDuration);
    QVERIFY(saturatingAdd(Duration::min(), Duration{-1us}) == Duration::min());
    QVERIFY(saturatingAdd(kMaxDuration, Duration::min()) == Duration{-1});
    QVERIFY(saturatingAdd(MonotonicTime{Duration{1s}}, kMaxDuration) == kNever);
    QVERIFY(saturatingMultiply(Duration{1s}, std::numeric_limits<std::int64_t>::max()) == kMaxDuration);
    QVERIFY(saturatingMultiply(Duration{-1s}, std::numeric_limits<std::int64_t>::max()) == Duration::min());
}

void TestWords::realNumbersRoundAndSaturate()
{
    QVERIFY(durationFromSeconds(9223372037.0 * 1e6) == kMaxDuration);
    QVERIFY(durationFromSeconds(-1e300) == Duration::min());
    QVERIFY(durationFromSeconds(std::numeric_limits<double>::infinity()) == kMaxDuration);
    QVERIFY(durationFromSeconds(std::numeric_limits<double>::quiet_NaN()) == Duration::zero());
    QVERIFY(durationFromSeconds(0.503) == Duration{503ms});
    QVERIFY(durationFromMicroseconds(1.5) == Duration{2us});
    QVERIFY(durationFromMicroseconds(-1.5) == Duration{-2us});
}

void TestWords::theMessageNamesStatusAndRetryAfter()
{
    Summary summary;
    summary.result = Result::Failed;
    summary.reason = RefusalReason::WaitExceeded;
    summary.status = 429;
    summary.retryAfter = "3600";
    QCOMPARE(QString::fromStdString(errorMessage(summary)), QString{"failed: 429, Retry-After: 3600 (wait_exceeded)"});
    summary.result = Result::Succeeded;
    QVERIFY(errorMessage(summary).empty());
}

QTEST_APPLESS_MAIN(TestWords)
#include "tst_words.moc"
