// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/gui_support.h"

#include "app/dashboard/window/render.h"

#include <QLineEdit>
#include <QLocale>
#include <QProcess>
#include <QRegularExpression>
#include <clocale>

using namespace throttlescope;
using namespace throttlescope::dashboard;

/// Where people write 1,5: files, filters and boxes have dots all the same.
class TestGuiLocale final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QLocale::setDefault(QLocale{QLocale::German, QLocale::Germany});
        std::setlocale(LC_ALL, "de_DE.UTF-8"); // where there is one
        QCOMPARE(QLocale{}.toString(1.5), QStringLiteral("1,5"));
    }
    void init() { m_settings.clear(); }

    void aBoxTakesAndSaysADot()
    {
        const auto window = opened();
        QLineEdit *box = boxOf(*window, "rate_limit.max_wait");
        QVERIFY(box);
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, "47.5s");
        QTest::keyClick(box, Qt::Key_Return);
        QTRY_COMPARE(window->workspace().maxWait(), std::optional<Duration>{47500ms});
        QTRY_VERIFY(isFinished(*window));
        QCOMPARE(box->text(), QStringLiteral("47.5s"));
        box->selectAll();
        QTest::keyClicks(box, "47,5s");
        QTest::keyClick(box, Qt::Key_Return);
        QCOMPARE(window->workspace().maxWait(), std::optional<Duration>{47500ms}); // refused
        QVERIFY(!says(*window, "47,5 s"));
        window->workspace().setMaxWait(47500ms, true);
    }

    void aFilterTakesADot()
    {
        const auto window = opened();
        window->events().setFilterText("wait>48.5s");
        QTRY_VERIFY(window->events().model().isComplete());
        const int some = window->events().model().rowCount();
        window->events().setFilterText("wait>0.5s");
        QTRY_VERIFY(window->events().model().isComplete());
        QVERIFY(some > 0 && window->events().model().rowCount() > some);
    }

    void whatIsSavedAndExportedHasDots()
    {
        const auto window = opened();
        window->workspace().setMaxWait(57500ms, true);
        QTRY_VERIFY(isFinished(*window) && window->workspace().record().maxWait == Duration{57500ms});
        QVERIFY(
            window->workspace().commandLine().contains("max_wait=57500ms") || window->workspace().commandLine().contains("max_wait=57.5s"));
        const QString yaml = m_settings.file("saved.yaml"), csv = m_settings.file("events.csv"), svg = m_settings.file("plots.svg");
        QCOMPARE(window->saveTo(yaml), QString{});
        const auto loaded = loadScenario(yaml.toStdString(), {});
        QVERIFY(loaded.has_value());
        QCOMPARE(loaded->scenario.policies.at("batch")->rateLimit.maxWait, Duration{57500ms});
        QCOMPARE(window->exportTo(csv), QString{});
        const QByteArrayList lines = contentOf(csv).split('\n');
        QVERIFY(lines.size() > 100);
        for (const QByteArray &line : lines.mid(1, 50))
            QVERIFY2(QRegularExpression{"^\\d+\\.\\d{3},"}.match(line).hasMatch(), line);
        QCOMPARE(window->exportTo(svg), QString{});
        const QRegularExpression numbers{" (?:width|height|x|y|stroke-width|font-size|fill-opacity)=\"([^\"]*)\""};
        auto each = numbers.globalMatch(QString::fromUtf8(contentOf(svg)));
        int count = 0;
        while (each.hasNext()) {
            const QString number = each.next().captured(1);
            QVERIFY2(!number.contains(','), qPrintable(number));
            ++count;
        }
        QVERIFY(count > 20);
    }

    /// Figures, axes and stories.
    void nothingInTheWindowHasAComma()
    {
        const auto window = opened();
        QTest::keyClick(&window->events().table(), Qt::Key_Right);
        static const QRegularExpression decimalComma{"\\d,\\d"};
        for (const QLabel *each : window->findChildren<QLabel *>()) {
            const bool has = decimalComma.match(each->text()).hasMatch();
            QVERIFY2(!has || each->text().contains(" events"), qPrintable(each->text())); // "1,636 events"
        }
    }

    void theProgramDrawsTheSameFigures()
    {
        const QString journal = m_settings.file("run.jsonl");
        writeJournal("minute-window.yaml", journal);
        QByteArrayList pages;
        for (const QString locale : {"C", "de_DE.UTF-8"}) {
            QProcess program;
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert("LC_ALL", locale);
            environment.insert("LANG", locale);
            environment.insert("QT_QPA_PLATFORM", "offscreen");
            program.setProcessEnvironment(environment);
            program.start(THROTTLESCOPE_DASHBOARD, {"--render", m_settings.file("page.svg"), journal});
            QVERIFY(program.waitForFinished());
            QCOMPARE(program.exitCode(), 0);
            pages << contentOf(m_settings.file("page.svg"));
        }
        QVERIFY(pages[0].size() > 5'000);
        QCOMPARE(pages[0], pages[1]);
    }

private:
    static QLineEdit *boxOf(const MainWindow &window, const QString &name)
    {
        for (QLineEdit *each : window.findChildren<QLineEdit *>()) {
            if (each->accessibleName() == name)
                return each;
        }
        return nullptr;
    }

    std::unique_ptr<MainWindow> opened()
    {
        auto window = activeWindow();
        if (!window->open(scenarioFile("minute-window.yaml")) || !QTest::qWaitFor([&] { return isFinished(*window); }))
            qFatal("minute-window does not run");
        return window;
    }

    OwnSettings m_settings;
};

QTEST_MAIN(TestGuiLocale)
#include "tst_gui_locale.moc"
