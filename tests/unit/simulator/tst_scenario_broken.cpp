// SPDX-License-Identifier: Apache-2.0
#include "simulator/scenario/loader.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace throttlescope;

namespace {

/// The first error of a file; empty where it loads.
QString firstError(const QString &file)
{
    const auto loaded = loadScenario(file.toStdString());
    return loaded ? QString{} : QString::fromStdString(loaded.error().front().format());
}

QString written(const QTemporaryDir &folder, const QByteArray &text)
{
    const QString path = folder.filePath("s.yaml");
    QFile file{path};
    if (file.open(QIODevice::WriteOnly))
        file.write(text);
    return path;
}

} // namespace

/// Each file's first line says where its error is and what it says: `# expect: LINE:COLUMN PHRASE`.
class TestBrokenScenarios : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void corpus_data()
    {
        QTest::addColumn<QString>("path");
        const QDir folder{QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/tests/conformance/broken")};
        const QStringList files = folder.entryList({"*.yaml"});
        QVERIFY(files.size() >= 60);
        for (const QString &file : files)
            QTest::addRow("%s", qPrintable(file)) << folder.filePath(file);
    }
    void corpus()
    {
        QFETCH(QString, path);
        QFile file{path};
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString expected = QString::fromUtf8(file.readLine()).trimmed().mid(QStringLiteral("# expect: ").size());
        const QString place = expected.section(' ', 0, 0);
        const QString error = firstError(path);
        if (place == "trace") {
            QVERIFY2(error.contains("nowhere.csv:1:1: cannot be read"), qPrintable(error));
            return;
        }
        QVERIFY2(error.startsWith(path + ':' + place + ": "), qPrintable(error));
        QVERIFY2(error.contains(expected.section(' ', 1)), qPrintable(error));
        QVERIFY2(!error.contains('\n'), qPrintable(error));
        QCOMPARE(loadScenario(path.toStdString()).error().size(), std::size_t{1}); // one mistake makes one error
    }

    void anEmptyFileSaysWhatWasExpected()
    {
        QTemporaryDir folder;
        QVERIFY(firstError(written(folder, "")).contains(":1:1: "));
        QVERIFY(firstError(written(folder, "# only a comment\n")).contains("expected a scenario"));
    }

    void aHugeFileIsRefusedWithoutBeingRead()
    {
        QTemporaryDir folder;
        QFile file{folder.filePath("huge.yaml")};
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.resize(200'000'000)); // sparse
        QVERIFY(firstError(file.fileName()).contains("expected at most 16 MiB"));
    }

    void aBinaryFileIsNamedByItsFirstByte()
    {
        QTemporaryDir folder;
        const QByteArray elf = QByteArray::fromHex("7f454c46000102");
        QVERIFY(firstError(written(folder, elf)).contains(":1:1: "));
    }

    void deepNestingIsRefused_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("lists") << QByteArray{"throttlescope: 1\nservers: "} + QByteArray{100'000, '['};
        QTest::newRow("maps") << QByteArray{"throttlescope: 1\nservers: "} + QByteArray{"{a: "}.repeated(50'000);
        QByteArray block{"throttlescope: 1\n"};
        for (int depth = 0; depth < 3000; ++depth)
            block += QByteArray{depth, ' '} + "a:\n";
        QTest::newRow("blocks") << block;
        QTest::newRow("sequences in a line") << QByteArray{"throttlescope: 1\nservers:\n  "} + QByteArray{"- "}.repeated(50'000) + "x\n";
    }
    void deepNestingIsRefused()
    {
        QFETCH(QByteArray, text);
        QTemporaryDir folder;
        QVERIFY(!firstError(written(folder, text)).isEmpty());
    }

    void aFolderIsNoFile() { QVERIFY(firstError(QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/scenarios")).contains("folder")); }

    void everyShippedScenarioLoads()
    {
        const QDir folder{QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/scenarios")};
        for (const QString &file : folder.entryList({"*.yaml"}))
            QCOMPARE(firstError(folder.filePath(file)), QString{});
    }
};

QTEST_GUILESS_MAIN(TestBrokenScenarios)
#include "tst_scenario_broken.moc"
