// SPDX-License-Identifier: Apache-2.0
#include "incident_traffic.h"
#include "simulator/incident/operation_grouping.h"
#include "simulator/run/simulation.h"
#include "simulator/scenario/loader.h"

#include <QElapsedTimer>
#include <QTest>
#include <map>

using namespace throttlescope;
using namespace throttlescope::test;
using incident::Ending;
using incident::GroupedRequest;
using incident::LoggedRequest;
using incident::OperationGrouping;

namespace {

/// What a run sent, as a log would tell of it, and whose attempt each was.
struct Sent {
    LoggedRequest request;
    journal::OperationId operation = 0;
    std::uint32_t attempt = 0;
};

class SentSink final : public journal::EventSink {
public:
    void accept(const journal::Event &event) override
    {
        if (std::holds_alternative<journal::AttemptStarted>(event.payload))
            started[event.op] = event.at.wall;
        const auto *finished = std::get_if<journal::AttemptFinished>(&event.payload);
        if (!finished)
            return;
        Sent each;
        each.request.at = started[event.op];
        each.request.took = event.at.wall - each.request.at;
        each.request.path = static_cast<std::uint32_t>(rows.try_emplace(std::string{event.operation}, rows.size()).first->second);
        each.request.ending = finished->status == 429 ? Ending::Refused
            : finished->status == 200                 ? Ending::Succeeded
            : finished->status.value_or(500) >= 500   ? Ending::Failed
                                                      : Ending::Final;
        each.operation = event.op;
        each.attempt = static_cast<std::uint32_t>(event.attempt);
        sent.push_back(each);
    }
    std::map<journal::OperationId, WallTime> started;
    std::map<std::string, std::size_t> rows;
    std::vector<Sent> sent;
};

std::vector<Sent> sentBy(const std::string &policy, const std::string &limit, const std::string &timeline = "[]")
{
    const std::string text
        = "throttlescope: 1\nseed: 5\nstop_after: 1h\nservers: {api: {latency: {lognormal: {median: 80ms, p99: 600ms}}, limits: [" + limit
        + "]}}\ntimeline: " + timeline + "\npolicies: {p: " + policy
        + "}\nworkload:\n"
          "  - {operation: list, server: api, method: GET, policy: p, arrivals: {rate: 40/min, for: 20m, poisson: true}}\n"
          "  - {operation: read, server: api, method: GET, policy: p, arrivals: {rate: 60/min, for: 20m, poisson: true}}\n"
          "  - {operation: search, server: api, method: GET, policy: p, clients: 4, arrivals: {rate: 10/min, for: 20m, poisson: true}}\n"
          "  - {operation: nightly, server: api, method: GET, policy: p, start_at: 3m, arrivals: {workers: 4, count: 300}}\n";
    auto loaded = loadScenarioText(text, "test.yaml");
    if (!loaded)
        qFatal("%s", loaded.error().front().format().c_str());
    SentSink sink;
    Simulation simulation{loaded->scenario, &sink};
    simulation.run();
    std::stable_sort(sink.sent.begin(), sink.sent.end(), [](const Sent &a, const Sent &b) { return a.request.at < b.request.at; });
    return sink.sent;
}

struct Share {
    double grouped = 0; ///< of the attempts: with their own first attempt, and in their place
    double amplification = 0, truth = 0;
    double ambiguity = 0;
};

/// `variety`: how many ids there are in a path; `keys`: how many clients share the traffic.
Share grouped(std::vector<Sent> sent, std::uint32_t variety, std::uint32_t keys, Duration precision = 1us)
{
    OperationGrouping grouping{precision};
    std::map<std::uint64_t, journal::OperationId> firstOf;
    std::map<journal::OperationId, std::pair<std::uint64_t, bool>> truth; // attempts, refused
    std::size_t right = 0;
    for (Sent &each : sent) {
        const auto random = static_cast<std::uint32_t>(operationDrawKey("id", 0, each.operation) >> 33);
        each.request.path = each.request.path * 1000 + random % variety;
        each.request.key = random / 1000 % keys;
        each.request.at = WallTime{each.request.at.time_since_epoch() - each.request.at.time_since_epoch() % precision};
        const GroupedRequest found = grouping.take(each.request);
        const auto first = firstOf.try_emplace(found.operation, each.operation).first->second;
        right += first == each.operation && found.attempt == each.attempt;
        auto &[attempts, refused] = truth[each.operation];
        ++attempts;
        refused = refused || each.request.ending == Ending::Refused;
    }
    double attempts = 0, operations = 0;
    for (const auto &[operation, told] : truth) {
        attempts += told.second ? static_cast<double>(told.first) : 0;
        operations += told.second;
    }
    return {static_cast<double>(right) / static_cast<double>(sent.size()), grouping.totals().amplification(),
        operations > 0 ? attempts / operations : 1, grouping.totals().ambiguity()};
}

LoggedRequest request(Duration at, Ending ending, Duration took = 100ms)
{
    LoggedRequest made;
    made.at = wall("2026-06-02T09:00:00Z") + at;
    made.took = took;
    made.ending = ending;
    return made;
}

} // namespace

class TestIncidentGrouping : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void retriesFindTheirOperations_data()
    {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<QString>("limit");
        QTest::addColumn<QString>("timeline");
        const QString minute = "{name: minute, quota: 60, per: 1m, window: fixed}",
                      bucket = "{name: b, quota: 1, per: 1s, window: token_bucket, burst: 10}";
        const QString storm = "[{at: 4m, for: 90s, label: storm, server: api, faults: {503: 60%, reset: 10%}}]";
        const QString blind = "{max_attempts: 5, rate_limit: {hint: ignore}, backoff: {kind: exponential, base: 2s, factor: 2, max: 60s}}";
        const QString told = "{max_attempts: 4, rate_limit: {max_wait: 60s, padding: {add: 100ms, jitter: 2s}}}";
        const QString fast = "{max_attempts: 6, rate_limit: {hint: ignore}, backoff: {kind: constant, base: 500ms, jitter: none}}";
        QTest::newRow("exponential backoff against a minute's limit") << blind << minute << "[]";
        QTest::newRow("hints obeyed") << told << minute << "[]";
        QTest::newRow("hammering against a bucket") << fast << bucket << "[]";
        QTest::newRow("backoff in a storm of 503") << blind << minute << storm;
    }
    void retriesFindTheirOperations()
    {
        QFETCH(QString, policy);
        QFETCH(QString, limit);
        QFETCH(QString, timeline);
        const auto sent = sentBy(policy.toStdString(), limit.toStdString(), timeline.toStdString());
        for (const Duration precision : {Duration{1us}, Duration{1s}}) {
            const Share varied = grouped(sent, 1000, 5, precision);
            const Share plain = grouped(sent, 1, 1, precision);
            qInfo("%zu attempts, times to %lld us: %.1f %% grouped, amplification %.2f (truth %.2f); one path a row and one key: %.1f %%, "
                  "%.2f",
                sent.size(), static_cast<long long>(precision.count()), 100 * varied.grouped, varied.amplification, varied.truth,
                100 * plain.grouped, plain.amplification);
            qInfo("ambiguity %.2f and %.2f", varied.ambiguity, plain.ambiguity);
            QVERIFY(varied.grouped >= 0.95);
            QVERIFY(varied.ambiguity < 0.2 && plain.ambiguity > 0.2);
            QVERIFY(std::abs(varied.amplification / varied.truth - 1) <= 0.05);
        }
    }

    void aRequestAfterARefusalIsItsRetry()
    {
        OperationGrouping grouping{Duration{1}};
        QVERIFY((grouping.take(request(0s, Ending::Refused)) == GroupedRequest{0, 1}));
        QVERIFY((grouping.take(request(5s, Ending::Failed)) == GroupedRequest{0, 2}));
        QVERIFY((grouping.take(request(9s, Ending::Succeeded)) == GroupedRequest{0, 3}));
        QVERIFY((grouping.take(request(10s, Ending::Succeeded)) == GroupedRequest{1, 1}));
        QCOMPARE(grouping.totals().operations, std::uint64_t{2});
        QCOMPARE(grouping.totals().amplification(), 3.0);
    }

    void whatOverlapsIsNotOneOperation()
    {
        OperationGrouping grouping{Duration{1}};
        QVERIFY((grouping.take(request(0s, Ending::Refused, 2s)) == GroupedRequest{0, 1}));
        QVERIFY((grouping.take(request(1s, Ending::Refused, 2s)) == GroupedRequest{1, 1}));
        QVERIFY((grouping.take(request(4s, Ending::Succeeded)) == GroupedRequest{0, 2}));
        QVERIFY((grouping.take(request(5s, Ending::Succeeded)) == GroupedRequest{1, 2}));
        QCOMPARE(grouping.totals().ambiguous, std::uint64_t{1});
    }

    void whatDiffersIsAnotherOperation()
    {
        for (int difference = 0; difference < 4; ++difference) {
            OperationGrouping grouping{Duration{1}};
            grouping.take(request(0s, Ending::Refused));
            LoggedRequest other = request(1s, Ending::Succeeded);
            (difference == 0 ? other.key : difference == 1 ? other.method : other.path) += difference < 3;
            if (difference == 3)
                other.bodySize = 0;
            QVERIFY((grouping.take(other) == GroupedRequest{1, 1}));
        }
    }

    void whoeverWasToldToWaitComesLater()
    {
        OperationGrouping grouping{Duration{1}};
        LoggedRequest told = request(0s, Ending::Refused);
        told.told = 30min;
        grouping.take(told);
        grouping.take(request(1s, Ending::Refused, 2s)); // a retry come early, or another call: nobody can know
        QCOMPARE(grouping.totals().operations, std::uint64_t{1});
        OperationGrouping patient{Duration{1}};
        patient.take(told);
        QVERIFY((patient.take(request(31min, Ending::Succeeded)) == GroupedRequest{0, 2}));
        OperationGrouping late{Duration{1}};
        late.take(request(0s, Ending::Refused));
        QVERIFY((late.take(request(31min, Ending::Succeeded)) == GroupedRequest{1, 1}));
    }

    void whoWasToldToComeBackInHoursIsFound()
    {
        // Each is told another time, so that how long they wait says nothing; equal new calls come all the while.
        std::vector<LoggedRequest> log;
        for (int i = 0; i < 400; ++i) {
            LoggedRequest first = request(i * 1h, Ending::Refused);
            first.path = static_cast<std::uint32_t>(i % 20);
            first.told = 1h + i * 7919 % 11 * 1h;
            LoggedRequest second = request(i * 1h + *first.told + i % 5 * 1s + 200ms, Ending::Succeeded);
            second.path = first.path;
            log.push_back(first);
            log.push_back(second);
        }
        std::stable_sort(log.begin(), log.end(), [](const auto &a, const auto &b) { return a.at < b.at; });
        OperationGrouping grouping{1us};
        for (const LoggedRequest &each : log)
            grouping.take(each);
        QVERIFY2(std::abs(grouping.totals().amplification() - 2) < 0.05, qPrintable(QString::number(grouping.totals().amplification())));
    }

    void aLogWithoutARetryShowsHardlyAny()
    {
        for (const double gap : {0.2, 1.0, 4.0}) {
            Dice dice{7};
            OperationGrouping grouping{1us};
            double at = 0;
            for (int i = 0; i < 6000; ++i) {
                at += dice.exponential(gap);
                LoggedRequest each = request(durationFromSeconds(at), dice.chance(0.5) ? Ending::Refused : Ending::Succeeded);
                each.path = static_cast<std::uint32_t>(dice.below(800));
                grouping.take(each);
            }
            const double amplification = grouping.totals().amplification();
            qInfo("every %.1f s: amplification %.3f, ambiguity %.2f", gap, amplification, grouping.totals().ambiguity());
            QVERIFY(amplification < 1.1);
        }
    }

    void aCorrelationIdAloneDecides()
    {
        OperationGrouping grouping{Duration{1}};
        LoggedRequest a = request(0s, Ending::Refused), b = request(0s, Ending::Refused), again = request(1h, Ending::Succeeded);
        a.correlation = 7;
        b.correlation = 8;
        again.correlation = 7;
        again.path = 99;
        QVERIFY((grouping.take(a) == GroupedRequest{0, 1}));
        QVERIFY((grouping.take(b) == GroupedRequest{1, 1}));
        QVERIFY((grouping.take(again) == GroupedRequest{0, 2}));
    }

    void roomIsBounded()
    {
        OperationGrouping grouping{Duration{1}, 100};
        for (std::uint32_t i = 0; i < 1000; ++i) {
            LoggedRequest each = request(i * 1ms, Ending::Refused, Duration{});
            each.path = i;
            grouping.take(each);
        }
        QCOMPARE(grouping.totals().forgotten, std::uint64_t{900});
        QCOMPARE(grouping.totals().operations, std::uint64_t{1000});
    }

    void aFloodOnOnePathTakesSeconds()
    {
        OperationGrouping grouping{1s};
        QElapsedTimer timer;
        timer.start();
        for (int i = 0; i < 1'000'000; ++i)
            grouping.take(request(i * 1ms, i % 3 == 0 ? Ending::Succeeded : Ending::Refused, 5s));
        qInfo("a million in %lld ms", static_cast<long long>(timer.elapsed()));
        QVERIFY(timer.elapsed() < 20'000);
    }
};

QTEST_APPLESS_MAIN(TestIncidentGrouping)
#include "tst_incident_grouping.moc"
