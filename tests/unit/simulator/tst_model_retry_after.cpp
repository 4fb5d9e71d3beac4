// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "model_support.h"

using namespace throttlescope;
using namespace throttlescope::test;

Q_DECLARE_METATYPE(RetryAfterHeader)

class TestModelRetryAfter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyFormRoundsUpAndIsRemembered_data();
    void everyFormRoundsUpAndIsRemembered();
    void aClientThatComesWhenItWasToldIsNeverEarly_data();
    void aClientThatComesWhenItWasToldIsNeverEarly();
    void theDateIsTheServersSecond();
    void datesAtTheEdgesOfTheirForms_data();
    void datesAtTheEdgesOfTheirForms();
    void aLiteralIsSentWhateverTheLimit();
    void headersOfTheLastAnswerDoNotStay();
};

void TestModelRetryAfter::everyFormRoundsUpAndIsRemembered_data()
{
    QTest::addColumn<RetryAfterHeader>("form");
    QTest::addColumn<Duration>("arrival"); // after 09:00:00; the window ends at 09:01:00
    QTest::addColumn<Duration>("skew");
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::addColumn<std::optional<Duration>>("due"); // after 09:00:00
    const auto row
        = [](const char *name, RetryAfterHeader form, Duration arrival, Duration skew, const char *field, const char *value,
              std::optional<Duration> due) { QTest::newRow(name) << form << arrival << skew << QString{field} << QString{value} << due; };
    using Form = RetryAfterForm;
    row("whole seconds are themselves", Form::Seconds, 30s, 0s, "Retry-After", "30", 60s);
    row("seconds round up", Form::Seconds, 30s + 1us, 0s, "Retry-After", "30", 60s + 1us);
    row("a part of a second is one", Form::Seconds, 60s - 1us, 0s, "Retry-After", "1", 61s - 1us);
    row("a date is the end of the window", Form::HttpDate, 30s, 0s, "Retry-After", "Tue, 02 Jun 2026 09:01:00 GMT", 60s);
    row("between two seconds the client reads the Date it came with", Form::HttpDate, 30s + 400ms, 0s, "Retry-After",
        "Tue, 02 Jun 2026 09:01:00 GMT", 60s + 400ms);
    row("a date is on the server's own clock", Form::HttpDate, 30s, 7s, "Retry-After", "Tue, 02 Jun 2026 09:01:00 GMT", 53s);
    row("half a second of skew: the date rounds up", Form::HttpDate, 30s, 7500ms, "Retry-After", "Tue, 02 Jun 2026 09:01:00 GMT", 53s);
    row("a clock that is behind", Form::HttpDate, 30s, -10s, "Retry-After", "Tue, 02 Jun 2026 09:01:00 GMT", 70s);
    row("the form of RFC 850", Form::Rfc850Date, 30s, 0s, "Retry-After", "Tuesday, 02-Jun-26 09:01:00 GMT", 60s);
    row("the form of asctime", Form::AsctimeDate, 30s, 0s, "Retry-After", "Tue Jun  2 09:01:00 2026", 60s);
    row("milliseconds have a field of their own", Form::Milliseconds, 30s, 0s, "retry-after-ms", "30000", 60s);
    row("milliseconds round up", Form::Milliseconds, 60s - 1us, 0s, "retry-after-ms", "1", 60s - 1us + 1ms);
    row("none says nothing", Form::None, 30s, 0s, "Retry-After", "-", std::nullopt);
    row("a literal word says nothing readable", LiteralRetryAfter{"soon"}, 30s, 0s, "Retry-After", "soon", std::nullopt);
    row("literal digits are seconds", LiteralRetryAfter{"5"}, 30s, 0s, "Retry-After", "5", 35s);
    row("a literal with a sign is no number", LiteralRetryAfter{"-5"}, 30s, 0s, "Retry-After", "-5", std::nullopt);
    row("a literal with a fraction is read as clients read it", LiteralRetryAfter{"1.5"}, 30s, 0s, "Retry-After", "1.5", 31s + 500ms);
    row("an empty literal is no number", LiteralRetryAfter{""}, 30s, 0s, "Retry-After", "", std::nullopt);
}

void TestModelRetryAfter::everyFormRoundsUpAndIsRemembered()
{
    QFETCH(RetryAfterHeader, form);
    QFETCH(Duration, arrival);
    QFETCH(Duration, skew);
    QFETCH(QString, name);
    QFETCH(QString, value);
    QFETCH(std::optional<Duration>, due);
    auto server = serverWith({calendarLimit("minute", 1, 60s)});
    server.onLimit.retryAfter = form;
    server.clockSkew = skew;
    Bench bench{server};
    bench.visit(std::max(Duration::zero(), -skew)); // inside the minute that the refusal falls into
    QVERIFY(!bench.visit(arrival).admitted);
    QCOMPARE(bench.header(name.toStdString()), value.toStdString());
    QCOMPARE(bench.answer.due.has_value(), due.has_value());
    if (due)
        QCOMPARE(bench.answer.due->time_since_epoch().count(), due->count());
}

void TestModelRetryAfter::aClientThatComesWhenItWasToldIsNeverEarly_data()
{
    QTest::addColumn<int>("form");
    QTest::newRow("seconds") << static_cast<int>(RetryAfterForm::Seconds);
    QTest::newRow("IMF-fixdate") << static_cast<int>(RetryAfterForm::HttpDate);
    QTest::newRow("RFC 850") << static_cast<int>(RetryAfterForm::Rfc850Date);
    QTest::newRow("asctime") << static_cast<int>(RetryAfterForm::AsctimeDate);
    QTest::newRow("milliseconds") << static_cast<int>(RetryAfterForm::Milliseconds);
}

void TestModelRetryAfter::aClientThatComesWhenItWasToldIsNeverEarly()
{
    QFETCH(int, form);
    auto server = serverWith({limit("sliding", 1, 7s, WindowKind::Sliding)});
    server.onLimit.retryAfter = static_cast<RetryAfterForm>(form);
    server.clockSkew = 123'457us;
    Bench bench{server};
    auto now = 0us;
    for (int i = 0; i < 200; ++i) {
        QVERIFY(bench.visit(now).admitted);
        now += 1'234'567us;
        QVERIFY(!bench.visit(now).admitted);
        now = bench.answer.due->time_since_epoch();
    }
}

void TestModelRetryAfter::theDateIsTheServersSecond()
{
    auto server = serverWith({});
    server.clockSkew = 3s;
    Bench bench{server, "2026-06-02T08:59:57Z"};
    bench.visit(0s);
    QCOMPARE(bench.header("Date"), std::string{"Tue, 02 Jun 2026 09:00:00 GMT"});
    bench.visit(1s - 1us);
    QCOMPARE(bench.header("Date"), std::string{"Tue, 02 Jun 2026 09:00:00 GMT"});
    bench.visit(1s);
    QCOMPARE(bench.header("Date"), std::string{"Tue, 02 Jun 2026 09:00:01 GMT"});
    bench.visit(14h + 59min + 59s);
    QCOMPARE(bench.header("Date"), std::string{"Tue, 02 Jun 2026 23:59:59 GMT"});
    bench.visit(15h);
    QCOMPARE(bench.header("Date"), std::string{"Wed, 03 Jun 2026 00:00:00 GMT"});
    bench.visit(15h + 10min + 7s);
    QCOMPARE(bench.header("Date"), std::string{"Wed, 03 Jun 2026 00:10:07 GMT"});
    bench.visit(24h);
    QCOMPARE(bench.header("Date"), std::string{"Wed, 03 Jun 2026 09:00:00 GMT"});
}

void TestModelRetryAfter::datesAtTheEdgesOfTheirForms_data()
{
    QTest::addColumn<int>("form");
    QTest::addColumn<QString>("start");
    QTest::addColumn<QString>("value");
    const auto row = [](const char *name, RetryAfterForm form, const char *start, const char *value) {
        QTest::newRow(name) << static_cast<int>(form) << QString{start} << QString{value};
    };
    // RFC 9110 5.6.7's own example, a second later than the start.
    row("the RFC's example as IMF-fixdate", RetryAfterForm::HttpDate, "1994-11-06T08:49:36Z", "Sun, 06 Nov 1994 08:49:37 GMT");
    row("the RFC's example as RFC 850", RetryAfterForm::Rfc850Date, "1994-11-06T08:49:36Z", "Sunday, 06-Nov-94 08:49:37 GMT");
    row("the RFC's example as asctime", RetryAfterForm::AsctimeDate, "1994-11-06T08:49:36Z", "Sun Nov  6 08:49:37 1994");
    row("the last second of a year", RetryAfterForm::HttpDate, "2026-12-31T23:59:59Z", "Fri, 01 Jan 2027 00:00:00 GMT");
    row("a leap day", RetryAfterForm::AsctimeDate, "2028-02-28T23:59:59Z", "Tue Feb 29 00:00:00 2028");
    row("a year that ends in 00", RetryAfterForm::Rfc850Date, "2099-12-31T23:59:59Z", "Friday, 01-Jan-00 00:00:00 GMT");
    row("two digits of the day in asctime", RetryAfterForm::AsctimeDate, "2026-06-12T08:49:36Z", "Fri Jun 12 08:49:37 2026");
}

void TestModelRetryAfter::datesAtTheEdgesOfTheirForms()
{
    QFETCH(int, form);
    QFETCH(QString, start);
    QFETCH(QString, value);
    auto server = serverWith({limit("sliding", 1, 1s, WindowKind::Sliding)});
    server.onLimit.retryAfter = static_cast<RetryAfterForm>(form);
    Bench bench{server, start.toStdString()};
    bench.visit(0s);
    bench.visit(0s);
    QCOMPARE(bench.header("Retry-After"), value.toStdString());
    QCOMPARE(bench.answer.due, std::optional{at(1s)});
}

void TestModelRetryAfter::aLiteralIsSentWhateverTheLimit()
{
    auto server = serverWith({limit("parallel", 1, {}, WindowKind::Concurrency)});
    server.onLimit.retryAfter = LiteralRetryAfter{"5"};
    Bench bench{server};
    bench.ask(0s);
    bench.ask(2s);
    QCOMPARE(bench.header("Retry-After"), std::string{"5"});
    QCOMPARE(bench.answer.due, std::optional{at(7s)});
}

void TestModelRetryAfter::headersOfTheLastAnswerDoNotStay()
{
    auto server = serverWith({calendarLimit("minute", 1, 60s)});
    server.onLimit.body = "slow down";
    Bench bench{server};
    bench.visit(0s);
    bench.visit(1s);
    QCOMPARE(bench.answer.response.headers, (Headers{{"Date", "Tue, 02 Jun 2026 09:00:01 GMT"}, {"Retry-After", "59"}}));
    QCOMPARE(bench.answer.response.body, std::string{"slow down"});
    bench.visit(60s);
    QCOMPARE(bench.answer.response.headers, (Headers{{"Date", "Tue, 02 Jun 2026 09:01:00 GMT"}}));
    QCOMPARE(bench.answer.response.body, std::string{});
    QCOMPARE(bench.answer.bodySize, 0u);
    QVERIFY(!bench.answer.due);
    QVERIFY(bench.answer.violated.empty());
}

QTEST_APPLESS_MAIN(TestModelRetryAfter)
#include "tst_model_retry_after.moc"
