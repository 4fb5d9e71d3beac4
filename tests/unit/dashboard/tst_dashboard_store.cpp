// SPDX-License-Identifier: Apache-2.0
#include "dashboard_support.h"

#include <QTest>
#include <limits>

using namespace throttlescope;
using namespace throttlescope::dashboard;
using namespace throttlescope::dashboard::test;

namespace {

std::string lineOf(const EventStore &store, Row row)
{
    EventBuffer buffer;
    std::string line;
    journal::appendJson(line, store.event(row, buffer));
    return line;
}

/// Everything that an event can say, and what no event of ours would.
std::vector<journal::Payload> fullPayloads(const Decision &decision, const signals::Hint &hint, const signals::RateLimitState &state)
{
    using namespace journal;
    return {RunStarted{1, "0.1", "a \"scenario\"", "abc", std::numeric_limits<std::uint64_t>::max(), R"({"p":{}})", Traffic::Loopback},
        Marker{"db failover", true}, OperationStarted{"p", "POST", OperationClass::Write, ReplayRule::Limited, 800},
        PacerWait{3, MonotonicTime{5s}, true}, AttemptStarted{true, true, 3s, 4s},
        AttemptFinished{
            true, AttemptEnd::TransportFailed, std::nullopt, TransportFailureKind::AttemptTimeout, Family::Transport, 30s, nullptr},
        AttemptFinished{false, AttemptEnd::Answered, 429, std::nullopt, Family::RateLimited, 120ms, &state},
        AttemptFinished{false, AttemptEnd::Deadline, std::nullopt, std::nullopt, Family::Success, Duration::max(), nullptr},
        RateLimitDetected{429, &hint, false}, RateLimitDetected{429, nullptr, true}, RateLimitWaitExceeded{61s, 60s, DelaySource::Backoff},
        RetryScheduled{&decision, MonotonicTime{99s}}, RetryRefused{&decision}, BreakerOpened{std::nullopt, 7, "ratio"}, BreakerHalfOpen{7},
        BreakerClosed{8}, BreakerRejected{MonotonicTime{1s}, true}, BudgetExhausted{0.1, 5}, FallbackStarted{"backup", "other"},
        FallbackFinished{"backup", Result::Failed, 500}, PolicyChanged{"p", R"({"max_attempts":4})", 3},
        ServerAnswered{503, true, true, true, 2, "minute", "reset", MonotonicTime{-1us}, MonotonicTime::max()},
        ServerWindow{"minute", "#1", 30, std::numeric_limits<std::uint64_t>::max(), MonotonicTime{0s}, MonotonicTime{60s}},
        TransportResent{3},
        OperationFinished{
            Result::Succeeded, RefusalReason::WaitExceeded, true, 200, 3, "47", {true, 47s, true}, 1s, 2s, RefusalReason::BreakerOpen},
        RunFinished{12, true}};
}

signals::Hint fullHint()
{
    return {47s, "Retry-After", signals::HintForm::HttpDate, "Tue, 02 Jun 2026 09:00:59 GMT", "held against Date",
        signals::Spelling::ImfFixdate};
}

Decision fullDecision()
{
    Decision decision;
    decision.attempt = 3;
    decision.family = Family::RateLimited;
    decision.status = 429;
    decision.finalAttempt = true;
    decision.hint = fullHint();
    decision.backoff = 1234567us;
    decision.jitterDraw = 0.123456789012345;
    decision.rule = DelayRule::HintSpread;
    decision.source = DelaySource::Backoff;
    decision.delay = 0s;
    decision.padding = 3s;
    decision.paddingDraw = 1.0 / 3;
    decision.maxWait = 60s;
    decision.clamped = true;
    decision.timeLeft = -1us;
    decision.earliestSlot = 2s;
    decision.maxAttempts = 4;
    decision.tokensBefore = 0;
    decision.tokensAfter = 495.5;
    decision.windowExhausted = "day";
    decision.extractionError = "no number";
    decision.refusal = RefusalReason::UnitsTooLarge;
    return decision;
}

} // namespace

class TestDashboardStore : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyEventOfAShippedScenarioComesBackAsItsLine_data()
    {
        QTest::addColumn<int>("chunkSize");
        QTest::newRow("one event a chunk") << 1;
        QTest::newRow("some") << 7;
        QTest::newRow("all at once") << 1'000'000;
    }
    void everyEventOfAShippedScenarioComesBackAsItsLine()
    {
        QFETCH(int, chunkSize);
        for (const QString &name : shippedNames()) {
            EventStore store;
            StoreSink sink{store, static_cast<std::size_t>(chunkSize)};
            LineSink lines;
            journal::Tee both{lines, &sink};
            runInto(shipped(name), both);
            sink.flush();
            QCOMPARE(std::size_t{store.rowCount()}, lines.lines.size());
            for (Row row = 0; row < store.rowCount(); ++row)
                QCOMPARE(lineOf(store, row), lines.lines[row]);
        }
    }

    void everyPayloadComesBackWhole()
    {
        const Decision decision = fullDecision();
        const signals::Hint hint = fullHint();
        signals::RateLimitState state;
        state.windows = {{"minute", 60s, 30, 0, 47s, "content-bytes", "key"}, {}, {"day", std::nullopt, std::nullopt, 5, std::nullopt}};
        state.unreadable = {{"Retry-After", "soon", "neither a number nor a date"}};
        const auto payloads = fullPayloads(decision, hint, state);
        EventStore store;
        Journal journal{store};
        for (const auto &payload : payloads)
            journal.add(1s, 1, 1, payload);
        journal.flush();

        EventBuffer buffer;
        for (Row row = 0; row < payloads.size(); ++row) {
            const journal::Event &event = store.event(row, buffer);
            QCOMPARE(event.payload.index(), payloads[row].index());
            std::string expected;
            journal::Event original = event;
            original.payload = payloads[row];
            journal::appendJson(expected, original);
            QCOMPARE(lineOf(store, row), expected);
            if (const auto *refused = std::get_if<journal::RetryRefused>(&event.payload))
                QVERIFY(*refused->decision == decision);
            if (const auto *detected = std::get_if<journal::RateLimitDetected>(&event.payload); detected && detected->hint)
                QVERIFY(*detected->hint == hint);
            if (const auto *finished = std::get_if<journal::AttemptFinished>(&event.payload); finished && finished->state)
                QVERIFY(*finished->state == state);
        }
    }

    void aBufferKeepsNothingOfTheEventBefore()
    {
        EventStore store;
        Journal journal{store};
        const Decision full = fullDecision(), empty;
        journal.add(1s, 1, 1, journal::RetryScheduled{&full, at(2s)});
        journal.add(1s, 1, 1, journal::RetryScheduled{&empty, at(2s)});
        journal.flush();
        EventBuffer buffer;
        store.event(0, buffer);
        QVERIFY(*std::get<journal::RetryScheduled>(store.event(1, buffer).payload).decision == empty);
    }

    void whatIsOutOfTheOrdinaryComesBackExactly()
    {
        EventStore store;
        ChunkBuilder builder;
        journal::Event event;
        event.operation = "call";
        const auto add = [&](std::uint64_t seq, Duration time, Duration wall, std::uint64_t op, int attempt) {
            event.seq = seq;
            event.at = {at(time), WallTime{wall}};
            event.op = op;
            event.attempt = attempt;
            event.payload = journal::TransportResent{1};
            builder.accept(event);
        };
        add(5, 10s, 100s, 1, 1);
        add(9, 8s, 97s, 1'000'000'000'000, 70'000); // seq, time and wall clock leap, a huge id and attempt
        add(10, 11s, 101s, 2, 2);
        store.append(*builder.take());
        add(2, 9s, 50s, 3, 1); // also over the end of a chunk
        store.append(*builder.take());

        EventBuffer buffer;
        const journal::Event &leap = store.event(1, buffer);
        QCOMPARE(leap.seq, 9U);
        QCOMPARE(leap.at.monotonic, at(8s));
        QCOMPARE(leap.at.wall, WallTime{97s});
        QCOMPARE(leap.op, 1'000'000'000'000U);
        QCOMPARE(leap.attempt, 70'000);
        QCOMPARE(store.at(1), at(10s)); // where it is drawn
        QCOMPARE(store.event(3, buffer).seq, 2U);
        QCOMPARE(store.event(3, buffer).at.monotonic, at(9s));
        QCOMPARE(store.event(3, buffer).at.wall, WallTime{50s});
        QCOMPARE(store.rowsOf(1'000'000'000'000), std::vector<Row>{1});
    }

    void theRowsOfAnOperationAreFoundInOrder()
    {
        EventStore store = storeOf(shipped("minute-window.yaml"), 13);
        std::vector<std::vector<Row>> expected(store.operationCount() + 1);
        for (Row row = 0; row < store.rowCount(); ++row)
            expected[store.op(row)].push_back(row);
        QCOMPARE(store.operationCount(), 200U);
        for (journal::OperationId id = 1; id <= 200; ++id) {
            QCOMPARE(store.rowsOf(id), expected[id]);
            QCOMPARE(store.lastRowOf(*store.indexOf(id)), expected[id].back());
        }
        QCOMPARE(store.rowsOf(201), std::vector<Row>{});
        QCOMPARE(store.rowsOf(0), std::vector<Row>{});
    }

    void theColumnsSayWhatTheEventSays()
    {
        const EventStore store = storeOf(shipped("minute-window.yaml"));
        EventBuffer buffer;
        for (Row row = 0; row < store.rowCount(); ++row) {
            const journal::Event &event = store.event(row, buffer);
            QCOMPARE(store.at(row), event.at.monotonic);
            QCOMPARE(eventName(store.kind(row)), journal::eventName(event.payload));
            QCOMPARE(store.status(row), statusOf(event.payload));
            QCOMPARE(store.reason(row), reasonOf(event.payload));
            QCOMPARE(store.duration(row), mainDuration(event));
            QCOMPARE(store.attempt(row), event.attempt);
            if (const auto *finished = std::get_if<journal::AttemptFinished>(&event.payload))
                QCOMPARE(store.outcome(row), outcomeOf(*finished));
            if (const auto *finished = std::get_if<journal::OperationFinished>(&event.payload))
                QCOMPARE(store.result(row), finished->result);
        }
    }

    void aRowIsFoundByItsTime()
    {
        EventStore store;
        Journal journal{store};
        for (int i = 0; i < 50'000; ++i)
            journal.add(Duration{10 * (i / 3)}, 1, 1, journal::BreakerHalfOpen{}); // three at each moment
        journal.flush();
        for (const int i : {0, 1, 5461, 5462, 10000, 16665})
            QCOMPARE(store.firstRowAt(at(Duration{10 * i})), static_cast<Row>(3 * i));
        QCOMPARE(store.firstRowAt(at(-1s)), 0U);
        QCOMPARE(store.firstRowAt(at(Duration{1})), 3U);
        QCOMPARE(store.firstRowAt(at(1s)), 50'000U);
        QCOMPARE(EventStore{}.firstRowAt(at(0s)), 0U);
    }
};

QTEST_GUILESS_MAIN(TestDashboardStore)
#include "tst_dashboard_store.moc"
