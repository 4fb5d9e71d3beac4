// SPDX-License-Identifier: Apache-2.0
#include "app/dashboard/session/run_worker.h"
#include "session_support.h"

#include <QDeadlineTimer>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <set>
#include <thread>

using namespace throttlescope;
using namespace throttlescope::dashboard;

namespace {

#ifdef THROTTLESCOPE_SANITIZED
constexpr std::size_t kMany = 40'000;
#else
constexpr std::size_t kMany = 100'000;
#endif

/// A clock that stands still until it is moved.
class HandClock final : public RunClock {
public:
    explicit HandClock(std::shared_ptr<std::atomic<std::int64_t>> microseconds)
        : m_microseconds(std::move(microseconds))
    {
    }
    Wall::time_point now() const override { return Wall::time_point{std::chrono::microseconds{m_microseconds->load()}}; }
    void wait(std::unique_lock<std::mutex> &lock, std::condition_variable &woken, Wall::time_point until) override
    {
        if (now() < until)
            woken.wait(lock);
    }

private:
    std::shared_ptr<std::atomic<std::int64_t>> m_microseconds;
};

/// A worker and what it delivered.
struct Watched {
    explicit Watched(std::unique_ptr<RunClock> clock = std::make_unique<RunClock>())
        : worker(std::move(clock))
    {
        QObject::connect(&worker, &RunWorker::batch, &worker, [this](quint64 generation, const ChunkPointer &chunk) {
            generations.insert(generation);
            events += chunk->size();
            inOrder = inOrder && chunk->begin() >= last;
            last = chunk->end();
        });
        QObject::connect(&worker, &RunWorker::progressed, &worker, [this](quint64, const RunProgress &now) { reached = now.reached; });
        QObject::connect(&worker, &RunWorker::halted, &worker, [this](quint64, const RunProgress &now) {
            reached = now.reached;
            ++halts;
        });
        QObject::connect(&worker, &RunWorker::retuned, &worker, [this](quint64, const Retuned &now) { retuned.push_back(now); });
        QObject::connect(&worker, &RunWorker::finished, &worker, [this](quint64 generation, const RunEnd &now) {
            ended = generation;
            end = now;
        });
    }
    bool waitForEnd()
    {
        QSignalSpy finished{&worker, &RunWorker::finished};
        return ended == worker.generation() || (finished.wait(60'000) && ended == worker.generation());
    }

    std::set<quint64> generations;
    std::size_t events = 0;
    bool inOrder = true;
    MonotonicTime last{}, reached{};
    int halts = 0;
    std::vector<Retuned> retuned;
    quint64 ended = 0;
    RunEnd end;
    RunWorker worker; ///< the first to go
};

ScenarioPointer endless()
{
    static const ScenarioPointer scenario
        = draftOf("throttlescope: 1\nservers: {api: {latency: {fixed: 10ms}}}\nworkload: [{operation: call, server: api, method: GET, "
                  "arrivals: {workers: 4, count: 100000000}}]\n")
              .scenario();
    return scenario;
}

std::string commandLineMetrics(const std::vector<std::string> &set)
{
    return journal::metricsJson(runScenario(loadScenario(kMinuteWindow, {set, {}})->scenario, {}).metrics);
}

} // namespace

class TestRunWorker : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIfComesToWhatTheCommandLineSays()
    {
        PolicyDraft draft = minuteWindow();
        Watched watched;
        watched.worker.start(draft.scenario());
        QVERIFY(watched.waitForEnd());
        QVERIFY(watched.inOrder && watched.end.failure.isEmpty());
        QCOMPARE(journal::metricsJson(watched.end.report->metrics), commandLineMetrics({}));
        QVERIFY(draft.set("policies.batch.rate_limit.max_wait", "30s"));
        watched.last = {};
        QElapsedTimer timer;
        timer.start();
        watched.worker.start(draft.scenario());
        QVERIFY(watched.waitForEnd());
        qInfo("what-if on minute-window: %lld us from the start to the last event", static_cast<long long>(timer.nsecsElapsed() / 1'000));
        QCOMPARE(journal::metricsJson(watched.end.report->metrics), commandLineMetrics({"policies.batch.rate_limit.max_wait=30s"}));
        draft.undo();
        watched.worker.start(draft.scenario());
        QVERIFY(watched.waitForEnd());
        QCOMPARE(journal::metricsJson(watched.end.report->metrics), commandLineMetrics({}));
    }

    void ofAnOlderRunNothingIsDelivered()
    {
        Watched watched;
        watched.worker.start(endless());
        QVERIFY(QTest::qWaitFor([&watched] { return watched.events > 0; }, 60'000));
        watched.generations.clear();
        const quint64 second = watched.worker.start(minuteWindow().scenario());
        QVERIFY(watched.waitForEnd());
        QCOMPARE(watched.generations, std::set<quint64>{second});
        QVERIFY(!watched.end.report->interrupted);
    }

    /// However many batches wait while a slot takes its time.
    void aTimerHasItsTurnBetweenTwoBatches()
    {
        RunWorker worker;
        std::uint64_t ticks = 0;
        std::vector<std::uint64_t> ticksAtBatch;
        QTimer timer;
        timer.callOnTimeout([&ticks] { ++ticks; });
        timer.start(0);
        QObject::connect(&worker, &RunWorker::batch, &worker, [&] {
            ticksAtBatch.push_back(ticks);
            for (const QDeadlineTimer busy{20}; !busy.hasExpired();)
                std::this_thread::yield();
        });
        worker.start(endless());
        QVERIFY(QTest::qWaitFor([&ticksAtBatch] { return ticksAtBatch.size() >= 10; }, 60'000));
        for (std::size_t i = 1; i < ticksAtBatch.size(); ++i)
            QVERIFY(ticksAtBatch[i] > ticksAtBatch[i - 1]);
    }

    void aCancelledRunEnds()
    {
        Watched watched;
        watched.worker.start(endless());
        QVERIFY(QTest::qWaitFor([&watched] { return watched.events > 100'000; }, 60'000));
        QElapsedTimer timer;
        timer.start();
        watched.worker.cancel();
        QVERIFY(watched.waitForEnd());
        qInfo("cancelled after %lld us", static_cast<long long>(timer.nsecsElapsed() / 1'000));
        QVERIFY(watched.end.report->interrupted && watched.end.failure.isEmpty());
    }

    void aRunCanBeCancelledBeforeItBegins()
    {
        Watched watched;
        watched.worker.start(endless());
        watched.worker.cancel();
        QVERIFY(watched.waitForEnd());
        QVERIFY(watched.end.report->interrupted);
    }

    void aRunThatNobodyTakesDeliveryOfWaits()
    {
        // Started, attempt started, what the server says, attempt finished, finished; and the run's own two. More than may be
        // undelivered at once.
        constexpr std::size_t most = RunWorker::kMostUndelivered * RunPass::kLargestBatch;
        static_assert(5 * kMany > most);
        const std::string text = "throttlescope: 1\nservers: {api: {latency: {fixed: 10ms}}}\nworkload: [{operation: call, server: api, "
                                 "method: GET, arrivals: {workers: 4, count: "
            + std::to_string(kMany) + "}}]\n";
        Watched watched;
        QElapsedTimer timer;
        timer.start();
        watched.worker.start(draftOf(text).scenario());
        QVERIFY(watched.waitForEnd());
        qInfo("%zu attempts: %lld ms", kMany, static_cast<long long>(timer.elapsed()));
        QCOMPARE(watched.events, 5 * kMany + 2);
        QCOMPARE(watched.end.report->operations, std::uint64_t{kMany});
        Watched unheard; // goes with letters undelivered
        unheard.worker.start(endless());
    }

    void aFailureIsText()
    {
        Watched watched;
        watched.worker.start(endless(), {}, 2);
        QVERIFY(watched.waitForEnd());
        QCOMPARE(watched.end.failure, QString{"s.yaml: more than 2 operations are open at once at t=0.000000, the run was stopped"});
    }

    void aPlayedRunGoesAsFastAsTheClockSays()
    {
        const auto time = std::make_shared<std::atomic<std::int64_t>>(0);
        Watched watched{std::make_unique<HandClock>(time)};
        const auto pass = [&](std::int64_t microseconds) {
            *time += microseconds;
            watched.worker.wake();
        };
        const auto halt = [&watched] {
            const int before = watched.halts;
            watched.worker.pause();
            return QTest::qWaitFor([&] { return watched.halts > before; }, 60'000);
        };
        watched.worker.start(minuteWindow().scenario(), {std::nullopt, true});
        QVERIFY(halt());
        QCOMPARE(watched.events, std::size_t{0});
        watched.worker.step(); // 1.92 s: see tst_run_pass
        QVERIFY(QTest::qWaitFor([&] { return watched.reached > MonotonicTime{}; }, 60'000));
        const MonotonicTime stepped = watched.reached;
        QVERIFY(stepped >= MonotonicTime{1920ms} && stepped <= MonotonicTime{1922ms});

        pass(3'600'000'000); // a pause takes no scenario time
        watched.worker.setSpeed(10.0);
        watched.worker.resume();
        // When the order is taken only the worker knows; from then on 50 ms of the clock are 0.5 s of the scenario.
        QVERIFY(QTest::qWaitFor([&] {
            pass(50'000);
            return watched.reached > stepped;
        }));
        QVERIFY(halt());
        const MonotonicTime halted = watched.reached;
        QCOMPARE((halted - stepped) % 500ms, Duration{});
        const std::size_t events = watched.events;
        pass(3'600'000'000);
        QVERIFY(halt());
        QCOMPARE(watched.reached, halted);
        QCOMPARE(watched.events, events);
        watched.worker.setSpeed(std::nullopt);
        watched.worker.resume();
        QVERIFY(watched.waitForEnd());
        QVERIFY(watched.end.report->passed());
    }

    void aPace_data()
    {
        QTest::addColumn<double>("speed");
        QTest::addColumn<int>("milliseconds");
        QTest::addColumn<int>("scenario");
        QTest::newRow("at 1x a second is one") << 1.0 << 1000 << 6000;
        QTest::newRow("at 60x it is a minute") << 60.0 << 1000 << 65000;
        QTest::newRow("slow motion") << 0.25 << 1000 << 5250;
        QTest::newRow("no time, no scenario time") << 60.0 << 0 << 5000;
    }
    void aPace()
    {
        QFETCH(double, speed);
        QFETCH(int, milliseconds);
        QFETCH(int, scenario);
        const Pace pace{speed, Wall::time_point{std::chrono::hours{3}}, MonotonicTime{5s}};
        const auto now = Wall::time_point{std::chrono::hours{3} + std::chrono::milliseconds{milliseconds}};
        QCOMPARE(pace.target(now), MonotonicTime{std::chrono::milliseconds{scenario}});
    }

    void aRunningPolicyIsRetuned()
    {
        PolicyDraft draft = minuteWindow();
        Watched watched;
        watched.worker.start(draft.scenario(), {std::nullopt, true});
        watched.worker.step();
        QVERIFY(QTest::qWaitFor([&] { return watched.reached > MonotonicTime{}; }, 60'000));
        QVERIFY(draft.set("policies.batch.rate_limit.max_wait", "30s"));
        watched.worker.retune(draft.scenario());
        QVERIFY(QTest::qWaitFor([&] { return !watched.retuned.empty(); }, 60'000));
        QCOMPARE(watched.retuned.front(), (Retuned{"batch", 2, watched.reached}));
        watched.worker.resume();
        QVERIFY(watched.waitForEnd());
        QCOMPARE(watched.end.report->metrics.waitExceeded, std::uint64_t{140}); // see tst_run_pass
    }
};

QTEST_GUILESS_MAIN(TestRunWorker)
#include "tst_run_worker.moc"
