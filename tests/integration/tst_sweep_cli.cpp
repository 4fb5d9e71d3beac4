// SPDX-License-Identifier: Apache-2.0
#include "run_program.h"

#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <csignal>

namespace {

const QString kMinuteWindow = QStringLiteral("scenarios/minute-window.yaml");
const QString kMaxWait = QStringLiteral("policies.batch.rate_limit.max_wait=");

} // namespace

/// `throttlescope sweep`, started as a user starts it.
class TestSweepCli : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theCliffIsDrawn()
    {
        const Ran ran = throttlescope({"sweep", kMinuteWindow, "--vary", kMaxWait + "5s..120s:24"});
        QCOMPARE(ran.code, 0);
        const QByteArrayList lines = ran.out.trimmed().split('\n');
        QCOMPARE(lines.size(), 1 + 24 + 2);
        QVERIFY(lines[1].contains(" 5s ") && lines[1].contains(" 30 ") && lines[1].contains(" 170 "));
        QVERIFY(lines[24].contains(" 2m ") && lines[24].contains(" 200 ") && lines[24].contains(" yes "));
        // What `run` says at the values around it: 56 s is too little for a hint of 57 s, 58 s is enough.
        const QByteArray tip = lines.last();
        QVERIFY2(tip.startsWith("tips between max_wait 5") && tip.contains("(it fails) and 57") && tip.endsWith("(it passes)"), tip);
    }

    /// That nothing is expected is no pass.
    void aScenarioThatExpectsNothingPassesNothing()
    {
        QTemporaryDir folder;
        const QString free = folder.filePath("free.yaml"), kept = folder.filePath("kept.sweep");
        QFile out{free};
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write("throttlescope: 1\nservers: {api: {}}\npolicies: {p: {}}\n"
                  "workload: [{operation: call, server: api, method: GET, policy: p, arrivals: {batch: 2}}]\n");
        out.close();
        const QStringList arguments{"sweep", free, "--vary", "policies.p.max_attempts=1,2"};
        const Ran table = throttlescope(arguments + QStringList{"--out", kept});
        QCOMPARE(table.code, 0);
        QVERIFY2(table.out.count("no expectations") == 2 && !table.out.contains("yes"), table.out);
        const Ran json = throttlescope(arguments + QStringList{"--json"});
        QVERIFY2(json.out.count("\"passed\":null") == 2, json.out);
        const Ran csv = throttlescope(arguments + QStringList{"--csv"});
        QVERIFY2(csv.out.contains("\n1,1,,"), csv.out);
        QFile file{kept};
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray written = file.readAll();
        QCOMPARE(written.count("\"passed\":null"), 2);
        QCOMPARE(throttlescope({"sweep", "merge", kept, "-o", kept + ".whole"}).code, 0);
        QFile whole{kept + ".whole"};
        QVERIFY(whole.open(QIODevice::ReadOnly));
        QCOMPARE(whole.readAll(), written);
    }

    void asJsonAndAsCsv()
    {
        const QStringList arguments{"sweep", kMinuteWindow, "--vary", kMaxWait + "30s,60s", "--seeds", "3", "--metric", "waits.max"};
        const Ran json = throttlescope(arguments + QStringList{"--json"});
        QCOMPARE(json.code, 0);
        const QJsonArray points = QJsonDocument::fromJson(json.out).object()["points"].toArray();
        QCOMPARE(points.size(), 2);
        QCOMPARE(points[0]["at"]["policies.batch.rate_limit.max_wait"].toString(), QStringLiteral("30s"));
        QCOMPARE(points[0]["metrics"]["operations.succeeded"]["worst"].toDouble(), 30.0);
        QCOMPARE(points[1]["metrics"]["operations.succeeded"]["median"].toDouble(), 200.0);
        QCOMPARE(points[1]["runs"].toInt(), 3);
        const Ran csv = throttlescope(arguments + QStringList{"--csv"});
        QVERIFY2(csv.out.startsWith("policies.batch.rate_limit.max_wait,runs,passed,pareto,operations.succeeded median,"), csv.out);
        QVERIFY(csv.out.contains("\n30s,3,0,1,30,30,30,30,30,0,170,"));
    }

    void shardsMergeToTheBytesOfTheWhole()
    {
        const QStringList arguments{
            "sweep", kMinuteWindow, "--vary", kMaxWait + "50s..60s:6", "--vary", "policies.batch.max_attempts=2,4", "--seeds", "2"};
        QCOMPARE(throttlescope(arguments + QStringList{"--out", file("whole"), "-j", "1"}).code, 0);
        QStringList parts;
        for (const char *shard : {"2/3", "1/3", "3/3"}) {
            parts += file(QString{shard}.replace('/', '-'));
            QCOMPARE(throttlescope(arguments + QStringList{"--out", parts.last(), "--shard", shard, "-j", "2"}).code, 0);
        }
        write(file("elsewhere"), readAll(file("whole")).repeated(2)); // what was there goes, a link to it stays
        QVERIFY(QFile::link(file("elsewhere"), file("merged")));
        const Ran merged = throttlescope(QStringList{"sweep", "merge"} + parts + QStringList{"-o", file("merged")});
        QVERIFY2(merged.code == 0, merged.err);
        QVERIFY(QFileInfo{file("merged")}.isSymLink());
        QCOMPARE(readAll(file("merged")), readAll(file("whole")));
        QVERIFY(merged.out.contains("Pareto set"));
        const Ran lacking = throttlescope({"sweep", "merge", parts[0], parts[1], "-o", file("lacking")});
        QCOMPARE(lacking.code, 2);
        QVERIFY2(lacking.err.contains("shard 3 of 3 is missing"), lacking.err);
        QVERIFY(!QFile::exists(file("lacking")));
    }

    void whatWasKilledGoesOnToTheSameBytes()
    {
        const QStringList arguments{"sweep", kMinuteWindow, "--vary", kMaxWait + "5s..120s:60", "--seeds", "8", "--out"};
        QCOMPARE(throttlescope(arguments + QStringList{file("quiet")}).code, 0);
        QProcess killed;
        killed.setWorkingDirectory(THROTTLESCOPE_SOURCE_DIR);
        killed.start(THROTTLESCOPE_BINARY, arguments + QStringList{file("killed")});
        QVERIFY(killed.waitForStarted());
        QVERIFY(QTest::qWaitFor([&] { return readAll(file("killed")).count('\n') > 20; }, 60'000));
        killed.kill();
        QVERIFY(killed.waitForFinished());
        QFile cut{file("killed")};
        QVERIFY(cut.open(QIODevice::ReadWrite));
        QVERIFY(cut.resize(cut.size() - 7)); // in the middle of a line, wherever the signal came
        cut.close();
        QCOMPARE(throttlescope(arguments + QStringList{file("killed")}).code, 0);
        QCOMPARE(readAll(file("killed")), readAll(file("quiet")));
    }

    void ctrlCKeepsWhatIsDone()
    {
        QProcess program;
        program.setWorkingDirectory(THROTTLESCOPE_SOURCE_DIR);
        const QStringList arguments{
            "sweep", kMinuteWindow, "--vary", kMaxWait + "5s..120s:1000", "--seeds", "100", "--out", file("stopped")};
        program.start(THROTTLESCOPE_BINARY, arguments);
        QVERIFY(program.waitForStarted());
        QVERIFY(QTest::qWaitFor([&] { return readAll(file("stopped")).count('\n') > 20; }, 60'000));
        ::kill(static_cast<pid_t>(program.processId()), SIGINT);
        QVERIFY(program.waitForFinished());
        QCOMPARE(program.exitCode(), 130);
        QVERIFY(program.readAllStandardError().contains("of 100000 runs; the same command goes on from there"));
        QVERIFY(readAll(file("stopped")).endsWith("}\n"));
    }

    void whatIsWrongIsSaid_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("words");
        const QStringList sound{kMinuteWindow, "--vary", kMaxWait + "30s,60s"};
        QTest::newRow("nothing to vary") << QStringList{kMinuteWindow} << QByteArray{"needs a scenario and --vary"};
        QTest::newRow("no axis") << QStringList{kMinuteWindow, "--vary", "max_wait"} << QByteArray{"expected PATH=5s..120s:24"};
        QTest::newRow("one path twice") << sound + QStringList{"--vary", kMaxWait + "1s,2s"} << QByteArray{"expected each path once"};
        QTest::newRow("an unknown path") << QStringList{kMinuteWindow, "--vary", "policies.batch.max_wiat=1s,2s"} << QByteArray{"max_wait"};
        QTest::newRow("a value that is none") << QStringList{kMinuteWindow, "--vary", kMaxWait + "soon,2s"} << QByteArray{"soon"};
        QTest::newRow("no such file") << QStringList{"nowhere.yaml", "--vary", kMaxWait + "1s,2s"} << QByteArray{"nowhere.yaml"};
        QTest::newRow("no metric") << sound + QStringList{"--metric", "wait_exceded"} << QByteArray{"did you mean 'wait_exceeded'"};
        QTest::newRow("no shard") << sound + QStringList{"--shard", "4/3"} << QByteArray{"such as 3/16"};
        QTest::newRow("too many runs") << QStringList{kMinuteWindow, "--vary", kMaxWait + "1s..9s:100000", "--seeds", "1000000"}
                                       << QByteArray{"more than"};
        QTest::newRow("over the scenario") << sound + QStringList{"--out", kMinuteWindow} << QByteArray{"would overwrite the scenario"};
        QTest::newRow("a report of no known form")
            << sound + QStringList{"--report", "page.txt"}
            << QByteArray{"--report page.txt: expected a name that ends in .html, .pdf, .png or .svg"};
        QTest::newRow("a report over the runs")
            << sound + QStringList{"--report", "/tmp/x.html", "--out", "/tmp/x.html"} << QByteArray{"would overwrite the file of the runs"};
        QTest::newRow("over something else") << sound + QStringList{"--out", "README.md"}
                                             << QByteArray{"expected the first line of a sweep"};
    }

    void whatIsWrongIsSaid()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, words);
        const Ran ran = throttlescope(QStringList{"sweep"} + arguments);
        QCOMPARE(ran.code, 2);
        QVERIFY2(ran.err.contains(words), ran.err);
    }

    /// The table is there all the same.
    void aReportWithoutTheProgramThatDrawsItIsSaid()
    {
        const QString alone = file("throttlescope");
        QVERIFY(QFile::copy(THROTTLESCOPE_BINARY, alone));
        QProcess program;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("PATH", m_folder.path());
        program.setProcessEnvironment(environment);
        program.setWorkingDirectory(THROTTLESCOPE_SOURCE_DIR);
        program.setProgram(alone);
        program.setArguments({"sweep", kMinuteWindow, "--vary", kMaxWait + "30s,60s", "--report", file("page.html")});
        const Ran ran = finished(program);
        QCOMPARE(ran.code, 3);
        QVERIFY2(ran.err.contains("pages are drawn by throttlescope-dashboard, which cannot be started"), ran.err);
        QVERIFY(ran.out.contains("Pareto set"));
        QVERIFY(!QFile::exists(file("page.html")));
    }

    void theFileOfAnotherSweepIsLeftAsItIs()
    {
        const QString kept = file("kept");
        QCOMPARE(throttlescope({"sweep", kMinuteWindow, "--vary", kMaxWait + "30s,60s", "--out", kept}).code, 0);
        const QByteArray before = readAll(kept);
        const Ran other = throttlescope({"sweep", kMinuteWindow, "--vary", kMaxWait + "30s,61s", "--out", kept});
        QCOMPARE(other.code, 2);
        QVERIFY2(other.err.contains("is of another sweep"), other.err);
        QCOMPARE(readAll(kept), before);
    }

private:
    QString file(const QString &name) const { return m_folder.filePath(name); }
    QTemporaryDir m_folder;
};

QTEST_APPLESS_MAIN(TestSweepCli)

#include "tst_sweep_cli.moc"
