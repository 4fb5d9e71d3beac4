// SPDX-License-Identifier: Apache-2.0
#include "core/signals/structured_fields.h"
#include "core/signals/verdict.h"

#include <QTest>

#include <cstdlib>
#include <ctime>
#include <new>

namespace {

thread_local std::size_t allocations = 0;

} // namespace

// Counts what the readers allocate: the simulator reads a million responses a run. A sanitizer brings its own operators; the
// count stays 0 there.
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
void *operator new(std::size_t size)
{
    ++allocations;
    if (void *memory = std::malloc(size == 0 ? 1 : size))
        return memory;
    throw std::bad_alloc{};
}
void *operator new(std::size_t size, const std::nothrow_t &) noexcept
{
    ++allocations;
    return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void *memory) noexcept
{
    std::free(memory);
}
void operator delete(void *memory, std::size_t) noexcept
{
    std::free(memory);
}

#endif

using namespace throttlescope;

namespace {

const WallTime kNow{std::chrono::seconds{1'772'323'200}};

#ifdef THROTTLESCOPE_SANITIZED
constexpr std::size_t kHuge = 50'000; // instrumented code takes some twenty times as long
#else
constexpr std::size_t kHuge = 1'000'000;
#endif

std::string repeated(std::string_view part, std::size_t size)
{
    std::string text;
    text.reserve(size + part.size());
    while (text.size() < size)
        text += part;
    return text;
}

Response response(Headers headers)
{
    Response made;
    made.status = 429;
    made.headers = std::move(headers);
    return made;
}

/// Processor time of this thread, so that what other processes do meanwhile does not count.
qint64 threadMicroseconds()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return qint64{time.tv_sec} * 1'000'000 + time.tv_nsec / 1000;
}

/// The fastest of three, in microseconds.
template <typename Work>
qint64 fastest(Work work)
{
    qint64 best = std::numeric_limits<qint64>::max();
    for (int i = 0; i < 3; ++i) {
        const qint64 start = threadMicroseconds();
        work();
        best = std::min(best, threadMicroseconds() - start);
    }
    return best;
}

const std::vector<std::string> kNames{"Retry-After", "retry-after-ms", "Date", "Age", "RateLimit", "RateLimit-Policy", "RateLimit-Limit",
    "RateLimit-Remaining", "RateLimit-Reset", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset",
    "X-Shopify-Shop-Api-Call-Limit", "Sforce-Limit-Info", "zendesk-ratelimit-tickets-index", "x-ms-ratelimit-remaining-resource",
    "X-Sentry-Rate-Limits", "X-Rate-Limit-Window", "x-ratelimit-reset-tokens", "x-ratelimit-resource"};

} // namespace

/// Input that wants to break the readers: a clear verdict in linear time, no crash.
class SignalsHostileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aMegabyteOfAnythingTakesLinearTime_data()
    {
        QTest::addColumn<QByteArray>("part");
        for (const char *part : {"9", " ", "\t", ",", ", ", ";", "\"", "\\", "(", "1, ", "a=1, ", "\"a\";r=0;t=1, ", "\"a\";r=0;t=1,",
                 "1;w=1, ", "a;b", "1m", "1d", "1ns", "0.", ":", "=", "-", "\xff", "\xc3\xa4", "%", "Sun, ",
                 "Sun, 06 Nov 1994 08:49:37 GMT, ", "a=1/2;", "a;1,", "1:a:b, ", "total=1;", "?1", "{", "[", "120, "})
            QTest::newRow(("a megabyte of " + QByteArray(part).toPercentEncoding(" ,;=")).constData()) << QByteArray(part);
        QTest::newRow("NUL") << QByteArray("\0", 1);
        QTest::newRow("NUL after digits") << QByteArray("12\0", 3);
    }
    void aMegabyteOfAnythingTakesLinearTime()
    {
        QFETCH(QByteArray, part);
        for (const std::string &name : kNames) {
            const Response small = response({{name, repeated({part.data(), static_cast<std::size_t>(part.size())}, kHuge / 8)}});
            const Response large = response({{name, repeated({part.data(), static_cast<std::size_t>(part.size())}, kHuge)}});
            const auto read = [](const Response &each) { return [&each] { (void)signals::explain(each, kNow); }; };
            const qint64 slow = fastest(read(large));
            if (slow < 1000)
                continue; // below a millisecond the clock says nothing
            // Eight times the text; quadratic time would be 64 times.
            const qint64 quick = fastest(read(small));
            QVERIFY2(
                slow < 40 * quick, qPrintable(QString("%1: %2 µs, then %3 µs").arg(QString::fromStdString(name)).arg(quick).arg(slow)));
            QVERIFY2(slow < 2'000'000, "seconds for a megabyte");
        }
    }

    void whatIsShownOfAValueIsShort()
    {
        const auto state = signals::read(response({{"Retry-After", repeated("9", kHuge) + "x"}}), kNow);
        QCOMPARE(state.unreadable.size(), 1U);
        QVERIFY(state.unreadable.front().raw.size() <= 200);
        const auto hint = signals::explain(response({{"Retry-After", repeated("9", kHuge)}}), kNow);
        QVERIFY(hint.why.size() < 500);
    }

    void tenThousandDigitsSaturate()
    {
        const std::string number = repeated("9", 10'000);
        QCOMPARE(signals::read(response({{"Retry-After", number}}), kNow).hint->delay, kMaxDuration);
        QCOMPARE(signals::read(response({{"Retry-After", number + "." + number}}), kNow).hint->delay, kMaxDuration);
        QCOMPARE(signals::read(response({{"Retry-After", number + "h"}}), kNow).hint->delay, kMaxDuration);
        QCOMPARE(signals::read(response({{"retry-after-ms", number}}), kNow).hint->delay, kMaxDuration);
        QVERIFY(!signals::read(response({{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", number}}), kNow).hint);
        QVERIFY(!signals::read(response({{"RateLimit", "\"a\";r=0;t=" + number}}), kNow).hint);
        QCOMPARE(
            signals::read(response({{"Retry-After", repeated("0", 10'000) + "5"}}), kNow).hint->delay, Duration{std::chrono::seconds{5}});
    }

    void tenThousandHeaderLinesTakeLinearTime_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<bool>("numbered");
        QTest::newRow("one name") << QByteArray("Retry-After") << false;
        QTest::newRow("RateLimit") << QByteArray("RateLimit") << false;
        QTest::newRow("a window each") << QByteArray("X-RateLimit-Remaining-") << true;
        QTest::newRow("unknown names") << QByteArray("X-Nothing-") << true;
    }
    void tenThousandHeaderLinesTakeLinearTime()
    {
        QFETCH(QByteArray, name);
        QFETCH(bool, numbered);
        const auto lines = [&](int count) {
            Headers headers;
            for (int i = 0; i < count; ++i)
                headers.push_back({name.toStdString() + (numbered ? std::to_string(i) : ""), "0"});
            return response(std::move(headers));
        };
        const Response small = lines(1'250);
        const Response large = lines(10'000);
        signals::RateLimitState state;
        const qint64 quick = fastest([&] { state = signals::read(small, kNow); });
        const qint64 slow = fastest([&] { state = signals::read(large, kNow); });
        QVERIFY2(slow < 1000 || slow < 40 * quick, qPrintable(QString("%1 µs, then %2 µs").arg(quick).arg(slow)));
        QVERIFY(state.windows.size() <= 64);
        QVERIFY(state.unreadable.size() <= 128);
    }

    void theLongestOfTenThousandLinesCounts()
    {
        Headers headers(10'000, {"Retry-After", "5"});
        headers.back().value = "7";
        QCOMPARE(signals::read(response(std::move(headers)), kNow).hint->delay, Duration{std::chrono::seconds{7}});
    }

    void longHeaderNamesAreNobodys()
    {
        const auto state = signals::read(
            response({{repeated("x-ratelimit-remaining-", kHuge), "0"}, {std::string(1, '\0'), "0"}, {"\xff\xfe", "0"}}), kNow);
        QCOMPARE(state, signals::RateLimitState{});
    }

    void aHundredThousandKeysTakeLinearTime()
    {
        const auto keys = [](int count) {
            std::string text = "a";
            for (int i = 0; i < count; ++i)
                text += ";k" + std::to_string(i);
            return text;
        };
        const std::string small = keys(12'500);
        const std::string large = keys(100'000);
        const qint64 quick = fastest([&] { QVERIFY(signals::sf::parseItem(small)); });
        const qint64 slow = fastest([&] { QVERIFY(signals::sf::parseItem(large)); });
        QVERIFY2(slow < 1000 || slow < 40 * quick, qPrintable(QString("%1 µs, then %2 µs").arg(quick).arg(slow)));
    }

    void aHostileBodyIsNoHint_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::newRow("deep") << "{\"retry\":" + QByteArray(100'000, '[');
        QTest::newRow("cut") << QByteArray("{\"retry_after\": 6");
        QTest::newRow("junk") << "{retry" + QByteArray(100'000, '\xff');
        QTest::newRow("text for a number") << QByteArray(R"({"retry_after": "NaN"})");
        QTest::newRow("negative") << QByteArray(R"({"retry_after": -5})");
        QTest::newRow("huge") << QByteArray(R"({"retry_after": 1e300})");
        QTest::newRow("an object") << QByteArray(R"({"retry_after": {}})");
    }
    void aHostileBodyIsNoHint()
    {
        QFETCH(QByteArray, body);
        Response made = response({});
        made.body = body.toStdString();
        QVERIFY(!signals::read(made, kNow).hint);
    }

    void readingAllocatesLittle()
    {
        const Response plain = response({{"Content-Type", "text/html"}, {"Date", "Sun, 01 Mar 2026 00:00:00 GMT"},
            {"X-Request-Id", "8f14e45fceea167a5a36dedd4bea2543"}, {"Content-Length", "120"}});
        const Response throttled = response({{"Date", "Sun, 01 Mar 2026 00:00:00 GMT"}, {"Retry-After", "47"}});
        (void)signals::read(plain, kNow); // builds the index once
        const auto counted = [](const Response &each) {
            const std::size_t before = allocations;
            (void)signals::read(each, kNow);
            return allocations - before;
        };
        QCOMPARE(counted(plain), 0U);
        QCOMPARE(counted(throttled), 0U);
    }
};

QTEST_APPLESS_MAIN(SignalsHostileTest)
#include "tst_signals_hostile.moc"
