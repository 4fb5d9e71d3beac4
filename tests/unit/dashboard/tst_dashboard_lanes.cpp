// SPDX-License-Identifier: Apache-2.0
#include "app/dashboard/data/lanes.h"
#include "app/dashboard/data/plot_series.h"
#include "dashboard_support.h"

#include <QTest>
#include <algorithm>

using namespace throttlescope;
using namespace throttlescope::dashboard;
using namespace throttlescope::dashboard::test;

namespace {

constexpr auto kAnswered = journal::AttemptEnd::Answered;

Decision hinted(Duration hint, Duration padding)
{
    Decision decision;
    decision.family = Family::RateLimited;
    decision.status = 429;
    decision.hint = signals::Hint{hint, "Retry-After", signals::HintForm::DelaySeconds, "10"};
    decision.delay = hint;
    decision.padding = padding;
    decision.source = DelaySource::Provider;
    decision.rule = DelayRule::HintExact;
    decision.maxWait = 60s;
    return decision;
}

/// One operation that is throttled at 1 s, waits 12 s of which the server asked for 10, queues 2 s and succeeds.
void addThrottled(Journal &journal, const Decision &decision, journal::OperationId op = 1)
{
    journal.add(0s, op, 0, journal::OperationStarted{"p", "GET"});
    journal.add(0s, op, 1, journal::AttemptStarted{});
    journal.add(1s, op, 1, journal::AttemptFinished{false, kAnswered, 429, std::nullopt, Family::RateLimited, 1s});
    journal.add(1s, op, 1, journal::RetryScheduled{&decision, at(13s)});
    journal.add(13s, op, 0, journal::PacerWait{2, at(15s), true});
    journal.add(15s, op, 2, journal::AttemptStarted{false, false, 12s, 2s});
    journal.add(16s, op, 2, journal::AttemptFinished{false, kAnswered, 200, std::nullopt, Family::Success, 1s});
    journal.add(16s, op, 2, journal::OperationFinished{Result::Succeeded});
}

} // namespace

class TestDashboardLanes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aThrottledOperationIsAttemptWaitQueueAttempt()
    {
        EventStore store;
        Journal journal{store};
        const Decision decision = hinted(10s, 2s);
        addThrottled(journal, decision);
        journal.flush();

        const Lane lane = laneOf(store, 0);
        QCOMPARE(lane.op, 1U);
        QCOMPARE(store.text(lane.operation), std::string_view{"call"});
        QCOMPARE(lane.begin, at(0s));
        QCOMPARE(lane.end, at(16s));
        QCOMPARE(*lane.result, Result::Succeeded);
        QCOMPARE(lane.attempts,
            (std::vector<AttemptSpan>{{at(0s), at(1s), AttemptOutcome::RateLimited, 429, 1, false, false, 1, 2},
                {at(15s), at(16s), AttemptOutcome::Success, 200, 2, false, false, 5, 6}}));
        QCOMPARE(lane.waits, (std::vector<WaitSpan>{{at(1s), at(13s), at(11s), false, 3}}));
        QCOMPARE(lane.pacings, (std::vector<PacingSpan>{{at(13s), at(15s), true, false, 4}}));
        QVERIFY(lane.refusals.empty());
    }

    void whatIsUnderWayReachesUpToNow_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<QString>("open");
        QTest::newRow("in an attempt") << 2 << "attempt";
        QTest::newRow("in a wait") << 4 << "wait";
        QTest::newRow("in the pacer's queue") << 5 << "pacing";
    }
    void whatIsUnderWayReachesUpToNow()
    {
        QFETCH(int, rows);
        QFETCH(QString, open);
        EventStore whole, store;
        const Decision decision = hinted(10s, 2s);
        Journal all{whole};
        addThrottled(all, decision);
        all.flush();
        ChunkBuilder builder;
        EventBuffer buffer;
        for (Row row = 0; row < static_cast<Row>(rows); ++row)
            builder.accept(whole.event(row, buffer));
        store.append(*builder.take());

        const MonotonicTime now = store.end() + 500ms;
        const Lane lane = laneOf(store, 0, now);
        QCOMPARE(lane.result, std::nullopt);
        QCOMPARE(lane.end, now);
        QCOMPARE(!lane.attempts.back().outcome.has_value(), open == "attempt");
        QCOMPARE(!lane.waits.empty() && lane.waits.back().goesOn, open == "wait");
        QCOMPARE(!lane.pacings.empty() && lane.pacings.back().goesOn, open == "pacing");
        if (open == "attempt")
            QCOMPARE(lane.attempts.back().end, now);
        if (open == "wait")
            QCOMPARE(lane.waits.back().end, now);
        if (open == "pacing")
            QCOMPARE(lane.pacings.back().end, now);
    }

    void aCutWaitEndsWhereItWasCut()
    {
        EventStore store;
        Journal journal{store};
        const Decision decision = hinted(40s, 0s);
        journal.add(1s, 1, 1, journal::RetryScheduled{&decision, at(41s)});
        journal::OperationFinished cancelled{Result::Cancelled};
        cancelled.waited = 4s;
        journal.add(5s, 1, 1, cancelled);
        journal.flush();
        QCOMPARE(laneOf(store, 0).waits, (std::vector<WaitSpan>{{at(1s), at(5s), at(41s), false, 0}}));
    }

    void everyRefusalIsOnePoint()
    {
        EventStore store;
        Journal journal{store};
        Decision decision = hinted(61s, 0s);
        decision.refusal = RefusalReason::WaitExceeded;
        journal.add(1s, 1, 1, journal::RateLimitWaitExceeded{61s, 60s, DelaySource::Provider});
        journal.add(1s, 1, 1, journal::RetryRefused{&decision});
        journal.add(1s, 1, 1, journal::FallbackStarted{"backup", "other"});
        journal.add(1s, 1, 1, journal::AttemptStarted{true});
        journal.add(2s, 1, 1, journal::AttemptFinished{true, kAnswered, 200, std::nullopt, Family::Success, 1s});
        journal.add(2s, 1, 1, journal::FallbackFinished{"backup", Result::Succeeded, 200});
        journal.add(2s, 1, 1, journal::OperationFinished{Result::Succeeded, RefusalReason::WaitExceeded, true});
        journal.add(3s, 2, 0, journal::OperationStarted{});
        journal.add(3s, 2, 0, journal::BreakerRejected{});
        journal.add(3s, 2, 0,
            journal::OperationFinished{
                Result::Rejected, RefusalReason::BreakerOpen, false, {}, 0, {}, {}, {}, {}, RefusalReason::BreakerOpen});
        journal.flush();

        const Lane first = laneOf(store, 0);
        QCOMPARE(first.refusals, (std::vector<Refusal>{{at(1s), RefusalReason::WaitExceeded, at(62s), 1}}));
        QCOMPARE(*first.fallback, (FallbackSpan{at(1s), at(2s), Result::Succeeded, 2}));
        QVERIFY(first.viaFallback);
        QVERIFY(first.attempts.front().fallback);
        QCOMPARE(laneOf(store, 1).refusals, (std::vector<Refusal>{{at(3s), RefusalReason::BreakerOpen, std::nullopt, 9}}));
    }

    void operationsOfASpanAreThoseThatTouchIt()
    {
        EventStore store;
        Journal journal{store};
        for (int op = 1; op <= 5; ++op) { // op n from n to n + 1.5 s
            journal.add(std::chrono::seconds{op}, op, 0, journal::OperationStarted{});
            if (op > 1)
                journal.add(std::chrono::seconds{op} + 500ms, op - 1, 0, journal::OperationFinished{});
        }
        journal.flush(); // 5 goes on
        const auto between
            = [&](Duration from, Duration to, std::size_t most = 100) { return operationsBetween(store, at(from), at(to), most); };
        QCOMPARE(between(0s, 1s), std::vector<OperationIndex>{});
        QCOMPARE(between(0s, 2s), (std::vector<OperationIndex>{0}));
        QCOMPARE(between(2s, 3s), (std::vector<OperationIndex>{0, 1}));
        QCOMPARE(between(2600ms, 3100ms), (std::vector<OperationIndex>{1, 2}));
        QCOMPARE(between(100s, 200s), (std::vector<OperationIndex>{4}));
        QCOMPARE(between(0s, 200s, 2), (std::vector<OperationIndex>{0, 1}));
    }

    /// The lanes of a whole run hold as much as the run's report says.
    void theLanesOfMinuteWindowAddUp()
    {
        const EventStore store = storeOf(shipped("minute-window.yaml"));
        std::size_t attempts = 0, waits = 0, refusals = 0;
        for (OperationIndex index = 0; index < store.operationCount(); ++index) {
            const Lane lane = laneOf(store, index);
            attempts += lane.attempts.size();
            waits += lane.waits.size();
            refusals += lane.refusals.size();
            QCOMPARE(*lane.result, Result::Succeeded);
            for (const WaitSpan &wait : lane.waits) {
                // padding: 1 s and up to 2 s more
                QVERIFY(wait.end - *wait.asked >= 1s && wait.end - *wait.asked <= 3s);
            }
        }
        QCOMPARE(attempts, 212U);
        QCOMPARE(waits, 12U);
        QCOMPARE(refusals, 0U);
    }
};

QTEST_GUILESS_MAIN(TestDashboardLanes)
#include "tst_dashboard_lanes.moc"
