// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/text_values.h"
#include "simulator/sweep/sweep_runner.h"
#include "simulator/sweep/sweep_summary.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <fstream>
#include <set>

using namespace throttlescope;

namespace {

using Texts = std::vector<std::string>;

Axis axis(const char *text)
{
    auto parsed = parseAxis(text);
    if (!parsed)
        qFatal("%s", parsed.error().c_str());
    return *parsed;
}

/// Calls whose backoff before the second attempt is `policies.p.backoff.base`: they finish at twice the latency and that.
constexpr auto kScenario = "throttlescope: 1\nseed: 3\n"
                           "servers: {api: {latency: {fixed: 1s}, script: [{when: {attempt: 1}, answer: {status: 503}}]}}\n"
                           "policies: {p: {backoff: {kind: constant, base: 1s, jitter: none, max: 10m}}}\n"
                           "workload: [{operation: call, server: api, method: GET, policy: p, arrivals: {batch: 1}}]\n"
                           "expect: {finish: {max: 12s}}\n";

tl::expected<LoadedScenario, std::vector<LoadError>> load(const Texts &assignments)
{
    return loadScenarioText(kScenario, "s.yaml", {assignments, {}});
}

const Texts kMetrics{"operations.succeeded", "attempts", "finish"};

SweepHeader headerOf(const SweepPlan &plan, const Texts &vary)
{
    SweepHeader header;
    header.file = "s.yaml";
    header.vary = vary;
    header.metrics = kMetrics;
    header.seeds = plan.seeds;
    header.firstSeed = plan.firstSeed;
    header.shard = plan.shard;
    header.shards = plan.shards;
    return header;
}

std::vector<SweepRow> rowsOf(const SweepPlan &plan, int jobs, std::uint64_t from = 0)
{
    std::vector<SweepRow> rows;
    const auto errors = runSweep(plan, kMetrics, load, {jobs, from, nullptr}, [&rows](const SweepRow &row) {
        rows.push_back(row);
        return true;
    });
    if (!errors.empty())
        qFatal("%s", errors.front().c_str());
    return rows;
}

PointSummary point(double succeeded, double attempts, double finish)
{
    PointSummary made;
    made.runs = 1;
    for (const double value : {succeeded, attempts, finish})
        made.metrics.push_back({value, value, value, value});
    return made;
}

} // namespace

class TestSweep : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anAxisHasBothEnds()
    {
        QCOMPARE(axis("a.b=5s..120s:24").values.size(), std::size_t{24});
        QCOMPARE(axis("a=1s..2s:3").values, (Texts{"1s", "1.5s", "2s"}));
        QCOMPARE(axis("a=1..7:4").values, (Texts{"1", "3", "5", "7"}));
        Texts tens;
        for (int ten = 10; ten <= 190; ten += 10)
            tens.push_back(std::to_string(ten));
        QCOMPARE(axis("a=10..190:19").values, tens);
        QCOMPARE(axis("a=0.1..0.7:7").values, (Texts{"0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7"}));
        QCOMPARE(axis("a=1..1000:4:log").values, (Texts{"1", "10", "100", "1000"}));
        QCOMPARE(axis("a=1s..100s:3:log").values, (Texts{"1s", "10s", "100s"}));
        QCOMPARE(axis("a=x,{fixed: 1s, times: 2},[1,2]").values, (Texts{"x", "{fixed: 1s, times: 2}", "[1,2]"}));
        QCOMPARE(axis("policies.p.rate_limit.max_wait=1s,2s").path, std::string{"policies.p.rate_limit.max_wait"});
    }

    void whatIsNoAxisIsSaid_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("words");
        QTest::newRow("nothing") << ""
                                 << "no axis";
        QTest::newRow("no value") << "a="
                                  << "no axis";
        QTest::newRow("no path") << "=1,2"
                                 << "no axis";
        QTest::newRow("an empty value") << "a=1,,2"
                                        << "an empty value";
        QTest::newRow("no steps") << "a=1s..2s"
                                  << "without a number of steps";
        QTest::newRow("one step") << "a=1s..2s:1"
                                  << "from 2 to 100000";
        QTest::newRow("half a step") << "a=1s..2s:2.5"
                                     << "from 2 to 100000";
        QTest::newRow("too many") << "a=1s..2s:1000000"
                                  << "from 2 to 100000";
        QTest::newRow("a duration and a number") << "a=1s..2:3"
                                                 << "not two numbers or two durations";
        QTest::newRow("descending") << "a=2s..1s:3"
                                    << "do not ascend";
        QTest::newRow("log from 0") << "a=0s..1s:3:log"
                                    << "above 0";
        QTest::newRow("another scale") << "a=1s..2s:3:exp"
                                       << "an unknown scale";
    }

    void whatIsNoAxisIsSaid()
    {
        QFETCH(QString, text);
        QFETCH(QString, words);
        const auto parsed = parseAxis(text.toStdString());
        QVERIFY(!parsed);
        QVERIFY2(QString::fromStdString(parsed.error()).contains(words), parsed.error().c_str());
    }

    void theLastAxisMovesFirst()
    {
        SweepPlan plan;
        plan.axes = {axis("a=1,2"), axis("b=x,y,z")};
        QCOMPARE(plan.points(), std::uint64_t{6});
        QCOMPARE(plan.valuesOf(0), (Texts{"1", "x"}));
        QCOMPARE(plan.valuesOf(1), (Texts{"1", "y"}));
        QCOMPARE(plan.valuesOf(3), (Texts{"2", "x"}));
        QCOMPARE(plan.assignmentsOf(5), (Texts{"a=2", "b=z"}));
    }

    void randomPointsDependOnTheirNumberAlone()
    {
        SweepPlan plan;
        plan.axes = {axis("a=0..1:2"), axis("b=x,y")};
        plan.samples = 1000;
        std::set<std::string> seen;
        double sum = 0;
        for (std::uint64_t i = 0; i < plan.points(); ++i) {
            const Texts values = plan.valuesOf(i);
            const double value = std::stod(values[0]);
            QVERIFY(value >= 0 && value < 1);
            sum += value;
            seen.insert(values[1]);
        }
        QVERIFY(std::abs(sum / 1000 - 0.5) < 4 * std::sqrt(1.0 / 12 / 1000)); // four standard errors of the mean
        QCOMPARE(seen, (std::set<std::string>{"x", "y"}));
        QCOMPARE(plan.valuesOf(17), plan.valuesOf(17));
    }

    void everyRunIsMadeOnceInOrder()
    {
        SweepPlan plan;
        plan.axes = {axis("policies.p.backoff.base=1s,5s,20s")};
        plan.firstSeed = 3;
        plan.seeds = 2;
        const auto rows = rowsOf(plan, 3);
        QCOMPARE(rows.size(), std::size_t{6});
        for (std::size_t i = 0; i < rows.size(); ++i) {
            QCOMPARE(rows[i].run, std::uint64_t{i});
            QCOMPARE(rows[i].seed, std::uint64_t{3 + i % 2});
        }
        // One call: a second of latency, the backoff, another second.
        QCOMPARE(rows[0].values, (std::vector<double>{1, 2, 3}));
        QCOMPARE(rows[2].values, (std::vector<double>{1, 2, 7}));
        QCOMPARE(rows[4].values, (std::vector<double>{1, 2, 22}));
        QVERIFY(rows[2].passed && !rows[4].passed); // 12 s at most
        QCOMPARE(rowsOf(plan, 1), rows);
        QCOMPARE(rowsOf(plan, 2, 3), (std::vector<SweepRow>{rows.begin() + 3, rows.end()}));
    }

    void aPointThatCannotBeLoadedEndsTheSweepBehindWhatIsDone()
    {
        SweepPlan plan;
        plan.axes = {axis("policies.p.backoff.base=1s,5s,soon,20s")};
        std::vector<SweepRow> rows;
        const auto errors = runSweep(plan, kMetrics, load, {2, 0, nullptr}, [&rows](const SweepRow &row) {
            rows.push_back(row);
            return true;
        });
        QCOMPARE(rows.size(), std::size_t{2});
        QVERIFY(!errors.empty() && errors.front().find("soon") != std::string::npos);
    }

    void whatIsInterruptedKeepsWhatIsDone()
    {
        SweepPlan plan;
        plan.axes = {axis("policies.p.backoff.base=1s..9s:1000")};
        std::atomic<bool> interrupted{false};
        std::uint64_t rows = 0;
        runSweep(plan, kMetrics, load, {2, 0, &interrupted}, [&](const SweepRow &row) {
            if (row.run == 9)
                interrupted = true;
            return row.run == rows++;
        });
        QVERIFY(rows >= 10 && rows < 1000);
    }

    /// What a page was drawn of; runs that come later make others due.
    void tippingPointsMayStandBehindTheRuns()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("s").toStdString();
        SweepHeader header;
        header.file = "s.yaml";
        header.vary = {"p=1s..2s:2"};
        header.metrics = {"finish"};
        const std::vector<TippingPoint> tips{{"1s", "1.5s", 0.25, 0.75}};
        const std::string first = rowLine({0, 0, {"1s"}, false, {3}}), second = rowLine({1, 0, {"2s"}, true, {4}});
        const auto read = [&path](const std::string &text) {
            std::ofstream{path} << text;
            return readSweep(path);
        };
        const auto whole = read(headerLine(header) + first + second + tipsLine(tips));
        QVERIFY(whole.has_value());
        QCOMPARE(whole->rows.size(), 2U);
        QCOMPARE(whole->tips, std::optional{tips});
        QCOMPARE(read(headerLine(header) + first)->tips, std::nullopt);
        QCOMPARE(read(headerLine(header) + first + tipsLine(tips) + second)->tips, std::nullopt);
        QVERIFY(QString::fromStdString(read(headerLine(header) + "{\"tips\":[{\"below\":1}]}\n").error())
                    .contains(":2:1: expected a run of a sweep"));
    }

    void shardsMergeToTheByte()
    {
        const QTemporaryDir folder;
        const Texts vary{"policies.p.backoff.base=1s..9s:7"};
        SweepPlan plan;
        plan.axes = {axis(vary.front().c_str())};
        plan.seeds = 3;
        const auto write = [&](const SweepPlan &part) {
            const std::string file = folder.filePath(QString::number(part.shard) + "-" + QString::number(part.shards)).toStdString();
            std::ofstream out{file};
            out << headerLine(headerOf(part, vary));
            for (const SweepRow &row : rowsOf(part, 2))
                out << rowLine(row);
            return std::filesystem::path{file};
        };
        const auto textOf = [](const SweepFile &file) {
            std::string text = headerLine(file.header);
            for (const SweepRow &row : file.rows)
                text += rowLine(row);
            return text;
        };
        const auto whole = readSweep(write(plan));
        std::vector<std::filesystem::path> parts;
        plan.shards = 4;
        for (plan.shard = 4; plan.shard >= 1; --plan.shard)
            parts.push_back(write(plan));
        const auto merged = mergeSweeps(parts);
        QVERIFY2(merged.has_value(), merged ? "" : merged.error().c_str());
        QCOMPARE(textOf(*merged), textOf(*whole));
        parts.pop_back();
        QCOMPARE(mergeSweeps(parts).error(), std::string{"shard 1 of 4 is missing"});
        parts.push_back(parts.front());
        QCOMPARE(mergeSweeps(parts).error(), std::string{"shard 1 of 4 is missing"});
    }

    void aCutLastLineIsLeftOut()
    {
        const QTemporaryDir folder;
        const std::string file = folder.filePath("cut").toStdString();
        SweepPlan plan;
        plan.axes = {axis("a=1,2")};
        const std::string header = headerLine(headerOf(plan, {"a=1,2"})), row = rowLine({0, 0, {"1"}, true, {1, 2, 3}});
        std::ofstream{file} << header << row << "{\"run\":1,\"se";
        const auto read = readSweep(file);
        QVERIFY2(read.has_value(), read ? "" : read.error().c_str());
        QCOMPARE(read->rows.size(), std::size_t{1});
        QCOMPARE(read->wholeBytes, std::uintmax_t{header.size() + row.size()});
        std::ofstream{file} << header << "{}\n";
        QVERIFY(readSweep(file).error().ends_with("cut:2:1: expected a run of a sweep"));
        std::ofstream{file} << header << row << row;
        QVERIFY(readSweep(file).error().ends_with("cut:3:1: expected a run of this sweep, after those before it"));
        std::ofstream{file} << "throttlescope: 1\n";
        QVERIFY(readSweep(file).error().ends_with("cut:1:1: expected the first line of a sweep"));
    }

    void theParetoSetHasNobodyWhoIsBeatenAndNoEqual()
    {
        SweepFile sweep;
        sweep.header.metrics = {"operations.succeeded", "attempts", "finish"};
        const std::vector<PointSummary> points{
            point(10, 20, 30), point(10, 20, 30), point(10, 20, 31), point(9, 10, 30), point(10, 21, 29), point(9, 11, 30)};
        for (std::size_t i = 0; i < points.size(); ++i) {
            std::vector<double> values;
            for (const Spread &spread : points[i].metrics)
                values.push_back(spread.median);
            sweep.rows.push_back({i, 0, {}, true, values});
        }
        std::vector<bool> pareto;
        for (const PointSummary &each : summarize(sweep))
            pareto.push_back(each.pareto);
        QCOMPARE(pareto, (std::vector<bool>{true, false, false, true, true, false}));
    }

    void spreadsAreByNearestRank()
    {
        SweepFile sweep;
        sweep.header.metrics = {"operations.succeeded", "attempts", "finish"};
        sweep.header.seeds = 20;
        for (std::uint64_t i = 0; i < 20; ++i)
            sweep.rows.push_back({i, i, {}, i >= 5, {static_cast<double>(i + 1), static_cast<double>(20 - i), 1}});
        const auto points = summarize(sweep);
        QCOMPARE(points.size(), std::size_t{1});
        QCOMPARE(points[0].passed, std::uint64_t{15});
        const Spread &succeeded = points[0].metrics[0], &attempts = points[0].metrics[1];
        QCOMPARE(succeeded.median, 10.0);
        QCOMPARE(succeeded.low, 1.0);
        QCOMPARE(succeeded.high, 19.0);
        QCOMPARE(succeeded.worst, 1.0); // the least of what should be much
        QCOMPARE(attempts.worst, 20.0); // the most of what should be little
        QCOMPARE(succeeded.mean, 10.5);
        QCOMPARE(succeeded.deviation, std::sqrt(35.0)); // 1 to 20: 665 squares from the mean over 19
        QCOMPARE(points[0].metrics[2].deviation, 0.0);
    }

    /// 12 s are exceeded where the backoff is over 10 s.
    void theTippingPointIsFound()
    {
        SweepPlan plan;
        plan.axes = {axis("policies.p.backoff.base=1s..21s:5")};
        SweepFile sweep{headerOf(plan, {"policies.p.backoff.base=1s..21s:5"}), rowsOf(plan, 2), 0};
        int runs = 0;
        const auto tips = tippingPoints(plan.axes.front(), summarize(sweep), 0.1, [&runs](const std::string &value) {
            ++runs;
            return runPoint(load({"policies.p.backoff.base=" + value})->scenario, {}, nullptr).passed ? 1.0 : 0.0;
        });
        QCOMPARE(tips.size(), std::size_t{1});
        const double below = secondsOf(*parseDuration(tips[0].below)), above = secondsOf(*parseDuration(tips[0].above));
        QVERIFY(below <= 10 && above > 10 && above - below <= 0.1);
        QCOMPARE(tips[0].passedBelow, 1.0);
        QCOMPARE(tips[0].passedAbove, 0.0);
        QVERIFY(runs <= 8); // 5 s, halved to less than 0.1 s, and a rounding
    }
};

QTEST_APPLESS_MAIN(TestSweep)

#include "tst_sweep.moc"
