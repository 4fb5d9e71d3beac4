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
        checkLicence(file, QString::fromUtf8(content.left(content.indexOf('\n'))));
        if (content.contains("QNetworkAccessManager") && !file.startsWith("core/net/") && !file.startsWith("tests/"))
            m_complaints << file + ": QNetworkAccessManager outside core/net";
        static const QRegularExpression include{"^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]", QRegularExpression::MultilineOption};
        auto matches = include.globalMatch(QString::fromUtf8(content));
        while (matches.hasNext())
            checkInclude(file, matches.next().captured(1));
    }

    void checkLicence(const QString &file, const QString &line)
    {
        const QString licence = line.section("SPDX-License-Identifier: ", 1, 1);
        if (licence.isEmpty())
            m_complaints << file + ": no SPDX line";
        else if (const QString expected = file.startsWith("app/") ? "GPL-3.0-or-later" : "Apache-2.0";
                 licence != expected && !file.startsWith("tests/"))
            m_complaints << file + ": is " + licence + ", expected " + expected;
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
        static const QRegularExpression qt{"^(Qt\\w*/.+|Q\\w+|q[a-z0-9_]+\\.h)$"};
        const bool noQt = in({"core/engine/", "core/signals/", "core/journal/", "simulator/scenario/", "simulator/model/", "simulator/run/",
            "simulator/incident/"});
        const bool bringsQt
            = included.startsWith("core/net/") || included.startsWith("simulator/http/") || included.startsWith("simulator/live/");
        if (noQt && (bringsQt || qt.match(included).hasMatch()))
            m_complaints << file + ": includes " + included + ", this folder knows no Qt";
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

/// Of the files that git keeps, those whose top folder or name section 2 does not know.
QStringList strangers(const QStringList &files)
{
    static const QRegularExpression known{"^(CMakeLists\\.txt|CMakePresets\\.json|README\\.md|LICENSE[^/]*|CHANGELOG\\.md|dev|\\.ci/.+|"
                                          "\\.clang-format|\\.clang-tidy|\\.gitignore|(core|simulator|app|scenarios|tests|resources)/.+)$"};
    QStringList found;
    for (const QString &file : files) {
        if (!known.match(file).hasMatch())
            found << file;
    }
    return found;
}

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
        const QByteArray gpl = "// SPDX-License-Identifier: GPL-3.0-or-later\n";
        QTest::newRow("core that includes simulator") << "core/engine/a.h" << QByteArray{spdx + "#include \"simulator/run/story.h\"\n"};
        QTest::newRow("simulator that includes app") << "simulator/run/a.h" << QByteArray{spdx + "#include \"app/cli/commands.h\"\n"};
        QTest::newRow("Qt in the engine") << "core/engine/a.cpp" << QByteArray{spdx + "#include <QString>\n"};
        QTest::newRow("Qt by module in the model") << "simulator/model/a.cpp" << QByteArray{spdx + "#include <QtCore/QString>\n"};
        QTest::newRow("Qt by its old header in signals") << "core/signals/a.cpp" << QByteArray{spdx + "#include <qstring.h>\n"};
        QTest::newRow("Qt by the back door of core/net") << "core/journal/a.h" << QByteArray{spdx + "#include \"core/net/client.h\"\n"};
        QTest::newRow("Qt by the back door of simulator/http")
            << "simulator/run/a.h" << QByteArray{spdx + "#include \"simulator/http/server.h\"\n"};
        QTest::newRow("the network by a declaration alone") << "simulator/http/a.h" << QByteArray{spdx + "class QNetworkAccessManager;\n"};
        QTest::newRow("the network outside core/net") << "app/cli/a.cpp" << QByteArray{gpl + "#include <QNetworkAccessManager>\n"};
        QTest::newRow("plots outside their folder") << "app/dashboard/a.cpp" << QByteArray{gpl + "#include <qcustomplot.h>\n"};
        QTest::newRow("a file without a licence") << "core/a.cpp" << QByteArray{"int x;\n"};
        QTest::newRow("a GPL file in core") << "core/a.cpp" << QByteArray{gpl + "int x;\n"};
        QTest::newRow("an Apache file in app") << "app/cli/a.cpp" << QByteArray{spdx + "int x;\n"};
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

    void whatKeepsEveryRuleIsNotBlamed()
    {
        const QByteArray apache = "// SPDX-License-Identifier: Apache-2.0\n";
        const QByteArray gpl = "// SPDX-License-Identifier: GPL-3.0-or-later\n";
        QTemporaryDir root;
        write(root.filePath("core/net/driver.cpp"), apache + "#include <QNetworkAccessManager>\n#include \"core/engine/pacer.h\"\n");
        write(root.filePath("simulator/run/a.cpp"), apache + "#include \"core/engine/pacer.h\"\n#include <queue>\n#include <quill.hpp>\n");
        write(root.filePath("app/dashboard/plot/a.cpp"), gpl + "#include <qcustomplot.h>\n#include \"simulator/run/story.h\"\n");
        QCOMPARE(LayoutCheck{root.path()}.complaints(), QStringList{});
    }

    void theTopLevelHoldsWhatTheDesignNames()
    {
        QProcess git;
        git.setWorkingDirectory(QStringLiteral(THROTTLESCOPE_SOURCE_DIR));
        git.start("git", {"-c", "safe.directory=*", "ls-files"});
        if (!git.waitForFinished() || git.exitCode() != 0)
            QSKIP("not a git checkout");
        const QStringList files = QString::fromUtf8(git.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts);
        QVERIFY(files.contains("core/README.md"));
        QCOMPARE(strangers(files), QStringList{});
    }

    void aStrangerAtTheTopIsNamed()
    {
        QCOMPARE(strangers({"core/a.h", "LICENSE-GPL-3.0", "dev", "notes.md", "src/a.h", "devel", ".ci/run"}),
            (QStringList{"notes.md", "src/a.h", "devel"}));
    }

    void everyTopFolderHasAReadme()
    {
        for (const QString folder : {"core", "simulator", "app", "scenarios", "tests", "resources"})
            QVERIFY2(QFile::exists(QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/") + folder + "/README.md"), qPrintable(folder));
    }
};

QTEST_GUILESS_MAIN(TestLayout)
#include "tst_layout.moc"
