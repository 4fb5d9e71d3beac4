// SPDX-License-Identifier: Apache-2.0
#include "import_logs.h"

#include <QDir>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QRegularExpression>
#include <QTest>
#include <csignal>
#include <sys/stat.h>

namespace {

/// The line of the output that begins with that word.
QByteArray lineOf(const QByteArray &out, const QByteArray &first)
{
    for (const QByteArray &line : out.split('\n')) {
        if (line.startsWith(first))
            return line;
    }
    return {};
}

} // namespace

/// `throttlescope import`, from a log whose limit is known (30 a minute for each client, by the calendar) to its replay.
class TestImportCli : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_log = calendarMinutes(m_folder);
        QVERIFY(m_log.refused > 5000);
        write(m_folder.filePath("access.log"), m_log.text);
    }

    void aLogBecomesAScenarioThatShowsItsRefusals()
    {
        const Ran ran = import({"access.log", "-o", "incident.yaml", "--verify"});
        QVERIFY2(ran.code == 0, ran.out + ran.err);
        QVERIFY2(ran.out.startsWith("read " + grouped(m_log.requests) + " lines (nginx combined)\n"), ran.out);
        QVERIFY2(lineOf(ran.out, "refused").startsWith("refused " + grouped(m_log.refused) + " "), ran.out);
        QVERIFY2(lineOf(ran.out, "limit").startsWith("limit   30/min per client, fixed, calendar: fits "), ran.out);
        QVERIFY2(lineOf(ran.out, "replayed").contains(" refusals of " + grouped(m_log.refused) + " ("), ran.out);
        QVERIFY2(ran.out.contains("\nASSUMED durations (not logged), Retry-After (not logged), the clients' policy\n"), ran.out);
        QVERIFY(ran.err.isEmpty());
        const QByteArray yaml = read("incident.yaml");
        QVERIFY2(yaml.contains("{name: minute, quota: 30, per: 1m, window: fixed, align: calendar, key: header:X-Client,"), yaml);
        QVERIFY2(yaml.contains("max_attempts: 4"), yaml);
        QVERIFY(read("incident.csv").startsWith("at,operation,server,method,class,key\n"));
    }

    void whatWasWrittenLoadsAndRunsTheSameEveryTime()
    {
        QCOMPARE(import({"access.log", "-o", "incident.yaml"}).code, 0);
        QCOMPARE(in({"check", "incident.yaml"}).code, 0);
        const Ran ran = in({"run", "incident.yaml", "--require-expectations", "--journal", "one.jsonl"});
        QVERIFY2(ran.code == 0, ran.out + ran.err);
        QCOMPARE(in({"run", "incident.yaml", "--journal", "two.jsonl"}).code, 0);
        QCOMPARE(read("one.jsonl"), read("two.jsonl"));
    }

    void theSameLogGivesTheSameBytes()
    {
        QCOMPARE(import({"access.log", "-o", "a/incident.yaml"}).code, 3); // no such folder
        QVERIFY(QDir{m_folder.path()}.mkpath("a"));
        QCOMPARE(import({"access.log", "-o", "a/incident.yaml"}).code, 0);
        QCOMPARE(import({"access.log", "-o", "incident.yaml"}).code, 0);
        QCOMPARE(read("a/incident.yaml"), read("incident.yaml"));
        QCOMPARE(read("a/incident.csv"), read("incident.csv"));
    }

    void rotatedLogsInAnyOrderAreOneLog()
    {
        const QList<QByteArray> lines = m_log.text.split('\n');
        // What is of one moment keeps the order in which the files are named: the cuts are between two seconds.
        const auto cut = [&lines](qsizetype at) {
            while (lines[at].mid(lines[at].indexOf('['), 22) == lines[at - 1].mid(lines[at - 1].indexOf('['), 22))
                ++at;
            return at;
        };
        const qsizetype first = cut(5000), second = cut(9000);
        const auto part = [&lines](qsizetype from, qsizetype to) { return lines.mid(from, to - from).join('\n') + '\n'; };
        write(m_folder.filePath("rotated.log.2.gz"), zipped(part(0, first)));
        write(m_folder.filePath("rotated.log.1.gz"), zipped(part(first, second)));
        write(m_folder.filePath("rotated.log"), lines.mid(second).join('\n'));
        QCOMPARE(import({"access.log", "-o", "incident.yaml"}).code, 0);
        const Ran ran = import({"rotated.log.1.gz", "rotated.log", "rotated.log.2.gz", "-o", "rotated.yaml"});
        QVERIFY2(ran.code == 0, ran.err);
        QCOMPARE(read("rotated.yaml").replace("rotated.csv", "incident.csv"), read("incident.yaml"));
        QCOMPARE(read("rotated.csv"), read("incident.csv"));
    }

    void aSpanOfItFromTheStandardInput()
    {
        QProcess program;
        program.setWorkingDirectory(m_folder.path());
        program.setProgram(QStringLiteral(THROTTLESCOPE_BINARY));
        program.setArguments({"import", "-", "--since", "02:05", "--until", "02:15", "-o", "span.yaml", "--verify"});
        const Ran ran = finished(program, m_log.text);
        QVERIFY2(ran.code == 0, ran.out + ran.err);
        QVERIFY(lineOf(ran.out, "read").contains(" outside of the span"));
        QVERIFY(lineOf(ran.out, "onset").startsWith("onset 02:05:"));
        QVERIFY(read("span.yaml").contains("\nstart: 2026-06-02T02:05:00Z\n"));
    }

    void asJson()
    {
        const Ran ran = import({"access.log", "--json", "--verify"});
        QVERIFY2(ran.code == 0, ran.err);
        const QJsonObject root = QJsonDocument::fromJson(ran.out).object();
        QCOMPARE(root["read"]["lines"].toInt(), m_log.requests);
        QCOMPARE(root["refused"]["count"].toInt(), m_log.refused);
        const QJsonValue limit = root["limits"][0];
        QCOMPARE(limit["quota"].toInt(), 30);
        QCOMPARE(limit["per"].toDouble(), 60.0);
        QCOMPARE(limit["window"].toString(), QStringLiteral("fixed"));
        QCOMPARE(limit["align"].toString(), QStringLiteral("calendar"));
        QVERIFY(limit["per_client"].toBool());
        QCOMPARE(root["verify"]["logged"].toInt(), m_log.refused);
        QVERIFY(root["verify"]["passed"].toBool());
        QVERIFY(!QFileInfo::exists(m_folder.filePath("incident.yaml.XXXXXX")));
    }

    /// The observed policy is changed to one that never comes again: then most refusals do not happen.
    void aReplayThatIsFarOffIsSaidLoudly()
    {
        // Attempts that cannot be put together: each has a path of its own, and looks like a call of its own.
        QByteArray text;
        for (int minute = 0; minute < 8; ++minute) {
            for (int i = 0; i < 58; ++i) // refused at random: no limit explains it
                text += "10.0.0.1 - - [02/Jun/2026:02:" + QByteArray::number(minute).rightJustified(2, '0') + ':'
                    + QByteArray::number(i).rightJustified(2, '0') + " +0000] \"GET /x/" + QByteArray::number(1000 * minute + i)
                    + " HTTP/1.1\" " + ((i * 7919 + minute * 104729) % 11 < 5 ? "429" : "200") + " 1 \"-\" \"-\"\n";
        }
        write(m_folder.filePath("random.log"), text);
        const Ran ran = import({"random.log", "-o", "random.yaml", "--verify"});
        QVERIFY2(ran.out.contains("cannot tell"), ran.out);
        QVERIFY2(read("random.yaml").contains("# ASSUMED, unknown origin, cannot tell"), ran.out);
        if (ran.code == 1)
            QVERIFY2(ran.err.contains("THE REPLAY DOES NOT SHOW THE INCIDENT"), ran.err);
        QCOMPARE(ran.code == 1, !ran.err.isEmpty());
    }

    void secretsAreInNoOutput()
    {
        const QByteArray secret = "S3CRETsauce";
        QByteArray text;
        for (const QByteArray &line : calendarMinutes(m_secrets, "?token=" + secret, secret).text.split('\n')) {
            if (!line.isEmpty())
                text += QByteArray{line}.replace(" - - [", " - " + secret + " [").replace("\"-\" \"", "\"https://x/?a=" + secret + "\" \"")
                    + '\n';
        }
        text += "10.0.0.1 - - [02/Jun/2026:02:25:30 +0000] \"GET /reset/" + secret + secret + "1 HTTP/1.1\" 200 1 \"-\" \"-\"\n";
        text += "10.0.0.1 - - [02/Jun/2026:02:25:30 +0000] \"GET /users/" + secret + " HTTP/1.1\" 200 1 \"-\" \"-\"\n";
        text += "10.0.0.1 - - [02/Jun/2026:02:25:30 +0000] \"" + secret + " /a HTTP/1.1\" 200 1 \"-\" \"-\"\n";
        text += secret + " malformed\n";
        write(m_folder.filePath("secrets.log"), text);
        const Ran plain = import({"secrets.log", "-o", "secrets.yaml", "--verify"});
        QVERIFY2(plain.code == 0, plain.out + plain.err);
        const Ran json = import({"secrets.log", "--json"});
        QCOMPARE(json.code, 0);
        const QByteArray all = plain.out + plain.err + json.out + json.err + read("secrets.yaml") + read("secrets.csv");
        QVERIFY2(!all.contains(secret), all.mid(std::max<qsizetype>(0, all.indexOf(secret) - 100), 200));
        QVERIFY(!all.contains("10.0.0."));
        QVERIFY(!QString::fromUtf8(read("secrets.csv")).contains(QRegularExpression{"/users/[0-9]"}));
    }

    void nothingRefusedIsSaidAndIsNoError()
    {
        write(m_folder.filePath("calm.log"), QByteArray{m_log.text}.replace(" 429 ", " 200 "));
        const Ran ran = import({"calm.log", "-o", "calm.yaml"});
        QCOMPARE(ran.code, 0);
        QVERIFY2(ran.out.contains("\nnothing was refused: 0 of " + grouped(m_log.requests) + '\n'), ran.out);
        QCOMPARE(in({"run", "calm.yaml", "--require-expectations"}).code, 0);
    }

    void whatIsWrongHasItsWordsAndItsExitCode_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("words");
        const auto row = [](const char *name, const QStringList &arguments, int code, const char *words) {
            QTest::newRow(name) << arguments << code << QByteArray{words};
        };
        row("no file", {}, 2, "files is required");
        row("a file that is not there", {"nope.log"}, 2, "nope.log: cannot be read (No such file or directory)");
        row("a folder", {"."}, 2, ".: is a folder, expected a log file");
        row("an empty file", {"empty.log"}, 2, "empty.log: is empty");
        row("binary", {"binary.log"}, 2, "binary.log: is binary and no log");
        row("another format", {"access.log", "--format", "caddy"}, 2,
            "line 1, column 1: expected a JSON object; the nearest format is nginx combined");
        row("a format that does not exist", {"access.log", "--format", "foo"}, 2, "--format unknown format 'foo', expected one of ");
        row("a log_format that does not fit", {"access.log", "--format", "$remote_addr [$time_local] $status"}, 2, "column ");
        row("a span without requests", {"access.log", "--since", "05:00"}, 2, "no request is in that span");
        row("a time that is none", {"access.log", "--since", "noon"}, 2, "--since 'noon': expected a time");
        row("a zone that is none", {"access.log", "--time-zone", "Mars"}, 2, "--time-zone no time zone 'Mars'");
        row("a field that is none", {"access.log", "--field", "bogus"}, 2, "--field ");
        row("no header to go by", {"access.log", "--correlate", "X-Id"}, 2, "expected header:NAME");
        row("over a log", {"log.csv", "-o", "log.yaml"}, 2, "log.csv would overwrite a log");
        row("no scenario's name", {"access.log", "-o", "incident"}, 2, "expected a scenario's name that ends in .yaml");
        row("an unset variable", {"access.log", "-o", ""}, 2, "expected a path");
        row("into a folder that is not there", {"access.log", "-o", "nowhere/x.yaml"}, 3, "cannot be written (No such file or directory)");
        row("where a folder is", {"access.log", "-o", "folder.yaml"}, 3, "folder.yaml cannot be written");
    }
    void whatIsWrongHasItsWordsAndItsExitCode()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        QFETCH(QByteArray, words);
        write(m_folder.filePath("empty.log"), {});
        write(m_folder.filePath("binary.log"),
            QByteArray{"\x7f"
                       "ELF\0\0\0\1",
                8}
                .repeated(100));
        write(m_folder.filePath("log.csv"), m_log.text);
        QDir{m_folder.path()}.mkpath("folder.yaml");
        const Ran ran = import(arguments);
        QCOMPARE(ran.code, code);
        QVERIFY2(ran.err.contains(words), ran.err);
        QVERIFY2(ran.out.isEmpty(), ran.out);
        QCOMPARE(read("log.csv"), m_log.text);
    }

    void aFullDiskLeavesWhatWasThere()
    {
        write(m_folder.filePath("kept.yaml"), "kept");
        write(m_folder.filePath("kept.csv"), "kept");
        QProcess program;
        program.setWorkingDirectory(m_folder.path());
        program.setProgram("/bin/sh"); // no file may have more than 8 KiB
        program.setArguments({"-c", "trap '' XFSZ; ulimit -f 16; exec \"$0\" import access.log -o kept.yaml", THROTTLESCOPE_BINARY});
        const Ran ran = finished(program);
        QCOMPARE(ran.code, 3);
        QVERIFY2(ran.err.contains("kept.csv cannot be written (File too large)"), ran.err);
        QCOMPARE(read("kept.yaml"), QByteArray{"kept"});
        QCOMPARE(read("kept.csv"), QByteArray{"kept"});
        QCOMPARE(QDir{m_folder.path()}.entryList({"kept.*"}).size(), 2);
    }

    /// A pipe that gives nothing more, and nobody ends.
    void ctrlCLeavesNothing()
    {
        QProcess program;
        program.setWorkingDirectory(m_folder.path());
        program.start(THROTTLESCOPE_BINARY, {"import", "-", "-o", "stopped.yaml"});
        QVERIFY(program.waitForStarted());
        program.write(m_log.text);
        // Once it has taken more than a pipe holds, it reads.
        QVERIFY(QTest::qWaitFor([&program] { return program.bytesToWrite() == 0; }, 60'000));
        ::kill(static_cast<pid_t>(program.processId()), SIGINT);
        QVERIFY(program.waitForFinished(60'000));
        QCOMPARE(program.exitStatus(), QProcess::NormalExit);
        QCOMPARE(program.exitCode(), 130);
        QVERIFY(program.readAllStandardError().contains("interrupted, nothing was written"));
        QVERIFY(program.readAllStandardOutput().isEmpty());
        QVERIFY(QDir{m_folder.path()}.entryList({"stopped*"}).isEmpty());
    }

    void theFormatsOfTheShelfComeThrough()
    {
        const QDir shelf{QStringLiteral(THROTTLESCOPE_SHARED_DIR "/incidents/formats")};
        if (!shelf.exists())
            QSKIP("the shared logs are not there");
        for (const QString &name : shelf.entryList(QDir::Files)) {
            if (name.endsWith(".md"))
                continue;
            const Ran ran = import({shelf.filePath(name), "-o", "shelf.yaml"});
            QVERIFY2(ran.code == 0, qPrintable(name + ": " + ran.err));
            QVERIFY2(ran.out.startsWith("read "), ran.out);
            const Ran checked = in({"check", "shelf.yaml"});
            QVERIFY2(checked.code == 0, qPrintable(name + ": " + checked.err + read("shelf.yaml")));
        }
    }

private:
    Ran in(const QStringList &arguments) const { return throttlescope(arguments, m_folder.path()); }
    Ran import(const QStringList &arguments) const { return in(QStringList{"import"} + arguments); }
    QByteArray read(const QString &name) const { return readAll(m_folder.filePath(name)); }
    static QByteArray grouped(int number)
    {
        QByteArray text = QByteArray::number(number);
        for (qsizetype at = text.size() - 3; at > 0; at -= 3)
            text.insert(at, ',');
        return text;
    }

    QTemporaryDir m_folder, m_secrets;
    KnownLog m_log;
};

QTEST_GUILESS_MAIN(TestImportCli)
#include "tst_import_cli.moc"
