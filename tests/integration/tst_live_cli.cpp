// SPDX-License-Identifier: Apache-2.0
#include "run_program.h"

#include <QDir>
#include <QTemporaryDir>
#include <csignal>

namespace {

constexpr auto kPasses = R"(throttlescope: 1
servers:
  api: {limits: [{name: w, quota: 1, per: 10s, align: first_request}], on_limit: {retry_after: seconds}}
policies:
  p: {max_attempts: 2}
workload: [{operation: read, server: api, method: GET, policy: p, arrivals: {batch: 2}}]
expect: {operations: {succeeded: 2}, attempts: 3, waits: {max: 10s}}
)";

constexpr auto kFails = R"(throttlescope: 1
servers:
  api: {script: [{answer: {status: 503}}]}
policies:
  p: {max_attempts: 1}
workload: [{operation: read, server: api, method: GET, policy: p, arrivals: {batch: 1}}]
expect: {operations: {failed: 0}}
)";

constexpr auto kHangs = R"(throttlescope: 1
servers:
  api: {latency: {fixed: 1h}}
workload: [{operation: read, server: api, method: GET, arrivals: {batch: 1}}]
)";

} // namespace

/// `throttlescope run --live` from the outside.
class TestLiveCli : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aScenarioPassesOnRealSockets()
    {
        const Ran ran = throttlescope({"run", m_folder.filePath("passes.yaml"), "--live", "--time-scale", "20", "--tolerance", "2s",
            "--journal", m_folder.filePath("j.jsonl")});
        QVERIFY2(ran.code == 0, ran.out + ran.err);
        QVERIFY2(ran.out.contains("2 ops  3 attempts  0 exceeded  live 1"), ran.out);
        const QByteArray journal = readAll(m_folder.filePath("j.jsonl"));
        QVERIFY(journal.contains("\"traffic\":\"loopback\""));
        QCOMPARE(journal.count("\"event\":\"server.answered\""), 3);
        QCOMPARE(journal.count("\"event\":\"attempt.started\""), 3);
        QVERIFY(journal.contains("\"stopped\":false"));
    }

    void ofAFailureThereIsAnArtifact()
    {
        const QString artifacts = m_folder.filePath("artifacts");
        const Ran ran = throttlescope({"run", m_folder.filePath("passes.yaml"), m_folder.filePath("fails.yaml"), "--live", "--jobs", "2",
            "--time-scale", "20", "--tolerance", "2s", "--artifacts", artifacts});
        QVERIFY2(ran.code == 1, ran.out + ran.err);
        QVERIFY(ran.out.indexOf("ok    passes") < ran.out.indexOf("FAIL  fails"));
        QVERIFY(ran.out.contains("first excess"));
        QCOMPARE(QDir{artifacts}.entryList(QDir::Files), (QStringList{"fails.jsonl", "fails.txt"}));
        QVERIFY(readAll(artifacts + "/fails.txt").contains("503"));
    }

    void anInterruptionEndsTheRun()
    {
        QProcess process;
        const QString journal = m_folder.filePath("hangs.jsonl");
        process.start(QStringLiteral(THROTTLESCOPE_BINARY), {"run", m_folder.filePath("hangs.yaml"), "--live", "--journal", journal});
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(QFile{journal}.exists(), 30'000);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(30'000));
        QCOMPARE(process.exitCode(), 130);
        QVERIFY(readAll(journal).contains("\"stopped\":true"));
    }

    /// A port for each of fifty servers is more than forty descriptors allow.
    void whereNoPortIsToBeHadAnOldJournalStays()
    {
        QByteArray many{"throttlescope: 1\nservers:\n"};
        for (int i = 0; i < 50; ++i)
            many += "  s" + QByteArray::number(i) + ": {}\n";
        write(m_folder.filePath("many.yaml"), many + "workload: [{operation: read, server: s0, method: GET, arrivals: {batch: 1}}]\n");
        write(m_folder.filePath("old.jsonl"), "an old journal");
        const Ran ran = limited("-n 40", {m_folder.filePath("many.yaml"), "--journal", m_folder.filePath("old.jsonl")});
        QVERIFY2(ran.code == 3, ran.out + ran.err);
        QVERIFY2(ran.err.contains("cannot be served, port "), ran.err);
        QCOMPARE(readAll(m_folder.filePath("old.jsonl")), QByteArray{"an old journal"});
    }

    void whatMeansNothingIsAUsageError_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("error");
        QTest::newRow("a scale in virtual time")
            << QStringList{"--time-scale", "20"} << QByteArray{"--time-scale and --tolerance go with --live"};
        QTest::newRow("a tolerance in virtual time") << QStringList{"--tolerance", "1s"} << QByteArray{"go with --live"};
        QTest::newRow("no scale at all") << QStringList{"--live", "--time-scale", "0"} << QByteArray{"--time-scale"};
        QTest::newRow("a tolerance without unit")
            << QStringList{"--live", "--tolerance", "5"} << QByteArray{"'5', expected a number from 0 on"};
        QTest::newRow("a negative tolerance") << QStringList{"--live", "--tolerance=-5s"}
                                              << QByteArray{"'-5s', expected a number from 0 on"};
    }
    void whatMeansNothingIsAUsageError()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, error);
        const Ran ran = throttlescope(QStringList{"run", m_folder.filePath("passes.yaml")} + arguments);
        QCOMPARE(ran.code, 2);
        QVERIFY2(ran.err.contains(error), ran.err);
    }

    void initTestCase()
    {
        write(m_folder.filePath("passes.yaml"), kPasses);
        write(m_folder.filePath("fails.yaml"), kFails);
        write(m_folder.filePath("hangs.yaml"), kHangs);
    }

private:
    /// `run --live ARGUMENTS` under a limit of the shell's.
    static Ran limited(const QString &limit, const QStringList &arguments)
    {
        QProcess process;
        process.setProgram("sh");
        process.setArguments(
            QStringList{"-c", "ulimit " + limit + "; exec \"$@\"", "sh", QStringLiteral(THROTTLESCOPE_BINARY), "run", "--live"}
            + arguments);
        return finished(process);
    }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestLiveCli)
#include "tst_live_cli.moc"
