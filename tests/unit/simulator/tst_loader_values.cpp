// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/text_values.h"

#include <QTest>

#include <cmath>

using namespace throttlescope;

/// The spellings of single values.
class TestLoaderValues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void durations_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qint64>("microseconds"); // -1: an error
        const auto row
            = [](const char *text, qint64 microseconds) { QTest::newRow(*text ? text : "nothing") << QByteArray{text} << microseconds; };
        row("250ms", 250'000);
        row("31s", 31'000'000);
        row("1m30s", 90'000'000);
        row("2min", 120'000'000);
        row("24h", 86'400'000'000);
        row("1d", 86'400'000'000);
        row("1d2h3m4s5ms6us", 93'784'005'006);
        row("60.000001s", 60'000'001);
        row("250us", 250);
        row("1.5h", 5'400'000'000);
        row("0.1ms", 100);
        row("0s", 0);
        row("+3s", 3'000'000);
        row("1.50000000000000000000s", 1'500'000);
        row("", -1);
        row("30", -1);
        row("s", -1);
        row(".5s", -1);
        row("5.s", -1);
        row("1.2.3s", -1);
        row("1 s", -1);
        row("1S", -1);
        row("1e3s", -1);
        row("inf", -1);
        row("nan", -1);
        row("0x10s", -1);
        row("1s1m", -1);
        row("1s1s", -1);
        row("1m1min", -1);
        row("0.1us", -1);
        row("1.0000001s", -1);
        row("9223372036854775807us", 9'223'372'036'854'775'807);
        row("9223372036854775808us", -1);
        row("9223372036854775807s", -1);
        row("--1s", -1);
        row("1s-1ms", -1);
    }
    void durations()
    {
        QFETCH(QByteArray, text);
        QFETCH(qint64, microseconds);
        const auto parsed = parseDuration(text.toStdString());
        QCOMPARE(parsed ? qint64{parsed->count()} : -1, microseconds);
        QVERIFY(parsed || QByteArray::fromStdString(parsed.error()).contains("expected"));
    }

    void aNegativeDurationKeepsItsSign() { QCOMPARE(parseDuration("-1.5s")->count(), -1'500'000); }

    void rates_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<double>("count"); // 0: an error
        QTest::addColumn<qint64>("per");
        const auto row = [](const char *text, double count, qint64 per) { QTest::newRow(text) << QByteArray{text} << count << per; };
        row("2/s", 2, 1'000'000);
        row("2", 2, 1'000'000);
        row("0.5/s", 0.5, 1'000'000);
        row("20/min", 20, 60'000'000);
        row("20/m", 20, 60'000'000);
        row("100/h", 100, 3'600'000'000);
        row("1/500ms", 1, 500'000);
        row("0/s", 0, 0);
        row("-1/s", 0, 0);
        row("2/", 0, 0);
        row("/s", 0, 0);
        row("2/0s", 0, 0);
        row("2/-1s", 0, 0);
        row("2 /s", 0, 0);
        row("nan/s", 0, 0);
        row("2/s/s", 0, 0);
    }
    void rates()
    {
        QFETCH(QByteArray, text);
        QFETCH(double, count);
        QFETCH(qint64, per);
        const auto parsed = parseRate(text.toStdString());
        QCOMPARE(parsed ? parsed->count : 0, count);
        QCOMPARE(parsed ? qint64{parsed->per.count()} : 0, per);
    }

    void otherValues()
    {
        QCOMPARE(*parsePercent("70%"), 0.7);
        QCOMPARE(*parsePercent("0.5%"), 0.005);
        QVERIFY(!parsePercent("70") && !parsePercent("-1%") && !parsePercent("%") && !parsePercent("7%%"));
        QCOMPARE(*parseSize("4kB"), std::uint64_t{4000});
        QCOMPARE(*parseSize("1MiB"), std::uint64_t{1 << 20});
        QCOMPARE(*parseSize("512"), std::uint64_t{512});
        QVERIFY(!parseSize("4KB") && !parseSize("-1B") && !parseSize("99999999999MB"));
        QVERIFY(parsePeriod("1d")->civil == Period::Civil::Day && parsePeriod("1mo")->civil == Period::Civil::Month);
        QVERIFY(parsePeriod("24h")->civil == Period::Civil::None);
        QVERIFY(!parsePeriod("0s") && !parsePeriod("2mo"));
        QVERIFY(!parseNumber("inf") && !parseNumber("nan") && !parseNumber("1e999") && !parseNumber("") && !parseNumber("0x10"));
        QCOMPARE(*parseNumber("1.5e3"), 1500.0);
        QVERIFY(!parseInteger("1.0") && !parseInteger("9223372036854775808") && !parseInteger("1_000"));
    }

    void moments()
    {
        const auto seconds = [](const char *text) { return std::chrono::duration<double>(parseRfc3339(text)->time_since_epoch()).count(); };
        QCOMPARE(seconds("1970-01-01T00:00:00Z"), 0.0);
        QCOMPARE(seconds("2026-06-02T09:00:12Z"), 1780390812.0); // date -u -d 2026-06-02T09:00:12Z +%s
        QCOMPARE(seconds("2026-06-02T11:00:12+02:00"), 1780390812.0);
        QCOMPARE(seconds("2026-06-02T05:30:12.25-03:30"), 1780390812.25);
        for (const char *text :
            {"2026-02-29T00:00:00Z", "2026-06-02T24:00:00Z", "2026-06-02T09:00:12", "2026-06-02", "2026-06-02T09:00:12.Z",
                "2026-06-02T09:00:12+2:00", "2026-06-02T09:00:12Zz", "-026-06-02T09:00:12Z", "2026-6-02T09:00:12Z"})
            QVERIFY2(!parseRfc3339(text), text);
    }

    void whatIsWrittenReadsBack()
    {
        for (const Rate &rate : {Rate{2, 1s}, Rate{20, 1min}, Rate{0.1, 1h}, Rate{1, 500ms}, Rate{1.0 / 3, 1s}})
            QVERIFY(*parseRate(rateText(rate)) == rate);
        for (const double share : {0.0, 0.07, 0.25, 0.3, 0.333, 1.0})
            QVERIFY(std::abs(*parsePercent(percentText(share)) - share) < 1e-12);
        for (const Period &period : {Period{1min, Period::Civil::None}, Period{24h, Period::Civil::None}, Period{24h, Period::Civil::Day}})
            QVERIFY(*parsePeriod(periodText(period)) == period);
    }
};

QTEST_GUILESS_MAIN(TestLoaderValues)
#include "tst_loader_values.moc"
