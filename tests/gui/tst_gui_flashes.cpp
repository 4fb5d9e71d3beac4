// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/gui_support.h"

#include <cmath>
#include <vector>

using namespace throttlescope;
using namespace throttlescope::dashboard;

namespace {

/// WCAG 2.3.1 without a clock: a flash is a pair of opposite changes of relative luminance by a tenth or more, the darker one
/// below 0.8. Whoever has no more than three in all has no more than three in any second.
class FlashCounter {
public:
    static constexpr int kTile = 16; ///< pixels
    static constexpr int kMost = 3;

    void add(const QImage &frame)
    {
        m_columns = frame.width() / kTile;
        m_tiles.resize(static_cast<std::size_t>(m_columns * (frame.height() / kTile)));
        const QImage small = frame.scaled(m_columns, frame.height() / kTile, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
        for (int y = 0; y < small.height(); ++y) {
            for (int x = 0; x < small.width(); ++x)
                follow(m_tiles[static_cast<std::size_t>(y * m_columns + x)], luminance(small.pixelColor(x, y)));
        }
        ++m_frames;
    }
    int frames() const { return m_frames; }
    /// The share of the picture that flashed more than three times.
    double flashing() const
    {
        const auto many = std::count_if(m_tiles.begin(), m_tiles.end(), [](const Tile &tile) { return tile.turns / 2 > kMost; });
        return m_tiles.empty() ? 0 : static_cast<double>(many) / static_cast<double>(m_tiles.size());
    }

private:
    struct Tile {
        double extreme = -1; ///< of the present direction
        int direction = 0;
        int turns = 0;
    };

    static double luminance(const QColor &colour)
    {
        const auto linear = [](double part) { return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4); };
        return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
    }
    static void follow(Tile &tile, double now)
    {
        constexpr double change = 0.1, bright = 0.8;
        if (tile.extreme < 0)
            tile.extreme = now;
        const double by = now - tile.extreme;
        const int direction = by > 0 ? 1 : -1;
        if (direction == tile.direction)
            tile.extreme = now;
        else if (std::abs(by) >= change && std::min(now, tile.extreme) < bright) {
            tile = {now, direction, tile.turns + 1};
        }
    }

    std::vector<Tile> m_tiles;
    int m_columns = 0, m_frames = 0;
};

QImage plain(Qt::GlobalColor colour, int wide)
{
    QImage frame{320, 320, QImage::Format_RGB32};
    frame.fill(Qt::white);
    for (int y = 0; y < frame.height(); ++y) {
        for (int x = 0; x < wide; ++x)
            frame.setPixelColor(x, y, colour);
    }
    return frame;
}

} // namespace

/// No part of the window flashes, whatever runs in it.
class TestGuiFlashes final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatBlinksIsCounted()
    {
        for (const auto &[blinks, share] : {std::pair{3, 0.0}, {4, 0.5}}) {
            FlashCounter counter;
            counter.add(plain(Qt::white, 0));
            for (int blink = 0; blink < blinks; ++blink) {
                counter.add(plain(Qt::black, 160));
                counter.add(plain(Qt::white, 0));
            }
            QCOMPARE(counter.flashing(), share);
        }
        FlashCounter grows;
        for (int wide = 0; wide <= 320; wide += 16)
            grows.add(plain(Qt::black, wide));
        QCOMPARE(grows.flashing(), 0.0);
    }

    void aRunADragAndARetuneFlashNowhere_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void aRunADragAndARetuneFlashNowhere()
    {
        QFETCH(bool, dark);
        constexpr int framesOfARun = 16;
        m_settings.clear();
        MainWindow window{dark ? LookChoice::Dark : LookChoice::Light};
        window.resize(1280, 800);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QVERIFY(window.open(scenarioFile("minute-window.yaml")));
        QTRY_VERIFY(isFinished(window));
        FlashCounter counter;
        const auto look = [&] { counter.add(window.grab().toImage()); };
        look();
        for (int seconds = 58; seconds >= 40; seconds -= 2) { // both what is shown on the way and what comes of it
            window.workspace().setMaxWait(std::chrono::seconds{seconds}, false);
            QCoreApplication::processEvents();
            look();
            QTRY_VERIFY(isFinished(window));
            QCoreApplication::processEvents();
            look();
        }
        QVERIFY2(counter.flashing() < kMostArea, qPrintable(QString::number(counter.flashing())));

        counter = {};
        window.workspace().setSpeed(60);
        window.workspace().run();
        for (int frame = 0; frame < framesOfARun; ++frame) {
            const Duration before = window.workspace().record().now.time_since_epoch();
            QTRY_VERIFY(window.workspace().record().now.time_since_epoch() != before || isFinished(window));
            look();
            if (frame == framesOfARun / 2) {
                window.workspace().setRetuneLive(true);
                window.workspace().setMaxWait(30s, true);
            }
        }
        QVERIFY(counter.frames() == framesOfARun);
        QVERIFY2(counter.flashing() < kMostArea, qPrintable(QString::number(counter.flashing())));
    }

private:
    /// Of the window; WCAG would allow a quarter of a tenth of the field of view. Lines and marks that move with the axis are small.
    static constexpr double kMostArea = 0.01;

    OwnSettings m_settings;
};

QTEST_MAIN(TestGuiFlashes)
#include "tst_gui_flashes.moc"
