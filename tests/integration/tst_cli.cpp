// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>

namespace {

struct Ran {
    int code = -1;
    QByteArray out, err;
};

Ran throttlescope(const QStringList &arguments, const QString &folder = QStringLiteral(THROTTLESCOPE_SOURCE_DIR))
{
    QProcess process;
    process.setWorkingDirectory(folder);
    process.start(QStringLiteral(THROTTLESCOPE_BINARY), arguments);
    process.closeWriteChannel();
    if (!process.waitForFinished(60'000))
        process.kill();
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(),
        process.readAllStandardError()};
}

QByteArray readAll(const QString &path)
{
    QFile file{path};
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray{};
}

void write(const QString &path, const QByteArray &text)
{
    QFile file{path};
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

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

    void whatIsWrittenIsNotWhatIsRead_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::newRow("the journal over the scenario") << QStringList{"--journal", "mine.yaml"};
        QTest::newRow("the report over the scenario") << QStringList{"--junit", "./mine.yaml"};
        QTest::newRow("the report over the journal") << QStringList{"--junit", "out", "--journal", "./out"};
    }
    void whatIsWrittenIsNotWhatIsRead()
    {
        QFETCH(QStringList, options);
        const QTemporaryDir folder;
        const QByteArray before = readAll(QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/scenarios/minute-window.yaml"));
        write(folder.filePath("mine.yaml"), before);
        const Ran ran = throttlescope(QStringList{"run", "mine.yaml"} + options, folder.path());
        QCOMPARE(ran.code, 2);
        QCOMPARE(ran.err.count('\n'), 1);
        QVERIFY2(ran.err.contains("would overwrite"), ran.err);
        QCOMPARE(readAll(folder.filePath("mine.yaml")), before);
    }

    void aBadArgumentIsOneLine_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("expected");
        const QByteArray range{"expected a whole number from "};
        QTest::newRow("a seed above 63 bits") << QStringList{"run", "scenarios/", "--seed", "9223372036854775808"}
                                              << range + "0 to 9223372036854775807";
        QTest::newRow("a negative seed") << QStringList{"run", "scenarios/", "--seed", "-1"} << range + '0';
        QTest::newRow("operation 0") << QStringList{"why", "-", "0"} << range + '1';
        QTest::newRow("an operation beyond all numbers") << QStringList{"why", "-", "99999999999999999999999"} << range + '1';
        QTest::newRow("an empty path") << QStringList{"run", "scenarios/", "--junit", ""} << QByteArray{"--junit: '', expected a path"};
        QTest::newRow("a command that is not there") << QStringList{"rum", "x"} << QByteArray{"unknown command 'rum', did you mean 'run'?"};
        QTest::newRow("a value that is not there") << QStringList{"run", "scenarios/minute-window.yaml", "--set",
            "policies.batch.max_attempts="} << QByteArray{"no value after '='"};
        QTest::newRow("another version") << QStringList{"run", "scenarios/minute-window.yaml", "--set", "throttlescope=2"}
                                         << QByteArray{"the version is the file's own"};
    }
    void aBadArgumentIsOneLine()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, expected);
        const Ran ran = throttlescope(arguments);
        QCOMPARE(ran.code, 2);
        QVERIFY2(ran.out.isEmpty() && ran.err.count('\n') == 1 && ran.err.size() < 300, ran.err);
        QVERIFY2(ran.err.contains(expected), ran.err);
    }

    void whyNamesWhatIsWrongWithAJournal_data()
    {
        const QByteArray started{"{\"seq\":1,\"t\":0,\"event\":\"run.started\",\"schema\":1}\n"};
        const QByteArray operation{"{\"seq\":2,\"t\":1,\"event\":\"operation.started\",\"op\":1,\"operation\":\"x\",\"server\":\"a\"}\n"};
        QTest::addColumn<QByteArray>("journal");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("a newer schema") << QByteArray{"{\"seq\":1,\"t\":0,\"event\":\"run.started\",\"schema\":2}\n"}
                                        << QByteArray{":1:1: a journal of schema 2, expected at most 1"};
        QTest::newRow("two runs") << started + operation + started << QByteArray{":3:1: a second run begins here"};
        QTest::newRow("lines out of order") << operation + started << QByteArray{":2:1: "};
        QTest::newRow("the same line twice") << started + operation + operation << QByteArray{":3:1: 'seq' 2 after 2"};
        QTest::newRow("nothing") << QByteArray{} << QByteArray{"expected a journal with operations"};
        QTest::newRow("a line without an end") << QByteArray(17 << 20, 'x') << QByteArray{":1:1: longer than 16 MiB"};
    }
    void whyNamesWhatIsWrongWithAJournal()
    {
        QFETCH(QByteArray, journal);
        QFETCH(QByteArray, expected);
        const QTemporaryDir folder;
        write(folder.filePath("j.jsonl"), journal);
        const Ran ran = throttlescope({"why", "j.jsonl", "1"}, folder.path());
        QCOMPARE(ran.code, 2);
        QVERIFY2(ran.err.contains(expected) && ran.err.count('\n') == 1, ran.err);
        QVERIFY(ran.out.isEmpty());
    }

    void controlCharactersOfAJournalDoNotReachTheTerminal()
    {
        const QTemporaryDir folder;
        write(folder.filePath("j.jsonl"),
            "\xEF\xBB\xBF{\"seq\":1,\"t\":1,\"event\":\"operation.started\",\"op\":1,\"operation\":\"\\u001b[31mx\\n\",\"server\":\"a\"}"
            "\n");
        const Ran ran = throttlescope({"why", "j.jsonl", "1"}, folder.path());
        QCOMPARE(ran.code, 0);
        QVERIFY2(ran.out.contains("\\x1b[31mx\\x0a"), ran.out);
        QVERIFY(!ran.out.contains('\x1b'));
    }

    void hiddenFoldersAreNotSearched()
    {
        const QTemporaryDir folder;
        QVERIFY(QDir{folder.path()}.mkpath(".git/hooks"));
        write(folder.filePath("mine.yaml"), readAll(QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/scenarios/minute-window.yaml")));
        write(folder.filePath(".git/hooks/other.yaml"), "no scenario");
        QCOMPARE(throttlescope({"run", "."}, folder.path()).code, 0);
    }

    void jsonStaysWholeBesideAnnotations()
    {
        const Ran ran = throttlescope({"run", "scenarios/minute-window.yaml", "--set", "policies.batch.rate_limit.max_wait=30s", "--json",
            "--annotations", "github"});
        QCOMPARE(ran.code, 1);
        QVERIFY(QJsonDocument::fromJson(ran.out).isObject());
        QVERIFY2(ran.err.contains("::error file=scenarios/minute-window.yaml,line=21,"), ran.err);
    }

    void annotationsHideTheirSeparators()
    {
        const QTemporaryDir folder;
        QVERIFY(QDir{folder.path()}.mkpath("we,ird:dir"));
        write(folder.filePath("we,ird:dir/x.yaml"), "throttlescope: 9\n");
        const Ran ran = throttlescope({"run", ".", "--annotations", "github"}, folder.path());
        QCOMPARE(ran.code, 2);
        QVERIFY2(ran.out.contains("::error file=we%2Cird%3Adir/x.yaml,line=1,col="), ran.out);
    }

    void aJournalThatCannotBeWrittenHidesNoVerdict()
    {
        const Ran ran = throttlescope(
            {"run", "scenarios/minute-window.yaml", "--set", "policies.batch.rate_limit.max_wait=30s", "--journal", "/dev/full"});
        QCOMPARE(ran.code, 3);
        QVERIFY2(ran.out.contains("FAIL  minute-window"), ran.out);
        QVERIFY2(ran.err.contains("the journal cannot be written"), ran.err);
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
