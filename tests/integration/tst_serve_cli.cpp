// SPDX-License-Identifier: Apache-2.0
#include "run_program.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>
#include <csignal>
#include <sys/stat.h>

namespace {

constexpr auto kOneCall = R"(throttlescope: 1
name: one call
servers:
  api: {limits: [{name: w, quota: 1, per: 1h}]}
  other-one: {}
workload: [{operation: read, server: api, arrivals: {batch: 1}}]
expect: {operations: {succeeded: 1}, attempts: 1}
)";

} // namespace

/// `throttlescope serve` from the outside.
class TestServeCli : public QObject {
    Q_OBJECT

private:
    QString path(const QString &name) const { return m_folder.filePath(name); }
    QString scenario(const QByteArray &text = kOneCall)
    {
        QFile file{path("scenario.yaml")};
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("no scenario");
        return file.fileName();
    }
    /// curl's exit code is the child's: any other client would do.
    static QStringList calls(const QString &script) { return {"--", "sh", "-c", script}; }

    QTemporaryDir m_folder;

private Q_SLOTS:
    void aClientIsGivenTheAddressesAndJudged()
    {
        const Ran ran = throttlescope(QStringList{"serve", scenario()}
            + calls("curl -sf $THROTTLESCOPE_URL/ && test $THROTTLESCOPE_URL = $THROTTLESCOPE_URL_API && curl -sf "
                    "$THROTTLESCOPE_URL_OTHER_ONE/_throttlescope/health"));
        QVERIFY2(ran.code == 0, ran.out + ran.err);
        QVERIFY(ran.out.contains("{\"status\":\"ok\"}"));
        QVERIFY(ran.out.contains("ok    scenario"));
        QVERIFY(ran.err.contains("api  http://127.0.0.1:"));
    }

    void theVerdictIsTheClientsAndTheScenarios_data()
    {
        QTest::addColumn<QString>("client");
        QTest::addColumn<int>("code");
        QTest::newRow("both pass") << "curl -sf $THROTTLESCOPE_URL/" << 0;
        QTest::newRow("the client fails") << "curl -sf $THROTTLESCOPE_URL/; exit 7" << 1;
        QTest::newRow("the scenario fails") << "true" << 1;
        QTest::newRow("the client is killed") << "curl -sf $THROTTLESCOPE_URL/; kill -9 $$" << 1;
    }
    void theVerdictIsTheClientsAndTheScenarios()
    {
        QFETCH(QString, client);
        QFETCH(int, code);
        const Ran ran = throttlescope(QStringList{"serve", scenario()} + calls(client));
        QVERIFY2(ran.code == code, ran.out + ran.err);
    }

    void aClientThatIsNotThereIsNoVerdict() { QCOMPARE(throttlescope({"serve", scenario(), "--", "/no/such/client"}).code, 3); }

    void jsonStandsAloneOnStdoutAndReportsAreWritten()
    {
        const Ran ran
            = throttlescope(QStringList{"serve", scenario(), "--json", "--journal", path("j.jsonl"), "--junit", path("report.xml")}
                + calls("echo noise; curl -s $THROTTLESCOPE_URL/; curl -s $THROTTLESCOPE_URL/"));
        QCOMPARE(ran.code, 1);
        const QJsonObject file = QJsonDocument::fromJson(ran.out).object()["files"].toArray()[0].toObject();
        QCOMPARE(file["metrics"].toObject()["attempts"].toInt(), 2);
        QVERIFY(ran.err.contains("noise"));
        QVERIFY(readAll(path("report.xml")).contains("<failure message=\"expected 1, got 2\""));
        QVERIFY(readAll(path("j.jsonl")).trimmed().endsWith('}'));
        QVERIFY(readAll(path("j.jsonl")).contains("\"event\":\"run.finished\""));
    }

    void aPortInUseIsNamed()
    {
        QTcpServer taken;
        QVERIFY(taken.listen(QHostAddress::LocalHost));
        const Ran ran = throttlescope({"serve", scenario(), "--port", QString::number(taken.serverPort())});
        QCOMPARE(ran.code, 3);
        QVERIFY2(ran.err.contains("port " + QByteArray::number(taken.serverPort())), ran.err);
    }

    void aPortInUseLeavesJournalAndReadyFileOfAnEarlierRun()
    {
        QTcpServer taken;
        QVERIFY(taken.listen(QHostAddress::LocalHost));
        write(path("old.jsonl"), "an old journal");
        write(path("old.json"), "an old ready file");
        const Ran ran = throttlescope({"serve", scenario(), "--port", QString::number(taken.serverPort()), "--journal", path("old.jsonl"),
            "--ready-file", path("old.json")});
        QCOMPARE(ran.code, 3);
        QCOMPARE(readAll(path("old.jsonl")), QByteArray{"an old journal"});
        QCOMPARE(readAll(path("old.json")), QByteArray{"an old ready file"});
    }

    void whatIsWrittenIsNotWhatIsRead_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::newRow("the journal over the scenario") << QStringList{"--journal", "./mine.yaml"};
        QTest::newRow("the report over the scenario") << QStringList{"--junit", "mine.yaml"};
        QTest::newRow("the ready file over the scenario") << QStringList{"--ready-file", "mine.yaml"};
        QTest::newRow("the certificate over the scenario") << QStringList{"--tls", "--ready-file", "mine"};
        QTest::newRow("the journal over the trace") << QStringList{"--journal", "./trace.csv"};
        QTest::newRow("the report over the journal") << QStringList{"--junit", "out", "--journal", "./out"};
        QTest::newRow("the ready file over the report") << QStringList{"--ready-file", "out", "--junit", "out"};
        QTest::newRow("the certificate over the journal") << QStringList{"--tls", "--ready-file", "out", "--journal", "out.pem"};
        QTest::newRow("the journal over a link to the scenario") << QStringList{"--journal", "link.yaml"};
    }
    void whatIsWrittenIsNotWhatIsRead()
    {
        QFETCH(QStringList, options);
        const QTemporaryDir folder;
        const QByteArray text = QByteArray{kOneCall}.replace("batch: 1", "trace: trace.csv");
        const QByteArray trace = "at,operation\n0s,read\n";
        write(folder.filePath("mine.yaml"), text);
        QVERIFY(QFile::link("mine.yaml", folder.filePath("mine.pem")));
        QVERIFY(QFile::link("mine.yaml", folder.filePath("link.yaml")));
        write(folder.filePath("trace.csv"), trace);
        const Ran ran = throttlescope(QStringList{"serve", "mine.yaml"} + options + calls("true"), folder.path());
        QVERIFY2(ran.code == 2, ran.out + ran.err);
        QCOMPARE(ran.err.count('\n'), 1);
        QVERIFY2(ran.err.contains("would overwrite"), ran.err);
        QCOMPARE(readAll(folder.filePath("mine.yaml")), text);
        QCOMPARE(readAll(folder.filePath("trace.csv")), trace);
    }

    void aRowThatIsReadAndWrittenIsForVirtualTime()
    {
        const Ran ran = throttlescope({"serve", "scenarios/literature/backoff-and-jitter.yaml", "--", "true"});
        QCOMPARE(ran.code, 3);
        QVERIFY2(ran.err.contains("row cannot be served, its 'model: occ' is for virtual time"), ran.err);
    }

    void aPortThatIsNoneIsNamed()
    {
        const Ran ran = throttlescope({"serve", scenario(), "--port", "65535"}); // the second server has 65536
        QCOMPARE(ran.code, 3);
        QVERIFY2(ran.err.contains("port 65536 is none"), ran.err);
    }

    void theReadyFileMayBeNoFile()
    {
        const Ran shown
            = throttlescope(QStringList{"serve", scenario(), "--ready-file", "/dev/stdout"} + calls("curl -sf $THROTTLESCOPE_URL/"));
        QVERIFY2(shown.code == 0, shown.out + shown.err);
        QVERIFY2(shown.out.contains("\"servers\":["), shown.out);
        const Ran full = throttlescope(QStringList{"serve", scenario(), "--ready-file", "/dev/full"} + calls("true"));
        QCOMPARE(full.code, 3);
        QVERIFY(!QFileInfo{"/dev/full"}.isFile()); // still the device
    }

    void usageIsSaidAndNothingServed_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("a scale that does not divide")
            << QStringList{"--set", "servers.api.limits.w.per=1m", "--time-scale", "7"} << QByteArray{"the nearest that works is 6"};
        QTest::newRow("a scaled manual clock") << QStringList{"--clock", "manual", "--time-scale", "2"} << QByteArray{"--clock manual"};
        QTest::newRow("no journal") << QStringList{"--journal", ""} << QByteArray{"--journal: '', expected a path"};
        QTest::newRow("no report") << QStringList{"--junit", ""} << QByteArray{"--junit: '', expected a path"};
        QTest::newRow("no ready file") << QStringList{"--ready-file", ""} << QByteArray{"--ready-file: '', expected a path"};
        QTest::newRow("an empty address") << QStringList{"--listen", ""} << QByteArray{"'' is no address"};
        QTest::newRow("a port beyond all ports")
            << QStringList{"--port", "65536"} << QByteArray{"'65536', expected a whole number from 0 to 65535"};
        QTest::newRow("half a port") << QStringList{"--port", "80.5"} << QByteArray{"'80.5', expected a whole number from 0 to 65535"};
        QTest::newRow("a negative port") << QStringList{"--port=-1"} << QByteArray{"'-1', expected a whole number from 0 to 65535"};
        QTest::newRow("no scale at all") << QStringList{"--time-scale", "0"}
                                         << QByteArray{"'0', expected a whole number from 1 to 1000000"};
        QTest::newRow("a scale with a fraction") << QStringList{"--time-scale", "1.5"} << QByteArray{"'1.5', expected a whole number"};
        QTest::newRow("a negative seed") << QStringList{"--seed", "-1"} << QByteArray{"'-1', expected a whole number from 0"};
        QTest::newRow("no address") << QStringList{"--listen", "nowhere"} << QByteArray{"nowhere is no address"};
    }
    void usageIsSaidAndNothingServed()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, said);
        const Ran ran = throttlescope(QStringList{"serve", scenario()} + arguments + calls("true"));
        QCOMPARE(ran.code, 2);
        QVERIFY2(ran.err.contains(said) && ran.err.count('\n') == 1, ran.err);
    }

    void anythingButTheLoopbackIsWarnedOf()
    {
        const Ran ran = throttlescope(QStringList{"serve", scenario(), "--listen", "0.0.0.0"} + calls("curl -sf $THROTTLESCOPE_URL/"));
        QVERIFY2(ran.code == 0, ran.out + ran.err);
        QVERIFY(ran.err.contains("warning"));
    }

    void aSignalEndsItProperly_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGTERM") << SIGTERM;
        QTest::newRow("SIGINT") << SIGINT;
    }
    void aSignalEndsItProperly()
    {
        QFETCH(int, signal);
        QFile::remove(path("ready.json"));
        QProcess process;
        process.start(QStringLiteral(THROTTLESCOPE_BINARY),
            {"serve", scenario(), "--tls", "--ready-file", path("ready.json"), "--journal", path("j.jsonl")});
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path("ready.json")), 20'000);
        const QJsonObject ready = QJsonDocument::fromJson(readAll(path("ready.json"))).object();
        QCOMPARE(ready["servers"].toArray().size(), 2);
        QCOMPARE(ready["pid"].toInteger(), process.processId());
        const QString url = ready["servers"].toArray()[0].toObject()["url"].toString();
        QVERIFY(url.startsWith("https://127.0.0.1:"));
        QCOMPARE(QProcess::execute("curl", {"-sf", "--cacert", ready["certificate"].toString(), url + "/"}), 0);
        ::kill(static_cast<pid_t>(process.processId()), signal);
        QVERIFY(process.waitForFinished(20'000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 0); // whoever serves without a client ends it so: the verdict counts
        QVERIFY(process.readAllStandardOutput().startsWith("ok "));
        QVERIFY(readAll(path("j.jsonl")).contains("run.finished"));
    }

    /// A pipe that nobody reads yet holds it between the open ports and the run.
    void aSignalBeforeTheRunBeginsIsNotLost()
    {
        const QString pipe = path("ready.pipe");
        QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
        QProcess process;
        process.start(
            QStringLiteral(THROTTLESCOPE_BINARY), {"serve", scenario(), "--ready-file", pipe, "--journal", path("interrupted.jsonl")});
        QByteArray said;
        QTRY_VERIFY_WITH_TIMEOUT((said += process.readAllStandardError()).contains("other-one  http://"), 20'000);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QFile reader{pipe};
        QVERIFY(reader.open(QIODevice::ReadOnly));
        QVERIFY(process.waitForFinished(20'000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 1); // nobody called: what the scenario expects did not happen
        QVERIFY(readAll(path("interrupted.jsonl")).contains("run.finished"));
    }

    void aSignalWhileTheClientRunsEndsBoth()
    {
        QFile::remove(path("started"));
        QProcess process;
        process.start(QStringLiteral(THROTTLESCOPE_BINARY),
            QStringList{"serve", scenario()} + calls("echo > " + path("started") + "; exec sleep 600"));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path("started")), 20'000);
        ::kill(static_cast<pid_t>(process.processId()), SIGTERM);
        QVERIFY(process.waitForFinished(20'000));
        QCOMPARE(process.exitCode(), 130);
    }

    void stopAfterEndsTheRunAndItsClient()
    {
        const QByteArray text = QByteArray{kOneCall}.replace("servers:", "stop_after: 100ms\nservers:");
        const Ran ran = throttlescope(QStringList{"serve", scenario(text)} + calls("curl -sf $THROTTLESCOPE_URL/; exec sleep 600"));
        QVERIFY2(ran.code == 0, ran.out + ran.err);
        QVERIFY2(ran.err.contains("sh was still running at stop_after"), ran.err);
    }

    void theDateHintJudgesAStrangersClientInOneLine()
    {
        const Ran good = throttlescope(QStringList{"serve", "scenarios/date-hint.yaml"}
            + calls("for i in 1 2 3; do curl -sf --retry 2 $THROTTLESCOPE_URL/items/$i || exit 1; done"));
        QVERIFY2(good.code == 0, good.out + good.err);
        QVERIFY2(good.out.contains("manners: 0 early returns, 1 late one by up to "), good.out);
        const Ran bad = throttlescope(
            QStringList{"serve", "scenarios/date-hint.yaml"} + calls("for i in 1 2 3 3; do curl -s $THROTTLESCOPE_URL/items/$i; done"));
        QCOMPARE(bad.code, 1);
        QVERIFY2(bad.out.contains("(GET /items/3, attempt 2, "), bad.out);
        QVERIFY2(bad.out.contains("manners: 1 early return by up to "), bad.out);
        QVERIFY2(bad.out.contains("amplification 1.33, 0 duplicate effects\n"), bad.out); // 4 requests of 3 calls
    }
};

QTEST_GUILESS_MAIN(TestServeCli)
#include "tst_serve_cli.moc"
