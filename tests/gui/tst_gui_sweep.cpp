// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/knob_row.h"
#include "app/dashboard/window/sweep_dialog.h"
#include "app/dashboard/window/sweep_window.h"
#include "simulator/sweep/sweep_runner.h"
#include "tests/gui/gui_support.h"

#include <QAccessible>
#include <QContextMenuEvent>
#include <QDir>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QSpinBox>

using namespace throttlescope;
using namespace throttlescope::dashboard;

namespace {

const std::string kMaxWait = "policies.batch.rate_limit.max_wait";

/// Draws decide how many of these get through.
const QByteArray kCrowd
    = "throttlescope: 1\nservers: {api: {latency: {fixed: 100ms}, limits: [{name: burst, quota: 20, per: 10s, window: sliding}]}}\n"
      "policies: {crowd: {max_attempts: 5, rate_limit: {hint: ignore},\n"
      "  backoff: {kind: exponential, base: 2s, factor: 2, max: 30s, jitter: full}}}\n"
      "workload: [{operation: read, server: api, method: GET, policy: crowd, arrivals: {batch: 60}}]\n"
      "expect: {operations: {succeeded: 60}}\n";

/// What `throttlescope sweep --out` would write, of the minute window.
void writeSweep(const QString &file, const std::vector<std::string> &vary, std::uint64_t seeds = 1,
    const QString &scenario = scenarioFile("minute-window.yaml"))
{
    SweepHeader header;
    header.file = scenario.toStdString();
    const auto loaded = loadScenario(header.file);
    QVERIFY(loaded.has_value());
    header.hash = loaded->scenario.hash;
    header.vary = vary;
    header.metrics = {"operations.succeeded", "wait_exceeded", "attempts", "finish"};
    header.firstSeed = loaded->scenario.seed;
    header.seeds = seeds;
    QByteArray text = QByteArray::fromStdString(headerLine(header));
    const LoadPoint load = loadingFrom(contentOf(scenario).toStdString(), header.file, {});
    const auto errors = runSweep(*planOf(header), header.metrics, load, {2, 0, nullptr}, [&text](const SweepRow &row) {
        text += QByteArray::fromStdString(rowLine(row));
        return true;
    });
    QCOMPARE(errors, std::vector<std::string>{});
    write(file, text);
}

QString maxWaitOf(MainWindow &window)
{
    const auto &set = window.workspace().policy()->draft().assignments();
    return set.empty() ? QString{} : QString::fromStdString(set.back());
}

} // namespace

/// Sweeps in a window of their own: opened, made, looked at, and their runs opened.
class TestGuiSweep final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(QDir{}.mkpath(folder()));
        writeSweep(curve(), {kMaxWait + "=30s,60s,90s"});
        writeSweep(map(), {kMaxWait + "=30s,60s", "policies.batch.max_attempts=1,4"});
    }
    void init()
    {
        if (m_window)
            return; // pictures are taken of one
        m_settings.clear();
        m_window = shownWindow();
    }
    void cleanup()
    {
        if (qstrcmp(QTest::currentTestFunction(), "eachStateFillsItsPicture") != 0)
            m_window.reset();
    }
    void cleanupTestCase() { m_window.reset(); }

    /// DESIGN.md section 7: 30 succeed at 30 s.
    void aClickOnACurveOpensThatRun()
    {
        SweepWindow &sweep = opened(curve());
        QCOMPARE(sweep.table().model()->rowCount(), 3);
        QTest::mouseClick(&sweep.view(), Qt::LeftButton, {}, sweep.view().placeOf(0).center().toPoint());
        QTRY_VERIFY(isFinished(*m_window));
        QCOMPARE(figuresShown(*m_window).succeeded, 30U);
        QCOMPARE(maxWaitOf(*m_window), QString::fromStdString(kMaxWait + "=30s"));
        QCOMPARE(m_window->workspace().policy()->draft().seed(), std::optional<std::uint64_t>{7});
        QVERIFY(says(sweep, "max_wait 30s"));
    }

    void aClickOnACellOpensThatRun()
    {
        SweepWindow &sweep = opened(map());
        QCOMPARE(sweep.view().scene().form, SweepForm::Maps);
        QTest::mouseClick(&sweep.view(), Qt::LeftButton, {}, sweep.view().placeOf(3).center().toPoint());
        QTRY_VERIFY(isFinished(*m_window));
        QCOMPARE(figuresShown(*m_window).succeeded, 200U); // 60 s, 4 attempts
        QCOMPARE(figuresShown(*m_window).attempts, 212U);
    }

    void keysGoFromCellToCellAndEnterOpens()
    {
        SweepWindow &sweep = opened(map());
        sweep.view().setFocus();
        for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Right, Qt::Key_Up}) // the first one chooses
            QTest::keyClick(&sweep.view(), key);
        QCOMPARE(sweep.chosen(), std::optional<std::size_t>{3});
        QVERIFY(sweep.view().accessibleDescription().startsWith("max_wait 60s, max_attempts 4: passes, succeeded 200"));
        QTest::keyClick(&sweep.view(), Qt::Key_Return);
        QTRY_VERIFY(isFinished(*m_window));
        QCOMPARE(figuresShown(*m_window).attempts, 212U);
        sweep.activateWindow(); // the run's window has come up
        QVERIFY(QTest::qWaitForWindowActive(&sweep));
        QTest::keyClick(&sweep, Qt::Key_Escape);
        QVERIFY(!sweep.chosen());
        QVERIFY(says(sweep, "No point is chosen"));
    }

    void enterOnARowOfTheTableOpensItsRun()
    {
        SweepWindow &sweep = opened(curve());
        sweep.table().sortByColumn(1, Qt::DescendingOrder); // 90 s first
        sweep.table().setFocus();
        sweep.table().setCurrentIndex(sweep.table().model()->index(2, 1));
        QCOMPARE(sweep.chosen(), std::optional<std::size_t>{0});
        QTest::keyClick(&sweep.table(), Qt::Key_Return);
        QTRY_VERIFY(isFinished(*m_window));
        QCOMPARE(figuresShown(*m_window).succeeded, 30U);
    }

    void aDotOfTheParetoChartOpensItsRun()
    {
        SweepWindow &sweep = opened(curve());
        sweep.setForm(SweepForm::Pareto);
        QTest::mouseClick(&sweep.view(), Qt::LeftButton, {}, sweep.view().placeOf(0).center().toPoint());
        QTRY_VERIFY(isFinished(*m_window));
        QCOMPARE(figuresShown(*m_window).succeeded, 30U);
    }

    void aFileThatIsDroppedIsOpened()
    {
        QMimeData files;
        files.setUrls({QUrl::fromLocalFile(curve())});
        QDragEnterEvent enter{{100, 100}, Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier};
        QCoreApplication::sendEvent(m_window.get(), &enter);
        QDropEvent drop{{100, 100}, Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier};
        QCoreApplication::sendEvent(m_window.get(), &drop);
        QVERIFY(m_window->sweepWindow().isVisible());
    }

    void aBrokenFileIsSaidAndWhatWasOpenStays()
    {
        opened(curve());
        const QString broken = m_settings.file("broken.sweep");
        write(broken, contentOf(curve()) + "{\"run\":9}\n");
        QVERIFY(!m_window->open(broken));
        QVERIFY(says(*m_window, "broken.sweep:5:1: expected a run of a sweep"));
        QCOMPARE(m_window->sweepWindow().table().model()->rowCount(), 3);
    }

    void aKnobIsSweptFromItsRow()
    {
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(*m_window));
        KnobRow *row = nullptr;
        for (auto *each : m_window->findChildren<KnobRow *>())
            row = each->path() == "rate_limit.max_wait" ? each : row;
        QVERIFY(row);
        QContextMenuEvent wanted{QContextMenuEvent::Mouse, {3, 3}, row->mapToGlobal(QPoint{3, 3})};
        QCoreApplication::sendEvent(row, &wanted);
        auto *menu = row->findChild<QMenu *>();
        QCOMPARE(menu->actions().first()->text(), QStringLiteral("Sweep this knob…"));
        menu->actions().first()->trigger();
        menu->close();
        auto &dialog = *m_window->findChild<SweepDialog *>();
        const auto box = [&dialog](const QString &name) -> QLineEdit * {
            for (auto *each : dialog.findChildren<QLineEdit *>()) {
                if (each->accessibleName() == name)
                    return each;
            }
            return nullptr;
        };
        auto *start = button(dialog, "Run the sweep");
        box("Knob: from")->setText("soon");
        QVERIFY(!start->isEnabled());
        QVERIFY(says(dialog, "'soon': expected a duration such as 30s"));
        box("Knob: from")->setText("30s");
        box("Knob: to")->setText("60s");
        for (auto *each : dialog.findChildren<QSpinBox *>()) {
            if (each->accessibleName() == "Knob: values")
                each->setValue(2);
        }
        QVERIFY(says(dialog, "2 runs"));
        start->click();
        SweepWindow &sweep = m_window->sweepWindow();
        QVERIFY(sweep.isVisible());
        QTRY_VERIFY(!sweep.session().isRunning());
        QCOMPARE(sweep.table().model()->rowCount(), 2);
        QCOMPARE(sweep.session().result()->tips().size(), 1U);
        QTest::mouseClick(&sweep.view(), Qt::LeftButton, {}, sweep.view().placeOf(0).center().toPoint());
        QTRY_COMPARE(figuresShown(*m_window).succeeded, 30U);
    }

    /// Nothing points at what is not there yet.
    void theSameSweepCanBeRunAgainWhileAPointIsChosen()
    {
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(*m_window));
        for (int turn = 0; turn < 2; ++turn) {
            m_window->activateWindow();
            QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
            button(asked(), "Run the sweep")->click();
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            QTRY_VERIFY(!m_window->sweepWindow().session().isRunning());
            m_window->sweepWindow().choose(24); // the last of 25
            QVERIFY(m_window->sweepWindow().view().placeOf(24).isValid());
        }
    }

    void aSweepThatRunsIsStoppedAndGoesOn()
    {
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(*m_window));
        SweepDialog &dialog = asked();
        for (auto *each : dialog.findChildren<QSpinBox *>()) {
            if (each->accessibleName() == "Seeds a point")
                each->setValue(20);
            if (each->accessibleName() == "Knob: values")
                each->setValue(5'000);
        }
        button(dialog, "Run the sweep")->click();
        SweepWindow &sweep = m_window->sweepWindow();
        QTRY_VERIFY(sweep.table().model()->rowCount() > 0); // drawn as it comes
        QVERIFY(sweep.session().isRunning());
        QTest::keyClick(button(sweep, "Stop"), Qt::Key_Space);
        QTRY_VERIFY(!sweep.session().isRunning());
        QVERIFY(!sweep.session().result()->isWhole());
        QVERIFY(says(sweep, " of 100,000 runs"));
        button(sweep, "Go on")->click();
        QVERIFY(sweep.session().isRunning());
        m_window->close();
        QVERIFY(!sweep.isVisible());
    }

    void whateverTakesTheFocusHasANameAndIsReached()
    {
        SweepWindow &sweep = opened(map());
        sweep.choose(0);
        sweep.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&sweep));
        QSet<QWidget *> missing;
        for (QWidget *each : sweep.findChildren<QWidget *>()) {
            if ((each->focusPolicy() & Qt::TabFocus) == 0 || !each->isVisible() || !each->isEnabled() || each->focusProxy())
                continue;
            QAccessibleInterface *interface = QAccessible::queryAccessibleInterface(each);
            QVERIFY2(interface && !interface->text(QAccessible::Name).trimmed().isEmpty(), each->metaObject()->className());
            missing.insert(each);
        }
        QVERIFY(missing.size() > 10);
        sweep.view().setFocus();
        for (qsizetype presses = missing.size(); presses > 0; --presses) {
            missing.remove(QApplication::focusWidget());
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        }
        QVERIFY(missing.isEmpty());
    }

    void eachStateFillsItsPicture_data()
    {
        QTest::addColumn<QString>("state");
        QTest::addColumn<bool>("dark");
        QTest::addColumn<QSize>("size");
        for (const bool dark : {false, true}) { // a look is a style sheet for all widgets: two changes are enough
            for (const QSize size : {QSize{1280, 800}, QSize{1600, 900}}) {
                for (const QString state : {"curve", "band", "map", "pareto", "empty", "dialog"}) {
                    if (size.width() > 1280 && (state == "empty" || state == "dialog"))
                        continue;
                    const QString name
                        = QStringLiteral("sweep-%1-%2-%3x%4").arg(state, dark ? "dark" : "light").arg(size.width()).arg(size.height());
                    QTest::newRow(qPrintable(name)) << state << dark << size;
                }
            }
        }
    }
    void eachStateFillsItsPicture()
    {
        QFETCH(QString, state);
        QFETCH(bool, dark);
        QFETCH(QSize, size);
        if ((shownLook() == Look::Dark) != dark)
            m_window->setLook(dark ? LookChoice::Dark : LookChoice::Light);
        QWidget *shown = nullptr;
        if (state == "dialog") {
            QVERIFY(m_window->open(scenarioFile("minute-window.yaml")));
            m_window->activateWindow();
            QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
            shown = &asked();
        } else {
            SweepWindow &sweep = opened(drawn(state));
            sweep.resize(size);
            QTRY_COMPARE(sweep.size(), size);
            QTRY_VERIFY(!sweep.session().isRunning());
            if (state == "pareto")
                sweep.setForm(SweepForm::Pareto);
            if (state != "empty")
                sweep.choose(state == "curve" ? 9 : 4);
            shown = &sweep;
        }
        for (int turn = 0; turn < 10; ++turn)
            QCoreApplication::processEvents();
        const QPixmap picture = shown->grab();
        const QString file = folder() + '/' + QTest::currentDataTag();
        QVERIFY(picture.save(file + ".png", nullptr, 80)); // packed in less time
        if (state != "dialog" && state != "empty")
            QVERIFY(picture.toImage().convertToFormat(QImage::Format_Grayscale8).save(file + "-grey.png", nullptr, 80));
        if (state == "dialog")
            delete shown;
    }

private:
    static QString folder() { return QStringLiteral(THROTTLESCOPE_BINARY_DIR "/screenshots"); }
    QString curve() const { return m_settings.file("curve.sweep"); }
    QString map() const { return m_settings.file("map.sweep"); }

    /// Larger ones, made when they are first drawn.
    QString drawn(const QString &state)
    {
        const QString file = m_settings.file(state + "-drawn.sweep");
        if (QFile::exists(file))
            return file;
        if (state == "empty") {
            writeSweep(file, {kMaxWait + "=30s,60s"});
            const QByteArray header = contentOf(file);
            write(file, header.left(header.indexOf('\n') + 1));
        } else if (state == "band") {
            write(m_settings.file("crowd.yaml"), kCrowd);
            writeSweep(file, {"policies.crowd.backoff.base=100ms..20s:16:log"}, 20, m_settings.file("crowd.yaml"));
        } else {
            std::vector<std::string> vary{kMaxWait + "=5s..120s:24"};
            if (state == "map" || state == "pareto")
                vary = {kMaxWait + "=10s..100s:10", "policies.batch.max_attempts=1,2,3,4,5"};
            writeSweep(file, vary);
        }
        return file;
    }

    SweepWindow &opened(const QString &file)
    {
        if (!m_window->open(file))
            qFatal("%s", qPrintable(file));
        SweepWindow &sweep = m_window->sweepWindow();
        if (!QTest::qWaitForWindowExposed(&sweep))
            qFatal("the sweep is not shown");
        return sweep;
    }

    SweepDialog &asked()
    {
        QTest::keyClick(m_window.get(), Qt::Key_K, Qt::ControlModifier);
        auto *dialog = m_window->findChild<SweepDialog *>();
        if (!dialog)
            qFatal("no dialog");
        return *dialog;
    }

    static QPushButton *button(const QWidget &in, const QString &words)
    {
        for (auto *each : in.findChildren<QPushButton *>()) {
            if (each->text() == words)
                return each;
        }
        qFatal("no button %s", qPrintable(words));
    }

    OwnSettings m_settings;
    std::unique_ptr<MainWindow> m_window;
};

QTEST_MAIN(TestGuiSweep)
#include "tst_gui_sweep.moc"
