// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "model_support.h"
#include "simulator/model/calendar.h"

#include <cstdlib>
#include <ctime>

using namespace throttlescope;
using namespace throttlescope::test;

namespace {

constexpr auto kNone = Period::Civil::None;
constexpr auto kDay = Period::Civil::Day;
constexpr auto kMonth = Period::Civil::Month;

} // namespace

Q_DECLARE_METATYPE(Period::Civil)

/// Facts from tzdata, in UTC: Europe/Berlin jumps from 02:00 to 03:00 at 2026-03-29T01:00Z (CET is +1, CEST +2) and
/// back from 03:00 to 02:00 at 2026-10-25T01:00Z. America/Sao_Paulo jumped over midnight at 2018-11-04T03:00Z.
/// America/Havana goes back from 01:00 to 00:00 at 2024-11-03T05:00Z. Australia/Lord_Howe goes back half an hour, from
/// 02:00 to 01:30, at 2026-04-04T15:00Z. Pacific/Apia had no 2011-12-30: the 29th ended at 2011-12-30T10:00Z.
class TestModelCalendar : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theWindowThatHoldsAMoment_data();
    void theWindowThatHoldsAMoment();
    void windowsFollowEachOtherWithoutGap_data();
    void windowsFollowEachOtherWithoutGap();
    void aDayQuotaIsLocal();
    void theProcessTimeZoneDoesNotMatter();
    void theServersOwnClockDecides();
    void anUnknownZoneIsAnError();
};

void TestModelCalendar::theWindowThatHoldsAMoment_data()
{
    QTest::addColumn<QString>("zone");
    QTest::addColumn<Period::Civil>("civil");
    QTest::addColumn<int>("minutes");
    QTest::addColumn<QString>("moment");
    QTest::addColumn<QString>("begin");
    QTest::addColumn<QString>("end");
    const auto row
        = [](const char *name, const char *zone, Period::Civil civil, int minutes, const char *moment, const char *begin, const char *end) {
              QTest::newRow(name) << QString{zone} << civil << minutes << QString{moment} << QString{begin} << QString{end};
          };
    row("no zone means UTC", "", kDay, 1440, "2026-06-02T09:00:12Z", "2026-06-02T00:00:00Z", "2026-06-03T00:00:00Z");
    row("a moment on the boundary opens the window", "", kNone, 1, "2026-06-02T09:01:00Z", "2026-06-02T09:01:00Z", "2026-06-02T09:02:00Z");
    row("a minute before 1970 is found, too", "", kNone, 1, "1969-12-31T23:59:30Z", "1969-12-31T23:59:00Z", "1970-01-01T00:00:00Z");
    row("a summer day in Berlin begins at 22:00 UTC", "Europe/Berlin", kDay, 1440, "2026-06-02T09:00:12Z", "2026-06-01T22:00:00Z",
        "2026-06-02T22:00:00Z");
    row("the spring day has 23 hours", "Europe/Berlin", kDay, 1440, "2026-03-29T12:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z");
    row("the autumn day has 25 hours", "Europe/Berlin", kDay, 1440, "2026-10-25T12:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z");
    row("the last second of the autumn day", "Europe/Berlin", kDay, 1440, "2026-10-25T22:59:59Z", "2026-10-24T22:00:00Z",
        "2026-10-25T23:00:00Z");
    row("24h on the calendar are local midnights as well", "Europe/Berlin", kNone, 1440, "2026-10-25T12:00:00Z", "2026-10-24T22:00:00Z",
        "2026-10-25T23:00:00Z");
    row("a month begins in winter time and ends in summer time", "Europe/Berlin", kMonth, 0, "2026-03-15T00:00:00Z", "2026-02-28T23:00:00Z",
        "2026-03-31T22:00:00Z");
    row("February of a leap year", "", kMonth, 0, "2028-02-29T23:59:59Z", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z");
    row("December ends with the year", "", kMonth, 0, "2026-12-31T12:00:00Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z");
    row("spring: the hour before the jump ends at the jump", "Europe/Berlin", kNone, 60, "2026-03-29T00:30:00Z", "2026-03-29T00:00:00Z",
        "2026-03-29T01:00:00Z");
    row("spring: the hour after the jump begins at it", "Europe/Berlin", kNone, 60, "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z",
        "2026-03-29T02:00:00Z");
    row("autumn: the first 02:00 opens an hour", "Europe/Berlin", kNone, 60, "2026-10-25T00:30:00Z", "2026-10-25T00:00:00Z",
        "2026-10-25T01:00:00Z");
    row("autumn: the second 02:00 opens another", "Europe/Berlin", kNone, 60, "2026-10-25T01:30:00Z", "2026-10-25T01:00:00Z",
        "2026-10-25T02:00:00Z");
    row("spring: six hours that the jump cuts to five", "Europe/Berlin", kNone, 360, "2026-03-29T02:00:00Z", "2026-03-28T23:00:00Z",
        "2026-03-29T04:00:00Z");
    row("autumn: six hours that last seven", "Europe/Berlin", kNone, 360, "2026-10-25T02:00:00Z", "2026-10-24T22:00:00Z",
        "2026-10-25T05:00:00Z");
    row("spring: a boundary at 02:00 that is jumped over falls on the jump", "Europe/Berlin", kNone, 120, "2026-03-29T01:30:00Z",
        "2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z");
    row("autumn: 02:00 comes twice and is a boundary twice", "Europe/Berlin", kNone, 120, "2026-10-25T00:59:59Z", "2026-10-25T00:00:00Z",
        "2026-10-25T01:00:00Z");
    row("autumn: the 03:00 that is not reached is none", "Europe/Berlin", kNone, 180, "2026-10-25T00:30:00Z", "2026-10-24T22:00:00Z",
        "2026-10-25T02:00:00Z");
    row("a day whose midnight does not exist begins at the jump", "America/Sao_Paulo", kDay, 1440, "2018-11-04T12:00:00Z",
        "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z");
    row("a day with two midnights begins at the first", "America/Havana", kDay, 1440, "2024-11-03T05:30:00Z", "2024-11-03T04:00:00Z",
        "2024-11-04T05:00:00Z");
    row("the hours of a day with two midnights begin at both", "America/Havana", kNone, 60, "2024-11-03T04:30:00Z", "2024-11-03T04:00:00Z",
        "2024-11-03T05:00:00Z");
    row("half an hour back lengthens the hour", "Australia/Lord_Howe", kNone, 60, "2026-04-04T15:15:00Z", "2026-04-04T14:00:00Z",
        "2026-04-04T15:30:00Z");
    row("an offset of three quarters shifts the hour", "Asia/Kathmandu", kNone, 60, "2026-06-02T09:00:00Z", "2026-06-02T08:15:00Z",
        "2026-06-02T09:15:00Z");
    row("a day that the zone skipped is nobody's", "Pacific/Apia", kDay, 1440, "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z",
        "2011-12-31T10:00:00Z");
    row("the day before the one that was skipped", "Pacific/Apia", kDay, 1440, "2011-12-30T09:59:59Z", "2011-12-29T10:00:00Z",
        "2011-12-30T10:00:00Z");
}

void TestModelCalendar::theWindowThatHoldsAMoment()
{
    QFETCH(QString, zone);
    QFETCH(Period::Civil, civil);
    QFETCH(int, minutes);
    QFETCH(QString, moment);
    QFETCH(QString, begin);
    QFETCH(QString, end);
    const model::Calendar calendar{Period{std::chrono::minutes{minutes}, civil}, zone.toStdString()};
    const auto window = calendar.windowAt(wall(moment.toStdString()));
    QCOMPARE(window.begin.time_since_epoch().count(), wall(begin.toStdString()).time_since_epoch().count());
    QCOMPARE(window.end.time_since_epoch().count(), wall(end.toStdString()).time_since_epoch().count());
}

void TestModelCalendar::windowsFollowEachOtherWithoutGap_data()
{
    QTest::addColumn<QString>("zone");
    QTest::addColumn<Period::Civil>("civil");
    QTest::addColumn<int>("minutes");
    const struct {
        const char *word;
        Period::Civil civil;
        int minutes;
    } periods[]{{"quarters", kNone, 15}, {"hours", kNone, 60}, {"six hours", kNone, 360}, {"days", kDay, 1440}, {"months", kMonth, 0}};
    for (const char *zone :
        {"", "Europe/Berlin", "America/Havana", "Australia/Lord_Howe", "America/St_Johns", "Pacific/Apia", "Africa/Casablanca"})
        for (const auto &period : periods)
            QTest::addRow("%s in %s", period.word, *zone ? zone : "UTC") << QString{zone} << period.civil << period.minutes;
}

void TestModelCalendar::windowsFollowEachOtherWithoutGap()
{
    QFETCH(QString, zone);
    QFETCH(Period::Civil, civil);
    QFETCH(int, minutes);
    const model::Calendar calendar{Period{std::chrono::minutes{minutes}, civil}, zone.toStdString()};
    auto window = calendar.windowAt(wall("2010-12-30T00:00:00Z"));
    for (const auto end = wall("2012-02-01T00:00:00Z"); window.end < end;) {
        QVERIFY(window.begin < window.end);
        QVERIFY(calendar.windowAt(window.begin) == window);
        QVERIFY(calendar.windowAt(window.begin + (window.end - window.begin) / 2) == window);
        QVERIFY(calendar.windowAt(window.end - 1us) == window);
        const auto next = calendar.windowAt(window.end);
        QVERIFY(next.begin == window.end);
        window = next;
    }
}

void TestModelCalendar::aDayQuotaIsLocal()
{
    // Started in the middle of the 25-hour day: 11 h are left of it, not 10.
    Bench bench{serverWith({civilLimit("day", 1, kDay, "Europe/Berlin")}), "2026-10-25T12:00:00Z"};
    QVERIFY(bench.visit(0s).admitted);
    QVERIFY(!bench.visit(10h).admitted);
    QCOMPARE(bench.header("Retry-After"), std::string{"3600"});
    QVERIFY(!bench.visit(11h - 1us).admitted);
    QVERIFY(bench.visit(11h).admitted);
    QCOMPARE(bench.model.windows()[0].resets, std::optional{at(35h)});
}

void TestModelCalendar::theProcessTimeZoneDoesNotMatter()
{
    for (const char *zone : {"UTC", "America/New_York", "Asia/Kathmandu", "Pacific/Apia"}) {
        qputenv("TZ", zone);
        tzset();
        aDayQuotaIsLocal();
        const model::Calendar calendar{Period{24h, kDay}, "Europe/Berlin"};
        QVERIFY(calendar.windowAt(wall("2026-03-29T12:00:00Z")).begin == wall("2026-03-28T23:00:00Z"));
        const model::Calendar utc{Period{24h, kDay}, ""};
        QVERIFY(utc.windowAt(wall("2026-03-29T12:00:00Z")).begin == wall("2026-03-29T00:00:00Z"));
        Bench bench{serverWith({}), "2026-03-29T01:30:00Z"};
        bench.visit(0s);
        QCOMPARE(bench.header("Date"), std::string{"Sun, 29 Mar 2026 01:30:00 GMT"});
    }
    qunsetenv("TZ");
    tzset();
}

void TestModelCalendar::theServersOwnClockDecides()
{
    // 50 s before midnight, but the server's clock is 3 s ahead: its day ends after 47 s.
    auto server = serverWith({civilLimit("day", 1, kDay)});
    server.clockSkew = 3s;
    Bench bench{server, "2026-06-02T23:59:10Z"};
    QVERIFY(bench.visit(0s).admitted);
    QCOMPARE(bench.header("Date"), std::string{"Tue, 02 Jun 2026 23:59:13 GMT"});
    QVERIFY(!bench.visit(1s).admitted);
    QCOMPARE(bench.header("Retry-After"), std::string{"46"});
    QVERIFY(!bench.visit(47s - 1us).admitted);
    QVERIFY(bench.visit(47s).admitted);
}

void TestModelCalendar::anUnknownZoneIsAnError()
{
    QVERIFY(knownTimeZone("Europe/Berlin"));
    QVERIFY(!knownTimeZone("Europe/Berlin-Mitte"));
    QVERIFY(!knownTimeZone(""));
    QVERIFY_THROWS_EXCEPTION(std::runtime_error, Bench(serverWith({calendarLimit("day", 1, 60s, "Europe/Berlin-Mitte")})));
}

QTEST_APPLESS_MAIN(TestModelCalendar)
#include "tst_model_calendar.moc"
