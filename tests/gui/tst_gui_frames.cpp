// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui_support.h"

#include "app/dashboard/plot/plot_canvas.h"

#include <QSignalSpy>

using namespace throttlescope;
using namespace throttlescope::dashboard;

/// When the plots are drawn, and when the cliff is computed.
class TestGuiFrames : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_settings.clear(); }

    void manyChangesAreDrawnOnceAndTheFirstAtOnce()
    {
        PlotCanvas canvas;
        canvas.show();
        QSignalSpy replots{&canvas, &QCustomPlot::afterReplot};
        QTRY_VERIFY(!replots.isEmpty());
        const auto before = replots.size();
        QElapsedTimer since;
        since.start();
        canvas.changed();
        canvas.changed();
        canvas.changed();
        QTRY_COMPARE(replots.size(), before + 1);
        canvas.changed();
        QTRY_COMPARE(replots.size(), before + 2);
        QVERIFY(since.elapsed() + 1 >= PlotCanvas::kFrame.count()); // the next a frame later, not sooner
    }

    /// The window line runs up and down in each pixel: drawn thinner, not left out.
    void aCrowdedWindowIsDrawn()
    {
        EventStore store;
        ChunkBuilder builder;
        for (std::uint64_t i = 0; i < 20'000; ++i) {
            journal::Event event;
            event.seq = i + 1;
            event.at = {MonotonicTime{std::chrono::milliseconds{i}}, WallTime{}};
            event.server = "api";
            event.payload = journal::ServerWindow{"minute", {}, i % 2 == 0 ? std::uint64_t{0} : std::uint64_t{100}, 100, {}, {}};
            builder.accept(event);
        }
        store.append(*builder.take());
        PlotSeries series;
        series.follow(store);
        PlotCanvas canvas;
        canvas.resize(800, 600);
        canvas.data.store = &store;
        canvas.data.series = &series;
        canvas.setTimeRange(0, 20);
        canvas.replotNow();
        const QImage with = canvas.toPixmap(800, 600).toImage();
        const PlotSeries none;
        canvas.data.series = &none;
        canvas.replotNow();
        const QImage without = canvas.toPixmap(800, 600).toImage();
        int columns = 0;
        for (int x = 100; x < 700; ++x) {
            int different = 0;
            for (int y = 0; y < 600; ++y)
                different += with.pixel(x, y) != without.pixel(x, y) ? 1 : 0;
            columns += different > 60 ? 1 : 0; // from 0 % to 100 % is most of the pane's 100 pixels
        }
        QCOMPARE(columns, 600);
    }

    void theCliffAnswersToTheValueThatWasReplayedLast()
    {
        Workspace workspace;
        QVERIFY(workspace.openScenario(scenarioFile("minute-window.yaml")).empty());
        workspace.run();
        QTRY_COMPARE(workspace.state(), Workspace::State::Finished);
        for (const Duration wait : {Duration{50s}, Duration{40s}, Duration{30s}})
            workspace.setMaxWait(wait, true);
        QTRY_VERIFY_WITH_TIMEOUT(workspace.curve() && workspace.curve()->complete && workspace.curve()->present
                && workspace.curve()->present->at == Duration{30s},
            60'000);
        QCOMPARE(workspace.state(), Workspace::State::Finished);
        QCOMPARE(workspace.curve()->present->succeeded, std::uint64_t{30}); // as README.md has it
        QCOMPARE(workspace.curve()->present->waitExceeded, std::uint64_t{170});
        QCOMPARE(workspace.record().figures.figures().waitExceeded, std::uint64_t{170});
    }

private:
    OwnSettings m_settings;
};

QTEST_MAIN(TestGuiFrames)
#include "tst_gui_frames.moc"
