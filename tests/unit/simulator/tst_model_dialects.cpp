// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "model_support.h"

using namespace throttlescope;
using namespace throttlescope::test;

namespace {

/// 2 a minute by the calendar, 500 an hour sliding, and 4 at once, of which no dialect speaks.
Server saiaLike(std::vector<Dialect> dialects)
{
    auto server = serverWith(
        {calendarLimit("minute", 2, 60s), limit("hour", 500, 1h, WindowKind::Sliding), limit("parallel", 4, {}, WindowKind::Concurrency)});
    server.onLimit.headers = std::move(dialects);
    return server;
}

} // namespace

class TestModelDialects : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void gitHubTellsOfTheLimitWithTheFewestLeft();
    void saiaTellsOfEveryWindowAndOneReset();
    void saiaNamesWhatHasNoWord();
    void theTripleOfDraft03();
    void theDictionaryOfDraft07();
    void theListOfDraft10();
    void nothingUsedIsAResetOfZeroOrNone();
    void aCivilMonthIsAsLongAsItIs();
    void ofTwoExhaustedTheLongerIsTold();
    void remainingIsNeverNegative();
    void namesAreQuotedAndMadeTokens();
    void everyResponseCarriesThem();
    void theRefusingLimitsOwnDialect();
    void theFirstDialectOfTwoKeepsTheField();
    void dueIsReadFromTheDialectWhereThereIsNoRetryAfter_data();
    void dueIsReadFromTheDialectWhereThereIsNoRetryAfter();
};

void TestModelDialects::gitHubTellsOfTheLimitWithTheFewestLeft()
{
    Bench bench{saiaLike({Dialect::GitHub}), "2026-06-02T09:00:12Z"};
    bench.visit(500ms);
    // 1 of 2 is left in the minute, 499 of 500 in the hour. 09:01:00Z is 1780390860.
    QCOMPARE(bench.answer.response.headers,
        (Headers{{"Date", "Tue, 02 Jun 2026 09:00:12 GMT"}, {"x-ratelimit-limit", "2"}, {"x-ratelimit-remaining", "1"},
            {"x-ratelimit-used", "1"}, {"x-ratelimit-reset", "1780390860"}, {"x-ratelimit-resource", "minute"}}));
    bench.visit(1s);
    QCOMPARE(bench.header("x-ratelimit-remaining"), std::string{"0"});
    bench.visit(48s); // the minute is new: 1 of 2 again
    QCOMPARE(bench.header("x-ratelimit-remaining"), std::string{"1"});
    QCOMPARE(bench.header("x-ratelimit-reset"), std::string{"1780390920"});
}

void TestModelDialects::saiaTellsOfEveryWindowAndOneReset()
{
    auto server = saiaLike({Dialect::Saia});
    server.limits.push_back(civilLimit("daily", 1000, Period::Civil::Day));
    server.limits.push_back(civilLimit("monthly", 3000, Period::Civil::Month));
    Bench bench{server, "2026-06-02T09:00:12Z"};
    bench.visit(100ms);
    QCOMPARE(bench.answer.response.headers,
        (Headers{{"Date", "Tue, 02 Jun 2026 09:00:12 GMT"}, {"x-ratelimit-limit-minute", "2"}, {"x-ratelimit-remaining-minute", "1"},
            {"x-ratelimit-limit-hour", "500"}, {"x-ratelimit-remaining-hour", "499"}, {"x-ratelimit-limit-day", "1000"},
            {"x-ratelimit-remaining-day", "999"}, {"x-ratelimit-limit-month", "3000"}, {"x-ratelimit-remaining-month", "2999"},
            {"ratelimit-reset", "48"}}));
}

void TestModelDialects::saiaNamesWhatHasNoWord()
{
    auto server = serverWith(
        {calendarLimit("requests", 5, 1h), calendarLimit("tokens an hour", 100, 1h), limit("burst", 10, 1s, WindowKind::TokenBucket)});
    server.limits[1].unit = Unit::Units;
    server.onLimit.headers = {Dialect::Saia};
    Bench bench{server};
    Request request;
    request.units = 40;
    bench.visit(1s, request);
    QCOMPARE(bench.header("x-ratelimit-remaining-hour"), std::string{"4"});
    QCOMPARE(bench.header("x-ratelimit-remaining-tokens-an-hour"), std::string{"60"});
    QCOMPARE(bench.header("x-ratelimit-remaining-burst"), std::string{"9"});
    QCOMPARE(bench.header("ratelimit-reset"), std::string{"1"}); // no minute: the shortest, full again in 0.1 s
}

void TestModelDialects::theTripleOfDraft03()
{
    Bench bench{saiaLike({Dialect::IetfTriple03}), "2026-06-02T09:00:12Z"};
    bench.visit(100ms);
    QCOMPARE(bench.answer.response.headers,
        (Headers{{"Date", "Tue, 02 Jun 2026 09:00:12 GMT"}, {"RateLimit-Limit", "2, 2;w=60, 500;w=3600"}, {"RateLimit-Remaining", "1"},
            {"RateLimit-Reset", "48"}}));
}

void TestModelDialects::theDictionaryOfDraft07()
{
    Bench bench{saiaLike({Dialect::IetfCombined07}), "2026-06-02T09:00:12Z"};
    bench.visit(100ms);
    QCOMPARE(bench.answer.response.headers,
        (Headers{{"Date", "Tue, 02 Jun 2026 09:00:12 GMT"}, {"RateLimit", "limit=2, remaining=1, reset=48"},
            {"RateLimit-Policy", "2;w=60, 500;w=3600"}}));
}

void TestModelDialects::theListOfDraft10()
{
    auto server = saiaLike({Dialect::IetfList10});
    server.limits.push_back(limit("burst", 10, 1s, WindowKind::TokenBucket));
    server.limits.back().burst = 20;
    Bench bench{server, "2026-06-02T09:00:12Z"};
    bench.visit(100ms);
    QCOMPARE(bench.answer.response.headers,
        (Headers{{"Date", "Tue, 02 Jun 2026 09:00:12 GMT"}, {"RateLimit", "\"minute\";r=1;t=48, \"hour\";r=499;t=3600, \"burst\";r=19;t=1"},
            {"RateLimit-Policy", "\"minute\";q=2;w=60, \"hour\";q=500;w=3600, \"burst\";q=10;w=1"}}));
}

void TestModelDialects::nothingUsedIsAResetOfZeroOrNone()
{
    auto server = serverWith({firstRequestLimit("first", 5, 1500ms)});
    server.script = {{{}, {}, {}}};
    server.script[0].answer.status = 204; // uses no quota
    for (const auto dialect : {Dialect::IetfTriple03, Dialect::IetfCombined07, Dialect::IetfList10, Dialect::GitHub, Dialect::Saia}) {
        server.onLimit.headers = {dialect};
        Bench bench{server};
        bench.visit(0s);
        switch (dialect) {
        case Dialect::IetfTriple03:
            QCOMPARE(bench.header("RateLimit-Reset"), std::string{"0"});
            QCOMPARE(bench.header("RateLimit-Limit"), std::string{"5, 5;w=2"});
            break;
        case Dialect::IetfCombined07: QCOMPARE(bench.header("RateLimit"), std::string{"limit=5, remaining=5, reset=0"}); break;
        case Dialect::IetfList10: QCOMPARE(bench.header("RateLimit"), std::string{"\"first\";r=5"}); break;
        case Dialect::GitHub:
            QCOMPARE(bench.header("x-ratelimit-reset"), std::string{"1780390800"}); // 09:00:00Z, now
            break;
        case Dialect::Saia:
            QCOMPARE(bench.header("x-ratelimit-remaining-first"), std::string{"5"});
            QCOMPARE(bench.header("ratelimit-reset"), std::string{"0"});
            break;
        default: QFAIL("not in the list above");
        }
    }
}

void TestModelDialects::aCivilMonthIsAsLongAsItIs()
{
    auto server = serverWith({civilLimit("month", 10, Period::Civil::Month), civilLimit("day", 10, Period::Civil::Day, "Europe/Berlin")});
    server.onLimit.headers = {Dialect::IetfCombined07};
    Bench bench{server, "2026-02-10T00:00:00Z"};
    bench.visit(0s);
    QCOMPARE(bench.header("RateLimit-Policy"), std::string{"10;w=2419200, 10;w=86400"}); // 28 days
}

void TestModelDialects::ofTwoExhaustedTheLongerIsTold()
{
    auto server = serverWith({calendarLimit("minute", 1, 60s), calendarLimit("hour", 1, 1h)});
    server.onLimit.headers = {Dialect::IetfCombined07};
    Bench bench{server};
    bench.visit(0s);
    QCOMPARE(bench.header("RateLimit"), std::string{"limit=1, remaining=0, reset=3600"});
}

void TestModelDialects::remainingIsNeverNegative()
{
    auto server = serverWith({calendarLimit("minute", 2, 60s)});
    server.limits[0].used = 7;
    server.onLimit.headers = {Dialect::GitHub, Dialect::IetfList10};
    Bench bench{server};
    bench.visit(0s);
    QCOMPARE(bench.header("x-ratelimit-remaining"), std::string{"0"});
    QCOMPARE(bench.header("x-ratelimit-used"), std::string{"7"});
    QCOMPARE(bench.header("RateLimit"), std::string{"\"minute\";r=0;t=60"});
}

void TestModelDialects::namesAreQuotedAndMadeTokens()
{
    auto server = serverWith({calendarLimit("a \"b\\c\" \xc3\xa4", 2, 10s)});
    server.onLimit.headers = {Dialect::IetfList10, Dialect::Saia};
    Bench bench{server};
    bench.visit(0s);
    QCOMPARE(bench.header("RateLimit"), std::string{"\"a \\\"b\\\\c\\\" ??\";r=1;t=10"});
    QCOMPARE(bench.header("x-ratelimit-limit-a--b-c----"), std::string{"2"});
}

void TestModelDialects::everyResponseCarriesThem()
{
    TimelineEntry entry;
    entry.at = 10s;
    entry.span = 10s;
    entry.server = "api";
    entry.faults = {{FaultKind::Status, 503, 1}};
    auto server = saiaLike({Dialect::IetfCombined07});
    server.script = {{{}, {}, {}}};
    server.script[0].when.operation = "scripted";
    server.script[0].answer.status = 500;
    server.script[0].answer.headers = {{"ratelimit", "mine"}, {"date", "yesterday"}};
    Bench bench{server, "2026-06-02T09:00:00Z", {entry}};
    bench.visit(0s);
    QCOMPARE(bench.header("RateLimit"), std::string{"limit=2, remaining=1, reset=60"});
    bench.visit(10s);
    QCOMPARE(bench.answer.response.status, 503);
    QCOMPARE(bench.header("RateLimit"), std::string{"limit=2, remaining=1, reset=50"});
    bench.visit(20s);
    bench.visit(21s);
    QCOMPARE(bench.answer.response.status, 429);
    QCOMPARE(bench.header("Retry-After"), std::string{"39"});
    QCOMPARE(bench.header("RateLimit"), std::string{"limit=2, remaining=0, reset=39"});
    Request request;
    request.operation = "scripted";
    bench.visit(22s, request);
    QCOMPARE(
        bench.answer.response.headers, (Headers{{"ratelimit", "mine"}, {"date", "yesterday"}, {"RateLimit-Policy", "2;w=60, 500;w=3600"}}));
}

void TestModelDialects::theRefusingLimitsOwnDialect()
{
    auto server = saiaLike({Dialect::Saia});
    OnLimit own;
    own.headers = {Dialect::GitHub};
    server.limits[0].onLimit = own;
    Bench bench{server};
    bench.visit(0s);
    QCOMPARE(bench.header("ratelimit-reset"), std::string{"60"});
    bench.visit(0s);
    bench.visit(0s);
    QCOMPARE(bench.header("ratelimit-reset"), std::string{"-"});
    QCOMPARE(bench.header("x-ratelimit-remaining"), std::string{"0"});
}

void TestModelDialects::theFirstDialectOfTwoKeepsTheField()
{
    Bench bench{saiaLike({Dialect::IetfList10, Dialect::IetfCombined07})};
    bench.visit(0s);
    QCOMPARE(bench.answer.response.headers.size(), std::size_t{3});
    QCOMPARE(bench.header("RateLimit"), std::string{"\"minute\";r=1;t=60, \"hour\";r=499;t=3600"});
}

void TestModelDialects::dueIsReadFromTheDialectWhereThereIsNoRetryAfter_data()
{
    QTest::addColumn<int>("dialect");
    QTest::addColumn<Limit>("limit");
    QTest::addColumn<std::optional<Duration>>("due");
    // The second request comes at 09:00:30.25; the limit lets it in at 09:01:00, or an hour after 09:00:00.
    const auto minute = calendarLimit("minute", 1, 60s);
    const auto hour = limit("hour", 1, 1h, WindowKind::Sliding);
    const auto row = [](const char *name, Dialect dialect, const Limit &limit, std::optional<Duration> due) {
        QTest::newRow(name) << static_cast<int>(dialect) << limit << due;
    };
    row("draft 03: a delta, rounded up", Dialect::IetfTriple03, minute, 60s + 250ms);
    row("draft 07: a delta, rounded up", Dialect::IetfCombined07, minute, 60s + 250ms);
    row("draft 10: a delta, rounded up", Dialect::IetfList10, minute, 60s + 250ms);
    row("GitHub: a Unix time, held against the Date 09:00:30", Dialect::GitHub, minute, 60s + 250ms);
    row("SAIA: a delta of the minute", Dialect::Saia, minute, 60s + 250ms);
    row("SAIA does not tell the hour's reset where there is a minute", Dialect::Saia, hour, std::nullopt);
    row("GitHub tells the hour's where that is exhausted", Dialect::GitHub, hour, 1h + 250ms);
}

void TestModelDialects::dueIsReadFromTheDialectWhereThereIsNoRetryAfter()
{
    QFETCH(int, dialect);
    QFETCH(Limit, limit);
    QFETCH(std::optional<Duration>, due);
    auto server = serverWith({limit, calendarLimit("another minute", 100, 60s)});
    server.onLimit.retryAfter = RetryAfterForm::None;
    server.onLimit.headers = {static_cast<Dialect>(dialect)};
    Bench bench{server};
    QVERIFY(bench.visit(0s).admitted);
    QVERIFY(!bench.answer.due);
    QVERIFY(!bench.visit(30s + 250ms).admitted);
    QCOMPARE(bench.answer.due.has_value(), due.has_value());
    if (due)
        QCOMPARE(bench.answer.due->time_since_epoch().count(), due->count());
}

QTEST_APPLESS_MAIN(TestModelDialects)
#include "tst_model_dialects.moc"
