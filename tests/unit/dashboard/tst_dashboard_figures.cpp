// SPDX-License-Identifier: Apache-2.0
#include "app/dashboard/data/figures.h"
#include "dashboard_support.h"
#include "simulator/run/runner.h"

#include <QTest>
#include <algorithm>

using namespace throttlescope;
using namespace throttlescope::dashboard;
using namespace throttlescope::dashboard::test;

namespace {

Figures minuteWindow(const char *maxWait)
{
    const EventStore store = storeOf(shippedWith("minute-window.yaml", "max_wait: 60s", QString{"max_wait: %1"}.arg(maxWait)));
    RunFigures figures;
    figures.follow(store);
    return figures.figures();
}

} // namespace

class TestDashboardFigures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// metricsJson of the run's report is what `run --json` prints.
    void theFiguresAreThoseOfRunJson_data()
    {
        QTest::addColumn<QString>("file");
        for (const QString &name : shippedNames())
            QTest::newRow(qPrintable(name)) << name;
    }
    void theFiguresAreThoseOfRunJson()
    {
        QFETCH(QString, file);
        const Scenario scenario = shipped(file);
        const EventStore store = storeOf(scenario, 50);
        RunFigures figures;
        figures.follow(store);
        QCOMPARE(journal::metricsJson(figures.metrics()), journal::metricsJson(runScenario(scenario, {}).metrics));
    }

    void theyAreTheSameHoweverTheEventsCame()
    {
        const Scenario scenario = shipped("minute-window.yaml");
        EventStore growing;
        RunFigures followed, sliced;
        ChunkBuilder builder;
        struct Each final : journal::EventSink {
            ChunkBuilder &builder;
            EventStore &store;
            RunFigures &figures;
            Each(ChunkBuilder &b, EventStore &s, RunFigures &f)
                : builder(b)
                , store(s)
                , figures(f)
            {
            }
            void accept(const journal::Event &event) override
            {
                builder.accept(event);
                if (builder.size() == 17)
                    store.append(*builder.take());
                figures.follow(store);
            }
        } each{builder, growing, followed};
        runInto(scenario, each);
        growing.append(*builder.take());
        followed.follow(growing);
        while (!sliced.follow(growing, 100)) { }
        QCOMPARE(followed.figures().succeeded, 200U);
        QVERIFY(followed.figures() == sliced.figures());
    }

    /// DESIGN.md section 7: the independent model's values.
    void minuteWindowHasTheFiguresOfTheDesign()
    {
        const Figures wide = minuteWindow("60s");
        QCOMPARE(wide.succeeded, 200U);
        QCOMPARE(wide.attempts, 212U);
        QCOMPARE(wide.waitExceeded, 0U);
        QCOMPARE(wide.attemptsPerOperation, 1.06);
        QCOMPARE(wide.refusedPercent, 0.0);
        QVERIFY(wide.finish >= 350300ms && wide.finish <= 353300ms);

        const Figures narrow = minuteWindow("30s");
        QCOMPARE(narrow.succeeded, 30U);
        QCOMPARE(narrow.failed, 170U);
        QCOMPARE(narrow.waitExceeded, 170U);
        QCOMPARE(narrow.attempts, 200U);
        QCOMPARE(narrow.refusedPercent, 85.0); // 170 of 200
        QCOMPARE(figureText(figureValues(narrow)[8]), std::string{"12 s"});

        const auto values = figureValues(narrow, &wide);
        QCOMPARE(*values[0].difference, -170.0);
        QCOMPARE(*values[0].better, false);
        QCOMPARE(differenceText(values[0]), std::string{"−170"});
        QCOMPARE(differenceText(values[1]), std::string{"+170"});
        QCOMPARE(*values[1].better, false);
        QCOMPARE(differenceText(values[2]), std::string{"±0"});
        QCOMPARE(values[2].better, std::nullopt);
        QCOMPARE(differenceText(values[4]), std::string{"−0.06"}); // 1.00 after 1.06
        QCOMPARE(values[4].better, std::nullopt);
        QCOMPARE(differenceText(values[7]), std::string{"+85.0 %"});
        QCOMPARE(*values[8].better, true); // it is over sooner
        QCOMPARE(figureText(values[5]), std::string{"–"}); // whoever waits for nothing has no median
        QCOMPARE(values[5].difference, std::nullopt);
    }

    /// What a provider would show a client.
    void mannersAreAmongTheFigures()
    {
        journal::Metrics metrics;
        metrics.attempts = 12;
        metrics.operationsWithAttempt = 10;
        metrics.herd = 0.5;
        metrics.duplicateEffects = 3;
        for (const Duration early : {2s, 5s})
            metrics.earlyBy.add(early);
        for (const Duration late : {9s, 1s, 2s})
            metrics.overshoot.add(late);
        journal::Metrics better;
        better.attempts = better.operationsWithAttempt = 10;
        better.earlyBy.add(1s);
        better.overshoot.add(1s);
        const Figures impolite = figuresOf(metrics), polite = figuresOf(better);
        const auto values = figureValues(impolite, &polite);
        const auto text = [&values](std::string_view name) {
            const auto found = std::find_if(values.begin(), values.end(), [name](const FigureValue &each) { return each.name == name; });
            return found == values.end() ? std::string{"missing"} : figureText(*found) + ' ' + differenceText(*found);
        };
        QCOMPARE(text("early_returns"), std::string{"2 +1"});
        QCOMPARE(text("early_by.max"), std::string{"5 s +4 s"});
        QCOMPARE(text("overshoot.p50"), std::string{"2 s +1 s"});
        QCOMPARE(text("herd"), std::string{"0.50 +0.50"});
        QCOMPARE(text("amplification"), std::string{"1.20 +0.20"});
        QCOMPARE(text("duplicate_effects"), std::string{"3 +3"});
        for (const FigureValue &value : values) {
            if (value.name == "early_by.max" || value.name == "herd" || value.name == "amplification")
                QCOMPARE(value.better, std::optional{false});
        }
    }

    void aSpanHasNoHerd()
    {
        const EventStore store = storeOf(shipped("minute-window.yaml"));
        const Figures part = figuresBetween(store, at(0s), at(40s));
        QCOMPARE(part.succeeded, 30U);
        const auto values = figureValues(part, &part);
        const auto herd = std::find_if(values.begin(), values.end(), [](const FigureValue &each) { return each.name == "herd"; });
        QCOMPARE(figureText(*herd), std::string{"–"});
        QVERIFY(!herd->difference);
    }

    void aSpanCountsWhatHappenedInIt()
    {
        const EventStore store = storeOf(shipped("minute-window.yaml"));
        const MonotonicTime end = store.end() + 1us;
        const journal::Metrics whole = metricsBetween(store, store.begin(), end);
        QCOMPARE(whole.attempts, 212U);
        // Spans that meet count each event once.
        std::uint64_t attempts = 0, succeeded = 0;
        for (Duration from{}; at(from) < end; from += 60s) {
            const Figures part = figuresOf(metricsBetween(store, at(from), std::min(at(from + 60s), end)));
            attempts += part.attempts;
            succeeded += part.succeeded;
        }
        QCOMPARE(attempts, 212U);
        QCOMPARE(succeeded, 200U);
        // The first window is open for 48 s: 30 succeed, 2 are throttled.
        const Figures first = figuresOf(metricsBetween(store, at(0s), at(40s)));
        QCOMPARE(first.succeeded, 30U);
        QCOMPARE(first.throttled, 2U);
        QCOMPARE(figuresOf(metricsBetween(store, at(5s), at(5s))), Figures{});
    }

    void aStoreThatBeginsAnewIsFollowedFromItsBeginning()
    {
        EventStore store = storeOf(shipped("zero-hint.yaml"));
        RunFigures figures;
        figures.follow(store);
        store.clear();
        StoreSink sink{store};
        runInto(shipped("minute-window.yaml"), sink);
        sink.flush();
        figures.follow(store);
        QCOMPARE(figures.figures().attempts, 212U);
    }

    void aRunOfNothingHasNoFigures()
    {
        QCOMPARE(RunFigures{}.figures(), Figures{});
        const Figures counted = minuteWindow("60s");
        for (const FigureValue &value : figureValues({}, &counted)) {
            const bool counts = value.unit == FigureValue::Unit::Count;
            QCOMPARE(value.value, counts ? std::optional{0.0} : std::nullopt);
            QCOMPARE(figureText(value), std::string{counts ? "0" : "–"});
            QCOMPARE(value.difference.has_value(), counts); // to nothing there is none
        }
        QCOMPARE(differenceText(figureValues({})[0]), std::string{});
    }

    void aMillionEventsAreCounted()
    {
        const EventStore store = storeOf(largeMinuteWindow());
        QBENCHMARK_ONCE
        {
            RunFigures figures;
            figures.follow(store);
            QVERIFY(figures.figures().failed > (kSanitized ? 1'000 : 100'000));
        }
    }
};

QTEST_GUILESS_MAIN(TestDashboardFigures)
#include "tst_dashboard_figures.moc"
