// SPDX-License-Identifier: Apache-2.0
#include "core/journal/event_reader.h"
#include "core/journal/event_writer.h"
#include "simulator/run/runner.h"
#include "simulator/run/simulation.h"
#include "simulator/scenario/loader.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <map>
#include <sstream>

using namespace throttlescope;

namespace {

std::string sourceFile(const std::string &name)
{
    return THROTTLESCOPE_SOURCE_DIR "/" + name;
}

Scenario load(const std::string &text)
{
    auto loaded = loadScenarioText(text, "test.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().front().format().c_str());
    return loaded->scenario;
}

Scenario minuteWindow(const std::string &maxWait, std::uint64_t seed = 7)
{
    LoadOptions options;
    options.set = {"policies.batch.rate_limit.max_wait=" + maxWait};
    options.seed = seed;
    return loadScenario(sourceFile("scenarios/minute-window.yaml"), options)->scenario;
}

/// The whole journal as text.
class TextSink final : public journal::EventSink {
public:
    void accept(const journal::Event &event) override
    {
        journal::appendJson(text, event);
        text += '\n';
    }
    std::string text;
};

std::string journalOf(const Scenario &scenario)
{
    TextSink sink;
    Simulation simulation{scenario, &sink};
    simulation.run();
    return sink.text;
}

/// What befell each attempt of one operation name: when it took how long, and with which status or failure.
class Fates final : public journal::EventSink {
public:
    explicit Fates(std::string operation)
        : m_operation(std::move(operation))
    {
    }
    void accept(const journal::Event &event) override
    {
        if (event.operation != m_operation)
            return;
        if (std::holds_alternative<journal::OperationStarted>(event.payload))
            m_index.emplace(event.op, m_index.size());
        if (const auto *finished = std::get_if<journal::AttemptFinished>(&event.payload))
            fates[{m_index.at(event.op), event.attempt}] = {finished->status.value_or(0), finished->took.count()};
    }
    std::map<std::pair<std::size_t, int>, std::pair<int, std::int64_t>> fates;

private:
    std::string m_operation;
    std::map<journal::OperationId, std::size_t> m_index;
};

auto fatesIn(const std::string &text, const std::string &operation = "read")
{
    Fates fates{operation};
    const Scenario scenario = load(text);
    Simulation simulation{scenario, &fates};
    simulation.run();
    return fates.fates;
}

const std::string kFaulty = R"(throttlescope: 1
seed: 11
servers: {api: {latency: {lognormal: {median: 80ms, p99: 400ms}}}, other: {latency: {exponential: 50ms}}}
timeline: [{at: 0s, for: 10m, label: bad, server: api, faults: {503: 40%, reset: 10%}}]
policies: {p: {max_attempts: 3, backoff: {kind: constant, base: 1s}}, q: {max_attempts: 3, backoff: {kind: constant, base: 3s, jitter: none}}}
workload:
  - {operation: read, server: api, method: GET, policy: p, arrivals: {rate: 5/s, count: 100}}
)";

std::string replaced(std::string text, const std::string &from, const std::string &to)
{
    text.replace(text.find(from), from.size(), to);
    return text;
}

} // namespace

class TestSimulation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // An independent model of the scenario gives this staircase (DESIGN.md section 7).
    void minuteWindowStaircase_data()
    {
        QTest::addColumn<QString>("maxWait");
        QTest::addColumn<int>("succeeded");
        for (const auto &[maxWait, succeeded] :
            {std::pair{"30s", 30}, {"36s", 30}, {"38s", 60}, {"46s", 60}, {"50s", 90}, {"57s", 200}, {"60s", 200}})
            QTest::addRow("max_wait %s lets %d succeed", maxWait, succeeded) << maxWait << succeeded;
    }
    void minuteWindowStaircase()
    {
        QFETCH(QString, maxWait);
        QFETCH(int, succeeded);
        const RunReport report = runScenario(minuteWindow(maxWait.toStdString()), {});
        QCOMPARE(report.metrics.operations[0], static_cast<std::uint64_t>(succeeded));
        QCOMPARE(report.metrics.waitExceeded, static_cast<std::uint64_t>(200 - succeeded));
    }

    void minuteWindowTakes212AttemptsWithEverySeed()
    {
        for (std::uint64_t seed = 1; seed <= 50; ++seed) {
            const RunReport report = runScenario(minuteWindow("60s", seed), {});
            QCOMPARE(report.metrics.attempts, 212U);
            const double finish = secondsOf(report.metrics.finish.time_since_epoch());
            QVERIFY2(finish >= 350.3 && finish <= 353.3, qPrintable(QString::number(finish)));
        }
    }

    void theSameSeedGivesTheSameJournalByteForByte()
    {
        QCOMPARE(journalOf(load(kFaulty)), journalOf(load(kFaulty)));
        QVERIFY(journalOf(load(kFaulty)) != journalOf(load(replaced(kFaulty, "seed: 11", "seed: 12"))));
    }

    void twoPoliciesMeetIdenticalFaults()
    {
        const auto p = fatesIn(kFaulty);
        const auto q = fatesIn(replaced(kFaulty, "policy: p", "policy: q"));
        QCOMPARE(p, q);
        QVERIFY(p.size() > 150); // it was retried
    }

    void addingSomethingMovesNobodyElsesDraws_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::newRow("another row before it")
            << "workload:\n"
            << "workload:\n  - {operation: noise, server: other, method: GET, policy: p, arrivals: {rate: 9/s, count: 80}}\n";
        QTest::newRow("another client of another row")
            << "workload:\n"
            << "workload:\n  - {operation: noise, server: other, method: GET, clients: 3, policy: q, arrivals: {batch: 7}}\n";
        QTest::newRow("another policy") << "policies: {"
                                        << "policies: {r: {max_attempts: 9}, ";
        QTest::newRow("a limit that is never reached") << "api: {latency"
                                                       << "api: {limits: [{name: big, quota: 100000, per: 1h, window: sliding}], latency";
        QTest::newRow("jitter where there was none") << "base: 1s}"
                                                     << "base: 1s, jitter: {additive: 1s}}";
    }
    void addingSomethingMovesNobodyElsesDraws()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QCOMPARE(fatesIn(replaced(kFaulty, from.toStdString(), to.toStdString())), fatesIn(kFaulty));
    }

    void nothingStartsAfterStopAfterAndWhatIsOpenEndsUnfinished()
    {
        // One call a second, each takes 10 s: at 5 s the calls of 0 … 4 s are open; the one due at 5 s does not start.
        const Scenario scenario = load("throttlescope: 1\nstop_after: 5s\nservers: {a: {latency: {fixed: 10s}}}\n"
                                       "workload: [{operation: x, server: a, arrivals: {rate: 1/s, for: 1m}}]\n");
        const RunReport report = runScenario(scenario, {});
        QCOMPARE(report.operations, 5U);
        QCOMPARE(report.metrics.operations[4], 5U);
        QVERIFY(!report.passed()); // not expected
    }

    void aReplacedPolicyHoldsFromTheNextDecisionAndWaitsKeepTheirs()
    {
        const Scenario scenario = load("throttlescope: 1\nservers: {a: {script: [{answer: {status: 503}}]}}\n"
                                       "policies: {p: {max_attempts: 3, backoff: {kind: constant, base: 10s, jitter: none}}}\n"
                                       "workload: [{operation: x, server: a, method: GET, policy: p, arrivals: {batch: 1}}]\n");
        TextSink sink;
        Simulation simulation{scenario, &sink};
        QVERIFY(simulation.advance(MonotonicTime{4s}));
        auto policy = std::make_shared<Policy>(*scenario.policies.at("p"));
        policy->backoff.base = 1s;
        simulation.replacePolicy("p", policy);
        QVERIFY(!simulation.advance(kNever));
        // The wait of 10 s stays; the next one is 1 s: attempts at 0, 10 and 11 s.
        QVERIFY(sink.text.find("\"event\":\"policy.changed\"") != std::string::npos);
        QVERIFY(sink.text.find("\"waits_kept\":1") != std::string::npos);
        QVERIFY(sink.text.find("\"t\":11.000000,\"time\":\"2026-01-01T00:00:11.000000Z\",\"event\":\"operation.finished\"")
            != std::string::npos);
    }

    void clientsAreProcessesWithPacersOfTheirOwn()
    {
        // Two clients, each with three calls a second apart: both are done after 2 s, not after 5.
        const Scenario scenario = load("throttlescope: 1\nservers: {a: {}}\npolicies: {p: {pacer: {requests_per_second: 1}}}\n"
                                       "workload: [{operation: x, server: a, method: GET, policy: p, clients: 2, arrivals: {batch: 3}}]\n");
        const RunReport report = runScenario(scenario, {});
        QCOMPARE(report.operations, 6U);
        QCOMPARE(report.metrics.finish.time_since_epoch(), Duration{2s});
    }

    void aHerdIsCountedInTheFirstSecondOfAWindow()
    {
        // Quota 2 a minute; four arrive at 0: herd 4 / 2.
        const Scenario scenario = load("throttlescope: 1\nservers: {a: {limits: [{name: m, quota: 2, per: 1m, window: fixed}]}}\n"
                                       "workload: [{operation: x, server: a, method: GET, arrivals: {batch: 4}}]\n");
        QCOMPARE(runScenario(scenario, {}).metrics.herd, 2.0);
    }

    void aHerdIsCountedForEachKeyOfALimit()
    {
        // Quota 2 a minute and key; at 0 five arrive with the key a and one with b: herd 5 / 2, and no key in the journal.
        const Scenario scenario
            = load("throttlescope: 1\nservers: {s: {limits: [{name: m, quota: 2, per: 1m, window: fixed, key: 'header:X-Api-Key'}]}}\n"
                   "workload:\n  - {operation: x, server: s, method: GET, headers: {X-Api-Key: sesame}, arrivals: {batch: 5}}\n"
                   "  - {operation: y, server: s, method: GET, headers: {X-Api-Key: other}, arrivals: {batch: 1}}\n");
        QTemporaryDir folder;
        RunOptions options;
        options.journal = folder.filePath("j.jsonl").toStdString();
        QCOMPARE(runScenario(scenario, options).metrics.herd, 2.5);
        QFile journal{folder.filePath("j.jsonl")};
        QVERIFY(journal.open(QIODevice::ReadOnly));
        const QByteArray text = journal.readAll();
        QVERIFY(text.contains("\"key\":\"#2\""));
        QVERIFY(!text.contains("sesame"));
    }

    void aClientThatComesBackEarlyIsCounted()
    {
        // Told 60 s at 0, comes back after 10 s: 50 s too early, twice, then not again.
        const Scenario scenario
            = load("throttlescope: 1\nservers: {a: {limits: [{name: m, quota: 1, per: 1m, window: fixed}]}}\n"
                   "policies: {p: {max_attempts: 2, rate_limit: {hint: ignore}, backoff: {kind: constant, base: 10s, jitter: none}}}\n"
                   "workload: [{operation: x, server: a, method: GET, policy: p, arrivals: {batch: 2}}]\n");
        const RunReport report = runScenario(scenario, {});
        QCOMPARE(report.metrics.earlyBy.count(), 1U);
        QCOMPARE(report.metrics.earlyBy.max(), Duration{50s});
    }

    void recoveryIsMeasuredFromTheLabelsEnd()
    {
        // 10 a second succeed before; from 20 to 30 s nothing does; then all do again: the first ten seconds after the end
        // already hold the rate.
        const std::string text
            = "throttlescope: 1\nservers: {a: {}}\ntimeline: [{at: 20s, for: 10s, label: outage, server: a, faults: {503: 100%}}]\n"
              "workload: [{operation: x, server: a, method: GET, arrivals: {rate: 10/s, for: 1m}}]\nexpect: {recovers_within: {outage: "
              "0s}}\n";
        QVERIFY(runScenario(load(text), {}).passed());
        QVERIFY(!runScenario(load(replaced(text, "for: 1m", "for: 31s")), {}).passed());
    }

    void aRunReadBackGivesTheSameMetrics()
    {
        for (const std::string name : {"minute-window", "breaker-half-open", "shared-pacer-cooldown", "action-never-replayed",
                 "cancel-mid-wait", "over-max-wait-to-fallback"}) {
            const Scenario scenario = loadScenario(sourceFile("scenarios/" + name + ".yaml"))->scenario;
            std::istringstream journal{journalOf(scenario)};
            journal::RunMetrics metrics;
            journal::EventReader reader;
            const auto outcome = reader.readAll(journal, [&metrics](const journal::Event &event) { metrics.accept(event); });
            QCOMPARE(outcome.brokenLine, 0U);
            QCOMPARE(journal::metricsJson(metrics.total()), journal::metricsJson(runScenario(scenario, {}).metrics));
        }
    }
};

QTEST_GUILESS_MAIN(TestSimulation)
#include "tst_simulation.moc"
