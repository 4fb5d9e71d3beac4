// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/loader.h"
#include "simulator/scenario/policy_fields.h"
#include "simulator/scenario/policy_text.h"
#include "simulator/scenario/presets.h"

#include <QFile>
#include <QTest>

using namespace throttlescope;

namespace {

std::string scenario(const std::string &policy, const std::string &row = "")
{
    return "throttlescope: 1\nservers: {api: {limits: [{name: minute, quota: 30, per: 1m}]}}\npolicies: {p: " + policy
        + ", v1.2: {}}\nworkload: [{operation: call, server: api, policy: p, arrivals: {batch: 1}" + (row.empty() ? "" : ", " + row)
        + "}]\n";
}

QString firstLine(const std::string &text, const std::vector<std::string> &set)
{
    const auto loaded = loadScenarioText(text, "s.yaml", {set, {}});
    return loaded ? QString{"it loaded"} : QString::fromStdString(loaded.error().front().format());
}

} // namespace

/// Precedence: defaults < preset < policy < workload row < --set.
class TestLoaderLayers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void layers_data()
    {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<QString>("row");
        QTest::addColumn<QStringList>("set");
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("origin");
        const auto row = [](const char *name, const char *policy, const char *overlay, const QStringList &set, const char *path,
                             const char *value, const char *origin) {
            QTest::newRow(name) << QString{policy} << QString{overlay} << set << QString{path} << QString{value} << QString{origin};
        };
        row("nothing written is the default", "{}", "", {}, "rate_limit.max_wait", "60s", "default");
        row("a preset is above the defaults", "{preset: luria}", "", {}, "rate_limit.max_wait", "10s", "preset luria");
        row("a policy is above its preset", "{preset: luria, rate_limit: {max_wait: 11s}}", "", {}, "rate_limit.max_wait", "11s",
            "s.yaml:3:54");
        row("and leaves the preset's other keys of that map", "{preset: luria, rate_limit: {max_wait: 11s}}", "", {}, "rate_limit.no_hint",
            "refuse", "preset luria");
        row("shorthand is the same value", "{preset: luria, max_wait: 11s}", "", {}, "rate_limit.max_wait", "11s", "s.yaml:3:41");
        row("a row is above its policy", "{preset: luria, max_wait: 11s}", "rate_limit: {max_wait: 12s}", {}, "rate_limit.max_wait", "12s",
            "s.yaml:4:99");
        row("so is a row's shorthand", "{rate_limit: {max_wait: 11s}}", "max_wait: 12s", {}, "rate_limit.max_wait", "12s", "s.yaml:4:86");
        row("an option is above a row", "{}", "max_wait: 12s", {"policies.p.rate_limit.max_wait=13s"}, "rate_limit.max_wait", "13s",
            "--set policies.p.rate_limit.max_wait=13s");
        row("an option's shorthand beside a map", "{rate_limit: {hint: ignore}}", "",
            {"policies.p.max_wait=13s", "policies.p.rate_limit.zero_hint=refuse"}, "rate_limit.max_wait", "13s",
            "--set policies.p.max_wait=13s");
        row("an option sets a row's own layer", "{}", "max_wait: 12s", {"workload.call.max_wait=13s"}, "rate_limit.max_wait", "13s",
            "--set workload.call.max_wait=13s");
        row("an option chooses another preset", "{preset: luria}", "", {"policies.p.preset=provider"}, "rate_limit.max_wait", "30s",
            "preset provider");
        row("null goes back to the default", "{preset: luria, rate_limit: {max_wait: null}}", "", {}, "rate_limit.max_wait", "60s",
            "default");
        row("null in a row, too", "{max_wait: 11s}", "rate_limit: {max_wait: }", {}, "rate_limit.max_wait", "60s", "default");
        row("an option of null unsets", "{max_wait: 11s}", "", {"policies.p.max_wait=null"}, "rate_limit.max_wait", "60s", "default");
        row("null unsets a whole map", "{preset: provider, pacer: null}", "", {}, "pacer.cooldown", "none", "default");
        row("a list is replaced whole", "{preset: saia, rate_limit: {refuse_when_exhausted: [day]}}", "", {},
            "rate_limit.refuse_when_exhausted", "[day]", "s.yaml:3:66");
        row("a tagged value is replaced whole", "{rate_limit: {no_hint: {fixed: 5s, times: 3}}}", "rate_limit: {no_hint: {fixed: 6s}}", {},
            "rate_limit.no_hint", "{fixed: 6s, times: 1}", "s.yaml:4:98");
        row("a kind drops a sequence from below", "{preset: operation, backoff: {kind: constant}}", "", {}, "backoff.sequence", "none",
            "default");
        row("a sequence drops a kind from below", "{backoff: {kind: linear}}", "backoff: {sequence: [1s]}", {}, "backoff.kind", "sequence",
            "s.yaml:4:96");
        row("but keeps the jitter from below", "{backoff: {kind: linear, jitter: equal}}", "backoff: {sequence: [1s]}", {},
            "backoff.jitter", "equal", "s.yaml:3:48");
        row("null as kind drops nothing", "{preset: operation, backoff: {kind: null}}", "", {}, "backoff.sequence", "[1s, 2s, 4s]",
            "preset operation");
    }
    void layers()
    {
        QFETCH(QString, policy);
        QFETCH(QString, row);
        QFETCH(QStringList, set);
        QFETCH(QString, path);
        LoadOptions options;
        for (const QString &each : set)
            options.set.push_back(each.toStdString());
        const auto loaded = loadScenarioText(scenario(policy.toStdString(), row.toStdString()), "s.yaml", options);
        QVERIFY2(loaded, loaded ? "" : loaded.error().front().format().c_str());
        const auto &fields = loaded->provenance.at(loaded->scenario.workload[0].policyName);
        const auto field
            = std::find_if(fields.begin(), fields.end(), [&path](const ResolvedField &each) { return each.path == path.toStdString(); });
        QVERIFY(field != fields.end());
        QTEST(QString::fromStdString(field->value), "value");
        QTEST(QString::fromStdString(field->origin), "origin");
    }

    void rowsOverlayEachForItself()
    {
        const auto two = loadScenarioText("throttlescope: 1\nservers: {api: {}}\nworkload:\n"
                                          "  - {operation: a, server: api, policy: saia, max_attempts: 2, arrivals: {batch: 1}}\n"
                                          "  - {operation: a, server: api, policy: saia, max_attempts: 3, arrivals: {batch: 1}}\n"
                                          "  - {operation: a, server: api, policy: saia, arrivals: {batch: 1}}\n",
            "s.yaml");
        QVERIFY(two);
        const auto &rows = two->scenario.workload;
        QVERIFY(rows[0].policyName == "saia/a" && rows[0].policy->maxAttempts == 2);
        QVERIFY(rows[1].policyName == "saia/a#2" && rows[1].policy->maxAttempts == 3);
        QVERIFY(rows[2].policyName == "saia" && rows[2].policy->maxAttempts == 8);
    }

    void aPacerOfAScopeAloneIsNoPacer()
    {
        const auto loaded = loadScenarioText(scenario("{pacer: {scope: pool}}"), "s.yaml");
        QVERIFY(loaded);
        QVERIFY(loaded->scenario.policies.at("p")->scope == "pool" && !loaded->scenario.policies.at("p")->pacer);
    }

    void optionsReachEverything()
    {
        const auto loaded = loadScenarioText(scenario("{}"), "s.yaml",
            {{"seed=9", "servers.api.limits.minute.quota=10", "servers.api.limits.0.used=3", "servers.api.latency={fixed: 5ms}",
                 "workload.call.arrivals.batch=50", "workload.0.units=2", "policies.v1.2.max_attempts=2", "policies.extra={preset: luria}",
                 "expect={attempts: 50}", "summary=a: b=c"},
                {}});
        QVERIFY2(!loaded, "'a: b=c' is a map");
        const auto good = loadScenarioText(scenario("{}"), "s.yaml",
            {{"seed=9", "servers.api.limits.minute.quota=10", "servers.api.limits.0.used=3", "servers.api.latency={fixed: 5ms}",
                 "workload.call.arrivals.batch=50", "workload.0.units=2", "policies.v1.2.max_attempts=2", "policies.extra={preset: luria}",
                 "expect={attempts: 50}", "summary=b=c"},
                {}});
        QVERIFY2(good, good ? "" : good.error().front().format().c_str());
        const Scenario &s = good->scenario;
        QCOMPARE(s.seed, std::uint64_t{9});
        QVERIFY(s.servers[0].limits[0].quota == 10 && s.servers[0].limits[0].used == 3
            && s.servers[0].latency == (Latency{FixedLatency{5ms}, {}}));
        QVERIFY(s.workload[0].arrivals == Arrivals{BatchArrivals{50}} && s.workload[0].units == 2);
        QVERIFY(s.policies.at("v1.2")->maxAttempts == 2 && s.policies.at("extra")->maxAttempts == 2);
        QCOMPARE(s.expectations.size(), std::size_t{1});
        QCOMPARE(s.summary, std::string{"b=c"});
        QCOMPARE(loadScenarioText(scenario("{}"), "s.yaml", {{"seed=9"}, 11})->scenario.seed, std::uint64_t{11});
    }

    void anOptionReachesEveryRowOfAName()
    {
        const auto loaded = loadScenarioText("throttlescope: 1\nservers: {api: {}}\nworkload:\n  - {operation: a, server: api, arrivals: "
                                             "{batch: 1}}\n  - {operation: a, server: api, arrivals: {batch: 1}}\n",
            "s.yaml", {{"workload.a.units=4", "policies.none.max_attempts=2"}, {}});
        QVERIFY(loaded);
        for (const WorkloadRow &row : loaded->scenario.workload)
            QVERIFY(row.units == 4 && row.policy->maxAttempts == 2 && row.policyName == "none");
    }

    void wrongOptions_data()
    {
        QTest::addColumn<QString>("set");
        QTest::addColumn<QString>("line");
        const auto row = [](const char *set, const char *line) { QTest::newRow(set) << QString{set} << QString::fromUtf8(line); };
        row("seed", ":1:1: no assignment, expected PATH=VALUE such as policies.batch.rate_limit.max_wait=30s");
        row("=1", ":1:1: no assignment, expected PATH=VALUE such as policies.batch.rate_limit.max_wait=30s");
        row("policies..x=1", ":1:1: an empty name in the path, expected names between the dots");
        row("sead=1", ":1:1: unknown key 'sead', did you mean 'seed'?");
        row("server.api.clock_skew=1s", ":1:1: nothing is called 'server', did you mean 'servers'?");
        row("servers.apo.clock_skew=1s", ":1:1: nothing is called 'apo', did you mean 'api'?");
        row("servers.api.limits.minut.quota=1", ":1:1: nothing is called 'minut', did you mean 'minute'?");
        row("servers.api.limits.1.quota=1", ":1:1: nothing is called '1', expected minute");
        row("servers.api.limits.minute.quota.x=1", ":1:1: 'quota' is a single value, expected a path that ends there");
        row("servers.api.limits.minute.qouta=1", ":1:1: unknown key 'qouta', did you mean 'quota'?");
        row("workload.cal.units=1", ":1:1: nothing is called 'cal', did you mean 'call'?");
        row("workload.call.server=apo", ":1:22: unknown server 'apo', did you mean 'api'?");
        row("policies.q.max_attempts=2", ":1:1: unknown policy 'q', did you mean 'p'?");
        row("policies.luria.max_attempts=2", ":1:1: no row has the preset 'luria', expected the name of a policy in use");
        row("policies.p.rate_limit.max_wat=30s", ":1:1: unknown key 'max_wat', did you mean 'max_wait'?");
        row("policies.p.rate_limit.max_wait=30", ":1:32: '30' needs a unit, expected a duration such as 30s");
        row("policies.p.rate_limit={hint: exact, max_wait: 30}", ":1:47: '30' needs a unit, expected a duration such as 30s");
        row("policies.p.preset=lura", ":1:19: unknown preset 'lura', did you mean 'luria'?");
        row("seed=[", ":1:");
    }
    void wrongOptions()
    {
        QFETCH(QString, set);
        QFETCH(QString, line);
        const QString first = firstLine(scenario("{}"), {set.toStdString()});
        QVERIFY2(first.startsWith("--set " + set + line), qPrintable(first));
    }

    void presetsAreWhatTheirTableSays_data()
    {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("value");
        // DESIGN.md section 5, word by word.
        const auto row = [](const char *preset, const char *path, const char *value) {
            QTest::newRow(qPrintable(QString{"%1 %2"}.arg(preset, path))) << QString{preset} << QString{path} << QString{value};
        };
        row("saia", "retry_on", "[rate_limited]");
        row("saia", "replay", "none");
        row("saia", "writes", "never");
        row("saia", "max_attempts", "8");
        row("saia", "attempt_timeout", "60s");
        row("saia", "rate_limit.max_hinted_retries", "5");
        row("saia", "rate_limit.hint", "exact");
        row("saia", "rate_limit.max_wait", "60s");
        row("saia", "rate_limit.padding.add", "1s");
        row("saia", "rate_limit.padding.jitter", "2s");
        row("saia", "rate_limit.zero_hint", "as_no_hint");
        row("saia", "rate_limit.no_hint", "{fixed: 31s, times: 2}");
        row("saia", "rate_limit.refuse_when_exhausted", "[hour, day, month]");
        row("relprim", "replay", "safe");
        row("relprim", "max_attempts", "4");
        row("relprim", "rate_limit.zero_hint", "retry_now");
        row("relprim", "rate_limit.no_hint", "backoff");
        row("relprim", "rate_limit.max_wait", "60s");
        row("relprim", "backoff.base", "100ms");
        row("relprim", "backoff.max", "10s");
        row("relprim", "backoff.jitter", "full");
        row("luria", "replay", "safe");
        row("luria", "retry_on", "[rate_limited]");
        row("luria", "max_attempts", "2");
        row("luria", "rate_limit.max_wait", "10s");
        row("luria", "rate_limit.no_hint", "refuse");
        row("luria", "breaker.trip", "first_throttle");
        row("luria", "breaker.open_for", "rest_of_run");
        row("luria", "pacer.requests_per_second", "20/min");
        row("luria-before", "max_attempts", "3");
        row("luria-before", "rate_limit.hint", "ignore");
        row("luria-before", "backoff.sequence", "[3s, 6s]");
        row("luria-before", "backoff.jitter", "none");
        row("luria-before", "pacer.requests_per_second", "20/min");
        row("luria-before", "breaker.trip", "none");
        row("provider", "replay", "limited");
        row("provider", "max_attempts", "3");
        row("provider", "total_timeout", "60s");
        row("provider", "rate_limit.hint", "at_least");
        row("provider", "rate_limit.zero_hint", "as_no_hint");
        row("provider", "rate_limit.max_wait", "30s");
        row("provider", "backoff.base", "500ms");
        row("provider", "backoff.max", "30s");
        row("provider", "pacer.requests_per_second", "2/s");
        row("provider", "pacer.units_per_second", "1000/s");
        row("provider", "pacer.cooldown", "extend");
        row("operation", "replay", "none");
        row("operation", "max_attempts", "4");
        row("operation", "backoff.sequence", "[1s, 2s, 4s]");
        row("operation", "backoff.jitter", "none");
        row("operation", "rate_limit.max_wait", "30s");
        row("none", "replay", "safe");
        row("none", "max_attempts", "1");
    }
    void presetsAreWhatTheirTableSays()
    {
        QFETCH(QString, preset);
        QFETCH(QString, path);
        const auto loaded = loadScenarioText(scenario("{preset: " + preset.toStdString() + "}"), "s.yaml");
        QVERIFY2(loaded, loaded ? "" : loaded.error().front().format().c_str());
        const std::string value = policyValue(*loaded->scenario.policies.at("p"), path.toStdString());
        QTEST(value.empty() ? QString{"none"} : QString::fromStdString(value), "value");
    }

    void everyPresetReadsBackFromItsText()
    {
        for (const Preset &preset : presets()) {
            QVERIFY2(!preset.source.empty(), preset.name.data());
            const std::string name{preset.name};
            const auto loaded = loadScenarioText(scenario("{preset: " + name + "}"), "s.yaml");
            const Policy &policy = *loaded->scenario.policies.at("p");
            std::string lines = policyYaml(policy), indented;
            for (std::size_t from = 0; from < lines.size();) {
                const std::size_t end = lines.find('\n', from);
                indented += "    " + lines.substr(from, end - from + 1);
                from = end + 1;
            }
            const auto again
                = loadScenarioText("throttlescope: 1\nservers: {api: {}}\nworkload: []\npolicies:\n  p:\n" + indented, "s.yaml");
            QVERIFY2(again, again ? "" : again.error().front().format().c_str());
            QVERIFY2(*again->scenario.policies.at("p") == policy, preset.name.data());
            const auto json = loadScenarioText(
                R"({"throttlescope": 1, "servers": {"api": {}}, "workload": [], "policies": {"p": )" + policyJson(policy) + "}}", "s.json");
            QVERIFY2(json, json ? "" : json.error().front().format().c_str());
            QVERIFY2(*json->scenario.policies.at("p") == policy, preset.name.data());
        }
    }

    void aRowIsSetAndReadAsText()
    {
        Policy policy;
        policy.name = "p";
        const auto set = [&policy](const char *path, const char *text) {
            const auto done = setPolicyValue(policy, path, text);
            return done ? QString::fromStdString(policyValue(policy, path)) : "error: " + QString::fromStdString(done.error());
        };
        QCOMPARE(set("rate_limit.max_wait", "45s"), QString{"45s"});
        QCOMPARE(set("rate_limit.max_wait", "45"), QString{"error: '45' needs a unit, expected a duration such as 45s"});
        QVERIFY(policy.rateLimit.maxWait == 45s);
        QCOMPARE(set("rate_limit.hint", "{within: 5s}"), QString{"{within: 5s}"});
        QCOMPARE(set("backoff.sequence", "[1s, 2s]"), QString{"[1s, 2s]"});
        QVERIFY(policy.backoff.kind == BackoffKind::Sequence);
        QCOMPARE(set("backoff.kind", "linear"), QString{"linear"});
        QVERIFY(policy.backoff.sequence.empty());
        QCOMPARE(set("rate_limit.backoff", "{base: 1s, jitter: none}"),
            QString{"{kind: exponential, base: 1s, factor: 2, max: 30s, jitter: none}"});
        QCOMPARE(set("rate_limit.backoff", "{sequence: [1s, 2s]}"),
            QString{"{kind: sequence, base: 500ms, factor: 2, max: 30s, sequence: [1s, 2s], jitter: full}"});
        QCOMPARE(set("rate_limit.backoff", "1s"),
            QString{"error: a single value, expected a map with kind, base, factor, max, first, sequence, jitter"});
        QCOMPARE(set("rate_limit.backoff", ""), QString{});
        QCOMPARE(set("rate_limit.hint_on", "[ambiguous]"), QString{"[ambiguous]"});
        QCOMPARE(set("rate_limit.hint_headers", "[Retry-After]"), QString{"[Retry-After]"});
        QCOMPARE(set("rate_limit.hint_headers", "[Retry After]"),
            QString{"error: 'Retry After' is no header's name, expected one such as Retry-After"});
        QCOMPARE(set("pacer.requests_per_second", "20/min"), QString{"20/min"});
        QCOMPARE(set("pacer.requests_per_second", ""), QString{});
        QVERIFY(!policy.pacer);
        QCOMPARE(set("pacer.scope", "\"a: b\""), QString{"\"a: b\""});
        QVERIFY(policy.scope == "a: b");
        QCOMPARE(set("breaker.counts", "attempts"),
            QString{"error: 'trip' is missing, expected one of first_throttle, {consecutive: …}, {ratio: …}"});
        QCOMPARE(set("max_attempts", "unlimited"), QString{"unlimited"});
        QCOMPARE(set("max_attempts", "null"), QString{"4"});
        QCOMPARE(set("max_atempts", "3"), QString{"error: 'max_atempts' is no key of a policy, expected one such as rate_limit.max_wait"});
        QCOMPARE(policy.name, std::string{"p"});
    }

    void rowsTellAnEditorWhatTheyTake()
    {
        for (const PolicyRow &row : policyRows()) {
            QVERIFY2(!row.doc.empty() && !row.expected.empty() && row.kind != Schema::Kind::Record, row.path.c_str());
            QCOMPARE(policyValue(Policy{}, row.path), row.defaultText);
            Policy policy; // each default is a value that the row takes
            QVERIFY2(row.defaultText.empty() || setPolicyValue(policy, row.path, row.defaultText), row.path.c_str());
            if (row.path != "backoff.kind")
                QVERIFY2(policy == Policy{}, row.path.c_str());
        }
    }

    void theStoredSchemaIsThatOfTheTable()
    {
        QFile file{QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/resources/scenario.schema.json")};
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(QString::fromUtf8(file.readAll()), QString::fromStdString(scenarioSchema()));
    }

    void theReferenceNamesEveryKey()
    {
        const std::string reference = fieldReference();
        for (const PolicyRow &row : policyRows())
            QVERIFY2(reference.find("| `" + row.path + "` |") != std::string::npos, row.path.c_str());
        for (const char *key : {"throttlescope", "latency.lognormal.p99", "time_zone", "answer.break_at", "faults", "on_demand",
                 "operations.succeeded", "waits.p99", "recovers_within", "reason", "refused.queue_full"})
            QVERIFY2(reference.find(std::string{"| `"} + key + "` |") != std::string::npos, key);
    }
};

QTEST_GUILESS_MAIN(TestLoaderLayers)
#include "tst_loader_layers.moc"
