// SPDX-License-Identifier: Apache-2.0
#include "run_program.h"

#include <QDir>
#include <QDirIterator>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <csignal>

namespace {

const QString kMinuteWindow = QStringLiteral("scenarios/minute-window.yaml");

/// The words of the line that begins with that one.
QStringList lineOf(const QByteArray &out, const QString &first)
{
    for (const QByteArray &line : out.split('\n')) {
        const QStringList words = QString::fromUtf8(line).simplified().split(' ');
        if (words.first() == first)
            return words;
    }
    return {};
}

} // namespace

/// `throttlescope compare`. Of minute-window it is known by arithmetic: 30 conversions of 200 fit into the first minute, and
/// who does not wait loses the 170 others.
class TestCompareCli : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        for (const auto &[name, wait] : {std::pair{"patient", "60s"}, {"again", "60s"}, {"hasty", "30s"}}) {
            const Ran ran = throttlescope({"run", kMinuteWindow, "--journal", journal(name), "--set",
                QStringLiteral("policies.batch.rate_limit.max_wait=%1").arg(wait)});
            QVERIFY(ran.code == 0 || ran.code == 1);
        }
    }

    void policiesMeetTheSameFaults()
    {
        const Ran ran = throttlescope({"compare", kMinuteWindow, "--policy", "saia,none"});
        QCOMPARE(ran.code, 0);
        QCOMPARE(lineOf(ran.out, "metric"), (QStringList{"metric", "saia", "none"}));
        QCOMPARE(lineOf(ran.out, "operations.succeeded"), (QStringList{"operations.succeeded", "200", "30", "(-170)"}));
        QCOMPARE(lineOf(ran.out, "operations.failed"), (QStringList{"operations.failed", "0", "170", "(+170)"}));
        QCOMPARE(lineOf(ran.out, "attempts"), (QStringList{"attempts", "212", "200", "(-12)"}));
        QVERIFY2(ran.out.contains("none against saia: 170 operations end otherwise\n"), ran.out);
        QVERIFY2(ran.out.contains("170  succeeded → failed (attempts_exhausted), first convert 31 (op 31)\n"), ran.out);
        QVERIFY(lineOf(ran.out, "duplicate_effects").isEmpty()); // zero in both
    }

    /// The journals of a report stand in a folder among the temporary ones.
    void ctrlCLeavesNothingBehind()
    {
        QTemporaryDir scratch;
        QProcess program;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("TMPDIR", scratch.path());
        program.setProcessEnvironment(environment);
        program.setWorkingDirectory(THROTTLESCOPE_SOURCE_DIR);
        program.start(THROTTLESCOPE_BINARY,
            {"compare", kMinuteWindow, "--policy", "saia,none", "--report", scratch.filePath("report.html"), "--set",
                "workload.convert.arrivals.count=100000000", "--set", "stop_after=30000d"});
        QVERIFY(program.waitForStarted());
        const auto journals = [&scratch] {
            QDirIterator each{scratch.path(), {"*.jsonl"}, QDir::Files, QDirIterator::Subdirectories};
            return each.hasNext() && QFileInfo{each.next()}.size() > 100'000;
        };
        QVERIFY(QTest::qWaitFor(journals, 60'000));
        ::kill(static_cast<pid_t>(program.processId()), SIGINT);
        QVERIFY(program.waitForFinished());
        QCOMPARE(program.exitCode(), 130);
        QVERIFY(program.readAllStandardError().contains("interrupted at policy 'saia'"));
        QVERIFY(QDir{scratch.path()}.entryList(QDir::NoDotAndDotDot | QDir::AllEntries).isEmpty());
    }

    void asJsonAndAsCsv()
    {
        const Ran json = throttlescope({"compare", kMinuteWindow, "--policy", "saia,none", "--json"});
        QCOMPARE(json.code, 0);
        const QJsonObject root = QJsonDocument::fromJson(json.out).object();
        QCOMPARE(root["runs"][0]["metrics"]["operations"]["succeeded"].toInt(), 200);
        QCOMPARE(root["runs"][1]["metrics"]["operations"]["succeeded"].toInt(), 30);
        const QJsonValue change = root["changes"][0];
        QCOMPARE(change["count"].toInt(), 170);
        QCOMPARE(change["after"]["reason"].toString(), QStringLiteral("attempts_exhausted"));
        QCOMPARE(change["first"]["nth"].toInt(), 31);
        const Ran csv = throttlescope({"compare", kMinuteWindow, "--policy", "saia,none", "--csv"});
        QVERIFY2(csv.out.startsWith("metric,saia,none\noperations.succeeded,200,30\n"), csv.out);
        QVERIFY(csv.out.contains("\nfinish,"));
    }

    void mannersAreAmongTheChiefMetrics()
    {
        // A hint counts from its request's arrival, and is read 120 ms later.
        const Ran ran = throttlescope({"compare", kMinuteWindow, "--policy", "relprim,undici"});
        QCOMPARE(lineOf(ran.out, "overshoot.max").value(1), QString{"0.12s"});
        for (const char *path : {"amplification", "early_returns", "early_by.max", "herd"})
            QVERIFY2(!lineOf(ran.out, path).isEmpty(), ran.out);
    }

    void metricsMayBeChosen()
    {
        // 12 of the 200 were told to wait, and came once more: 212 / 200.
        const QStringList arguments{"compare", kMinuteWindow, "--policy", "saia,none", "--metric", "amplification,early_returns"};
        const Ran table = throttlescope(arguments);
        QCOMPARE(lineOf(table.out, "amplification"), (QStringList{"amplification", "1.06", "1", "(-0.06)"}));
        QCOMPARE(lineOf(table.out, "early_returns"), (QStringList{"early_returns", "0", "0", "(=)"})); // also where it is zero
        QVERIFY(lineOf(table.out, "attempts").isEmpty());
        QCOMPARE(
            throttlescope(arguments + QStringList{"--csv"}).out, QByteArray{"metric,saia,none\namplification,1.06,1\nearly_returns,0,0\n"});
        QCOMPARE(throttlescope(arguments + QStringList{"--markdown"}).out,
            QByteArray{"| run | amplification | early_returns |\n|---|---:|---:|\n| saia | 1.06 | 0 |\n| none | 1 | 0 |\n"});
    }

    /// scenarios/README.md: a command and what it prints. That the figures are right is known of the scenario (in its comment,
    /// and as its expectations); here it is known that the table is no older than the program.
    void theGalleryIsWhatItsCommandPrints()
    {
        const QByteArray readme = readAll(QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/scenarios/README.md"));
        const qsizetype begin = readme.indexOf("$ throttlescope compare scenarios/gallery.yaml");
        QVERIFY(begin >= 0);
        QString command = QString::fromUtf8(readme.mid(begin, readme.indexOf("\n```", begin) - begin));
        const QStringList words = command.remove("\\\n").simplified().split(' ').mid(2);
        const Ran ran = throttlescope(words);
        QCOMPARE(ran.code, 0);
        QVERIFY2(readme.contains("\n" + ran.out), ran.out);
        const Ran presets = throttlescope({"presets"});
        for (const QByteArray &line : presets.out.split('\n')) { // every preset is there
            if (!line.isEmpty() && !line.startsWith(' '))
                QVERIFY2(ran.out.contains("\n| " + line + " |"), line);
        }
    }

    void journalsAreComparedAsTheyAre()
    {
        const Ran same = throttlescope({"compare", journal("patient"), journal("again")});
        QCOMPARE(same.code, 0);
        QVERIFY2(same.out.contains("every operation ends the same way"), same.out);
        const Ran other = throttlescope({"compare", journal("patient"), journal("hasty")});
        QCOMPARE(other.code, 0);
        QVERIFY2(other.out.contains("170  succeeded → failed (wait_exceeded), first convert 31 (op 31)\n"), other.out);
    }

    void theFirstDecisionThatDiffersIsNamed()
    {
        const Ran same = throttlescope({"compare", "--decisions", journal("patient"), journal("again")});
        QCOMPARE(same.code, 0);
        QVERIFY2(same.out.contains("the same decisions for 200 operations"), same.out);
        const Ran other = throttlescope({"compare", "--decisions", journal("patient"), journal("hasty")});
        QCOMPARE(other.code, 1);
        QVERIFY2(other.out.contains("differ first at op 31 (convert), decision 3\n"), other.out);
        QVERIFY2(other.out.contains("47s over 30s"), other.out);
    }

    void whatIsWrongIsSaid_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("words");
        const QString patient = journal("patient");
        QTest::newRow("one policy") << QStringList{kMinuteWindow, "--policy", "saia"} << QByteArray{"nothing to compare with"};
        QTest::newRow("one journal") << QStringList{patient} << QByteArray{"nothing to compare with"};
        QTest::newRow("an unknown policy") << QStringList{kMinuteWindow, "--policy", "saia,siaa"} << QByteArray{"did you mean 'saia'"};
        QTest::newRow("two scenarios") << QStringList{kMinuteWindow, "scenarios/date-hint.yaml", "--policy", "saia,none"}
                                       << QByteArray{"runs of one scenario, got 2"};
        QTest::newRow("no journal") << QStringList{patient, kMinuteWindow} << QByteArray{"minute-window.yaml:1:1: "};
        QTest::newRow("a file that is not there") << QStringList{patient, "nowhere.jsonl"} << QByteArray{"nowhere.jsonl cannot be read"};
        QTest::newRow("two forms") << QStringList{patient, patient, "--json", "--csv"} << QByteArray{"expected one of them"};
        QTest::newRow("Markdown and CSV") << QStringList{patient, patient, "--csv", "--markdown"} << QByteArray{"expected one of them"};
        QTest::newRow("no metric") << QStringList{patient, patient, "--metric", "atempts"} << QByteArray{"did you mean 'attempts'"};
        QTest::newRow("a choice of what is whole")
            << QStringList{patient, patient, "--json", "--metric", "attempts"} << QByteArray{"--json has every metric"};
        QTest::newRow("journals do not change")
            << QStringList{patient, patient, "--set", "seed=1"} << QByteArray{"journals are as they are"};
        QTest::newRow("a page over a journal") << QStringList{patient, patient, "--report", patient} << QByteArray{"would overwrite"};
    }

    void whatIsWrongIsSaid()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, words);
        const Ran ran = throttlescope(QStringList{"compare"} + arguments);
        QCOMPARE(ran.code, 2);
        QVERIFY2(ran.err.contains(words), ran.err);
        QCOMPARE(ran.out, QByteArray{});
    }

private:
    QString journal(const QString &name) const { return m_folder.filePath(name + ".jsonl"); }
    QTemporaryDir m_folder;
};

QTEST_APPLESS_MAIN(TestCompareCli)

#include "tst_compare_cli.moc"
