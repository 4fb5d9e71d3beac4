// SPDX-License-Identifier: Apache-2.0
#include "core/signals/dialects.h"
#include "core/signals/verdict.h"

#include <QTest>

using namespace throttlescope;
using namespace std::chrono_literals;
using signals::Dialect;
using signals::RateLimitState;
using signals::Window;

namespace {

const WallTime kNow{std::chrono::seconds{1'772'323'200}}; // 2026-03-01T00:00:00Z

Response response(int status, Headers headers, std::string body = {})
{
    Response made;
    made.status = status;
    made.headers = std::move(headers);
    made.body = std::move(body);
    return made;
}

RateLimitState read(int status, Headers headers)
{
    return signals::read(response(status, std::move(headers)), kNow);
}

Window window(std::string name, std::optional<Duration> length, std::optional<std::uint64_t> limit, std::optional<std::uint64_t> remaining,
    std::optional<Duration> reset)
{
    return {std::move(name), length, limit, remaining, reset};
}

} // namespace

/// The normaliser: which header says what, and which of them is believed.
class SignalsReadTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aResponseWithoutSuchHeadersSaysNothing()
    {
        QCOMPARE(read(200, {{"Content-Type", "text/plain"}, {"Date", "Sun, 01 Mar 2026 00:00:00 GMT"}, {"X-Request-Id", "1"}, {"", ""}}),
            RateLimitState{});
    }

    void onlyNamedHeadersAreBelieved_data()
    {
        QTest::addColumn<QString>("named");
        QTest::addColumn<QString>("believed"); // none where it is empty
        QTest::newRow("nothing named: milliseconds go first") << ""
                                                              << "retry-after-ms";
        QTest::newRow("the one named, in any case, also where another would go first") << "RETRY-AFTER"
                                                                                       << "Retry-After";
        QTest::newRow("the reset of an exhausted window") << "X-RateLimit-Reset"
                                                          << "X-RateLimit-Reset";
        QTest::newRow("one that is not there: neither another nor the body") << "x-amz-retry-after"
                                                                             << "";
    }
    void onlyNamedHeadersAreBelieved()
    {
        QFETCH(QString, named);
        QFETCH(QString, believed);
        const std::vector<std::string> headers(named.isEmpty() ? 0 : 1, named.toStdString());
        const Response said = response(429,
            {{"retry-after-ms", "1500"}, {"Retry-After", "2"}, {"X-RateLimit-Limit", "5"}, {"X-RateLimit-Remaining", "0"},
                {"X-RateLimit-Reset", "7"}},
            R"({"retry_after": 9})");
        const auto state = signals::read(said, kNow, {.hintHeaders = headers});
        QCOMPARE(state.hint ? QString::fromStdString(state.hint->header) : QString{}, believed);
        QCOMPARE(state.windows.size(), std::size_t{1}); // told all the same
    }

    void retryAfterInSecondsNeedsNoWords()
    {
        const auto state = read(429, {{"retry-After", "120"}});
        QVERIFY(state.hint);
        QCOMPARE(state.hint->delay, Duration{120s});
        QCOMPARE(state.hint->header, std::string{"retry-After"});
        QCOMPARE(state.hint->form, signals::HintForm::DelaySeconds);
        QCOMPARE(state.hint->raw, std::string{"120"});
        QVERIFY(state.hint->why.empty());
        QVERIFY(!state.saysRateLimited);
    }

    void anUnreadableHeaderIsNoHintAndIsTold()
    {
        const auto state = read(429, {{"Retry-After", "soon"}});
        QVERIFY(!state.hint);
        QCOMPARE(state.unreadable.size(), 1U);
        QCOMPARE(state.unreadable.front().raw, std::string{"soon"});
    }

    void ofACountersTwoLinesTheSafeOneCounts()
    {
        for (const auto &[first, second] : {std::pair{"0", "5"}, std::pair{"5", "0"}}) {
            const auto state
                = read(429, {{"x-ratelimit-remaining", first}, {"x-ratelimit-remaining", second}, {"x-ratelimit-reset", "30"}});
            QVERIFY(state.hint && state.hint->delay == Duration{30s});
        }
        for (const auto &[first, second] : {std::pair{"30", "90"}, std::pair{"90", "30"}}) {
            const auto state = read(429, {{"x-ratelimit-reset", first}, {"x-ratelimit-reset", second}, {"x-ratelimit-remaining", "0"}});
            QVERIFY(state.hint && state.hint->delay == Duration{90s});
            QCOMPARE(state.hint->raw, std::string{"90"});
        }
    }

    void anUnreadableRetryAfterLeavesTheResetOfWhatIsExhausted()
    {
        const auto state = read(429, {{"Retry-After", "soon"}, {"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1772323247"}});
        QCOMPARE(state.hint->delay, Duration{47s});
        QCOMPARE(state.unreadable.size(), 1U);
    }

    void theServersDateIsWhatAbsoluteValuesAreHeldAgainst()
    {
        // The server is an hour ahead of us.
        const auto state
            = read(429, {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1772326847"}, {"date", "Sun, 01 Mar 2026 01:00:00 GMT"}});
        QCOMPARE(state.hint->delay, Duration{47s});
        QCOMPARE(state.hint->why,
            std::string{
                "x-ratelimit-reset 1772326847 is epoch seconds (≥ 1e9); the server's Date says 01:00:00, so 47 s; nothing is left"});
    }

    void gitHub()
    {
        const Headers headers{{"x-ratelimit-limit", "5000"}, {"x-ratelimit-remaining", "0"}, {"x-ratelimit-used", "5000"},
            {"x-ratelimit-reset", "1772323260"}, {"x-ratelimit-resource", "core"}};
        const auto state = read(403, headers);
        QCOMPARE(state.windows, (std::vector{window("core", {}, 5000, 0, 60s)}));
        QCOMPARE(state.hint->delay, Duration{60s});
        QCOMPARE(state.dialect, std::optional{Dialect::GitHub});
        QVERIFY(state.saysRateLimited);
    }

    void gitHubsForbiddenIsARateLimitOnlyWhereItSaysSo_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("remaining");
        QTest::addColumn<bool>("retryAfter");
        QTest::addColumn<bool>("says");
        QTest::newRow("403 with nothing left") << 403 << QByteArray("0") << false << true;
        QTest::newRow("403 with a rest and Retry-After: the secondary limit") << 403 << QByteArray("4990") << true << true;
        QTest::newRow("403 with a rest is a permission that is missing") << 403 << QByteArray("4990") << false << false;
        QTest::newRow("404 with nothing left is a 404") << 404 << QByteArray("0") << false << false;
        QTest::newRow("429 needs no dialect to say so") << 429 << QByteArray("0") << true << false;
    }
    void gitHubsForbiddenIsARateLimitOnlyWhereItSaysSo()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, remaining);
        QFETCH(bool, retryAfter);
        QFETCH(bool, says);
        Headers headers{{"x-ratelimit-remaining", remaining.toStdString()}, {"x-ratelimit-reset", "1772326800"}};
        if (retryAfter)
            headers.push_back({"retry-after", "60"});
        QCOMPARE(read(status, headers).saysRateLimited, says);
    }

    void forbiddenWithoutADialectIsNoRateLimit() { QVERIFY(!read(403, {{"Retry-After", "60"}}).saysRateLimited); }

    void saiaTellsFourWindowsAndTheResetIsTheMinutes()
    {
        const auto state = read(429,
            {{"x-ratelimit-limit-minute", "30"}, {"x-ratelimit-limit-hour", "200"}, {"x-ratelimit-limit-day", "1000"},
                {"x-ratelimit-limit-month", "3000"}, {"x-ratelimit-remaining-minute", "0"}, {"x-ratelimit-remaining-hour", "197"},
                {"x-ratelimit-remaining-day", "960"}, {"x-ratelimit-remaining-month", "2960"}, {"ratelimit-reset", "11"}});
        QCOMPARE(state.windows,
            (std::vector{window("minute", 60s, 30, 0, 11s), window("hour", 1h, 200, 197, {}), window("day", 24h, 1000, 960, {}),
                window("month", 24h * 30, 3000, 2960, {})}));
        QCOMPARE(state.hint->delay, Duration{11s});
        QCOMPARE(state.hint->header, std::string{"ratelimit-reset"});
        QCOMPARE(state.dialect, std::optional{Dialect::Saia});
    }

    void saiasResetIsNoHintWhereALongerWindowIsUsedUp_data()
    {
        QTest::addColumn<QByteArray>("minute");
        QTest::newRow("the minute has a rest") << QByteArray("12");
        QTest::newRow("the minute has none either") << QByteArray("0");
    }
    void saiasResetIsNoHintWhereALongerWindowIsUsedUp()
    {
        QFETCH(QByteArray, minute);
        const auto state = read(
            429, {{"x-ratelimit-remaining-minute", minute.toStdString()}, {"x-ratelimit-remaining-day", "0"}, {"ratelimit-reset", "11"}});
        QVERIFY(!state.hint);
        QCOMPARE(state.windows[1].remaining, std::optional<std::uint64_t>{0});
        QCOMPARE(state.windows[0].reset, std::optional<Duration>{11s});
    }

    void kongsTightestWindowKeepsItsReset()
    {
        const auto state = read(429,
            {{"X-RateLimit-Limit-Minute", "5"}, {"X-RateLimit-Remaining-Minute", "0"}, {"RateLimit-Limit", "5"},
                {"RateLimit-Remaining", "0"}, {"RateLimit-Reset", "53"}});
        QCOMPARE(state.dialect, std::optional{Dialect::Kong});
        QCOMPARE(state.hint->delay, Duration{53s});
    }

    void theThreeShapesOfTheDrafts_data()
    {
        QTest::addColumn<QByteArray>("dialect");
        QTest::addColumn<int>("windows");
        QTest::newRow("triple with policies behind the limit") << QByteArray("ietf-triple-00-03") << 2;
        QTest::newRow("triple with RateLimit-Policy") << QByteArray("ietf-triple-04-06") << 2;
        QTest::newRow("dictionary") << QByteArray("ietf-combined-07") << 1;
        QTest::newRow("list") << QByteArray("ietf-list-08-10") << 2;
    }
    void theThreeShapesOfTheDrafts()
    {
        QFETCH(QByteArray, dialect);
        QFETCH(int, windows);
        const std::map<QByteArray, Headers> sent{
            {"ietf-triple-00-03", {{"RateLimit-Limit", "10, 10;w=1, 50;w=60"}, {"RateLimit-Remaining", "0"}, {"RateLimit-Reset", "1"}}},
            {"ietf-triple-04-06",
                {{"RateLimit-Limit", "10"}, {"RateLimit-Remaining", "0"}, {"RateLimit-Reset", "1"},
                    {"RateLimit-Policy", "10;w=1, 50;w=60"}}},
            {"ietf-combined-07", {{"RateLimit", "limit=10, remaining=0, reset=1"}, {"RateLimit-Policy", "10;w=1"}}},
            {"ietf-list-08-10",
                {{"RateLimit", "\"burst\";r=0;t=1, \"daily\";r=7;t=99"},
                    {"RateLimit-Policy", "\"burst\";q=10;w=1, \"daily\";q=50;w=60;qu=\"content-bytes\""}}},
        };
        const auto state = read(429, sent.at(dialect));
        QCOMPARE(QByteArray::fromStdString(std::string{signals::info(*state.dialect).name}), dialect);
        QCOMPARE(state.windows.size(), static_cast<std::size_t>(windows));
        QCOMPARE(state.windows[0].limit, std::optional<std::uint64_t>{10});
        QCOMPARE(state.windows[0].length, std::optional<Duration>{1s});
        QCOMPARE(state.hint->delay, Duration{1s});
        if (windows > 1)
            QCOMPARE(state.windows[1].length, std::optional<Duration>{60s});
        if (dialect == "ietf-list-08-10")
            QCOMPARE(state.windows[1].unit, std::string{"content-bytes"});
    }

    void countersOfACachedResponseAreOfThePast()
    {
        const auto state = read(429, {{"RateLimit", "\"default\";r=0;t=50"}, {"Age", "3"}});
        QVERIFY(!state.hint);
        QVERIFY(state.windows.empty());
        QCOMPARE(state.unreadable.size(), 1U);
        QVERIFY(read(429, {{"RateLimit", "\"default\";r=0;t=50"}, {"Age", "0"}}).hint);
    }

    void partitionsOfOnePolicyAreWindowsOfTheirOwn()
    {
        const auto state = read(200, {{"RateLimit", "\"p\";r=1;pk=:YQ==:, \"p\";r=2;pk=:Yg==:"}, {"RateLimit-Policy", "\"p\";q=5;w=60"}});
        QCOMPARE(state.windows.size(), 2U);
        QCOMPARE(state.windows[0].partition, std::string{"a"});
        QCOMPARE(state.windows[1].partition, std::string{"b"});
    }

    void formsOfTheTable_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<qint64>("limit");
        QTest::addColumn<qint64>("remaining");
        QTest::addColumn<QByteArray>("window");
        QTest::newRow("used of limit") << QByteArray("X-Shopify-Shop-Api-Call-Limit") << QByteArray("32/40") << 40LL << 8LL
                                       << QByteArray("");
        QTest::newRow("named, used of limit") << QByteArray("Sforce-Limit-Info") << QByteArray("api-usage=18/5000") << 5000LL << 4982LL
                                              << QByteArray("api-usage");
        QTest::newRow("total, remaining, resets")
            << QByteArray("zendesk-ratelimit-tickets-index") << QByteArray("total=100; remaining=99; resets=41") << 100LL << 99LL
            << QByteArray("tickets-index");
        QTest::newRow("provider, policy and count")
            << QByteArray("x-ms-ratelimit-remaining-resource") << QByteArray("Microsoft.Compute/HighCostGet;159") << -1LL << 159LL
            << QByteArray("microsoft.compute/highcostget");
        QTest::newRow("a window of any name") << QByteArray("X-RateLimit-Remaining-Videos-Minute") << QByteArray("3") << -1LL << 3LL
                                              << QByteArray("videos-minute");
        QTest::newRow("a count with its window's length")
            << QByteArray("ratelimit-limit") << QByteArray("100;w=21600") << 100LL << -1LL << QByteArray("");
        QTest::newRow("used more than there is")
            << QByteArray("X-Shopify-Shop-Api-Call-Limit") << QByteArray("41/40") << 40LL << 0LL << QByteArray("");
    }
    void formsOfTheTable()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, value);
        QFETCH(qint64, limit);
        QFETCH(qint64, remaining);
        QFETCH(QByteArray, window);
        const auto state = read(200, {{name.toStdString(), value.toStdString()}});
        QCOMPARE(state.windows.size(), 1U);
        QCOMPARE(QByteArray::fromStdString(state.windows[0].name), window);
        QCOMPARE(static_cast<qint64>(state.windows[0].limit.value_or(-1)), limit);
        QCOMPARE(static_cast<qint64>(state.windows[0].remaining.value_or(-1)), remaining);
    }

    void sentinelsMeanUnknown()
    {
        QVERIFY(read(429, {{"x-ratelimit-limit-tokens", "-1"}, {"x-ratelimit-remaining-tokens", "-1"}, {"x-ratelimit-reset-tokens", "0"}})
                    .windows.empty()
            == true);
        const auto state = read(429, {{"x-ratelimit-remaining", "7"}, {"x-ratelimit-reset", "0"}});
        QVERIFY(!state.windows[0].reset);
        QVERIFY(read(429, {{"ratelimit-limit", ";w=21600"}}).unreadable.empty());
        QCOMPARE(read(429, {{"x-ratelimit-remaining", "0.0"}, {"x-ratelimit-reset", "0"}}).hint->delay, Duration{0});
    }

    void aResetBetweenAYearAnd1e9IsNeitherDelayNorMoment()
    {
        const auto state = read(429, {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "500000000"}});
        QVERIFY(!state.hint);
        QCOMPARE(state.unreadable.size(), 1U);
    }

    void theDialectIsToldByHeadersAndByTheValuesForm_data()
    {
        QTest::addColumn<QByteArray>("reset");
        QTest::addColumn<QByteArray>("dialect");
        QTest::newRow("epoch seconds") << QByteArray("1772323260") << QByteArray("github");
        QTest::newRow("delta") << QByteArray("60") << QByteArray("envoy");
        QTest::newRow("epoch milliseconds") << QByteArray("1772323260000") << QByteArray("rocket-chat");
        QTest::newRow("ISO without seconds") << QByteArray("2026-03-01T00:01Z") << QByteArray("atlassian");
        QTest::newRow("JavaScript") << QByteArray("Sun Mar 01 2026 01:01:00 GMT+0100 (CET)") << QByteArray("lemlist");
    }
    void theDialectIsToldByHeadersAndByTheValuesForm()
    {
        QFETCH(QByteArray, reset);
        QFETCH(QByteArray, dialect);
        const auto state = read(429, {{"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", reset.toStdString()}});
        QCOMPARE(QByteArray::fromStdString(std::string{signals::info(*state.dialect).name}), dialect);
        QCOMPARE(state.hint->delay, Duration{60s});
    }

    void aBodyIsReadOnlyWhereNoHeaderTells()
    {
        const std::string discord = R"({"message": "rate limited", "retry_after": 64.57, "global": false})";
        QCOMPARE(signals::read(response(429, {}, discord), kNow).hint->delay, Duration{64'570'000});
        QCOMPARE(signals::read(response(429, {{"Retry-After", "65"}}, discord), kNow).hint->delay, Duration{65s});
        QVERIFY(!signals::read(response(200, {}, discord), kNow).hint);
        QVERIFY(!signals::read(response(429, {}, R"({"retry_after": -1})"), kNow).hint);
        QVERIFY(!signals::read(response(429, {}, R"({"retry_after": "soon)"), kNow).hint);
        QCOMPARE(
            signals::read(
                response(429, {},
                    R"([{"error":{"details":[{"@type":"x"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"53s"}]}}])"),
                kNow)
                .hint->delay,
            Duration{53s});
    }

    void strictModeBelievesRetryAfterAlone()
    {
        const signals::ReadOptions strict{true, std::nullopt, false};
        QVERIFY(!signals::read(response(429, {{"RateLimit", "\"d\";r=0;t=5"}}), kNow, strict).hint);
        QVERIFY(!signals::read(response(429, {{"Retry-After", "5"}, {"Retry-After", "5"}}), kNow, strict).hint);
        QCOMPARE(signals::read(response(429, {{"Retry-After", "5"}, {"retry-after-ms", "1"}}), kNow, strict).hint->delay, Duration{5s});
    }

    void aNamedDialectDecidesWhatHeadersLeaveOpen()
    {
        signals::ReadOptions options;
        options.dialect = Dialect::DiscordV6;
        QCOMPARE(signals::read(response(429, {{"Retry-After", "6457"}}), kNow, options).hint->delay, Duration{6'457'000});
        options.dialect = Dialect::Prisjakt;
        QCOMPARE(
            signals::read(response(429, {{"X-Rate-Limit-Remaining", "0"}, {"X-Rate-Limit-Reset", "600000"}}), kNow, options).hint->delay,
            Duration{600s});
        QVERIFY(!signals::dialectNamed("no-such-dialect"));
    }

    /// The short way for "Retry-After: 30" alone comes to what the reader of everything comes to: an age beside it, or a
    /// wish for words, sends a response the long way.
    void theShortWayForPlainSecondsComesToTheSame()
    {
        for (const int status : {200, 403, 429, 503}) {
            for (const std::string value : {"0", "1", "30", "007", "3600", "86400", "1234567", "99999999"}) {
                const RateLimitState plain = read(status, {{"Retry-After", value}});
                signals::ReadOptions wordy;
                wordy.alwaysSayWhy = true;
                RateLimitState whole = signals::read(response(status, {{"Retry-After", value}}), kNow, wordy);
                QVERIFY(!whole.hint->why.empty());
                whole.hint->why.clear();
                QCOMPARE(plain, whole);
            }
        }
        const std::vector<std::string> other{"retry-after-ms"};
        QVERIFY(!signals::read(response(429, {{"Retry-After", "30"}}), kNow, {.hintHeaders = other}).hint);
    }

    void thousandsAreNotAList()
    {
        QVERIFY(!read(429, {{"Retry-After", "1,000"}}).hint);
        QVERIFY(!read(429, {{"Retry-After", "120, "}}).hint);
        QVERIFY(!read(429, {{"Retry-After", "Wed, 09"}}).hint);
        QCOMPARE(read(429, {{"Retry-After", "2814, 2"}}).hint->delay, Duration{2814s});
    }

    void whatIsNotReadableIsExplained()
    {
        QCOMPARE(signals::explain(response(429, {{"Retry-After", "soon"}}), kNow).why,
            std::string{"Retry-After 'soon': neither delay-seconds nor an HTTP-date"});
        QVERIFY(!signals::explain(response(429, {}), kNow).why.empty());
        QVERIFY(!signals::explain(response(200, {{"Retry-After", "10"}}), kNow).actionable);
    }
};

QTEST_APPLESS_MAIN(SignalsReadTest)
#include "tst_signals_read.moc"
