// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/plot/time_ticker.h"
#include "app/dashboard/plot/value_tickers.h"
#include "app/dashboard/window/cliff_view.h"
#include "app/dashboard/window/elided_label.h"
#include "app/dashboard/window/figures_bar.h"
#include "app/dashboard/window/knob_row.h"
#include "app/dashboard/window/more_below.h"
#include "app/dashboard/window/policy_panel.h"
#include "tests/gui/gui_support.h"

#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

using namespace throttlescope;
using namespace throttlescope::dashboard;

namespace {

QVector<double> ticksOf(CountTicker &ticker, double from, double to, QVector<QString> &labels)
{
    QVector<double> ticks;
    ticker.generate(QCPRange{from, to}, QLocale{}, 'f', 0, ticks, nullptr, &labels);
    return ticks;
}

} // namespace

/// Nothing is cut off, crowded out or rounded to what it is not.
class TestGuiLayout final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_settings.clear();
        m_window = shownWindow();
        QVERIFY(m_window->open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(*m_window));
    }
    void cleanup() { m_window.reset(); }

    /// Not a turn later: a frame in between would show them in the height of one row.
    void figuresThatNeedAnotherRowHaveItAtOnce()
    {
        QWidget window;
        QVBoxLayout column{&window};
        auto *bar = new FiguresBar;
        column.addWidget(bar);
        column.addStretch();
        window.resize(1900, 400);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        bar->show({}, nullptr);
        for (int turn = 0; turn < 10; ++turn)
            QCoreApplication::processEvents();
        const int height = bar->height();
        Figures wide;
        wide.succeeded = wide.failed = wide.rejected = wide.waitExceeded = wide.earlyReturns = wide.duplicateEffects = 1'234'567'890;
        const Figures narrow;
        bar->show(wide, &narrow);
        QVERIFY2(bar->height() > height + 20, qPrintable(QString::number(bar->height())));
    }

    void aRowOfTheEditorIsSeenWholeOrNotAtAll()
    {
        auto *policy = m_window->findChild<PolicyPanel *>();
        auto *area = policy->findChild<QScrollArea *>();
        auto *more = policy->findChild<MoreBelow *>();
        for (const QSize size : {QSize{1280, 800}, QSize{1280, 811}, QSize{1280, 823}, QSize{1440, 900}, QSize{960, 620}}) {
            m_window->resize(size);
            for (int turn = 0; turn < 10; ++turn)
                QCoreApplication::processEvents();
            QScrollBar *bar = area->verticalScrollBar();
            for (const int at : {0, bar->maximum() / 3, bar->maximum()}) {
                bar->setValue(at);
                const int edge = more->isVisible() ? more->y() : area->viewport()->height();
                int whole = 0, below = 0;
                for (const QWidget *row : policy->findChildren<KnobRow *>()) {
                    const int top = row->mapTo(area->viewport(), QPoint{}).y(), bottom = top + row->height();
                    QVERIFY2(bottom <= edge || top >= edge, qPrintable(QString{"%1×%2"}.arg(size.width()).arg(size.height())));
                    whole += top >= 0 && bottom <= edge ? 1 : 0;
                    below += top >= edge ? 1 : 0;
                }
                QVERIFY(whole > 2);
                QCOMPARE(more->isVisible(), at < bar->maximum());
                if (more->isVisible())
                    QVERIFY(more->text().contains(QString::number(below + 1) + " more")); // "All keys" is one, too
            }
        }
    }

    void aClickOnWhatIsBelowScrollsThere()
    {
        auto *policy = m_window->findChild<PolicyPanel *>();
        auto *more = policy->findChild<MoreBelow *>();
        QVERIFY(more->isVisible());
        for (int clicks = 0; more->isVisible() && clicks < 10; ++clicks)
            QTest::mouseClick(more, Qt::LeftButton);
        QVERIFY(!more->isVisible());
        const QScrollBar *bar = policy->findChild<QScrollArea *>()->verticalScrollBar();
        QCOMPARE(bar->value(), bar->maximum());
    }

    void whereAValueComesFromFitsItsChip()
    {
        QLabel chip;
        for (const QString words : {"provider", "default", "edited", "line 16", "aws-standard-2026"}) {
            showOrigin(chip, words, ValueOrigin::Kind::Default); // "default"
            showOrigin(chip, words);
            QVERIFY(QFontMetrics{textFont(TextSize::Label)}.horizontalAdvance(chip.text()) <= chip.width() - 6);
            QVERIFY2(words.size() > 10 || chip.text() == words, qPrintable(chip.text()));
        }
    }

    void whatIsWrongWithAFilterStandsInFull()
    {
        m_window->events().setFilterText("op:31 event:rate_limit wait>30s");
        m_window->events().setFilterText("op:abc");
        QCoreApplication::processEvents();
        const ElidedLabel *said = nullptr;
        for (const ElidedLabel *each : m_window->events().findChildren<ElidedLabel *>())
            said = each->isVisible() ? each : said;
        QVERIFY(said);
        QVERIFY(said->text().contains("expected"));
        QVERIFY(said->fontMetrics().horizontalAdvance(said->text()) <= said->width());
    }

    void theWallClockFitsItsColumn()
    {
        m_window->setWall(true);
        const QTableView &table = m_window->events().table();
        const QString shown = table.model()->index(0, EventTableModel::Time).data().toString();
        QCOMPARE(shown.left(8), QString{"09:00:12"});
        QVERIFY(table.columnWidth(EventTableModel::Time) >= table.fontMetrics().horizontalAdvance(shown) + 12);
    }

    void ticksOfOperationsAreWholeNumbersFromOne()
    {
        CountTicker ticker;
        for (const bool lanes : {true, false}) {
            ticker.setLeast(lanes ? 1 : 0);
            for (const double to : {2.0, 4.0, 13.0, 18.0, 36.0, 76.0, 204.0, 1500.0}) {
                QVector<QString> labels;
                const QVector<double> ticks = ticksOf(ticker, -0.5, to, labels);
                QVERIFY(ticks.size() >= 2 && ticks.size() <= 12);
                for (qsizetype i = 0; i < ticks.size(); ++i) {
                    QCOMPARE(labels[i], QString::number(ticks[i], 'g', 10));
                    QCOMPARE(ticks[i], std::round(ticks[i]));
                    QVERIFY(ticks[i] < 0 || ticks[i] >= (lanes ? 1 : 0));
                }
            }
        }
    }

    void ticksOfTheWallClockAreWhatOneReadsOnAClock()
    {
        TimeTicker ticker;
        ticker.setWallZero(WallTime{9h + 12s}); // 09:00:12
        QVector<double> ticks;
        QVector<QString> labels;
        ticker.generate(QCPRange{0, 60}, QLocale{}, 'f', 0, ticks, nullptr, &labels);
        QCOMPARE(labels, (QVector<QString>{"09:00:20", "09:00:30", "09:00:40", "09:00:50", "09:01:00", "09:01:10"}));
        QCOMPARE(ticks.first(), 8.0);
        ticker.setWallZero(std::nullopt);
        ticker.generate(QCPRange{0, 60}, QLocale{}, 'f', 0, ticks, nullptr, &labels);
        QCOMPARE(labels.mid(0, 3), (QVector<QString>{"0:00", "0:10", "0:20"}));
    }

    void numbersOfTheCurveAreShort_data()
    {
        QTest::addColumn<double>("number");
        QTest::addColumn<QString>("words");
        QTest::newRow("a few") << 7.5 << "7.5";
        QTest::newRow("thousands in full") << 9500.0 << "9500";
        QTest::newRow("tens of thousands") << 12500.0 << "12.5k";
        QTest::newRow("hundreds of thousands") << 900000.0 << "900k";
        QTest::newRow("millions") << 1.25e6 << "1.25M";
    }
    void numbersOfTheCurveAreShort()
    {
        QFETCH(double, number);
        QTEST(shortNumber(number), "words");
    }

private:
    OwnSettings m_settings;
    std::unique_ptr<MainWindow> m_window;
};

QTEST_MAIN(TestGuiLayout)
#include "tst_gui_layout.moc"
