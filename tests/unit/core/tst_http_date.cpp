// SPDX-License-Identifier: Apache-2.0
#include "core/signals/http_date.h"

#include <QTest>

using namespace throttlescope;
using namespace std::chrono_literals;
using signals::DateForm;
using signals::DateMode;

Q_DECLARE_METATYPE(throttlescope::signals::DateForm)

namespace {

WallTime at(std::chrono::sys_days day, Duration clock = {})
{
    return WallTime{day.time_since_epoch()} + clock;
}

const WallTime kNow = at(2026y / 3 / 1);

std::optional<std::int64_t> seconds(const std::optional<signals::HttpDate> &date)
{
    return date ? std::optional{std::chrono::floor<std::chrono::seconds>(date->time).time_since_epoch().count()} : std::nullopt;
}

} // namespace

class HttpDateTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void formsAreTold_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<DateForm>("form");
        QTest::newRow("IMF-fixdate") << "Sun, 06 Nov 1994 08:49:37 GMT" << DateForm::ImfFixdate;
        QTest::newRow("RFC 850") << "Sunday, 06-Nov-94 08:49:37 GMT" << DateForm::Rfc850;
        QTest::newRow("asctime, a space for the first digit") << "Sun Nov  6 08:49:37 1994" << DateForm::Asctime;
        QTest::newRow("lower case is loose") << "sun, 06 nov 1994 08:49:37 gmt" << DateForm::Loose;
        QTest::newRow("no day name is loose") << "06 Nov 1994 08:49:37 GMT" << DateForm::Loose;
        QTest::newRow("RFC 3339") << "1994-11-06T08:49:37Z" << DateForm::Iso8601;
        QTest::newRow("an offset is applied") << "1994-11-06T14:19:37+05:30" << DateForm::Iso8601;
        QTest::newRow("JavaScript's text, its offset applied")
            << "Sun Nov 06 1994 09:49:37 GMT+0100 (Central European Standard Time)" << DateForm::JavaScript;
    }
    void formsAreTold()
    {
        QFETCH(QString, text);
        QFETCH(DateForm, form);
        const auto date = signals::readHttpDate(text.toStdString(), kNow, DateMode::Tolerant);
        QVERIFY(date);
        QCOMPARE(date->form, form);
        QCOMPARE(seconds(date), std::optional<std::int64_t>{784111777});
        const bool strict = form == DateForm::ImfFixdate || form == DateForm::Rfc850 || form == DateForm::Asctime;
        QCOMPARE(signals::readHttpDate(text.toStdString(), kNow, DateMode::Strict).has_value(), strict);
    }

    void refusedInBothModes_data()
    {
        QTest::addColumn<QString>("text");
        for (const char *text : {"", "GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
                 "Sun, 31 Feb 2026 00:00:00 GMT", "Sun, 06 Nov 1994 08:49:37 EST", "Sun, 06 Nov 1994 08:49:37 GMT;",
                 "Sat, 15-Apr-17 21:01:22 GMT-0400", "1994-11-06", "1994-11-06T08:49:37Z00:00", "1994-11-06T08:49:37+25:00",
                 "1994-13-06T08:49:37Z", "Sun Nov 06 1994 09:49:37 GMT+0100 (Central"})
            QTest::newRow(qPrintable(QString("'%1'").arg(text))) << text;
        QTest::newRow("a NUL inside") << QString::fromLatin1("Sun, 06 Nov 1994\0 8:49:37 GMT", 29);
    }
    void refusedInBothModes()
    {
        QFETCH(QString, text);
        QVERIFY(!signals::readHttpDate(text.toStdString(), kNow, DateMode::Strict));
        QVERIFY(!signals::readHttpDate(text.toStdString(), kNow, DateMode::Tolerant));
    }

    void centuryFollowsFromTheTimestamp_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("now");
        QTest::addColumn<qint64>("epoch");
        const auto epoch = [](std::chrono::sys_days day, std::int64_t clock = 0) {
            return static_cast<qint64>(day.time_since_epoch().count() * 86400 + clock);
        };
        QTest::newRow("exactly 50 years ahead is not more than 50")
            << "Monday, 15-Jun-76 08:49:37 GMT" << epoch(2026y / 6 / 15, 31777) << epoch(2076y / 6 / 15, 31777);
        QTest::newRow("50 years and one second is past")
            << "Tuesday, 15-Jun-76 08:49:38 GMT" << epoch(2026y / 6 / 15, 31777) << epoch(1976y / 6 / 15, 31778);
        QTest::newRow("00 in the last minute of 1999 is 2000")
            << "Saturday, 01-Jan-00 00:00:00 GMT" << epoch(1999y / 12 / 31, 86340) << epoch(2000y / 1 / 1);
        QTest::newRow("from a leap day the limit is the day before 1 March")
            << "Thursday, 01-Mar-74 00:00:00 GMT" << epoch(2024y / 2 / 29)
            << epoch(2074y / 3 / 1) - (epoch(2074y / 3 / 1) - epoch(1974y / 3 / 1));
        QTest::newRow("99 read in 2050 is 2099") << "Thursday, 31-Dec-99 00:00:00 GMT" << epoch(2050y / 1 / 1) << epoch(2099y / 12 / 31);
    }
    void centuryFollowsFromTheTimestamp()
    {
        QFETCH(QString, text);
        QFETCH(qint64, now);
        QFETCH(qint64, epoch);
        const auto date = signals::readHttpDate(text.toStdString(), WallTime{std::chrono::seconds{now}}, DateMode::Tolerant);
        QCOMPARE(seconds(date), std::optional<std::int64_t>{epoch});
    }

    void leapSecondIsTheNextMinutesFirst()
    {
        const auto strict = signals::readHttpDate("Wed, 31 Dec 2008 23:59:60 GMT", kNow, DateMode::Strict);
        QVERIFY(strict);
        QCOMPARE(strict->time, at(2009y / 1 / 1));
        QVERIFY(!signals::readHttpDate("Sun, 01 Mar 2026 12:00:60 GMT", kNow, DateMode::Strict));
        QCOMPARE(signals::readHttpDate("Sun, 01 Mar 2026 12:00:60 GMT", kNow, DateMode::Tolerant)->time, at(2026y / 3 / 1, 12h + 1min));
    }

    void wrongDayNameIsToldAndRefusedInStrictMode()
    {
        QVERIFY(!signals::readHttpDate("Mon, 06 Nov 1994 08:49:37 GMT", kNow, DateMode::Strict));
        const auto date = signals::readHttpDate("Mon, 06 Nov 1994 08:49:37 GMT", kNow, DateMode::Tolerant);
        QVERIFY(date && date->wrongDayName);
    }

    void fractionIsKeptAndRoundedUp()
    {
        const auto date = signals::readHttpDate("2026-03-01T00:00:00.0000001Z", kNow, DateMode::Tolerant);
        QCOMPARE(date->time, kNow + Duration{1});
    }

    /// Every day of 1600 to 2400, and every second of a day: what is written reads back, with the day name checked.
    void whatIsWrittenReadsBack()
    {
        const auto check = [](WallTime time) {
            std::string imf, asctime;
            signals::appendImfFixdate(imf, time);
            signals::appendAsctimeDate(asctime, time);
            return signals::readHttpDate(imf, kNow, DateMode::Strict)->time == time
                && signals::readHttpDate(asctime, kNow, DateMode::Strict)->time == time;
        };
        for (std::chrono::sys_days day = 1600y / 1 / 1; day < std::chrono::sys_days{2401y / 1 / 1}; day += std::chrono::days{1})
            QVERIFY(check(at(day, 86399s)));
        for (Duration clock{}; clock < 24h; clock += 1s)
            QVERIFY(check(kNow + clock));
    }
    void rfc850ReadsBackWithinItsCentury()
    {
        for (std::chrono::sys_days day = 1976y / 3 / 2; day < std::chrono::sys_days{2076y / 3 / 1}; day += std::chrono::days{1}) {
            std::string text;
            signals::appendRfc850Date(text, at(day, 12h));
            const auto date = signals::readHttpDate(text, kNow, DateMode::Strict);
            QVERIFY2(date && date->time == at(day, 12h), text.c_str());
        }
    }

    void aMegabyteIsRefusedAtOnce()
    {
        const std::string spaces = "01 Jan 1970" + std::string(1'000'000, ' ') + "00:00:00 GMT!";
        QVERIFY(!signals::readHttpDate(spaces, kNow, DateMode::Tolerant));
    }
};

QTEST_APPLESS_MAIN(HttpDateTest)
#include "tst_http_date.moc"
