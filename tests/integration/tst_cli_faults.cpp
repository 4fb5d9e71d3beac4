// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/run_program.h"

#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

/// Bad arguments, bad journals, outputs that clash or cannot be written: one clear line, and nothing lost.
class TestCliFaults : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
        QTest::newRow("lines out of order") << QByteArray{operation}.replace("\"seq\":2", "\"seq\":5") + operation
                                            << QByteArray{":2:1: 'seq' 2 after 5"};
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

    void aTraceIsNotOverwritten()
    {
        const QTemporaryDir folder;
        write(folder.filePath("calls.csv"), "at,operation\n0s,x\n");
        write(folder.filePath("mine.yaml"),
            "throttlescope: 1\nservers: {a: {}}\nworkload: [{operation: x, server: a, arrivals: {trace: calls.csv}}]\n");
        const Ran ran = throttlescope({"run", "mine.yaml", "--journal", "calls.csv"}, folder.path());
        QCOMPARE(ran.code, 2);
        QCOMPARE(readAll(folder.filePath("calls.csv")), QByteArray{"at,operation\n0s,x\n"});
    }

    void virtualTimeIsRoundedOnce_data()
    {
        QTest::addColumn<QByteArray>("at");
        QTest::addColumn<QByteArray>("shown");
        QTest::newRow("just under a minute") << QByteArray{"59.96s"} << QByteArray{"virtual 1m0.0s "};
        QTest::newRow("just under five minutes") << QByteArray{"299.97s"} << QByteArray{"virtual 5m0.0s "};
        QTest::newRow("just under an hour") << QByteArray{"3599.97s"} << QByteArray{"virtual 1h0m0s "};
        QTest::newRow("a tenth below a minute") << QByteArray{"59.9s"} << QByteArray{"virtual 59.9s "};
    }
    void virtualTimeIsRoundedOnce()
    {
        QFETCH(QByteArray, at);
        QFETCH(QByteArray, shown);
        const QTemporaryDir folder;
        write(folder.filePath("mine.yaml"),
            "throttlescope: 1\nservers: {a: {}}\nworkload: [{operation: x, server: a, start_at: " + at + ", arrivals: {batch: 1}}]\n");
        const Ran ran = throttlescope({"run", "mine.yaml"}, folder.path());
        QVERIFY2(ran.out.contains(shown), ran.out);
    }

    void aRunThatDoesNotEndIsAnErrorAndNoFailedExpectation()
    {
        const QTemporaryDir folder;
        write(folder.filePath("mine.yaml"),
            "throttlescope: 1\nservers: {api: {script: [{answer: {status: 503}}]}}\n"
            "policies: {p: {max_attempts: unlimited, backoff: {kind: constant, base: 0s, jitter: none}}}\n"
            "workload: [{operation: r, server: api, method: GET, policy: p, arrivals: {batch: 1}}]\nexpect: {attempts: 1}\n");
        const Ran ran = throttlescope({"run", "mine.yaml", "--require-expectations", "--junit", "report.xml"}, folder.path());
        QCOMPARE(ran.code, 3);
        QVERIFY2(ran.err.contains("was sent 10000 times without a wait") && !ran.out.contains("FAIL"), ran.out + ran.err);
        QVERIFY(readAll(folder.filePath("report.xml")).contains("<error message="));
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
};

QTEST_GUILESS_MAIN(TestCliFaults)
#include "tst_cli_faults.moc"
