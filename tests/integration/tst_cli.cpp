// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/run_program.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>

namespace {

constexpr auto kEndless = R"(throttlescope: 1
servers: {api: {latency: {fixed: 1ms}}}
workload: [{operation: read, server: api, arrivals: {workers: 100, count: 900000000}}]
)";

} // namespace

class TestCli : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyShippedScenarioPasses()
    {
        const Ran ran = throttlescope({"run", "scenarios/", "--jobs", "2", "--require-expectations"});
        QVERIFY2(ran.code == 0, ran.out + ran.err);
        QVERIFY(!ran.out.contains("FAIL"));
    }

    void theReadmeShowsARealRun()
    {
        const QByteArray readme = readAll(QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/README.md"));
        const Ran ran = throttlescope({"run", "scenarios/minute-window.yaml"});
        const QByteArray line = ran.out.left(ran.out.indexOf("  wall")); // how long it took is the machine's business
        QVERIFY2(readme.contains(line), line);
        const Ran cut = throttlescope({"run", "scenarios/minute-window.yaml", "--set", "policies.batch.rate_limit.max_wait=30s"});
        for (const QByteArray &each : cut.out.split('\n'))
            QVERIFY2(readme.contains(each), each);
    }

    void theReadmeShowsARealHint()
    {
        const QByteArray readme = readAll(QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/README.md"));
        const Ran ran = throttlescope({"hint", "x-ratelimit-limit: 60", "x-ratelimit-remaining: 0", "x-ratelimit-reset: 1780390859",
            "Date: Tue, 02 Jun 2026 09:00:12 GMT", "--status", "403"});
        QVERIFY2(ran.code == 0 && readme.contains(ran.out), ran.out + ran.err);
    }

    void theReadmesOwnScenarioRunsAndBreaksAsItSays()
    {
        const QByteArray readme = readAll(QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/README.md"));
        const qsizetype begin = readme.indexOf("```yaml\n") + 8;
        QByteArray scenario = readme.mid(begin, readme.indexOf("```", begin) - begin);
        QTemporaryDir folder;
        write(folder.filePath("mine.yaml"), scenario);
        QCOMPARE(throttlescope({"run", "mine.yaml"}, folder.path()).code, 0);
        write(folder.filePath("mine.yaml"), scenario.replace("quota", "qouta"));
        const Ran broken = throttlescope({"check", "mine.yaml"}, folder.path());
        QCOMPARE(broken.code, 2);
        QVERIFY2(readme.contains(broken.err.trimmed()), broken.err);
    }

    void outputOrderIsInputOrderWhateverTheJobs()
    {
        const auto names = [](const Ran &ran) {
            QStringList lines;
            for (const QByteArray &line : ran.out.split('\n'))
                lines << QString::fromUtf8(line).section(QStringLiteral("  wall"), 0, 0);
            return lines;
        };
        QCOMPARE(names(throttlescope({"run", "scenarios", "--jobs", "4"})), names(throttlescope({"run", "scenarios"})));
    }

    void maxWaitOf30SecondsGivesUp170()
    {
        const Ran ran = throttlescope({"run", "scenarios/minute-window.yaml", "--set", "policies.batch.rate_limit.max_wait=30s", "--json"});
        QCOMPARE(ran.code, 1);
        const QJsonObject metrics = QJsonDocument::fromJson(ran.out)["files"][0]["metrics"].toObject();
        QCOMPARE(metrics["operations"]["succeeded"].toInt(), 30);
        QCOMPARE(metrics["wait_exceeded"].toInt(), 170);
        QCOMPARE(metrics["attempts"].toInt(), 200);
        QCOMPARE(metrics["finish"].toDouble(), 12.0);
    }

    void badMannersAreSaid()
    {
        // The third call is told "09:00:02" at 50 ms and cuts its waits to half a second: it is back at 0.55, 1.1 and 1.65 s, early by
        // up to 1.45 s, four attempts and no success. 2 + 4 attempts of 3 calls; four of them in the first second of a window of two.
        const Ran cut
            = throttlescope({"run", "scenarios/date-hint.yaml", "--set", "workload.0.rate_limit={max_wait: 500ms, over_max_wait: clamp}"});
        QVERIFY2(cut.out.contains("      manners: 3 early returns by up to 1.45s, 0 late ones, herd 2.00, amplification 2.00, "
                                  "0 duplicate effects\n"),
            cut.out);
        QVERIFY(!throttlescope({"run", "scenarios/date-hint.yaml"}).out.contains("manners"));
    }

    void theStoryNamesWhatWouldHaveChangedIt()
    {
        QTemporaryDir folder;
        const QString journal = folder.filePath("j.jsonl");
        QCOMPARE(
            throttlescope({"run", "scenarios/minute-window.yaml", "--set", "policies.batch.rate_limit.max_wait=30s", "--journal", journal})
                .code,
            1);
        const Ran why = throttlescope({"why", journal, "31"});
        QCOMPARE(why.code, 0);
        QVERIFY2(why.out.contains("would have waited at max_wait ≥ 47s"), why.out);
        QCOMPARE(throttlescope({"why", journal, "999"}).code, 2);
    }

    void exitCodes_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("no command is a usage error") << QStringList{} << 2 << QByteArray{};
        QTest::newRow("help is no error") << QStringList{"run", "--help"} << 0 << QByteArray{"Example"};
        QTest::newRow("an unknown option is a usage error") << QStringList{"run", "--jbos", "2", "scenarios"} << 2 << QByteArray{};
        QTest::newRow("a file that is not there is invalid") << QStringList{"run", "nowhere.yaml"} << 2 << QByteArray{"nowhere.yaml:1:1:"};
        QTest::newRow("a folder without scenarios is invalid") << QStringList{"run", "resources/lint"} << 2 << QByteArray{"no scenario"};
        QTest::newRow("a glob that matches nothing is invalid")
            << QStringList{"run", "scenarios/*.nothing"} << 2 << QByteArray{"no scenario"};
        QTest::newRow("a journal that cannot be written could not run")
            << QStringList{"run", "scenarios/zero-hint.yaml", "--journal", "/nowhere/j.jsonl"} << 3 << QByteArray{"cannot be written"};
        QTest::newRow("a full disk could not run")
            << QStringList{"run", "scenarios/minute-window.yaml", "--journal", "/dev/full"} << 3 << QByteArray{"No space left"};
        QTest::newRow("an unknown preset is a usage error") << QStringList{"presets", "saja"} << 2 << QByteArray{"did you mean 'saia'?"};
        QTest::newRow("a set path that is not there is invalid") << QStringList{"run", "scenarios/minute-window.yaml", "--set",
            "policies.btach.max_attempts=1"} << 2 << QByteArray{"did you mean 'batch'?"};
        QTest::newRow("check passes the shipped scenarios") << QStringList{"check", "scenarios"} << 0 << QByteArray{};
        QTest::newRow("explain shows where a value comes from")
            << QStringList{"explain", "scenarios/minute-window.yaml"} << 0 << QByteArray{"preset saia"};
    }
    void exitCodes()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        QFETCH(QByteArray, said);
        const Ran ran = throttlescope(arguments);
        QVERIFY2(ran.code == code, ran.out + ran.err);
        QVERIFY2((ran.out + ran.err).contains(said), ran.out + ran.err);
    }

    void oneInvalidFileMeansNoPartialOutput()
    {
        QTemporaryDir folder;
        write(folder.filePath("good.yaml"), readAll(QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/scenarios/zero-hint.yaml")));
        write(folder.filePath("bad.yaml"), "throttlescope: 2\n");
        const Ran ran = throttlescope({"run", folder.path()});
        QCOMPARE(ran.code, 2);
        QCOMPARE(ran.out, QByteArray{});
        QVERIFY(ran.err.contains("bad.yaml:1:16:"));
    }

    void theJUnitReportFollowsTheSchema()
    {
        QTemporaryDir folder;
        const QString report = folder.filePath("report.xml");
        throttlescope({"run", "scenarios", "--junit", report, "--set", "seed=3"});
        throttlescope({"run", "scenarios/minute-window.yaml", "--junit", report, "--set", "policies.batch.rate_limit.max_wait=30s"});
        const QByteArray xml = readAll(report);
        QCOMPARE(xml.count("<testcase "), 5);
        QCOMPARE(xml.count("<failure "), 3);
        QVERIFY(xml.contains("<property name=\"seed\" value=\"7\"/>") && xml.contains("scenario_hash"));
        QProcess lint;
        lint.start("xmllint", {"--noout", "--schema", QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/tests/integration/junit.xsd"), report});
        QVERIFY(lint.waitForFinished());
        QVERIFY2(lint.exitCode() == 0, lint.readAllStandardError());
    }

    void annotationsNameTheLine()
    {
        const Ran ran = throttlescope(
            {"run", "scenarios/minute-window.yaml", "--annotations", "github", "--set", "policies.batch.rate_limit.max_wait=30s"});
        QVERIFY2(ran.out.contains("::error file=scenarios/minute-window.yaml,line=22,col=13::attempts: expected 212, got 200"), ran.out);
    }

    void artifactsHoldJournalAndStoryOfAFailure()
    {
        QTemporaryDir folder;
        const QString out = folder.filePath("out");
        const Ran ran
            = throttlescope({"run", "scenarios", "--artifacts", out, "--set", "seed=7", "--set", "policies.edge.rate_limit.max_wait=1s"});
        QCOMPARE(ran.code, 2); // the path is known in one of the files only
        QCOMPARE(
            throttlescope({"run", "scenarios/max-wait-boundary.yaml", "scenarios/zero-hint.yaml", "--artifacts", out, "--set", "seed=7"})
                .code,
            0);
        QVERIFY(QDir{out}.isEmpty());
        QCOMPARE(
            throttlescope({"run", "scenarios/max-wait-boundary.yaml", "--artifacts", out, "--set", "policies.edge.rate_limit.max_wait=1s"})
                .code,
            1);
        QVERIFY(readAll(out + "/max-wait-boundary.txt").contains("would have waited at max_wait ≥ 60s"));
        QVERIFY(readAll(out + "/max-wait-boundary.jsonl").contains("\"event\":\"run.finished\""));
    }

    void aScenarioThatExpectsNothingFailsWhereThatIsRequired()
    {
        QTemporaryDir folder;
        write(folder.filePath("idle.yaml"),
            "throttlescope: 1\nservers: {a: {}}\nworkload: [{operation: x, server: a, arrivals: {batch: 1}}]\n");
        QCOMPARE(throttlescope({"run", folder.path()}).code, 0);
        QCOMPARE(throttlescope({"run", folder.path(), "--require-expectations"}).code, 1);
    }

    void interruptingLeavesAWholeJournal()
    {
        QTemporaryDir folder;
        const QString journal = folder.filePath("j.jsonl");
        write(folder.filePath("endless.yaml"), kEndless);
        QProcess process;
        process.start(QStringLiteral(THROTTLESCOPE_BINARY), {"run", folder.filePath("endless.yaml"), "--journal", journal});
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(QFile{journal}.size() > 100'000, 30'000);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(30'000));
        QCOMPARE(process.exitCode(), 130);
        const QByteArray text = readAll(journal);
        QVERIFY(text.endsWith("}\n"));
        const QByteArray last = text.mid(text.lastIndexOf('\n', text.size() - 2) + 1);
        QCOMPARE(QJsonDocument::fromJson(last)["event"].toString(), QStringLiteral("run.finished"));
        QVERIFY(text.contains("\"result\":\"unfinished\""));
    }

    void theSameScenarioAndSeedGiveTheSameJournal()
    {
        QTemporaryDir folder;
        for (const char *name : {"a.jsonl", "b.jsonl"})
            QCOMPARE(throttlescope({"run", "scenarios/minute-window.yaml", "--journal", folder.filePath(name)}).code, 0);
        QCOMPARE(readAll(folder.filePath("a.jsonl")), readAll(folder.filePath("b.jsonl")));
        QCOMPARE(throttlescope({"run", "scenarios/minute-window.yaml", "--seed", "8", "--journal", folder.filePath("c.jsonl")}).code, 0);
        QVERIFY(readAll(folder.filePath("a.jsonl")) != readAll(folder.filePath("c.jsonl")));
    }

    void theSchemaIsUpToDate()
    {
        QCOMPARE(
            throttlescope({"check", "--schema"}).out, readAll(QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/resources/scenario.schema.json")));
    }
};

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
