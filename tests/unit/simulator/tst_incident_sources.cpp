// SPDX-License-Identifier: Apache-2.0
#include "incident_support.h"

#include "simulator/incident/har_source.h"
#include "simulator/incident/line_source.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace throttlescope;
using namespace throttlescope::testing;
using namespace throttlescope::incident;

namespace {

struct Lines {
    std::vector<std::string> texts;
    std::vector<std::uint64_t> numbers;
    std::vector<std::uint64_t> tooLong;
    QString fault;
    std::uint64_t seen = 0;
};

Lines drained(RecordSource &source)
{
    Lines lines;
    for (Record record; source.next(record);) {
        lines.texts.emplace_back(record.text);
        lines.numbers.push_back(record.line);
        if (record.tooLong)
            lines.tooLong.push_back(record.line);
    }
    lines.fault = QString::fromStdString(source.fault());
    lines.seen = source.lines();
    return lines;
}

Lines linesOf(std::string bytes, std::size_t piece = 65'536)
{
    LineSource source{unpacked(std::make_unique<MemoryBytes>(std::move(bytes), piece))};
    return drained(source);
}

Lines entriesOf(std::string bytes, std::size_t piece = 65'536)
{
    HarSource source{unpacked(std::make_unique<MemoryBytes>(std::move(bytes), piece))};
    return drained(source);
}

std::string manyLines(int count)
{
    std::string text;
    for (int i = 1; i <= count; ++i)
        text += "line " + std::to_string(i) + " of many\n";
    return text;
}

const std::string kHar
    = "{\"log\":{\"version\":\"1.2\",\"pages\":[{\"entries\":[{\"no\":1}]}],\"creator\":{\"name\":\"a{b[\\\"log\\\"\"},\n"
      "\"entries\":[{\"a\":\"}]\\\"\",\"b\":[{\"entries\":[{}]}]},\n {\"c\":1}],\"after\":[{\"d\":1}]}}\n";

} // namespace

class TestIncidentSources : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void linesEndWithEitherEnd()
    {
        const Lines lines = linesOf("\xEF\xBB\xBF"
                                    "a\r\n\nb\n\r\nlast");
        QVERIFY(lines.texts == (std::vector<std::string>{"a", "", "b", "", "last"}));
        QVERIFY(lines.numbers == (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
        QVERIFY(linesOf("").texts.empty());
        QVERIFY(linesOf("\n").texts.size() == 1);
    }

    void piecesOfAnySizeGiveTheSame()
    {
        const std::string text = manyLines(3000);
        const Lines whole = linesOf(text);
        QCOMPARE(whole.texts.size(), std::size_t{3000});
        for (const std::size_t piece : {1, 2, 3, 7, 64, 4096}) {
            QVERIFY(linesOf(text, piece).texts == whole.texts);
            QVERIFY(linesOf(gzipped(text), piece).texts == whole.texts);
            QVERIFY(linesOf(zstandard(text), piece).texts == whole.texts);
        }
    }

    void membersOneAfterAnotherAreOne()
    {
        const std::string text = manyLines(500);
        const std::string a = text.substr(0, 1001), b = text.substr(1001);
        const Lines whole = linesOf(text);
        for (const std::size_t piece : {1, 5, 65'536}) {
            QVERIFY(linesOf(gzipped(a) + gzipped(b), piece).texts == whole.texts);
            QVERIFY(linesOf(gzipped(a) + gzipped("") + gzipped(b) + std::string(512, '\0'), piece).texts == whole.texts);
            QVERIFY(linesOf(zstandard(a) + zstandard(b), piece).texts == whole.texts);
            QCOMPARE(linesOf(gzipped(a) + gzipped(b) + std::string(512, '\0'), piece).fault, QString{});
        }
        // RFC 8878 3.1.2: a skippable frame, magic number 0x184D2A5?, and its size.
        QVERIFY(linesOf(std::string("\x53\x2A\x4D\x18\x03\x00\x00\x00xyz", 11) + zstandard(text)).texts == whole.texts);
    }

    void whatIsCutGivesWhatItHas()
    {
        const std::string text = manyLines(20'000);
        for (const bool zstd : {false, true}) {
            const std::string packed = zstd ? zstandard(text) : gzipped(text);
            const Lines lines = linesOf(packed.substr(0, packed.size() / 2));
            QCOMPARE(lines.fault, QString{zstd ? "ends in the middle of the zstd stream" : "ends in the middle of the gzip stream"});
            QVERIFY(lines.seen == lines.texts.size());
            QVERIFY(zstd || (lines.texts.size() > 1000 && lines.texts.size() < 20'000));
            for (std::size_t i = 0; i < lines.texts.size(); ++i)
                QVERIFY(lines.texts[i] == "line " + std::to_string(i + 1) + " of many");
        }
    }

    void whatIsDamagedIsNamed()
    {
        std::string packed = gzipped(manyLines(2000));
        packed[packed.size() / 2] = static_cast<char>(~packed[packed.size() / 2]);
        packed[packed.size() - 6] = static_cast<char>(~packed[packed.size() - 6]); // the checksum too
        QVERIFY(linesOf(packed).fault.startsWith("is damaged within the gzip stream"));
        QVERIFY(linesOf(gzipped("a\n") + "garbage").fault.startsWith("has something behind its gzip stream"));
        std::string frame = zstandard(manyLines(2000));
        frame[frame.size() / 2] = static_cast<char>(~frame[frame.size() / 2]);
        frame.resize(frame.size() - 1);
        QVERIFY(!linesOf(frame).fault.isEmpty());
    }

    void everyCutAndEveryFlippedByteIsSurvived()
    {
        const std::string text = manyLines(12);
        for (const std::string &packed : {gzipped(text) + gzipped(text), zstandard(text) + zstandard(text)}) {
            for (std::size_t i = 0; i < packed.size(); ++i) {
                linesOf(packed.substr(0, i), 3);
                std::string flipped = packed;
                flipped[i] = static_cast<char>(flipped[i] ^ 0x55);
                linesOf(flipped);
            }
        }
    }

    void otherCompressionsAreNamed()
    {
        QCOMPARE(linesOf("BZh91AY").fault, QStringLiteral("is compressed with bzip2, which is not read here; expand it before: bzip2 -dc"));
        QVERIFY(linesOf(std::string("\xFD"
                                    "7zXZ\0\0",
                            7))
                    .fault.startsWith("is compressed with xz"));
        QVERIFY(linesOf("PK\x03\x04xx").fault.startsWith("is compressed with zip"));
    }

    void aLongLineIsPassedOver()
    {
        const std::string most(kLongestLine, 'a');
        const Lines lines
            = linesOf("first\n" + most + "\n" + most + "b\n" + std::string(5 << 20, 'c') + "\nlast\n" + std::string(3 << 20, 'd'));
        QCOMPARE(lines.texts.size(), std::size_t{6});
        QVERIFY(lines.texts[1] == most);
        QVERIFY(lines.texts[2].empty() && lines.texts[3].empty() && lines.texts[4] == "last");
        QVERIFY(lines.tooLong == (std::vector<std::uint64_t>{3, 4, 6}));
    }

    void aHarIsCutIntoItsEntries()
    {
        for (const std::size_t piece : {1, 2, 65'536}) {
            const Lines entries = entriesOf(kHar, piece);
            QVERIFY(entries.texts == (std::vector<std::string>{json("{'a':'}]\\'','b':[{'entries':[{}]}]}"), json("{'c':1}")}));
            QVERIFY(entries.numbers == (std::vector<std::uint64_t>{2, 3}));
            QCOMPARE(entries.fault, QString{});
        }
        QVERIFY(HarSource::beginsAsHar(kHar));
        QVERIFY(HarSource::beginsAsHar(kHar.substr(0, 30)));
        QVERIFY(!HarSource::beginsAsHar(json("{'a':{'log':{}}}")));
        QVERIFY(!HarSource::beginsAsHar(json("{'log':'x','msg':{}}")));
        QVERIFY(!HarSource::beginsAsHar("hello"));
    }

    void aHarCutAnywhereGivesWhatIsWhole()
    {
        const std::size_t firstEnds = kHar.find("]},\n {\"c\"") + 2, secondEnds = kHar.find("\"c\":1}") + 6;
        for (std::size_t size = 0; size < kHar.size() - 1; ++size) {
            const Lines entries = entriesOf(kHar.substr(0, size));
            QCOMPARE(entries.texts.size(), std::size_t{size >= secondEnds ? 2U : size >= firstEnds ? 1U : 0U});
            QVERIFY(!entries.fault.isEmpty());
        }
        QCOMPARE(entriesOf(kHar.substr(0, firstEnds)).fault, QStringLiteral("ends in the middle of the HAR, behind entry 1"));
        QCOMPARE(entriesOf(kHar.substr(0, firstEnds + 4)).fault, QStringLiteral("ends in the middle of the HAR, within entry 2"));
        QCOMPARE(entriesOf("{\"a\":1}").fault, QStringLiteral("is no HAR, expected an object with 'log'"));
        QCOMPARE(entriesOf(json("{'log':{'entries':[}]}}")).fault, QStringLiteral("is damaged in line 1, '}' closes nothing"));
    }

    void longTextsOfAHarAreCut()
    {
        std::string body(3 << 20, 'x');
        for (std::size_t i = 0; i < body.size(); i += 1000)
            body.replace(i, 6, "\\u00e9");
        const Lines entries = entriesOf(json("{'log':{'entries':[{'text':'") + body + json("','b':2}]}}"));
        QCOMPARE(entries.texts.size(), std::size_t{1});
        QVERIFY(entries.texts[0].size() < 9000);
        QVERIFY(entries.texts[0].ends_with(json("','b':2}")));
        // Nowhere a character to cut at, and so the entry is too long.
        std::string escapes;
        for (int i = 0; i < 1 << 20; ++i)
            escapes += "\\u00e9";
        const Lines none = entriesOf(json("{'log':{'entries':[{'text':'") + escapes + json("'},{'b':2}]}}"));
        QVERIFY(none.tooLong == (std::vector<std::uint64_t>{1}));
        QVERIFY(none.texts.back() == json("{'b':2}"));
        QCOMPARE(entriesOf("{\"log\":" + std::string(600, '[')).fault, QStringLiteral("is no HAR, nested deeper than 512"));
    }

    void filesThatCannotBeRead()
    {
        const QTemporaryDir folder;
        const auto error = [](const QString &path) {
            const auto opened = openBytes(path.toStdString());
            return opened ? QString{} : QString::fromStdString(opened.error());
        };
        QCOMPARE(error(folder.filePath("none.log")), QStringLiteral("cannot be read (No such file or directory), expected a log file"));
        QCOMPARE(error(folder.path()), QStringLiteral("is a folder, expected a log file"));
        QFile file{folder.filePath("a.log")};
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("a\nb\n") == 4);
        file.close();
        QVERIFY(canReadAgain(file.fileName().toStdString()));
        QVERIFY(!canReadAgain("-") && !canReadAgain("/dev/null"));
        LineSource lines{unpacked(std::move(*openBytes(file.fileName().toStdString())))};
        QVERIFY(drained(lines).texts == (std::vector<std::string>{"a", "b"}));
    }
};

QTEST_GUILESS_MAIN(TestIncidentSources)
#include "tst_incident_sources.moc"
