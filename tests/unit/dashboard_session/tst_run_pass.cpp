// SPDX-License-Identifier: Apache-2.0
#include "app/dashboard/session/run_pass.h"
#include "session_support.h"

#include <QTest>

using namespace throttlescope;
using namespace throttlescope::dashboard;

namespace {

struct CountingSink final : journal::EventSink {
    void accept(const journal::Event &) override { ++events; }
    std::size_t events = 0;
};

/// A pass whose batches are counted.
struct Counted {
    explicit Counted(const PolicyDraft &draft, std::uint64_t mostOpen = Simulation::kMostOpen)
        : pass(
            draft.scenario(), cancelled,
            [this](const ChunkPointer &chunk) {
                ++batches;
                events += chunk->size();
                largest = std::max(largest, chunk->size());
                cancelled = cancelled || cancelAfterFirst;
            },
            mostOpen)
    {
    }
    RunReport toTheEnd()
    {
        while (pass.turn(kNever) == RunPass::State::Going) { }
        pass.flush();
        return pass.report();
    }

    std::atomic<bool> cancelled{false};
    bool cancelAfterFirst = false;
    int batches = 0;
    std::size_t events = 0, largest = 0;
    RunPass pass;
};

std::string arrivals(const std::string &written)
{
    return "throttlescope: 1\nservers: {api: {latency: {fixed: 10ms}}}\n"
           "workload: [{operation: call, server: api, method: GET, policy: none, arrivals: "
        + written + "}]\n";
}

} // namespace

class TestRunPass : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void turnsComeToWhatARunInOneGoDoes_data()
    {
        QTest::addColumn<QString>("file");
        for (const char *name : {"minute-window", "five-hundred-storm", "month-exhausted", "breaker-half-open", "total-timeout"})
            QTest::newRow(name) << QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/scenarios/%1.yaml").arg(name);
    }
    void turnsComeToWhatARunInOneGoDoes()
    {
        QFETCH(QString, file);
        Counted counted{draftOf(fileText(file.toStdString()), file.toStdString())};
        const auto loaded = loadScenario(file.toStdString());
        const RunReport expected = runScenario(loaded->scenario, {});
        const RunReport report = counted.toTheEnd();
        QCOMPARE(journal::metricsJson(report.metrics), journal::metricsJson(expected.metrics));
        QVERIFY(report.passed() && report.judged.size() == expected.judged.size());
        CountingSink sink;
        Simulation{loaded->scenario, &sink}.run();
        QCOMPARE(counted.events, sink.events);
        QVERIFY(counted.pass.reached() >= expected.metrics.finish); // an abandoned request occupies its server to its end
    }

    void aBatchIsNoLargerThanItMayBe()
    {
        Counted counted{draftOf(arrivals("{batch: 12000}"))};
        counted.toTheEnd();
        QCOMPARE(counted.largest, RunPass::kLargestBatch); // 12,000 operations have more events than that at t = 0
        QVERIFY(counted.batches > 1);
    }

    void aStepStopsAtTheFirstDecision()
    {
        // Two workers, 120 ms a call: the 31st and the 32nd go out at 15 × 120 ms and are answered 429 at 1.92 s.
        Counted counted{minuteWindow()};
        QCOMPARE(counted.pass.step(), RunPass::State::Going);
        QVERIFY(counted.pass.reached() >= MonotonicTime{1920ms} && counted.pass.reached() <= MonotonicTime{1922ms});
        QCOMPARE(counted.pass.operations(), std::uint64_t{32});
        // They wait until the minute is over, 47 s as told at 1.8 s, 1 s and at most 2 s more; the next decision comes with the
        // 31st call of the next window, 15 pairs later.
        QCOMPARE(counted.pass.step(), RunPass::State::Going);
        QVERIFY(counted.pass.reached() > MonotonicTime{1920ms + 48s} && counted.pass.reached() < MonotonicTime{1920ms + 50s + 4s});
    }

    void aPolicyIsReplacedFromNowOn()
    {
        PolicyDraft draft = minuteWindow();
        Counted counted{draft};
        counted.pass.step();
        QVERIFY(draft.set("policies.batch.rate_limit.max_wait", "30s"));
        const auto retuned = counted.pass.retune(draft.scenario());
        QCOMPARE(retuned, (std::vector<Retuned>{{"batch", 2, counted.pass.reached()}})); // both workers wait for the old limit
        QVERIFY(counted.pass.retune(draft.scenario()).empty());
        const RunReport report = counted.toTheEnd();
        // The two succeed with 28 more of the second window; then 46 s and more are over 30 s.
        QCOMPARE(report.metrics.operations[static_cast<std::size_t>(Result::Succeeded)], std::uint64_t{60});
        QCOMPARE(report.metrics.waitExceeded, std::uint64_t{140});
        QVERIFY(report.judged.empty());
    }

    void beforeTheFirstEventToo()
    {
        PolicyDraft draft = minuteWindow();
        Counted counted{draft};
        QVERIFY(draft.set("policies.batch.rate_limit.max_wait", "30s"));
        QCOMPARE(counted.pass.retune(draft.scenario()).size(), std::size_t{1});
        QCOMPARE(counted.toTheEnd().metrics.operations[static_cast<std::size_t>(Result::Succeeded)], std::uint64_t{30});
    }

    void whoCancelsGetsNoMore_data()
    {
        QTest::addColumn<QString>("written");
        QTest::newRow("a million at one moment") << "{batch: 1000000}";
        QTest::newRow("a million one after another") << "{workers: 4, count: 1000000}";
    }
    void whoCancelsGetsNoMore()
    {
        QFETCH(QString, written);
        Counted counted{draftOf(arrivals(written.toStdString()))};
        counted.cancelAfterFirst = true;
        const RunReport report = counted.toTheEnd();
        QCOMPARE(counted.pass.state(), RunPass::State::Cancelled);
        QCOMPARE(counted.events, RunPass::kLargestBatch);
        QVERIFY(report.interrupted && report.judged.empty());
    }

    void whatCannotGoOnSaysWhy()
    {
        Counted counted{draftOf(arrivals("{batch: 100}")), 10};
        QCOMPARE(QString::fromStdString(counted.toTheEnd().error),
            QString{"s.yaml: more than 10 operations are open at once at t=0.000000, the run was stopped"});
    }
};

QTEST_GUILESS_MAIN(TestRunPass)
#include "tst_run_pass.moc"
