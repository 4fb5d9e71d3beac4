// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

namespace {

/// What the layout of DESIGN.md section 2 forbids, found below a root folder.
class LayoutCheck {
public:
    explicit LayoutCheck(const QString &root)
        : m_root(root)
    {
    }

    QStringList complaints()
    {
        for (const QString folder : {"core", "simulator", "app", "tests"}) {
            QDirIterator files{m_root + '/' + folder, {"*.h", "*.cpp"}, QDir::Files, QDirIterator::Subdirectories};
            while (files.hasNext())
                checkFile(QDir{m_root}.relativeFilePath(files.next()));
        }
        QDirIterator lists{m_root + "/tests", {"CMakeLists.txt"}, QDir::Files, QDirIterator::Subdirectories};
        while (lists.hasNext())
            checkTestList(QDir{m_root}.relativeFilePath(lists.next()));
        return m_complaints;
    }

private:
    QByteArray text(const QString &file) const
    {
        QFile opened{m_root + '/' + file};
        return opened.open(QIODevice::ReadOnly) ? opened.readAll() : QByteArray{};
    }

    void checkFile(const QString &file)
    {
        const QByteArray content = text(file);
        if (!content.left(80).contains("SPDX-License-Identifier:"))
            m_complaints << file + ": no SPDX line";
        static const QRegularExpression include{"^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]", QRegularExpression::MultilineOption};
        auto matches = include.globalMatch(QString::fromUtf8(content));
        while (matches.hasNext())
            checkInclude(file, matches.next().captured(1));
    }

    void checkInclude(const QString &file, const QString &included)
    {
        const auto in = [&file](std::initializer_list<const char *> folders) {
            return std::any_of(
                folders.begin(), folders.end(), [&file](const char *folder) { return file.startsWith(QLatin1String(folder)); });
        };
        const bool runsBack = (file.startsWith("core/") && (included.startsWith("simulator/") || included.startsWith("app/")))
            || (file.startsWith("simulator/") && included.startsWith("app/"));
        if (runsBack)
            m_complaints << file + ": includes " + included + ", the arrow runs back";
        static const QRegularExpression qt{"^(Qt[A-Za-z]*/)?Q[A-Za-z]+$"};
        const bool noQt = in({"core/engine/", "core/signals/", "core/journal/", "simulator/scenario/", "simulator/model/", "simulator/run/",
            "simulator/incident/"});
        if (noQt && (qt.match(included).hasMatch() || included.startsWith("Qt")))
            m_complaints << file + ": includes " + included + ", this folder knows no Qt";
        if (included.contains("QNetworkAccessManager") && !in({"core/net/", "tests/"}))
            m_complaints << file + ": QNetworkAccessManager outside core/net";
        if (included.contains("qcustomplot", Qt::CaseInsensitive) && !in({"app/dashboard/plot/"}))
            m_complaints << file + ": QCustomPlot outside app/dashboard/plot";
        if (included.endsWith(".cpp"))
            m_complaints << file + ": includes a source file";
    }

    void checkTestList(const QString &file)
    {
        static const QRegularExpression source{"(core|simulator|app)/[\\w/*.]*\\.cpp"};
        for (const QString &line : QString::fromUtf8(text(file)).split('\n')) {
            const auto match = source.match(line);
            if (match.hasMatch() && !match.captured(0).contains("tst_"))
                m_complaints << file + ": recompiles " + match.captured(0);
        }
    }

    QString m_root;
    QStringList m_complaints;
};

void write(const QString &file, const QByteArray &text)
{
    QVERIFY(QDir{}.mkpath(QFileInfo{file}.path()));
    QFile opened{file};
    QVERIFY(opened.open(QIODevice::WriteOnly));
    opened.write(text);
}

} // namespace

class TestLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theTreeKeepsTheLayout() { QCOMPARE(LayoutCheck{QStringLiteral(THROTTLESCOPE_SOURCE_DIR)}.complaints(), QStringList{}); }

    void everyRuleCanBeBroken_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("text");
        const QByteArray spdx = "// SPDX-License-Identifier: Apache-2.0\n";
        QTest::newRow("core that includes simulator") << "core/engine/a.h" << QByteArray{spdx + "#include \"simulator/run/story.h\"\n"};
        QTest::newRow("simulator that includes app") << "simulator/run/a.h" << QByteArray{spdx + "#include \"app/cli/commands.h\"\n"};
        QTest::newRow("Qt in the engine") << "core/engine/a.cpp" << QByteArray{spdx + "#include <QString>\n"};
        QTest::newRow("Qt by module in the model") << "simulator/model/a.cpp" << QByteArray{spdx + "#include <QtCore/QString>\n"};
        QTest::newRow("the network outside core/net") << "app/cli/a.cpp" << QByteArray{spdx + "#include <QNetworkAccessManager>\n"};
        QTest::newRow("plots outside their folder") << "app/dashboard/a.cpp" << QByteArray{spdx + "#include <qcustomplot.h>\n"};
        QTest::newRow("a file without a licence") << "core/a.cpp" << QByteArray{"int x;\n"};
        QTest::newRow("a test that includes a source") << "tests/unit/a.cpp" << QByteArray{spdx + "#include \"core/a.cpp\"\n"};
        QTest::newRow("a test that recompiles a source")
            << "tests/unit/CMakeLists.txt" << QByteArray{"add_executable(t ../../core/engine/pacer.cpp)\n"};
    }
    void everyRuleCanBeBroken()
    {
        QFETCH(QString, file);
        QFETCH(QByteArray, text);
        QTemporaryDir root;
        write(root.filePath(file), text);
        const QStringList complaints = LayoutCheck{root.path()}.complaints();
        QCOMPARE(complaints.size(), 1);
        QVERIFY(complaints.first().startsWith(file));
    }

    void theTopLevelHoldsWhatTheDesignNames()
    {
        QProcess git;
        git.setWorkingDirectory(QStringLiteral(THROTTLESCOPE_SOURCE_DIR));
        git.start("git", {"ls-files"});
        QVERIFY(git.waitForFinished());
        const QStringList known{"CMakeLists.txt", "CMakePresets.json", "README.md", "CHANGELOG.md", "dev", ".ci", ".clang-format",
            ".clang-tidy", ".gitignore", "core", "simulator", "app", "scenarios", "tests", "resources"};
        for (const QByteArray &line : git.readAllStandardOutput().split('\n')) {
            const QString top = QString::fromUtf8(line).section('/', 0, 0);
            QVERIFY2(top.isEmpty() || known.contains(top) || top.startsWith("LICENSE"), qPrintable(top));
        }
    }

    void everyTopFolderHasAReadme()
    {
        for (const QString folder : {"core", "simulator", "app", "scenarios", "tests", "resources"})
            QVERIFY2(QFile::exists(QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/") + folder + "/README.md"), qPrintable(folder));
    }
};

QTEST_GUILESS_MAIN(TestLayout)
#include "tst_layout.moc"
