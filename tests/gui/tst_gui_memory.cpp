// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/gui_support.h"

#include <QProcess>

using namespace throttlescope;
using namespace throttlescope::dashboard;

/// What is remembered, where two write it, and where a newer version has written it.
class TestGuiMemory final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_settings.clear(); }

    void twoWindowsFollowOneFile()
    {
        const QString whole = m_settings.file("whole.jsonl"), growing = m_settings.file("growing.jsonl");
        writeJournal("minute-window.yaml", whole);
        const QByteArray content = contentOf(whole);
        write(growing, content.left(content.size() / 2));
        const auto one = shownWindow(), other = shownWindow();
        QVERIFY(one->open(growing) && other->open(growing));
        for (MainWindow *each : {one.get(), other.get()})
            QTRY_VERIFY(each->workspace().record().store.rowCount() > 100);
        write(growing, content.mid(content.size() / 2), QIODevice::Append);
        for (MainWindow *each : {one.get(), other.get()}) {
            QTRY_VERIFY(isFinished(*each));
            QCOMPARE(figuresShown(*each).succeeded, 200U);
        }
        QCOMPARE(contentOf(growing), content);
    }

    void twoWindowsRememberWhatEachOpened()
    {
        {
            const auto one = shownWindow(), other = shownWindow();
            QVERIFY(one->open(scenarioFile("minute-window.yaml")));
            QVERIFY(other->open(scenarioFile("zero-hint.yaml")));
            QTRY_VERIFY(isFinished(*one) && isFinished(*other));
            one->setLook(LookChoice::Dark);
            other->close();
            one->close();
        }
        const auto again = std::make_unique<MainWindow>();
        QCOMPARE(shownLook(), Look::Dark);
        QVERIFY(WindowMemory{}.recent().contains(scenarioFile("minute-window.yaml")));
        QVERIFY(WindowMemory{}.recent().contains(scenarioFile("zero-hint.yaml")));
        again->setLook(LookChoice::Light);
    }

    /// Each has read the settings before the other wrote them.
    void twoProgramsRememberWhatEachOpened()
    {
        const QString home = m_settings.file("home");
        QStringList files;
        std::vector<std::unique_ptr<QProcess>> programs;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("QT_QPA_PLATFORM", "offscreen");
        environment.insert("XDG_CONFIG_HOME", home);
        for (const QString name : {"minute-window.yaml", "zero-hint.yaml", "date-hint.yaml"}) {
            files << QFileInfo{scenarioFile(name)}.absoluteFilePath();
            programs.push_back(std::make_unique<QProcess>());
            programs.back()->setProcessEnvironment(environment);
            programs.back()->start(THROTTLESCOPE_DASHBOARD, {files.back()});
            QVERIFY(programs.back()->waitForStarted());
        }
        const QSettings::Format format = QSettings::NativeFormat;
        QSettings::setPath(format, QSettings::UserScope, home);
        const auto allAreKept = [&] {
            const QSettings kept{format, QSettings::UserScope, "throttlescope", "throttlescope-dashboard"};
            const QStringList recent = kept.value("v1/recent").toStringList();
            return std::all_of(files.begin(), files.end(), [&](const QString &file) { return recent.contains(file); });
        };
        QTRY_VERIFY_WITH_TIMEOUT(allAreKept(), 60'000);
        for (const auto &each : programs) {
            each->kill();
            QVERIFY(each->waitForFinished());
        }
    }

    /// It is neither obeyed nor taken away: whoever goes back to the newer version finds it as it was.
    void whatANewerVersionWroteIsLeftAsItIs()
    {
        const QMap<QString, QVariant> newer{{"v2/layout/geometry", QByteArray{"of another kind"}}, {"v2/look", "solarized"},
            {"v1/lanes", QStringList{"a", "b"}}, {"v1/layout/splitter7", QByteArray{"a fourth pane"}}, {"version", 2}};
        {
            QSettings settings;
            for (auto each = newer.begin(); each != newer.end(); ++each)
                settings.setValue(each.key(), each.value());
            settings.setValue("v1/look", 99); // that this version does not know
            settings.setValue("v1/text", 125);
        }
        {
            MainWindow window;
            window.show();
            QCOMPARE(textScale(), 1.25);
            QVERIFY(window.open(scenarioFile("minute-window.yaml")));
            QTRY_VERIFY(isFinished(window));
            window.resetLayout();
            window.setTextPercent(100);
            window.close();
        }
        const QSettings settings;
        for (auto each = newer.begin(); each != newer.end(); ++each)
            QCOMPARE(settings.value(each.key()), each.value());
        QCOMPARE(settings.value("v1/look").toInt(), 99); // nobody chose another
    }

private:
    OwnSettings m_settings;
};

QTEST_MAIN(TestGuiMemory)
#include "tst_gui_memory.moc"
