// SPDX-License-Identifier: Apache-2.0
#include "app/dashboard/session/cliff.h"
#include "session_support.h"
#include "simulator/run/runner.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

using namespace throttlescope;
using namespace throttlescope::dashboard;

namespace {

const std::atomic<bool> kNotCancelled{false};

CliffQuery queryOf(const PolicyDraft &draft, const std::string &policy, const std::string &path = "rate_limit.max_wait")
{
    for (const PolicyKnob &knob : draft.knobs(policy)) {
        if (knob.row.path == path) {
            if (auto query = cliffQuery(draft, knob))
                return *query;
        }
    }
    qFatal("no cliff");
}

CurvePointer completed(QSignalSpy &changed)
{
    CurvePointer curve;
    while (!curve || !curve->complete) {
        if (changed.isEmpty() && !changed.wait(60'000))
            return nullptr;
        curve = changed.takeFirst().front().value<CurvePointer>();
    }
    return curve;
}

} // namespace

class TestCliff : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void minuteWindowIsAStaircase_data()
    {
        QTest::addColumn<int>("maxWait");
        QTest::addColumn<quint64>("succeeded"); // DESIGN.md section 7
        const auto row = [](int from, int to, quint64 succeeded) {
            for (int seconds = from; seconds <= to; ++seconds)
                QTest::addRow("%d s", seconds) << seconds << succeeded;
        };
        row(0, 36, 30);
        row(38, 46, 60);
        row(50, 50, 90);
        row(57, 120, 200);
    }
    void minuteWindowIsAStaircase()
    {
        static const CliffCurve curve = [] {
            CliffPoints known;
            return computeCliff(queryOf(minuteWindow(), "batch"), known, kNotCancelled);
        }();
        QFETCH(int, maxWait);
        QVERIFY(curve.complete && curve.failure.empty());
        const CliffPoint *point = curve.at(std::chrono::seconds{maxWait});
        QVERIFY(point);
        QTEST(static_cast<quint64>(point->succeeded), "succeeded");
        QCOMPARE(point->succeeded + point->waitExceeded, std::uint64_t{200});
        QCOMPARE(point->failed, point->waitExceeded);
        QCOMPARE(curve.present->at, Duration{60s});
        QCOMPARE(curve.present->succeeded, std::uint64_t{200});
        QVERIFY2(curve.points.size() < 60, "bisected, not swept");
    }

    void aPointIsWhatTheCommandLineSays_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("policy");
        QTest::addColumn<QString>("path");
        QTest::newRow("max_wait") << "minute-window"
                                  << "batch"
                                  << "rate_limit.max_wait";
        QTest::newRow("a value that the policy leaves out") << "minute-window"
                                                            << "batch"
                                                            << "total_timeout";
        QTest::newRow("a backoff's base") << "five-hundred-storm"
                                          << ""
                                          << "backoff.base";
    }
    void aPointIsWhatTheCommandLineSays()
    {
        QFETCH(QString, file);
        QFETCH(QString, policy);
        QFETCH(QString, path);
        const std::string full = THROTTLESCOPE_SOURCE_DIR "/scenarios/" + file.toStdString() + ".yaml";
        const PolicyDraft draft = draftOf(fileText(full), full);
        const std::string name = policy.isEmpty() ? draft.policies().front() : policy.toStdString();
        CliffQuery query = queryOf(draft, name, path.toStdString());
        query.least = 7s;
        query.most = 9s;
        query.grain = 1s;
        CliffPoints known;
        const CliffCurve curve = computeCliff(query, known, kNotCancelled);
        for (const CliffPoint &point : curve.points) {
            const std::string set
                = "policies." + draft.writtenName(name) + '.' + query.path + '=' + std::to_string(point.at / Duration{1s}) + 's';
            const RunReport report = runScenario(loadScenario(full, {{set}, {}})->scenario, {});
            QCOMPARE(point.succeeded, report.metrics.operations[static_cast<std::size_t>(Result::Succeeded)]);
            QCOMPARE(point.failed, report.metrics.operations[static_cast<std::size_t>(Result::Failed)]);
            QCOMPARE(point.waitExceeded, report.metrics.waitExceeded);
        }
    }

    void aRowsOwnLayerMovesWithItsPolicy()
    {
        const PolicyDraft draft = draftOf(scenarioText("{}", "max_wait: 12s"));
        QCOMPARE(queryOf(draft, "p").policies, (std::vector<std::string>{"p", "p/call"}));
    }

    void aValueThatTheKnobDoesNotTakeIsNoPoint()
    {
        CliffQuery query = queryOf(minuteWindow(), "batch", "attempt_timeout"); // from 1 µs
        QCOMPARE(query.least, Duration{1});
        query.least = {};
        query.most = 60s;
        query.grain = 30s;
        CliffPoints known;
        const CliffCurve curve = computeCliff(query, known, kNotCancelled);
        QVERIFY(curve.complete);
        QCOMPARE(curve.points.front().at, Duration{30s});
    }

    void theKeyHoldsAllButTheKnob()
    {
        PolicyDraft draft = minuteWindow();
        const std::string before = queryOf(draft, "batch").key;
        QVERIFY(draft.set("policies.batch.rate_limit.max_wait", "30s"));
        QCOMPARE(queryOf(draft, "batch").key, before);
        QVERIFY(draft.set("policies.batch.max_attempts", "2"));
        QVERIFY(queryOf(draft, "batch").key != before);
    }

    void whatWasRunIsNotRunAgain()
    {
        PolicyDraft draft = minuteWindow();
        Cliff cliff;
        QSignalSpy changed{&cliff, &Cliff::changed};
        QElapsedTimer timer;
        timer.start();
        cliff.compute(queryOf(draft, "batch"));
        const CurvePointer first = completed(changed);
        QVERIFY(first);
        qInfo("the cliff of minute-window: %lld us, %llu runs", static_cast<long long>(timer.nsecsElapsed() / 1'000),
            static_cast<unsigned long long>(cliff.runs()));
        const std::uint64_t runs = cliff.runs();
        QVERIFY(draft.set("policies.batch.rate_limit.max_wait", "45500ms")); // a drag, to a value of the grid
        cliff.compute(queryOf(draft, "batch"));
        const CurvePointer second = completed(changed);
        QVERIFY(second);
        QVERIFY(cliff.runs() <= runs + 1); // the marked one
        QCOMPARE(second->present->succeeded, std::uint64_t{60});
        QVERIFY(second->points == first->points);
    }

    void onlyTheNewestQuestionIsAnswered()
    {
        const PolicyDraft endless
            = draftOf("throttlescope: 1\nservers: {api: {latency: {fixed: 10ms}}}\npolicies: {p: {}}\nworkload: [{operation: call, "
                      "server: api, method: GET, policy: p, arrivals: {workers: 4, count: 100000000}}]\n");
        Cliff cliff;
        QSignalSpy changed{&cliff, &Cliff::changed};
        cliff.compute(queryOf(endless, "p"));
        cliff.compute(queryOf(minuteWindow(), "batch"));
        const CurvePointer curve = completed(changed);
        QVERIFY(curve);
        QCOMPARE(curve->key, queryOf(minuteWindow(), "batch").key);
        cliff.compute(queryOf(endless, "p"));
        QElapsedTimer timer;
        timer.start();
        cliff.cancel();
        cliff.compute(queryOf(minuteWindow(), "batch"));
        QVERIFY(completed(changed)); // from memory: its time is that of the cancellation
        qInfo("cancelled and answered from memory after %lld us", static_cast<long long>(timer.nsecsElapsed() / 1'000));
    }
};

QTEST_GUILESS_MAIN(TestCliff)
#include "tst_cliff.moc"
