// SPDX-License-Identifier: Apache-2.0
#include "app/dashboard/sweep/sweep_table_model.h"
#include "simulator/sweep/sweep_words.h"
#include "tests/unit/dashboard_session/session_support.h"
#include "tests/unit/dashboard_sweep/sweep_support.h"

#include <QAbstractItemModelTester>
#include <QTemporaryDir>
#include <QTest>

using namespace throttlescope;
using namespace throttlescope::dashboard;

class TestSweepResult final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachSeedOfAPointCanBeFoundAgain()
    {
        const SweepResult result = resultOf(headerOf({"p.a=1s,2s"}, 3), {{9, 0, 1, 1}, {2, 0, 2, 2}, {12, 0, 3, 3}, {1, 0, 1, 1}});
        QCOMPARE(runOf(result, 0, 0, SeedChoice::Median).seed, 7U);
        QCOMPARE(runOf(result, 0, 0, SeedChoice::Worst).seed, 8U);
        QCOMPARE(runOf(result, 0, 0, SeedChoice::High).seed, 9U);
        QCOMPARE(runOf(result, 0, 3, SeedChoice::Worst).seed, 9U); // the latest finish
        QCOMPARE(runOf(result, 1, 0, SeedChoice::Median).seed, 7U);
        QCOMPARE(result.runs, 6U);
        QVERIFY(!result.isWhole());
    }

    void aRunIsOpenedWithItsValuesOverThoseOfTheSweep()
    {
        SweepHeader header = headerOf({"policies.p.max_attempts=2,3", "policies.p.rate_limit.max_wait=1s,2s"});
        header.set = {"seed=4"};
        const SweepResult result = resultOf(header, {{1, 0, 0, 0}, {1, 0, 0, 0}});
        const LoadOptions options = optionsOf(header, result.file.rows[1]);
        QCOMPARE(options.set, (std::vector<std::string>{"seed=4", "policies.p.max_attempts=2", "policies.p.rate_limit.max_wait=2s"}));
        QCOMPARE(options.seed, std::optional<std::uint64_t>{7});
    }

    void aPointIsSaidInASentence()
    {
        const SweepResult one = resultOf(headerOf({"policies.p.rate_limit.max_wait=30s,60s"}), {{3, 170, 200, 12}, {10, 0, 212, 351.1}});
        QCOMPARE(pointSentence(one, 0),
            std::string{"max_wait 30s: fails, succeeded 3, wait_exceeded 170, attempts 200, finish 12s, in the Pareto set"});
        const SweepResult several = resultOf(headerOf({"p.a=1s"}, 2), {{10, 0, 5, 2}, {4, 0, 5, 2}});
        QCOMPARE(pointSentence(several, 0),
            std::string{"a 1s: 1 of 2 seeds pass, succeeded 4 [4, 10], wait_exceeded 0, attempts 5, finish 2s, in the Pareto set"});
    }

    void whereNothingIsExpectedNothingPasses()
    {
        SweepFile file = fileOf(headerOf({"p.a=1s"}, 2), {{10, 0, 5, 2}, {4, 0, 5, 2}});
        for (SweepRow &row : file.rows)
            row = SweepRow{row.run, row.seed, row.at, true, row.values, false};
        const auto result = sweepResult(file);
        QVERIFY(result.has_value());
        QCOMPARE(verdictText(*result, result->points.front()), std::string{"no expectations"});
        QVERIFY(!isFailed(result->points.front()));
    }

    void theCommandMakesTheSameSweep()
    {
        SweepHeader header = headerOf({"p.a=1s..2s:3"}, 5, 11);
        header.samples = 8;
        header.set = {"q=1"};
        header.metrics.emplace_back("waits.max");
        QCOMPARE(sweepCommand(header),
            (std::vector<std::string>{"throttlescope", "sweep", "s.yaml", "--vary", "p.a=1s..2s:3", "--samples", "8", "--seed", "11",
                "--seeds", "5", "--set", "q=1", "--metric", "waits.max"}));
    }

    void whatTheScenarioHasIsKnownOfItsPolicies()
    {
        SweepResult result = resultOf(headerOf({"policies.batch.rate_limit.max_wait=30s,90s", "servers.saia.limits.0.quota=10,20"}), {});
        markKnownValues(result.axes, minuteWindow());
        QCOMPARE(result.axes[0].present, std::string{"60s"});
        QCOMPARE(result.axes[0].standard, std::string{"60s"}); // DESIGN.md section 4
        QVERIFY(result.axes[1].present.empty());
    }

    void filesOfSweepsAreKnownByTheirFirstLine()
    {
        const QTemporaryDir folder;
        const auto written = [&folder](const QByteArray &content) {
            QFile file{folder.filePath("any.jsonl")};
            file.open(QIODevice::WriteOnly);
            file.write(content);
            return file.fileName();
        };
        QVERIFY(isSweepFile(written(QByteArray::fromStdString(headerLine(headerOf({"p.a=1,2"}))))));
        QVERIFY(isSweepFile(written("{\"sweep\": 1}")));
        QVERIFY(!isSweepFile(written("{\"seq\":1,\"event\":\"run.started\"}\n")));
        QVERIFY(!isSweepFile(written({})));
        QVERIFY(!isSweepFile(folder.filePath("none")));
    }

    void aHeaderThatIsNoPlanIsRefused()
    {
        SweepHeader header = headerOf({"p.a=1,2"});
        header.seeds = 0;
        QVERIFY(!sweepResult({header, {}, 0, {}}));
        header = headerOf({});
        QVERIFY(!sweepResult({header, {}, 0, {}}));
        header = headerOf({"p.a"});
        QVERIFY(QString::fromStdString(sweepResult({header, {}, 0, {}}).error()).contains("expected PATH=5s..120s:24"));
        header = headerOf({"p.a=1,2"});
        header.shard = 3;
        QVERIFY(!sweepResult({header, {}, 0, {}}));
    }

    void theTableGrowsWithTheSweep()
    {
        SweepTableModel model;
        const QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::Fatal};
        const SweepHeader header = headerOf({"p.a=1s,2s,3s"}, 2);
        const std::vector<std::vector<double>> values{{5, 0, 9, 9}, {5, 0, 9, 9}, {10, 0, 9, 8}, {12, 0, 9, 8}, {1, 0, 9, 1}};
        model.setResult(std::make_shared<SweepResult>(resultOf(header, {values.begin(), values.begin() + 3})));
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.columnCount(), 1 + 1 + 1 + 4);
        QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("★"));
        model.setResult(std::make_shared<SweepResult>(resultOf(header, values)));
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.index(0, 0).data().toString(), QString{}); // the second is better in two and no worse in the third
        QCOMPARE(model.index(1, 0).data(Qt::AccessibleTextRole).toString(), QStringLiteral("in the Pareto set"));
        QCOMPARE(model.index(1, 1).data().toString(), QStringLiteral("2s"));
        QCOMPARE(model.index(1, 2).data().toString(), QStringLiteral("2 of 2 seeds pass"));
        QCOMPARE(model.index(1, 3).data().toString(), QStringLiteral("10 [10, 12]"));
        QCOMPARE(model.index(1, 3).data(SweepTableModel::SortRole).toDouble(), 10.0);
        QCOMPARE(model.headerData(3, Qt::Horizontal).toString(), QStringLiteral("succeeded"));
        model.setResult(std::make_shared<SweepResult>(resultOf(headerOf({"q.b=1,2"}), {})));
        QCOMPARE(model.rowCount(), 0);
    }
};

QTEST_APPLESS_MAIN(TestSweepResult)
#include "tst_sweep_result.moc"
