// SPDX-License-Identifier: Apache-2.0
#include "core/journal/event_reader.h"
#include "core/journal/event_writer.h"
#include "core/journal/metrics.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <sstream>

using namespace throttlescope;
using namespace throttlescope::journal;

namespace {

std::string lineOf(const Event &event)
{
    std::string line;
    appendJson(line, event);
    return line;
}

Event eventWith(Payload payload)
{
    const WallTime wall{
        std::chrono::sys_days{std::chrono::year{2026} / 6 / 2}.time_since_epoch() + std::chrono::hours{9} + std::chrono::seconds{12}};
    return {7, {MonotonicTime{1920ms}, wall + 1920ms}, 31, "convert", "saia", 1, std::move(payload)};
}

} // namespace

class TestJournal : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anEventIsOneLineWithTheKeysOfTheDesign()
    {
        const std::string line = lineOf(eventWith(AttemptStarted{}));
        QCOMPARE(QString::fromStdString(line),
            QStringLiteral(
                R"({"seq":7,"t":1.920000,"time":"2026-06-02T09:00:13.920000Z","event":"attempt.started","op":31,"operation":"convert","server":"saia","attempt":1})"));
    }

    void aDecisionIsWrittenWholeAndReadBack()
    {
        Decision decision;
        decision.attempt = 1;
        decision.family = Family::RateLimited;
        decision.status = 429;
        decision.hint = signals::Hint{47s, "Retry-After", signals::HintForm::DelaySeconds, "47", ""};
        decision.rule = DelayRule::HintExact;
        decision.source = DelaySource::Provider;
        decision.delay = Duration{47s};
        decision.padding = 1600ms;
        decision.paddingDraw = 0.3;
        decision.maxWait = 60s;
        decision.maxAttempts = 8;
        decision.tokensBefore = 500;
        decision.tokensAfter = 495;
        EventReader reader;
        const Event *read = reader.parse(lineOf(eventWith(RetryScheduled{&decision, MonotonicTime{50s}})));
        QVERIFY(read);
        QVERIFY(*std::get<RetryScheduled>(read->payload).decision == decision);
        decision.refusal = RefusalReason::WaitExceeded;
        const std::string refused = lineOf(eventWith(RetryRefused{&decision}));
        QVERIFY(refused.find(R"("rate_limit_wait_exceeded":true)") != std::string::npos);
        QVERIFY(refused.find(R"("rate_limit_delay_source":"provider")") != std::string::npos);
        read = reader.parse(refused);
        QVERIFY(*std::get<RetryRefused>(read->payload).decision == decision);
    }

    void hostileTextStaysValidJson()
    {
        using namespace std::string_literals;
        const std::string nasty = "a\"\\\n\x01\xff\xc3\xa9\xed\xa0\x80\0z"s;
        const std::string line = lineOf(eventWith(Marker{nasty, true}));
        QJsonParseError error;
        const auto document = QJsonDocument::fromJson(QByteArray::fromStdString(line), &error);
        QCOMPARE(error.error, QJsonParseError::NoError);
        QVERIFY(document["label"].toString().contains(QStringLiteral("é")));
        EventReader reader;
        QVERIFY(reader.parse(line));
    }

    void aReader_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("events");
        QTest::addColumn<int>("broken");
        QTest::addColumn<bool>("cut");
        const QByteArray good = QByteArray::fromStdString(lineOf(eventWith(AttemptStarted{}))) + '\n';
        Event after = eventWith(AttemptStarted{});
        ++after.seq;
        const QByteArray next = QByteArray::fromStdString(lineOf(after)) + '\n';
        QTest::newRow("reads what is whole") << QByteArray{good + next} << 2 << 0 << false;
        QTest::newRow("ignores keys it does not know")
            << QByteArray{"{\"t\":1,\"event\":\"marker\",\"label\":\"x\",\"begin\":true,\"new\":{\"a\":[1]}}\n"} << 1 << 0 << false;
        QTest::newRow("passes over events it does not know")
            << QByteArray{"{\"t\":1,\"event\":\"later.version\"}\n" + good} << 1 << 0 << false;
        QTest::newRow("survives a cut last line") << QByteArray{good + good.left(40)} << 1 << 0 << true;
        QTest::newRow("names a broken line") << QByteArray{good + "{\"t\":}\n" + good} << 1 << 2 << false;
        QTest::newRow("names a line that is no event") << QByteArray{good + next + "[1]\n"} << 2 << 3 << false;
        QTest::newRow("names a line out of order") << QByteArray{next + good} << 1 << 2 << false;
        QTest::newRow("finds nothing in an empty file") << QByteArray{} << 0 << 0 << false;
    }
    void aReader()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, events);
        QFETCH(int, broken);
        QFETCH(bool, cut);
        std::istringstream stream{text.toStdString()};
        EventReader reader;
        const auto outcome = reader.readAll(stream, [](const Event &) {});
        QCOMPARE(outcome.events, static_cast<std::uint64_t>(events));
        QCOMPARE(outcome.brokenLine, static_cast<std::uint64_t>(broken));
        QCOMPARE(outcome.cutLastLine, cut);
    }

    void samplesAddedUpShareTheirValuesAndStayApart()
    {
        // 1 s … 4 s in one, 5 s … 10 s in the other: together the 50th percentile is 5 s, the mean 5.5 s.
        DurationSamples low, high, all;
        for (int i = 1; i <= 4; ++i)
            low.add(Duration{std::chrono::seconds{5 - i}});
        for (int i = 5; i <= 10; ++i)
            high.add(Duration{std::chrono::seconds{i}});
        all.add(low);
        all.add(high);
        QCOMPARE(all.count(), 10U);
        QCOMPARE(all.min(), Duration{1s});
        QCOMPARE(all.percentile(50), Duration{5s});
        QCOMPARE(all.percentile(90), Duration{9s});
        QCOMPARE(all.max(), Duration{10s});
        QCOMPARE(all.meanMicroseconds(), 5.5e6);
        low.add(Duration{60s});
        QCOMPARE(low.max(), Duration{60s});
        QCOMPARE(all.max(), Duration{10s});
        QCOMPARE(all.count(), 10U);
    }

    void percentilesAreNearestRank()
    {
        DurationSamples samples;
        for (int i = 1; i <= 10; ++i)
            samples.add(std::chrono::seconds{i});
        samples.add(Duration::zero()); // no sample
        QCOMPARE(samples.count(), 10U);
        QCOMPARE(samples.percentile(50), Duration{5s});
        QCOMPARE(samples.percentile(90), Duration{9s});
        QCOMPARE(samples.percentile(99), Duration{10s});
        QCOMPARE(samples.min(), Duration{1s});
        QCOMPARE(samples.meanMicroseconds(), 5.5e6);
    }

    void everyMetricHasAPathThatFindsIt()
    {
        for (const std::string &path : metricPaths())
            QVERIFY2(metricValue({}, path), path.c_str());
        QVERIFY(!metricValue({}, "operations"));
        QVERIFY(!metricValue({}, "attempts.max"));
    }
};

QTEST_GUILESS_MAIN(TestJournal)
#include "tst_journal.moc"
