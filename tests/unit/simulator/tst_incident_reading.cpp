// SPDX-License-Identifier: Apache-2.0
#include "incident_support.h"

#include "simulator/incident/log_span.h"

#include <QDateTime>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <random>

using namespace throttlescope;
using namespace throttlescope::testing;
using namespace throttlescope::incident;

namespace {

std::string numeral(int number)
{
    return QString::number(number).toStdString();
}

/// A combined line of 2026-06-02 in UTC, `second` after midnight.
std::string line(int second, const std::string &path = "/", const std::string &client = "192.0.2.1", int status = 200)
{
    const auto two = [](int value) { return QStringLiteral("%1").arg(value, 2, 10, QChar{'0'}).toStdString(); };
    return client + " - - [02/Jun/2026:" + two(second / 3600) + ':' + two(second / 60 % 60) + ':' + two(second % 60) + " +0000] \"GET "
        + path + " HTTP/1.1\" " + numeral(status) + " 5 \"-\" \"curl\"\n";
}

std::string note(int second, const char *message, const std::string &path = "/", const std::string &client = "192.0.2.1")
{
    return QTime{0, 0}.addSecs(second).toString("'2026/06/02 'HH:mm:ss").toStdString() + " [error] 1#1: *1 " + message
        + ", client: " + client + ", server: _, request: \"GET " + path + " HTTP/1.1\", host: \"h.example\"\n";
}

const char *const kLimited = "limiting requests, excess: 5.428 by zone \"per_ip\"";
const char *const kDelayed = "delaying request, excess: 0.112, by zone \"per_ip\"";

std::vector<int> seconds(const std::vector<LogEntry> &entries)
{
    std::vector<int> found;
    for (const LogEntry &entry : entries)
        found.push_back(static_cast<int>((entry.at - utc(2026, 6, 2)) / 1s));
    return found;
}

const QString kFormats = qEnvironmentVariable("THROTTLESCOPE_SHARED_DIR", QStringLiteral(THROTTLESCOPE_SHARED_DIR)) + "/incidents/formats/";

} // namespace

class TestIncidentReading : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rotatedFilesInAnyOrderAreOne()
    {
        std::vector<std::string> parts(5);
        for (int second = 0; second < 5000; ++second)
            parts[static_cast<std::size_t>(second / 1000)] += line(second);
        std::mt19937 random{7};
        for (int round = 0; round < 5; ++round) {
            std::shuffle(parts.begin(), parts.end(), random);
            std::vector<std::string> packed = parts;
            packed[0] = gzipped(packed[0]);
            packed[1] = zstandard(packed[1]);
            const ReadLog log = readTexts(packed);
            QCOMPARE(log.error, QString{});
            QCOMPARE(log.entries.size(), std::size_t{5000});
            const std::vector<int> order = seconds(log.entries);
            for (int second = 0; second < 5000; ++second)
                QCOMPARE(order[static_cast<std::size_t>(second)], second);
            QCOMPARE(log.summary.outOfOrder, std::uint64_t{0});
            QVERIFY(log.summary.first == utc(2026, 6, 2) && log.summary.last == utc(2026, 6, 2, 1, 23, 19));
        }
    }

    void disorderWithinTheWindowIsSorted()
    {
        // Each line at most 9 s away from its place.
        std::vector<int> order;
        for (int second = 0; second < 2000; ++second)
            order.push_back(second);
        std::mt19937 random{3};
        for (std::size_t begin = 0; begin < order.size(); begin += 10)
            std::shuffle(
                order.begin() + static_cast<std::ptrdiff_t>(begin), order.begin() + static_cast<std::ptrdiff_t>(begin + 10), random);
        std::string text;
        for (const int second : order)
            text += line(second);
        const ReadLog log = readTexts({text});
        std::sort(order.begin(), order.end());
        QVERIFY(seconds(log.entries) == order);
        QCOMPARE(log.summary.outOfOrder, std::uint64_t{0});
    }

    void whatIsLaterThanTheWindowIsCountedAndGiven()
    {
        std::string text;
        for (int second = 100; second < 200; ++second)
            text += line(second);
        const ReadLog log = readTexts({text + line(5) + line(300)});
        QCOMPARE(log.entries.size(), std::size_t{102});
        QCOMPARE(log.summary.outOfOrder, std::uint64_t{1});
        // Few enough to be held: all in order.
        LogReadOptions small;
        small.stream.mostDisorder = 4;
        const ReadLog narrow = readTexts({line(1) + line(2) + line(3) + line(4) + line(5) + line(1) + line(6)}, small);
        QVERIFY(seconds(narrow.entries) == (std::vector<int>{1, 2, 1, 3, 4, 5, 6}));
        QCOMPARE(narrow.summary.outOfOrder, std::uint64_t{1});
    }

    void entriesOfOneMomentKeepTheirOrder()
    {
        std::string text;
        for (int i = 0; i < 300; ++i)
            text += line(7, "/" + numeral(i));
        const ReadLog log = readTexts({text});
        for (int i = 0; i < 300; ++i)
            QVERIFY(log.entries[static_cast<std::size_t>(i)].path == "/" + numeral(i));
    }

    void malformedLinesAreCountedAndTheFirstNamed()
    {
        std::string text = line(1) + "\n";
        for (int i = 0; i < 20; ++i)
            text += "broken\n" + line(2);
        text += std::string((1 << 20) + 1, 'a') + "\n" + line(3);
        const ReadLog log = readTexts({text});
        QCOMPARE(log.summary.malformed, std::uint64_t{21});
        QCOMPARE(log.summary.entries, std::uint64_t{22});
        QCOMPARE(log.summary.notRequests, std::uint64_t{1});
        QCOMPARE(log.summary.lines, std::uint64_t{44});
        QCOMPARE(log.summary.files[0].faults.size(), std::size_t{5});
        const LineFault &first = log.summary.files[0].faults[0];
        QVERIFY(first.file == "log1" && first.line == 3 && first.column == 1);
        QCOMPARE(QString::fromStdString(first.text), QStringLiteral("expected a time as 10/Oct/2000:13:55:36 -0700 in brackets"));
    }

    void linesOfAnotherFormatAreCountedUnderItsName()
    {
        const ReadLog log = readTexts({line(1) + note(1, kLimited) + line(2) + line(3)});
        QCOMPARE(log.summary.entries, std::uint64_t{3});
        QCOMPARE(log.summary.malformed, std::uint64_t{0});
        QCOMPARE(log.summary.otherFormats, std::uint64_t{1});
        QCOMPARE(log.summary.files[0].otherFormats[static_cast<std::size_t>(LogFormat::NginxError)], std::uint64_t{1});
    }

    void pieceSizesMakeNoDifference()
    {
        std::string text;
        for (int i = 0; i < 400; ++i)
            text += i % 7 == 0 ? "broken\n" : line(1000 - i % 5 + i, "/" + numeral(i));
        const ReadLog whole = readTexts({text});
        for (const std::size_t piece : {1, 13, 1000}) {
            const ReadLog same = readTexts({text}, {}, piece);
            QVERIFY(same.entries == whole.entries);
            QVERIFY(same.summary == whole.summary);
            QVERIFY(readTexts({gzipped(text)}, {}, piece).entries == whole.entries);
        }
    }

    void spans_data()
    {
        QTest::addColumn<QString>("since");
        QTest::addColumn<QString>("until");
        QTest::addColumn<QString>("found"); // of 2026-06-02T23:50:00Z, the beginning
        QTest::newRow("none") << ""
                              << ""
                              << "-";
        QTest::newRow("RFC 3339") << "2026-06-02T23:55:00Z"
                                  << "2026-06-03T02:00:00+01:00"
                                  << "2026-06-02 23:55:00 2026-06-03 01:00:00";
        QTest::newRow("later that day") << "23:55"
                                        << ""
                                        << "2026-06-02 23:55:00 -";
        QTest::newRow("a little before the log begins") << "23:40"
                                                        << "23:59:30"
                                                        << "2026-06-02 23:40:00 2026-06-02 23:59:30";
        QTest::newRow("the next morning") << "01:50"
                                          << "02:40"
                                          << "2026-06-03 01:50:00 2026-06-03 02:40:00";
        QTest::newRow("over midnight") << "23:55"
                                       << "00:20"
                                       << "2026-06-02 23:55:00 2026-06-03 00:20:00";
        QTest::newRow("until alone") << ""
                                     << "00:20"
                                     << "- 2026-06-03 00:20:00";
        QTest::newRow("no time") << "soon"
                                 << ""
                                 << "--since 'soon': expected a time as 2026-06-02T01:50:00Z or 01:50";
        QTest::newRow("no such time") << ""
                                      << "25:00"
                                      << "--until '25:00': expected a time as 2026-06-02T01:50:00Z or 01:50";
        QTest::newRow("the wrong way round") << "2026-06-03T00:00:00Z"
                                             << "2026-06-02T00:00:00Z"
                                             << "--until is not after --since";
    }
    void spans()
    {
        QFETCH(QString, since);
        QFETCH(QString, until);
        QFETCH(QString, found);
        const auto span = logSpan(since.toStdString(), until.toStdString(), utc(2026, 6, 2, 23, 50), {});
        const auto text = [](const std::optional<WallTime> &at) {
            return at ? QDateTime::fromSecsSinceEpoch(std::chrono::floor<std::chrono::seconds>(at->time_since_epoch()).count(), Qt::UTC)
                            .toString("yyyy-MM-dd HH:mm:ss")
                      : QStringLiteral("-");
        };
        QCOMPARE(span ? (span->since || span->until ? text(span->since) + ' ' + text(span->until) : QStringLiteral("-"))
                      : QString::fromStdString(span.error()),
            found);
    }

    void aClockIsTheLogsOwnUnlessAZoneIsNamed()
    {
        // 10:00 where the log was written is 08:00 UTC.
        std::string text;
        for (const char *clock : {"09:59:59", "10:00:00", "10:00:01", "12:00:00"})
            text += std::string{"::1 - - [02/Jun/2026:"} + clock + " +0200] \"GET / HTTP/1.1\" 200 0 \"-\" \"-\"\n";
        LogReadOptions options;
        options.since = "10:00";
        options.until = "10:00:01";
        const ReadLog own = readTexts({text}, options);
        QCOMPARE(own.entries.size(), std::size_t{1});
        QVERIFY(own.entries[0].at == utc(2026, 6, 2, 8));
        QCOMPARE(own.summary.outside, std::uint64_t{3});
        options.zoneNamed = true; // UTC
        options.until.clear();
        QCOMPARE(readTexts({text}, options).entries.size(), std::size_t{1});
    }

    void anErrorLogTellsWhoRefused()
    {
        const std::string access = line(10, "/", "192.0.2.1", 503) + line(10, "/", "192.0.2.2", 503) + line(11, "/", "192.0.2.1", 503)
            + line(12, "/", "192.0.2.1", 200) + line(40, "/", "192.0.2.1", 503);
        const std::string error = note(10, kLimited) + note(11, kLimited) + note(11, kDelayed) + note(70, kLimited);
        for (const bool errorFirst : {false, true}) {
            const ReadLog log = readTexts(errorFirst ? std::vector<std::string>{error, access} : std::vector<std::string>{access, error});
            QStringList shown;
            for (const LogEntry &entry : log.entries)
                shown << QString::number((entry.at - utc(2026, 6, 2)) / 1s) + ' ' + testing::shown(entry);
            QCOMPARE(shown,
                (QStringList{"10 GET h.example/ 192.0.2.1 503 - - | this proxy (limit_req zone \"per_ip\")",
                    "10 GET / 192.0.2.2 503 - - | nobody", "11 GET h.example/ 192.0.2.1 503 - - | this proxy (limit_req zone \"per_ip\")",
                    "12 GET h.example/ 192.0.2.1 200 - - | nobody delayed", "40 GET / 192.0.2.1 503 - - | nobody",
                    "70 GET h.example/ 192.0.2.1 - - - | this proxy (limit_req zone \"per_ip\") note"}));
            QCOMPARE(log.summary.notesMatched, std::uint64_t{3});
        }
        // An error log alone: each note is a request.
        QCOMPARE(readTexts({error}).entries.size(), std::size_t{4});
    }

    void theStatusOfALimitIsLearned()
    {
        // First a case that leaves no choice: limit_req_status is 429. Then an upstream's 503 beside it.
        const std::string access = line(10, "/a", "192.0.2.1", 429) + line(20, "/b", "192.0.2.1", 503) + line(20, "/b", "192.0.2.1", 429)
            + line(30, "/c", "192.0.2.1", 503);
        const ReadLog log = readTexts({access, note(10, kLimited, "/a") + note(20, kLimited, "/b")});
        QStringList found;
        for (const LogEntry &entry : log.entries)
            found << QString::fromStdString(entry.path) + ' ' + QString::number(*entry.status) + ' ' + testing::word(entry.refusedBy);
        QCOMPARE(found, (QStringList{"/a 429 this proxy", "/b 503 nobody", "/b 429 this proxy", "/c 503 nobody"}));
    }

    void aCrowdOfOneRequestIsMatchedInNoTime()
    {
        std::string access, error;
        for (int i = 0; i < 60'000; ++i) {
            access += line(10 + i / 10'000, "/", "192.0.2.1", i % 2 == 0 ? 200 : 503);
            if (i % 2 == 1)
                error += note(10 + i / 10'000, kLimited);
        }
        const ReadLog log = readTexts({access, error});
        QCOMPARE(log.entries.size(), std::size_t{60'000});
        QCOMPARE(log.summary.notesMatched, std::uint64_t{30'000});
    }

    void aCutStreamIsSaid()
    {
        std::string text;
        for (int second = 0; second < 20'000; ++second)
            text += line(second, "/" + numeral(second * 7919 % 10'007));
        const std::string packed = gzipped(text);
        const ReadLog log = readTexts({packed.substr(0, packed.size() / 2)});
        QCOMPARE(log.error, QString{});
        QVERIFY(log.entries.size() > 1000);
        QCOMPARE(QString::fromStdString(log.summary.files[0].ending),
            QStringLiteral("ends in the middle of the gzip stream after line %1").arg(log.summary.lines));
    }

    void whatCannotBeReadAtAll_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("error");
        QTest::newRow("nothing") << QByteArray{} << "log1: is empty";
        QTest::newRow("empty lines") << QByteArray{"\n\n"} << "log1: has nothing but empty lines at its beginning";
        QTest::newRow("binary") << QByteArray{"\x7F"
                                              "ELF\x02\x01\x00\x00",
            8} << "log1: is binary and no log (byte 0x00 at offset 6)";
        QTest::newRow("UTF-16") << QByteArray{"\xFF\xFEh\0", 4}
                                << "log1: is UTF-16, expected UTF-8; convert it before: iconv -f UTF-16 -t UTF-8";
        QTest::newRow("control characters") << QByteArray{"\x01\x02\x03 hello\n"}
                                            << "log1: is binary and no log (every tenth byte is a control character)";
        QTest::newRow("one endless line") << QByteArray(3 << 20, 'a')
                                          << "log1: is no log: line 1 is longer than 1 MiB, and nothing shorter follows";
        QTest::newRow("another compression") << QByteArray{"BZh91AY"}
                                             << "log1: is compressed with bzip2, which is not read here; expand it before: bzip2 -dc";
        QTest::newRow("no log")
            << QByteArray{"::1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.1\" OK 0\n"}
            << "log1: is of no known format; the nearest is nginx combined: line 1, column 55: expected a status of three digits or '-'";
    }
    void whatCannotBeReadAtAll()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, error);
        QCOMPARE(readTexts({bytes.toStdString()}).error, error);
    }

    void theWrongFormatIsAnsweredWithTheNearest()
    {
        LogReadOptions options;
        options.stream.format = *formatNamed("envoy");
        QCOMPARE(readTexts({line(1) + line(2)}, options).error,
            QStringLiteral(
                "log1: is no Envoy text: line 1, column 1: expected a time as [2016-04-15T20:17:00.310Z]; the nearest format is nginx "
                "combined (2 of 2 lines)"));
        options.stream.format = *formatNamed("har");
        QVERIFY(readTexts({line(1)}, options).error.contains("is no HAR"));
        options.stream.format = *formatNamed("combined");
        QVERIFY(readTexts({"{\"log\":{\"entries\":[]}}"}, options).error.contains("it is a HAR"));
        QCOMPARE(readTexts({line(1)}, options).entries.size(), std::size_t{1});
        QVERIFY(!formatNamed("nginxx"));
    }

    void aJournalIsOneAlsoWhereNoAttemptHasEndedYet()
    {
        std::string text;
        for (int i = 1; i <= 200; ++i) {
            text += json("{'seq':") + numeral(i) + json(",'t':1,'time':'2026-06-02T09:00:13.000000Z','event':'server.answered','op':1,")
                + json("'operation':'a','status':429}\n");
        }
        const ReadLog log = readTexts({text});
        QVERIFY(log.summary.files[0].format == (FormatChoice{LogFormat::Journal, false}));
        QCOMPARE(log.summary.notRequests, std::uint64_t{200});
    }

    void stoppingSumsUpWhatWasRead()
    {
        std::string text;
        for (int i = 0; i < 10'000; ++i)
            text += line(i);
        LogReadOptions options;
        options.goOn = [] { return false; };
        const ReadLog log = readTexts({text}, options);
        QVERIFY(log.summary.stopped);
        QCOMPARE(log.summary.entries, std::uint64_t{4096});
    }

    void aFileThatIsMissingIsNamed()
    {
        const QTemporaryDir folder;
        const std::string missing = folder.filePath("none.log").toStdString();
        const auto read = readLogs({missing}, {}, [](LogEntry &) {});
        QVERIFY(!read);
        QCOMPARE(QString::fromStdString(read.error()),
            QString::fromStdString(missing) + ": cannot be read (No such file or directory), expected a log file");
        QVERIFY(!readLogs({"-", "-"}, {}, [](LogEntry &) {}));
    }

    void sharedExamples_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("format");
        QTest::addColumn<int>("entries");
        // What grep finds of requests in them; four lines of the Envoy log are text.
        QTest::newRow("ALB") << "aws-alb.log"
                             << "AWS ALB" << 14;
        QTest::newRow("Caddy") << "caddy.jsonl"
                               << "Caddy JSON" << 10;
        QTest::newRow("Envoy behind a container runtime") << "envoy-cri.log"
                                                          << "Envoy JSON behind a CRI prefix" << 6;
        QTest::newRow("HAR") << "four-500s.har"
                             << "HAR" << 4;
        QTest::newRow("nginx error log") << "nginx-error-limit-req.log"
                                         << "nginx error log" << 9;
        QTest::newRow("Traefik CLF") << "traefik-clf.log"
                                     << "Traefik CLF" << 7;
        QTest::newRow("Traefik JSON") << "traefik.jsonl"
                                      << "Traefik JSON" << 6;
    }
    void sharedExamples()
    {
        QFETCH(QString, file);
        QFETCH(QString, format);
        QFETCH(int, entries);
        if (!QFile::exists(kFormats + file))
            QSKIP("the shared examples are not here");
        int found = 0;
        const auto read = readLogs({(kFormats + file).toStdString()}, {}, [&found](LogEntry &entry) {
            ++found;
            QVERIFY(entry.at > utc(2016, 1, 1) && entry.at < utc(2027, 1, 1));
            QVERIFY(entry.path.find('?') == std::string::npos);
        });
        QVERIFY2(read, read ? "" : read.error().c_str());
        QCOMPARE(QString::fromStdString(formatTitle(read->files[0].format)), format);
        QString faults;
        for (const LineFault &fault : read->files[0].faults)
            faults += QStringLiteral("%1:%2 %3\n").arg(fault.line).arg(fault.column).arg(QString::fromStdString(fault.text));
        QVERIFY2(found == entries, qPrintable(QString::number(found) + '\n' + faults));
    }
};

QTEST_GUILESS_MAIN(TestIncidentReading)
#include "tst_incident_reading.moc"
