// SPDX-License-Identifier: Apache-2.0
#include "incident_support.h"
#include "simulator/incident/finding_words.h"
#include "simulator/incident/incident.h"
#include "simulator/incident/incident_replay.h"
#include "simulator/incident/incident_scenario.h"
#include "simulator/incident/limit_findings.h"
#include "simulator/scenario/loader.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <set>

using namespace throttlescope;
using namespace throttlescope::incident;
using namespace throttlescope::testing;

namespace {

/// A request as JSON Lines have it.
struct Line {
    double at = 0; ///< seconds after 02:00
    int status = 200;
    std::string client = "10.0.0.1";
    std::string path = "/v1/items/7";
    std::string more{}; ///< ",'retry_after':'30'"
};

std::string logOf(const std::vector<Line> &lines)
{
    std::string text;
    for (const Line &line : lines)
        text += json(fmt::format("{{'time':'2026-06-02T02:{:02}:{:06.3f}Z','status':{},'method':'GET','path':'{}','client_ip':'{}'{}}}\n",
            static_cast<int>(line.at) / 60, line.at - static_cast<int>(line.at) / 60 * 60, line.status, line.path, line.client, line.more));
    return text;
}

/// What an incident comes to, all the way.
struct Made {
    QString error;
    std::optional<Incident> incident;
    std::vector<LimitFinding> limits;
    Behaviours behaviours;
    ServerPlan plan;
    TraceSummary trace;
    std::array<std::string, Behaviours::kMost> csv; ///< by kind of behaviour
    ScenarioText text;
    std::optional<LoadedScenario> loaded;
};

Made made(const std::string &log, const LogReadOptions &options = {}, std::uint64_t mostOperations = TraceWriter::kMostOperations)
{
    Made made;
    EntryBudget budget;
    std::vector<std::unique_ptr<LogStream>> streams;
    auto stream = LogStream::probe("log", std::make_unique<MemoryBytes>(log), options.stream, budget);
    if (!stream) {
        made.error = QString::fromStdString(stream.error());
        return made;
    }
    streams.push_back(std::move(*stream));
    auto incident = readIncident(std::move(streams), options);
    if (!incident) {
        made.error = QString::fromStdString(incident.error().text);
        return made;
    }
    made.incident.emplace(std::move(*incident));
    made.limits = *findLimits(*made.incident);
    made.behaviours = *behavioursOf(*made.incident, made.limits);
    made.plan = serverPlan(*made.incident, made.limits);
    made.trace = *TraceWriter::write(
        *made.incident, made.plan, made.behaviours,
        [&made](std::size_t kind, std::string_view text) {
            made.csv[kind] += text;
            return true;
        },
        mostOperations);
    QTemporaryDir folder;
    ScenarioNames names;
    for (std::size_t kind = 0; kind < made.csv.size(); ++kind) {
        names.traces.push_back(fmt::format("incident-{}.csv", kind));
        std::ofstream{folder.filePath(QString::fromStdString(names.traces.back())).toStdString()} << made.csv[kind];
    }
    made.text = scenarioOf(*made.incident, made.plan, made.behaviours, made.trace, names);
    auto loaded = loadScenarioText(made.text.yaml, folder.filePath("incident.yaml").toStdString());
    if (loaded)
        made.loaded.emplace(std::move(*loaded));
    else
        made.error = QString::fromStdString(loaded.error().front().format() + "\n" + made.text.yaml);
    return made;
}

/// Each client comes every second or so; of a minute the first `quota` of each are let through.
std::vector<Line> minuteLimit(int clients, int quota, int minutes, const std::string &refusedMore = {})
{
    std::vector<Line> lines;
    std::uint32_t drawn = 1;
    for (int client = 0; client < clients; ++client) {
        std::map<int, int> used;
        for (double at = client; at < 60 * minutes;) {
            const bool refused = ++used[static_cast<int>(at) / 60] > quota;
            lines.push_back({at, refused ? 429 : 200, fmt::format("10.0.0.{}", client + 1), fmt::format("/v1/items/{}", lines.size()),
                refused ? refusedMore : ""});
            drawn = drawn * 1'664'525U + 1'013'904'223U;
            at += 0.2 + 1.6 * (drawn >> 8) / 16'777'216.0;
        }
    }
    std::stable_sort(lines.begin(), lines.end(), [](const Line &a, const Line &b) { return a.at < b.at; });
    return lines;
}

std::uint64_t refusedIn(const std::vector<Line> &lines)
{
    return static_cast<std::uint64_t>(std::count_if(lines.begin(), lines.end(), [](const Line &line) { return line.status == 429; }));
}

} // namespace

/// From hand-made logs to a scenario, value by value.
class TestIncidentScenario : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aKnownLimitIsTheScenarios()
    {
        const std::vector<Line> lines = minuteLimit(3, 20, 6);
        const Made incident = made(logOf(lines));
        QVERIFY2(incident.error.isEmpty(), qPrintable(incident.error));
        const Scenario &scenario = incident.loaded->scenario;
        QCOMPARE(scenario.servers.size(), 1U);
        QCOMPARE(scenario.servers[0].limits.size(), 1U);
        const Limit &limit = scenario.servers[0].limits[0];
        QCOMPARE(limit.quota, 20U);
        QCOMPARE(limit.per.length, Duration{1min});
        QCOMPARE(limit.window, throttlescope::WindowKind::Fixed);
        QCOMPARE(limit.align, Align::Calendar);
        QVERIFY(!limit.keyHeader.empty()); // each client has its own
        QCOMPARE(limit.onLimit->status, 429);
        QCOMPARE(scenario.start, utc(2026, 6, 2, 2));
        QVERIFY(incident.csv[0].starts_with("at,operation,server,method,class,key\n0,GET /v1/items/{id},server,GET,read,c-"));
        const ReplayCheck check = replay(scenario, incident.trace, nullptr);
        QCOMPARE(check.logged, refusedIn(lines));
        QCOMPARE(check.replayed, refusedIn(lines));
    }

    void whatIsNotLoggedIsMarkedAsAssumed()
    {
        const Made incident = made(logOf(minuteLimit(3, 20, 6)));
        QVERIFY2(incident.error.isEmpty(), qPrintable(incident.error));
        QCOMPARE(
            incident.text.assumed, (std::vector<std::string>{"durations (not logged)", "Retry-After (not logged)", "the clients' policy"}));
        std::size_t marks = 0;
        for (std::size_t at = incident.text.yaml.find("ASSUMED"); at != std::string::npos; at = incident.text.yaml.find("ASSUMED", at + 1))
            ++marks;
        QCOMPARE(marks, 4U); // the head's own word, and one for each
    }

    void durationsBecomeTheLatency()
    {
        std::vector<Line> lines = minuteLimit(2, 20, 6);
        int number = 0;
        for (Line &line : lines)
            line.more = ",'duration_ms':" + std::to_string(line.status == 429 ? 1 : ++number % 20 == 0 ? 400 : 80);
        const Made incident = made(logOf(lines));
        QVERIFY2(incident.error.isEmpty(), qPrintable(incident.error));
        const auto *latency = std::get_if<LognormalLatency>(&incident.loaded->scenario.servers[0].latency.kind);
        QVERIFY(latency);
        QVERIFY(std::abs(latency->median.count() - 80'000) < 2'000);
        QVERIFY(std::abs(latency->p99.count() - 400'000) < 10'000);
    }

    void aRetryAfterThatIsLoggedIsTheServers()
    {
        std::vector<Line> lines = minuteLimit(2, 20, 6);
        for (Line &line : lines) {
            if (line.status == 429)
                line.more = ",'retry_after':'" + std::to_string(60 - static_cast<int>(line.at) % 60) + '\'';
        }
        LogReadOptions options;
        options.stream.reader.fields.push_back(*fieldMapping("header.retry-after=retry_after"));
        const Made incident = made(logOf(lines), options);
        QVERIFY2(incident.error.isEmpty(), qPrintable(incident.error));
        QCOMPARE(incident.loaded->scenario.servers[0].limits[0].onLimit->retryAfter, RetryAfterHeader{RetryAfterForm::Seconds});
    }

    void aFixedRetryAfterIsNotTheWindows()
    {
        LogReadOptions options;
        options.stream.reader.fields.push_back(*fieldMapping("header.retry-after=retry_after"));
        const Made incident = made(logOf(minuteLimit(2, 20, 6, ",'retry_after':'30'")), options);
        QVERIFY2(incident.error.isEmpty(), qPrintable(incident.error));
        QCOMPARE(incident.loaded->scenario.servers[0].limits[0].onLimit->retryAfter, RetryAfterHeader{LiteralRetryAfter{"30"}});
    }

    void headersBeatTiming()
    {
        std::vector<Line> lines;
        for (int second = 0; second < 50; ++second) // one window: timing cannot tell
            lines.push_back({static_cast<double>(second), second < 30 ? 200 : 429, "10.0.0.1", "/a",
                fmt::format(",'limit':'30','remaining':'{}','reset':'{}'", std::max(0, 29 - second), 60 - second)});
        LogReadOptions options;
        for (const char *field :
            {"header.x-ratelimit-limit=limit", "header.x-ratelimit-remaining=remaining", "header.x-ratelimit-reset=reset"})
            options.stream.reader.fields.push_back(*fieldMapping(field));
        const Made incident = made(logOf(lines), options);
        QVERIFY2(incident.error.isEmpty(), qPrintable(incident.error));
        QCOMPARE(incident.limits[0].foundBy, FoundBy::Headers);
        QCOMPARE(incident.loaded->scenario.servers[0].limits[0].quota, 30U);
        QCOMPARE(incident.loaded->scenario.servers[0].limits[0].per.length, Duration{1min});
        QCOMPARE(incident.loaded->scenario.servers[0].limits[0].align, Align::Calendar);
    }

    void tooFewWindowsAreAnAssumptionAndSaidSo()
    {
        const Made incident = made(logOf(minuteLimit(1, 20, 1)));
        QVERIFY2(incident.error.isEmpty(), qPrintable(incident.error));
        QCOMPARE(incident.limits[0].foundBy, FoundBy::Assumed);
        QVERIFY(findingWords(incident.limits[0]).starts_with("cannot tell: "));
        QVERIFY(incident.text.yaml.find("# ASSUMED, unknown origin, cannot tell: ") != std::string::npos);
        QVERIFY(std::count(incident.text.assumed.begin(), incident.text.assumed.end(), "the limit"));
    }

    void retriesBecomeThePolicyAndLeaveTheTrace()
    {
        std::vector<Line> lines;
        for (int minute = 0; minute < 6; ++minute) {
            for (int i = 0; i < 20; ++i)
                lines.push_back({60.0 * minute + 2 * i, 200, "10.0.0.1", fmt::format("/v1/items/{}", lines.size())});
            for (int i = 0; i < 5; ++i) { // three attempts: 1 s and 2 s after it
                const std::string path = fmt::format("/v1/items/9{}{}", minute, i);
                for (const double after : {0.0, 1.0, 3.0})
                    lines.push_back({60.0 * minute + 41 + 2.5 * i + after, 429, "10.0.0.1", path});
            }
        }
        std::stable_sort(lines.begin(), lines.end(), [](const Line &a, const Line &b) { return a.at < b.at; });
        const Made incident = made(logOf(lines));
        QVERIFY2(incident.error.isEmpty(), qPrintable(incident.error));
        QCOMPARE(incident.trace.operations, 6U * 25);
        QCOMPARE(incident.trace.refusals, 6U * 15);
        const Policy &policy = *incident.loaded->scenario.policies.at("now");
        QCOMPARE(policy.maxAttempts, 3);
        QCOMPARE(policy.backoff.sequence, (std::vector<Duration>{1s, 2s}));
        QCOMPARE(replay(incident.loaded->scenario, incident.trace, nullptr).replayed, 6U * 15);
    }

    /// Every third client comes again at once, every third when the window is over, and the others never.
    void clientsOfAnotherBehaviourHaveAPolicyOfTheirOwn()
    {
        std::vector<Line> lines;
        for (const Line &line : minuteLimit(6, 20, 10)) {
            const int client = line.client.back() - '1';
            lines.push_back(line);
            if (line.status != 429 || client % 3 == 2)
                continue;
            Line again = line;
            again.at += client % 3 == 0 ? 1.5 : 60.5 - std::fmod(line.at, 60);
            lines.push_back(again);
        }
        std::stable_sort(lines.begin(), lines.end(), [](const Line &a, const Line &b) { return a.at < b.at; });
        std::map<std::pair<std::string, int>, int> used; // whoever comes later finds less of the quota
        for (Line &line : lines)
            line.status = ++used[{line.client, static_cast<int>(line.at) / 60}] > 20 ? 429 : 200;
        const Made incident = made(logOf(lines));
        QCOMPARE(incident.behaviours.kinds.size(), 3U);
        std::set<int> attempts;
        for (const Behaviour &kind : incident.behaviours.kinds) {
            attempts.insert(kind.maxAttempts);
            if (kind.comesWithTheWindow)
                QVERIFY(incident.text.yaml.find("retry_after: seconds}} # ASSUMED") != std::string::npos);
        }
        QCOMPARE(attempts, (std::set<int>{1, 2}));
        QCOMPARE(std::count_if(incident.behaviours.kinds.begin(), incident.behaviours.kinds.end(),
                     [](const Behaviour &kind) { return kind.comesWithTheWindow; }),
            std::ptrdiff_t{1});
        QVERIFY2(incident.error.isEmpty(), qPrintable(incident.error));
        const ReplayCheck check = replay(incident.loaded->scenario, incident.trace, nullptr);
        QVERIFY2(!check.isApartInAll(), qPrintable(QStringLiteral("%1 of %2").arg(check.replayed).arg(check.logged)));
        QCOMPARE(incident.trace.operationsByKind.size(), 3U);
        QVERIFY(std::all_of(incident.trace.operationsByKind.begin(), incident.trace.operationsByKind.end(),
            [](std::uint64_t count) { return count > 100; }));
    }

    void aLimitOfSomeRoutesIsAServerOfItsOwn()
    {
        std::vector<Line> lines = minuteLimit(3, 20, 8);
        for (Line &line : lines)
            line.path.replace(0, std::string_view{"/v1/items"}.size(), "/login");
        for (int i = 0; i < 2000; ++i) // of the same clients, to what has no limit
            lines.push_back({0.24 * i, 200, fmt::format("10.0.0.{}", i % 3 + 1), fmt::format("/static/{}", i)});
        std::stable_sort(lines.begin(), lines.end(), [](const Line &a, const Line &b) { return a.at < b.at; });
        const Made incident = made(logOf(lines));
        QVERIFY2(incident.error.isEmpty(), qPrintable(incident.error));
        QCOMPARE(incident.limits[0].foundBy, FoundBy::Timing);
        QCOMPARE(routesWords(incident.limits[0], *incident.incident), std::string{"GET /login/{id}: "});
        QCOMPARE(incident.loaded->scenario.servers.size(), 2U);
        QCOMPARE(incident.loaded->scenario.servers[0].limits.size(), 0U);
        QCOMPARE(incident.loaded->scenario.servers[1].name, std::string{"server-limited"});
        QCOMPARE(incident.loaded->scenario.servers[1].limits[0].quota, 20U);
        const ReplayCheck check = replay(incident.loaded->scenario, incident.trace, nullptr);
        QCOMPARE(check.replayed, check.logged);
    }

    void anOutageIsOnTheTimeline()
    {
        std::vector<Line> lines = minuteLimit(2, 20, 6);
        for (Line &line : lines) {
            if (line.at >= 125 && line.at < 155)
                line.status = 503;
        }
        const Made incident = made(logOf(lines));
        QVERIFY2(incident.error.isEmpty(), qPrintable(incident.error));
        QCOMPARE(incident.loaded->scenario.timeline.size(), 1U);
        const TimelineEntry &entry = incident.loaded->scenario.timeline[0];
        QCOMPARE(entry.at, Duration{125s});
        QCOMPARE(*entry.span, Duration{30s});
        QCOMPARE(entry.faults[0].status, 503);
        QCOMPARE(entry.faults[0].share, 1.0);
    }

    void wordsOfALogThatAreNoTextDoNoHarm()
    {
        std::string log;
        for (int i = 0; i < 20; ++i)
            log += fmt::format(
                "2026/06/02 02:00:{:02} [error] 1#1: *{} limiting requests, excess: 1.000 by zone \"a\x1b[31m\xff\", client: 10.0.0.1, "
                "server: x, request: \"GET /a HTTP/1.1\", host: \"api.example.com\"\n",
                i, i);
        const Made incident = made(log);
        QVERIFY2(incident.error.isEmpty(), qPrintable(incident.error));
        QVERIFY(incident.text.yaml.find('\x1b') == std::string::npos && incident.text.yaml.find('\xff') == std::string::npos);
        QCOMPARE(incident.limits[0].inference.why, std::string{"the log holds what was refused only, and not what went through"});
    }

    void nothingRefusedIsAScenarioAsWell()
    {
        const Made incident = made(logOf({{0, 200}, {1, 200}, {2, 404}}));
        QVERIFY2(incident.error.isEmpty(), qPrintable(incident.error));
        QVERIFY(incident.limits.empty());
        QCOMPARE(incident.loaded->scenario.servers[0].limits.size(), 0U);
        QCOMPARE(incident.loaded->scenario.workload.size(), 1U);
    }

    void aLongLogIsCutAroundTheFlood()
    {
        std::vector<Line> lines;
        for (int second = 0; second < 3000; ++second)
            lines.push_back({static_cast<double>(second), second % 60 >= 50 && second > 2400 ? 429 : 200, "10.0.0.1", "/a"});
        const Made incident = made(logOf(lines), {}, 1000);
        QVERIFY2(incident.error.isEmpty(), qPrintable(incident.error));
        QVERIFY(incident.trace.cut);
        QCOMPARE(incident.trace.start, utc(2026, 6, 2, 2, 25)); // a quarter of an hour before 02:40:50
        QVERIFY(incident.trace.operations <= 1000);
        QVERIFY(incident.text.yaml.find("# The log has more than a trace holds: this is 02:25:00 to") != std::string::npos);
    }

    void requestsOfOneSecondAreSpreadOverIt()
    {
        std::string log;
        for (int i = 0; i < 4; ++i)
            log += fmt::format("10.0.0.{} - - [02/Jun/2026:02:00:01 +0000] \"GET /a HTTP/1.1\" 200 5 \"-\" \"-\"\n", i);
        const Made incident = made(log);
        QVERIFY2(incident.error.isEmpty(), qPrintable(incident.error));
        const auto *trace = std::get_if<TraceArrivals>(&incident.loaded->scenario.workload[0].arrivals);
        std::vector<Duration> times;
        for (const TracedOperation &operation : *trace->operations)
            times.push_back(operation.at);
        QCOMPARE(times, (std::vector<Duration>{1s, 1250ms, 1500ms, 1750ms}));
    }

    void aDifferenceIsJudged_data()
    {
        QTest::addColumn<int>("logged");
        QTest::addColumn<int>("replayed");
        QTest::addColumn<bool>("apart");
        QTest::newRow("the same") << 1000 << 1000 << false;
        QTest::newRow("ten percent more") << 1000 << 1100 << false;
        QTest::newRow("more than that") << 1000 << 1101 << true;
        QTest::newRow("fewer") << 1000 << 899 << true;
        QTest::newRow("none of them") << 1000 << 0 << true;
        QTest::newRow("out of nothing") << 0 << 50 << true;
        QTest::newRow("so few that it is chance") << 10 << 13 << false;
        QTest::newRow("nothing") << 0 << 0 << false;
    }
    void aDifferenceIsJudged()
    {
        QFETCH(int, logged);
        QFETCH(int, replayed);
        QFETCH(bool, apart);
        std::map<std::int64_t, std::uint64_t> before, after;
        if (logged > 0)
            before[100] = static_cast<std::uint64_t>(logged);
        if (replayed > 0)
            after[100] = static_cast<std::uint64_t>(replayed);
        QCOMPARE(heldAgainst(before, after).isApartInAll(), apart);
    }

    void theWorstMinuteIsWhereTheyDifferMost()
    {
        const ReplayCheck check = heldAgainst({{100, 50}, {101, 200}, {103, 10}}, {{100, 52}, {101, 170}, {104, 5}});
        QCOMPARE(check.worst, (MinuteApart{101, 200, 170}));
        QCOMPARE(check.logged, 260U);
        QCOMPARE(check.replayed, 227U);
    }

    void numbersAreGrouped()
    {
        QCOMPARE(grouped(0), std::string{"0"});
        QCOMPARE(grouped(999), std::string{"999"});
        QCOMPARE(grouped(1'204'332), std::string{"1,204,332"});
    }
};

QTEST_GUILESS_MAIN(TestIncidentScenario)
#include "tst_incident_scenario.moc"
