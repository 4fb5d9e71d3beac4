// SPDX-License-Identifier: Apache-2.0
#include "app/dashboard/data/plot_series.h"
#include "dashboard_support.h"

#include <QTest>
#include <algorithm>

using namespace throttlescope;
using namespace throttlescope::dashboard;
using namespace throttlescope::dashboard::test;

namespace {

PlotSeries seriesOf(const EventStore &store)
{
    PlotSeries series;
    series.follow(store);
    return series;
}

} // namespace

class TestDashboardSeries : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void minuteWindowShowsItsWaitsAndWindows()
    {
        const EventStore store = storeOf(shipped("minute-window.yaml"));
        const PlotSeries series = seriesOf(store);
        QCOMPARE(series.attempts().size(), 212U);
        const LodColumn all = series.attempts().summary(0, 212);
        QCOMPARE(all.byClass[static_cast<std::size_t>(AttemptOutcome::Success)], 200U);
        QCOMPARE(all.byClass[static_cast<std::size_t>(AttemptOutcome::RateLimited)], 12U);
        QCOMPARE(all.least, 0.12F);
        QCOMPARE(series.waits().size(), 12U);
        QVERIFY(series.waits().summary(0, 12).most <= 63);
        QCOMPARE(series.waits().summary(0, 12).byClass[static_cast<std::size_t>(WaitClass::Provider)], 12U);

        QCOMPARE(series.windows().size(), 3U);
        const WindowSeries &minute = series.windows()[0];
        QCOMPARE(store.text(minute.limit), std::string_view{"minute"});
        QCOMPARE(minute.quota, 30U);
        QVERIFY(!minute.told);
        QCOMPARE(minute.used.summary(0, minute.used.size()).most, 100.0F);
        // 09:00:12 is 48 s before the minute's end; 200 of 30 a minute take 7 windows.
        std::vector<MonotonicTime> resets;
        for (int i = 0; i < 7; ++i)
            resets.push_back(at(48s + i * 60s));
        QCOMPARE(minute.resets, resets);
    }

    void aBreakerIsABandUntilItsNextStep()
    {
        EventStore store;
        Journal journal{store};
        journal.add(1s, 1, 1, journal::BreakerOpened{at(31s), 1, "consecutive"});
        journal.add(31s, 2, 1, journal::BreakerHalfOpen{1});
        journal.add(32s, 2, 1, journal::BreakerClosed{2});
        journal.add(40s, 0, 0, journal::BreakerOpened{std::nullopt, 3, "ratio"}, "", "other");
        journal.add(50s, 3, 1, journal::BreakerOpened{std::nullopt, 3, "ratio"});
        journal.flush();
        const PlotSeries series = seriesOf(store);
        QCOMPARE(series.scopes().size(), 2U);
        QCOMPARE(series.scopes()[0].breaker,
            (std::vector<BreakerBand>{{at(1s), at(31s), false, 0}, {at(31s), at(32s), true, 1}, {at(50s), std::nullopt, false, 4}}));
        QCOMPARE(series.scopes()[1].breaker, (std::vector<BreakerBand>{{at(40s), std::nullopt, false, 3}}));
        QCOMPARE(series.rareEvents().count(Rare::BreakerOpened), 3U);
    }

    void labelsAreSpansAlsoWhereOneNameIsOpenTwice()
    {
        EventStore store;
        Journal journal{store};
        journal.add(1s, 0, 0, journal::Marker{"failover", true});
        journal.add(2s, 0, 0, journal::Marker{"failover", true});
        journal.add(3s, 0, 0, journal::Marker{"failover", false});
        journal.add(4s, 0, 0, journal::Marker{"restart", true});
        journal.add(5s, 0, 0, journal::Marker{"nobody began it", false});
        journal.flush();
        const PlotSeries series = seriesOf(store);
        const TextId failover = *store.textId("failover");
        QCOMPARE(series.labels(),
            (std::vector<LabelSpan>{
                {failover, at(1s), std::nullopt, 0}, {failover, at(2s), at(3s), 1}, {*store.textId("restart"), at(4s), std::nullopt, 3}}));
    }

    void aRefusedWaitIsOneSampleWhateverItsSource()
    {
        EventStore store;
        Journal journal{store};
        Decision decision;
        decision.family = Family::RateLimited;
        decision.delay = 61s;
        decision.refusal = RefusalReason::WaitExceeded;
        journal.add(1s, 1, 1, journal::RateLimitWaitExceeded{61s, 60s, DelaySource::Provider});
        journal.add(1s, 1, 1, journal::RetryRefused{&decision});
        Decision backoff = decision;
        backoff.family = Family::Ambiguous;
        backoff.delay = 70s;
        backoff.tokensBefore = 12;
        journal.add(2s, 2, 1, journal::RetryRefused{&backoff});
        Decision deadline = decision;
        deadline.refusal = RefusalReason::Deadline;
        journal.add(3s, 3, 1, journal::RetryRefused{&deadline});
        journal.flush();
        const PlotSeries series = seriesOf(store);
        QCOMPARE(series.waits().size(), 2U);
        QCOMPARE(series.waits().sample(0).value, 61.0F);
        QCOMPARE(series.waits().sample(0).row, 0U);
        QCOMPARE(series.waits().sample(1).value, 70.0F);
        QCOMPARE(series.waits().summary(0, 2).byClass[static_cast<std::size_t>(WaitClass::Exceeded)], 2U);
        QCOMPARE(series.rareEvents().count(Rare::WaitExceeded), 1U); // as the metric counts
        QCOMPARE(series.rareEvents().count(Rare::Refused), 2U);
        QCOMPARE(series.scopes()[0].tokens.sample(0).value, 12.0F);
    }

    /// Real traffic: what is known of a window is what the headers told.
    void toldWindowsStandInForTheServersOwn()
    {
        signals::RateLimitState state;
        state.windows = {{"minute", 60s, 30, 3, 20s}, {"unlimited", 60s, std::nullopt, 3, 20s}};
        const journal::AttemptFinished finished{false, journal::AttemptEnd::Answered, 200, std::nullopt, Family::Success, 1s, &state};
        EventStore store;
        Journal journal{store};
        journal.add(1s, 1, 1, finished);
        journal.add(2s, 2, 1, journal::ServerWindow{"minute", "", 1, 2, std::nullopt, std::nullopt}, "call", "fake");
        journal.add(2s, 2, 1, finished, "call", "fake");
        journal.flush();
        const PlotSeries series = seriesOf(store);
        QCOMPARE(series.windows().size(), 2U);
        QVERIFY(series.windows()[0].told);
        QCOMPARE(series.windows()[0].used.sample(0).value, 90.0F); // 27 of 30
        QCOMPARE(series.windows()[0].resets, std::vector<MonotonicTime>{at(21s)});
        QVERIFY(!series.windows()[1].told);
        QCOMPARE(series.windows()[1].used.size(), 1U);
        QCOMPARE(series.windows()[1].used.sample(0).value, 50.0F);
    }

    void aSlidingWindowKeepsTheResetsThatCame()
    {
        EventStore store;
        Journal journal{store};
        // Each of five requests moves the reset 60 s ahead of itself; then a pause, in which it is reached.
        for (int i = 0; i < 5; ++i)
            journal.add(
                std::chrono::seconds{i}, 1, 1, journal::ServerWindow{"hour", "", 1, 9, std::nullopt, at(std::chrono::seconds{60 + i})});
        journal.add(100s, 1, 1, journal::ServerWindow{"hour", "", 1, 9, std::nullopt, at(160s)});
        journal.flush();
        QCOMPARE(seriesOf(store).windows()[0].resets, (std::vector<MonotonicTime>{at(64s), at(160s)}));
    }

    void seriesAreTheSameHoweverTheyAreFollowed()
    {
        const EventStore store = storeOf(shipped("retry-budget.yaml"));
        const PlotSeries whole = seriesOf(store);
        PlotSeries sliced;
        while (!sliced.follow(store, 7)) { }
        QVERIFY(whole.attempts().size() > 0);
        QCOMPARE(sliced.attempts().size(), whole.attempts().size());
        QCOMPARE(sliced.waits().size(), whole.waits().size());
        QVERIFY(!whole.scopes().empty());
        QCOMPARE(sliced.scopes().front().tokens.size(), whole.scopes().front().tokens.size());
        QVERIFY(sliced.follow(store));
        QCOMPARE(sliced.attempts().size(), whole.attempts().size());
    }

    void aStoreThatBeginsAnewIsFollowedFromItsBeginning()
    {
        EventStore store = storeOf(shipped("minute-window.yaml"));
        PlotSeries series = seriesOf(store);
        store.clear();
        series.follow(store);
        QCOMPARE(series.attempts().size(), 0U);
        QVERIFY(series.windows().empty());
    }

    void storeAndSeriesTogetherKeepTheBound()
    {
        const EventStore store = storeOf(largeMinuteWindow());
        PlotSeries series;
        QBENCHMARK_ONCE
        {
            series.follow(store);
        }
        const double each = static_cast<double>(store.bytes() + series.bytes()) / store.rowCount();
        qInfo("%u events, %.1f bytes each with their series", store.rowCount(), each);
        QVERIFY(kSanitized || each < 120); // a small run pays for a whole block
    }
};

QTEST_GUILESS_MAIN(TestDashboardSeries)
#include "tst_dashboard_series.moc"
