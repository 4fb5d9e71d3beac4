// SPDX-License-Identifier: Apache-2.0
#include "app/dashboard/data/event_store.h"
#include "app/dashboard/session/loopback_traffic.h"
#include "app/dashboard/session/traffic_worker.h"
#include "session_support.h"

#include <QElapsedTimer>
#include <QTest>
#include <set>

using namespace throttlescope;
using namespace throttlescope::dashboard;
using namespace std::chrono_literals;

namespace {

/// A worker and what it delivered.
struct Watched {
    Watched()
    {
        QObject::connect(&worker, &TrafficWorker::batch, &worker, [this](quint64 run, const ChunkPointer &chunk) {
            runs.insert(run);
            store.append(*chunk);
        });
        QObject::connect(&worker, &TrafficWorker::retuned, &worker, [this](quint64, const Retuned &now) { retuned.push_back(now); });
        QObject::connect(&worker, &TrafficWorker::finished, &worker, [this](quint64 run, const RunEnd &now) {
            ended = run;
            end = now;
        });
    }
    bool waitForEnd(quint64 run)
    {
        return QTest::qWaitFor([&] { return ended == run; }, 60'000);
    }
    std::size_t count(EventKind kind) const
    {
        std::size_t found = 0;
        for (Row row = 0; row < store.rowCount(); ++row)
            found += store.kind(row) == kind ? 1 : 0;
        return found;
    }

    std::set<quint64> runs;
    EventStore store;
    std::vector<Retuned> retuned;
    quint64 ended = 0;
    RunEnd end;
    TrafficWorker worker; ///< the first to go
};

/// Four calls at once and two at 20 s, each of which is told at first to come back in 40 s.
ScenarioPointer toldToWait(const std::string &maxWait)
{
    return draftOf("throttlescope: 1\n"
                   "servers: {api: {script: [{when: {attempt: 1}, answer: {status: 429, headers: {Retry-After: '40'}}}]}}\n"
                   "policies: {p: {rate_limit: {max_wait: "
        + maxWait
        + "}}}\n"
          "workload:\n"
          "  - {operation: early, server: api, policy: p, method: GET, arrivals: {batch: 4}}\n"
          "  - {operation: late, server: api, policy: p, method: GET, start_at: 20s, arrivals: {batch: 2}}\n")
        .scenario();
}

ScenarioPointer longWait()
{
    return draftOf("throttlescope: 1\n"
                   "servers: {api: {script: [{when: {attempt: 1}, answer: {status: 429, headers: {Retry-After: '3000'}}}]}}\n"
                   "policies: {p: {rate_limit: {max_wait: 1h}}}\n"
                   "workload: [{operation: call, server: api, policy: p, method: GET, arrivals: {batch: 1}}]\n")
        .scenario();
}

std::unique_ptr<Traffic> onLoopback(ScenarioPointer scenario, std::int64_t scale)
{
    return std::make_unique<LoopbackTraffic>(std::move(scenario), scale);
}

} // namespace

class TestTrafficWorker : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aScenarioRunsOverSockets()
    {
        Watched watched;
        const quint64 run = watched.worker.start(onLoopback(toldToWait("60s"), 200));
        QVERIFY(watched.waitForEnd(run));
        QCOMPARE(watched.end.failure, QString{});
        QVERIFY(!watched.end.report->interrupted);
        QCOMPARE(watched.end.report->metrics.operations[static_cast<std::size_t>(Result::Succeeded)], std::uint64_t{6});
        QCOMPARE(watched.end.report->metrics.attempts, std::uint64_t{12});
        QCOMPARE(watched.count(EventKind::AttemptFinished), std::size_t{12});
        EventBuffer buffer;
        QCOMPARE(std::get<journal::RunStarted>(watched.store.event(0, buffer).payload).traffic, journal::Traffic::Loopback);
        QVERIFY(watched.end.finish >= MonotonicTime{60s});
    }

    /// What waits already waits on; what asks later is held against the new limit.
    void retunedWhileItRuns()
    {
        Watched watched;
        const quint64 run = watched.worker.start(onLoopback(toldToWait("60s"), 20));
        QVERIFY(QTest::qWaitFor([&] { return watched.count(EventKind::RetryScheduled) == 4; }, 60'000));
        watched.worker.retune(toldToWait("30s")->scenario.policies);
        QVERIFY(watched.waitForEnd(run));
        QCOMPARE(watched.retuned.size(), std::size_t{1});
        QCOMPARE(watched.retuned.front().policy, std::string{"p"});
        QCOMPARE(watched.retuned.front().waitsKept, std::uint64_t{4});
        QVERIFY(watched.retuned.front().at < MonotonicTime{20s});
        QCOMPARE(watched.end.report->metrics.operations[static_cast<std::size_t>(Result::Succeeded)], std::uint64_t{4});
        QCOMPARE(watched.count(EventKind::RateLimitWaitExceeded), std::size_t{2});
    }

    void theSamePolicyIsNoChange()
    {
        Watched watched;
        const quint64 run = watched.worker.start(onLoopback(toldToWait("60s"), 200));
        QVERIFY(QTest::qWaitFor([&] { return watched.count(EventKind::RetryScheduled) > 0; }, 60'000));
        watched.worker.retune(toldToWait("60s")->scenario.policies);
        QVERIFY(watched.waitForEnd(run));
        QCOMPARE(watched.count(EventKind::PolicyChanged), std::size_t{0});
    }

    void aCancelledRunEndsInTheMiddleOfAWait()
    {
        Watched watched;
        const quint64 run = watched.worker.start(onLoopback(longWait(), 1));
        QVERIFY(QTest::qWaitFor([&] { return watched.count(EventKind::RetryScheduled) == 1; }, 60'000));
        watched.worker.cancel();
        QVERIFY(watched.waitForEnd(run));
        QVERIFY(watched.end.report->interrupted);
        QCOMPARE(watched.store.kind(watched.store.rowCount() - 1), EventKind::RunFinished);
    }

    void ofAnOlderRunNothingIsDelivered()
    {
        Watched watched;
        watched.worker.start(onLoopback(longWait(), 1));
        QVERIFY(QTest::qWaitFor([&] { return watched.count(EventKind::RetryScheduled) == 1; }, 60'000));
        watched.runs.clear();
        watched.store = {};
        const quint64 replaced = watched.worker.start(onLoopback(longWait(), 1));
        const quint64 last = watched.worker.start(onLoopback(toldToWait("60s"), 200));
        QVERIFY(watched.waitForEnd(last));
        QVERIFY(replaced != last);
        QCOMPARE(watched.runs, std::set<quint64>{last});
        QCOMPARE(watched.end.report->metrics.operations[static_cast<std::size_t>(Result::Succeeded)], std::uint64_t{6});
    }

    void destroyedWhileItRuns()
    {
        QElapsedTimer timer;
        {
            Watched watched;
            watched.worker.start(onLoopback(longWait(), 1));
            QVERIFY(QTest::qWaitFor([&] { return watched.count(EventKind::RetryScheduled) == 1; }, 60'000));
            timer.start();
        }
        QVERIFY(!timer.hasExpired(10'000)); // the wait would be 50 min
    }
};

QTEST_GUILESS_MAIN(TestTrafficWorker)

#include "tst_traffic_worker.moc"
