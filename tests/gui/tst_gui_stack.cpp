// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/plot/stack_paint.h"

#include <QTest>

using namespace throttlescope;
using namespace throttlescope::dashboard;

/// The stack that is painted pixel by pixel is the one that the painter paints.
class TestGuiStack final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void thePixelsAreThePainters_data()
    {
        QTest::addColumn<int>("look");
        QTest::addColumn<int>("scale");
        QTest::addColumn<double>("shift");
        QTest::addColumn<QList<QRectF>>("places");
        for (const auto &[look, scale, shift, in] : {std::tuple{0, 1, 0.0, "light: "}, {1, 1, 0.0, "dark: "}, {0, 2, 0.0, "sharp: "},
                 {0, 1, 0.5, "shifted: "}, {1, 2, 0.5, "sharp and shifted: "}}) {
            newRow(in, "whole pixels") << look << scale << shift << QList<QRectF>{{8, 10, 4, 30}, {8, 40, 4, 60}, {12, 20, 4, 80}};
            newRow(in, "parts of pixels") << look << scale << shift
                                          << QList<QRectF>{{8, 10.25, 3.5, 29.5}, {8, 39.75, 3.5, 60.25}, {12, 20.5, 3.5, 79.5},
                                                 {16, 99.9, 3.5, 0.1}};
            newRow(in, "beyond the area") << look << scale << shift
                                          << QList<QRectF>{{98, 10.25, 3.5, 200}, {2, -30, 3.5, 60}, {-40, 1, 3.5, 9}};
        }
    }

    void thePixelsAreThePainters()
    {
        QFETCH(int, look);
        QFETCH(int, scale);
        QFETCH(double, shift);
        QFETCH(QList<QRectF>, places);
        const Tokens &colours = tokens(look == 0 ? Look::Light : Look::Dark);
        for (std::size_t outcome = 0; outcome < kAttemptOutcomes; ++outcome) {
            std::vector<StackBox> boxes;
            for (const QRectF &place : places)
                boxes.push_back({place, static_cast<AttemptOutcome>((outcome + boxes.size()) % kAttemptOutcomes)});
            const QImage expected = painted(colours, scale, shift, [&](QPainter &painter) { paintStack(painter, boxes, colours); });
            const QImage got = painted(colours, scale, shift, [&](QPainter &painter) {
                QVERIFY(pixelsAreTheDevices(painter));
                StackPixels{}.paint(painter, area(), boxes, colours);
            });
            constexpr int rounded = 3;
            for (int y = 0; y < got.height(); ++y) {
                for (int x = 0; x < got.width(); ++x) {
                    const QColor a = expected.pixelColor(x, y), b = got.pixelColor(x, y);
                    const bool same = std::abs(a.red() - b.red()) <= rounded && std::abs(a.green() - b.green()) <= rounded
                        && std::abs(a.blue() - b.blue()) <= rounded;
                    QVERIFY2(same,
                        qPrintable(
                            QStringLiteral("%1,%2: expected %3, got %4, outcome %5").arg(x).arg(y).arg(a.name(), b.name()).arg(outcome)));
                }
            }
        }
    }

    /// A picture of twice the size, a drawing.
    void anotherScaleIsThePainters()
    {
        QImage image{100, 100, QImage::Format_ARGB32_Premultiplied};
        QPainter painter{&image};
        QVERIFY(pixelsAreTheDevices(painter));
        painter.scale(2, 2);
        QVERIFY(!pixelsAreTheDevices(painter));
        painter.end();
        image.setDevicePixelRatio(1.5);
        QPainter between{&image};
        QVERIFY(!pixelsAreTheDevices(between));
    }

private:
    static QTestData &newRow(const char *in, const char *what) { return QTest::newRow(QByteArray{in} + what); }

    static QRect area() { return {5, 3, 95, 97}; }

    template <typename Paint>
    static QImage painted(const Tokens &colours, int scale, double shift, Paint paint)
    {
        QImage image{110 * scale, 110 * scale, QImage::Format_ARGB32_Premultiplied};
        image.setDevicePixelRatio(scale);
        image.fill(colours.panel);
        QPainter painter{&image};
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setClipRect(area());
        painter.translate(shift, shift);
        paint(painter);
        return image;
    }
};

QTEST_MAIN(TestGuiStack)
#include "tst_gui_stack.moc"
