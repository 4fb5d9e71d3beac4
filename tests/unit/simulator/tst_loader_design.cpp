// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/loader.h"

#include <QTest>

using namespace throttlescope;

namespace {

/// "Every other key, by example", DESIGN.md section 7, with the minute-window example's server beside it.
const char kText[] = R"(throttlescope: 1
name: every key
summary: by example.
seed: 9
start: 2026-06-02T09:00:12Z
stop_after: 2h
servers:
  saia:
    latency: {fixed: 120ms}
    limits:
      - {name: minute, quota: 30, per: 1m, window: fixed, align: calendar}
      - {name: hour, quota: 500, per: 1h, window: sliding}
      - {name: day, quota: 4000, per: 1d, window: fixed, align: calendar, time_zone: Europe/Berlin}
    on_limit: {status: 429, retry_after: seconds, reports: violated, headers: [saia]}
  other: {}
  api:
    network: {out: 10ms, back: 20ms}
    latency: {lognormal: {median: 80ms, p99: 400ms}, per_concurrent: 10ms}
    limits:
      - {name: burst, quota: 10, per: 1s, window: token_bucket, burst: 20}
      - {name: tokens, quota: 90000, per: 1m, window: sliding, unit: units, key: header:X-Api-Key, used: 60000}
      - {name: parallel, quota: 4, window: concurrency, on_limit: {status: 503, retry_after: {literal: "soon"}}}
    on_limit:
      retry_after: http-date
      reports: longest
      headers: [github]
      counts: all
      early_retry: extend
    clock_skew: +3s
    script:
      - {when: {operation: convert, attempt: 1, method: post, path: /x, nth: 3, header: {X-A: b}}, times: 2,
         answer: {status: 503, headers: {Retry-After: "30"}, body: '{"retry_after": "soon"}', size: 4kB, break_at: 50%, executed: true}}
      - {answer: {fault: timeout}}
timeline:
  - {at: 5m, for: 90s, label: db failover, server: api, faults: {503: 70%, reset: 5%, timeout: 5%}}
  - {at: 9m, for: 20s, label: restart, server: api, faults: refuse}
  - {at: 10m, label: lunch}
policies:
  careful:
    retry_on: [rate_limited, transport]
    total_timeout: 2m
    rate_limit: {statuses: [429], max_wait: 45s, hint: at_least, zero_hint: as_no_hint, no_hint: {fixed: 31s, times: 2},
                 max_hinted_retries: 3, refuse_when_exhausted: [day], padding: {add: 1s, jitter: 2s}, extractor: {json: /retry_after, unit: ms}}
    backoff: {kind: linear, base: 400ms, factor: 3, max: 20s, first: 1s, jitter: {plus_minus: 25%}}
    pacer: {requests_per_second: 2, units_per_second: 1000, cooldown: extend, concurrency: 6, max_waiting: 10000, max_units: 8000, scope: pool}
    breaker: {trip: {ratio: {of: 40%, window: 20s, minimum: 5}}, counts: attempts, open_for: 15s, probes: {count: 2, lease: 5s}}
    budget: {token_bucket: {capacity: 400, cost: 4, timeout_cost: 8}}
  share: {preset: saia, max_wait: 30s, budget: {ratio: {percent: 20, min_per_second: 10, memory: 5s}}}
  off: {retry: off, replay: limited, writes: safe, max_attempts: unlimited, attempt_timeout: 5s, breaker: {trip: {consecutive: 5}, open_for: hint}}
workload:
  - {operation: convert, server: saia, method: POST, class: read, idempotent: true, policy: share, arrivals: {workers: 2, count: 200}}
  - {operation: chat, server: api, method: post, path: /x, class: write, idempotent: true, units: 800, streaming: true, policy: careful,
     headers: {X-Api-Key: k1}, clients: 3, start_at: 10s, cancel_after: 40s, fallback: backup, max_attempts: 2,
     arrivals: {rate: 20/min, for: 5m, poisson: true}}
  - {operation: backup, server: other, method: GET, on_demand: true}
  - {operation: load, server: api, replay: limited, policy: off, arrivals: {batch: 7}}
expect:
  operations: {succeeded: 200}
  attempts: {min: 212, max: 220}
  waits: {max: {max: 63s}, count: 12}
  finish: {min: 350.3s, max: 353.3s}
  refused: {deadline: 0}
  amplification: 1.06
  by_operation: {convert: {attempts_per_operation: {max: {max: 2}}}}
  during: {db failover: {operations: {failed: {max: 3}}}}
  recovers_within: {db failover: 60s}
  decisions:
    - operation: chat
      index: 2
      is:
        - {attempt: 1, status: 429, hint: 47s, decision: retry, delay: 47s, source: provider}
        - {attempt: 2, status: 200, decision: finish, result: succeeded}
    - operation: load
      is: [{attempt: 1, decision: refuse, reason: retry_off}]
)";

QString described(const Expectation &expectation)
{
    const auto bound = [](const std::optional<double> &value) { return value ? QString::number(*value, 'g', 12) : QString{"-"}; };
    return QString{"%1 %2 %3 %4..%5%6"}
        .arg(static_cast<int>(expectation.selector))
        .arg(QString::fromStdString(expectation.of), QString::fromStdString(expectation.metric), bound(expectation.min),
            bound(expectation.max), expectation.isDuration ? "us" : "");
}

} // namespace

/// What a file says, value by value.
class TestLoaderDesign : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const auto loaded = loadScenarioText(kText, "dir/every.yaml");
        QVERIFY2(loaded, loaded ? "" : loaded.error().front().format().c_str());
        m_scenario = loaded->scenario;
    }

    void theHead()
    {
        QCOMPARE(m_scenario.file, std::string{"dir/every.yaml"});
        QCOMPARE(m_scenario.name, std::string{"every key"});
        QCOMPARE(m_scenario.summary, std::string{"by example."});
        QCOMPARE(m_scenario.seed, std::uint64_t{9});
        QVERIFY(m_scenario.start.time_since_epoch() == std::chrono::seconds{1'780'390'812});
        QVERIFY(m_scenario.stopAfter == 2h);
        QCOMPARE(m_scenario.hash.size(), std::size_t{16});
    }

    void theHashIsFnv1aOverTheBytes()
    {
        const std::string text = "{throttlescope: 1, servers: {a: }, workload: []}";
        std::uint64_t hash = 14695981039346656037U; // offset basis and prime as the authors give them
        for (const char c : text)
            hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
        const auto loaded = loadScenarioText(text, "dir/short.yaml");
        QVERIFY2(loaded, loaded ? "" : loaded.error().front().format().c_str());
        QCOMPARE(loaded->scenario.name, std::string{"short"}); // the file's, where it says none
        QCOMPARE(QString::fromStdString(loaded->scenario.hash), QString{"%1"}.arg(qulonglong{hash}, 16, 16, QChar{'0'}));
    }

    void theServers()
    {
        QCOMPARE(m_scenario.servers.size(), std::size_t{3});
        const Server &saia = m_scenario.servers[0];
        QCOMPARE(saia.name, std::string{"saia"});
        QVERIFY(saia.mark == (Mark{8, 3}));
        QVERIFY(saia.latency == (Latency{FixedLatency{120ms}, {}}));
        QVERIFY(saia.limits[0]
            == (Limit{"minute", 30, {1min, Period::Civil::None}, WindowKind::Fixed, Align::Calendar, "", {}, Unit::Requests, "", 0, {}}));
        QVERIFY(saia.limits[1]
            == (Limit{"hour", 500, {1h, Period::Civil::None}, WindowKind::Sliding, Align::Calendar, "", {}, Unit::Requests, "", 0, {}}));
        QVERIFY(saia.limits[2]
            == (Limit{"day", 4000, {24h, Period::Civil::Day}, WindowKind::Fixed, Align::Calendar, "Europe/Berlin", {}, Unit::Requests, "",
                0, {}}));
        QVERIFY(saia.onLimit
            == (OnLimit{429, RetryAfterForm::Seconds, Reports::Violated, {Dialect::Saia}, Counts::Accepted, EarlyRetry::Ignore, ""}));
        const Server &api = m_scenario.servers[2];
        QVERIFY(api.network == (Network{FixedLatency{10ms}, FixedLatency{20ms}}));
        QVERIFY(api.latency == (Latency{LognormalLatency{80ms, 400ms}, 10ms}));
        QVERIFY(api.limits[0]
            == (Limit{
                "burst", 10, {1s, Period::Civil::None}, WindowKind::TokenBucket, Align::Calendar, "", 20, Unit::Requests, "", 0, {}}));
        QVERIFY(api.limits[1]
            == (Limit{"tokens", 90'000, {1min, Period::Civil::None}, WindowKind::Sliding, Align::Calendar, "", {}, Unit::Units, "X-Api-Key",
                60'000, {}}));
        const OnLimit server{429, RetryAfterForm::HttpDate, Reports::Longest, {Dialect::GitHub}, Counts::All, EarlyRetry::Extend, ""};
        QVERIFY(api.onLimit == server);
        OnLimit own = server; // the limit's own lies over the server's
        own.status = 503;
        own.retryAfter = LiteralRetryAfter{"soon"};
        QVERIFY(api.limits[2] == (Limit{"parallel", 4, {}, WindowKind::Concurrency, Align::Calendar, "", {}, Unit::Requests, "", 0, own}));
        QVERIFY(api.clockSkew == 3s);
    }

    void theScript()
    {
        const std::vector<ScriptEntry> &script = m_scenario.servers[2].script;
        QCOMPARE(script.size(), std::size_t{2});
        QVERIFY(script[0].when == (ScriptWhen{"convert", 1, "POST", "/x", 3, {{"X-A", "b"}}}));
        QVERIFY(script[0].times == 2);
        QVERIFY(script[0].answer == (ScriptAnswer{503, {}, {{"Retry-After", "30"}}, R"({"retry_after": "soon"})", 4000, 0.5, true}));
        QVERIFY(script[1] == (ScriptEntry{{}, {}, {{}, FaultKind::Timeout, {}, "", {}, {}, {}}}));
    }

    void theTimeline()
    {
        const auto &timeline = m_scenario.timeline;
        QCOMPARE(timeline.size(), std::size_t{3});
        QVERIFY(timeline[0].at == 5min && timeline[0].span == 90s && timeline[0].label == "db failover" && timeline[0].server == "api");
        QVERIFY(timeline[0].faults
            == (std::vector<FaultShare>{{FaultKind::Status, 503, 0.7}, {FaultKind::Reset, 0, 0.05}, {FaultKind::Timeout, 0, 0.05}}));
        QVERIFY(timeline[1].faults == (std::vector<FaultShare>{{FaultKind::Refuse, 0, 1}}));
        QVERIFY(timeline[2].label == "lunch" && !timeline[2].span && timeline[2].faults.empty());
    }

    void thePolicies()
    {
        Policy careful;
        careful.name = "careful";
        careful.retryOn = {true, false, true, false};
        careful.totalTimeout = 2min;
        careful.rateLimit = {{429}, 45s, OverMaxWait::Refuse, HintAtLeast{}, ZeroHint::AsNoHint, NoHintFixed{31s, 2}, 3, {WindowSpan::Day},
            {1s, 2s}, JsonPointerExtractor{"/retry_after", JsonPointerExtractor::Unit::Milliseconds}};
        careful.backoff = {BackoffKind::Linear, 400ms, 3, 20s, Duration{1s}, {}, PlusMinusJitter{0.25}};
        careful.scope = "pool";
        careful.pacer = PacerSpec{Rate{2, 1s}, Rate{1000, 1s}, Cooldown::Extend, 6, 10'000, 8'000};
        careful.breaker = BreakerSpec{TripRatio{0.4, 20s, 5}, BreakerCounts::Attempts, Duration{15s}, {2, 5s}};
        careful.budget = TokenBucketBudget{400, 4, 8, {}};
        QVERIFY(*m_scenario.policies.at("careful") == careful);

        Policy share; // saia, DESIGN.md section 5, with its own max_wait and a budget
        share.name = "share";
        share.retryOn = {true, false, false, false};
        share.writes = ReplayRule::Never;
        share.maxAttempts = 8;
        share.attemptTimeout = 60s;
        share.rateLimit = {{429}, 30s, OverMaxWait::Refuse, HintExact{}, ZeroHint::AsNoHint, NoHintFixed{31s, 2}, 5,
            {WindowSpan::Hour, WindowSpan::Day, WindowSpan::Month}, {1s, 2s}, {}};
        share.budget = RatioBudget{0.2, 10, {}, 5s};
        QVERIFY(*m_scenario.policies.at("share") == share);

        Policy off;
        off.name = "off";
        off.retry = false;
        off.replay = ReplayRule::Limited;
        off.writes = ReplayRule::Safe;
        off.maxAttempts = kUnlimitedAttempts;
        off.attemptTimeout = 5s;
        off.breaker = BreakerSpec{TripConsecutive{5}, BreakerCounts::Operations, OpenForHint{}, {}};
        QVERIFY(*m_scenario.policies.at("off") == off);

        Policy overlaid = careful;
        overlaid.name = "careful/chat";
        overlaid.maxAttempts = 2;
        QVERIFY(*m_scenario.policies.at("careful/chat") == overlaid);
    }

    void theWorkload()
    {
        const auto &rows = m_scenario.workload;
        QCOMPARE(rows.size(), std::size_t{4});
        QVERIFY(rows[0].operation == "convert" && rows[0].server == "saia" && rows[0].method == "POST" && rows[0].path == "/");
        QVERIFY(rows[0].arrivals == Arrivals{(WorkerArrivals{2, 200})});
        QVERIFY(rows[0].replay.rule == ReplayRule::Safe && rows[0].replay.because == "idempotent: true");
        const WorkloadRow &chat = rows[1];
        QVERIFY(chat.method == "POST" && chat.path == "/x" && chat.operationClass == OperationClass::Write && chat.idempotent == true
            && chat.units == 800 && chat.streaming);
        QVERIFY(chat.headers == (Headers{{"X-Api-Key", "k1"}}) && chat.clients == 3 && chat.startAt == 10s && chat.cancelAfter == 40s
            && chat.fallback == "backup" && !chat.onDemand);
        QVERIFY(chat.arrivals == Arrivals{(RateArrivals{{20, 1min}, Duration{5min}, {}, true})});
        QVERIFY(chat.policyName == "careful/chat" && chat.policy == m_scenario.policies.at("careful/chat"));
        QVERIFY(rows[2].onDemand && rows[2].policyName == "none" && rows[2].policy->maxAttempts == 1
            && rows[2].replay.rule == ReplayRule::Safe);
        QVERIFY(rows[3].callReplay == ReplayRule::Limited && rows[3].replay.because == "the call's own replay"
            && rows[3].arrivals == Arrivals{BatchArrivals{7}});
    }

    void theExpectations()
    {
        QStringList all;
        for (const Expectation &expectation : m_scenario.expectations)
            all << described(expectation);
        QCOMPARE(all,
            (QStringList{
                "0  operations.succeeded 200..200",
                "0  attempts 212..220",
                "0  waits.max -..63000000us",
                "0  waits.count 12..12",
                "0  finish 350300000..353300000us",
                "0  refused.deadline 0..0",
                "0  amplification 1.06..1.06",
                "1 convert attempts_per_operation.max -..2",
                "2 db failover operations.failed -..3",
                "2 db failover recovers_within -..60000000us",
            }));
        QVERIFY(m_scenario.expectations[1].mark == (Mark{59, 13})); // the value, as a failed expectation reports it
    }

    void theDecisions()
    {
        QCOMPARE(m_scenario.decisions.size(), std::size_t{2});
        const ExpectedDecisions &chat = m_scenario.decisions[0];
        QVERIFY(chat.operation == "chat" && chat.index == 2 && chat.is.size() == 2);
        const ExpectedDecision &first = chat.is[0];
        QVERIFY(first.attempt == 1 && first.status == 429 && first.hint == 47s && first.decision == DecisionKind::Retry
            && first.delay == 47s && first.source == "provider" && !first.reason);
        QVERIFY(chat.is[1].decision == DecisionKind::Finish && chat.is[1].result == "succeeded");
        const ExpectedDecisions &load = m_scenario.decisions[1];
        QVERIFY(load.index == 1 && load.is[0].decision == DecisionKind::Refuse && load.is[0].reason == "retry_off");
    }

private:
    Scenario m_scenario;
};

QTEST_GUILESS_MAIN(TestLoaderDesign)
#include "tst_loader_design.moc"
