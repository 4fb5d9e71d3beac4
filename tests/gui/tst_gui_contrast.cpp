// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/theme/heat_scale.h"
#include "app/dashboard/theme/tokens.h"

#include <QTest>
#include <cmath>

using namespace throttlescope::dashboard;

namespace {

/// Of WCAG 2: 1 for the same colour, 21 for black on white.
double contrast(const QColor &one, const QColor &other)
{
    const auto luminance = [](const QColor &colour) {
        const auto linear = [](double part) { return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4); };
        return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
    };
    const double a = luminance(one), b = luminance(other);
    return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

} // namespace

/// Text of each look on each ground that it is written on.
class TestGuiContrast final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textIsReadableOnWhatItStandsOn_data()
    {
        QTest::addColumn<QColor>("text");
        QTest::addColumn<QColor>("ground");
        for (const Look look : {Look::Light, Look::Dark}) {
            const Tokens &t = tokens(look);
            const auto row = [&](const char *name, const QColor &text, const QColor &ground) {
                QTest::newRow(qPrintable((look == Look::Light ? "light: " : "dark: ") + QString{name})) << text << ground;
            };
            for (const auto &[name, ground] :
                {std::pair{"window", t.window}, {"panel", t.panel}, {"chip", t.chip}, {"selection", t.selection}}) {
                row(qPrintable(QString{"text on "} + name), t.text, ground);
                row(qPrintable(QString{"muted on "} + name), t.muted, ground);
                row(qPrintable(QString{"accent on "} + name), t.accent, ground);
            }
            row("alarm on window", t.alarm, t.window);
            row("alarm on panel", t.alarm, t.panel);
            row("onAccent on accent", t.onAccent, t.accent);
            row("onAlarm on alarm", t.onAlarm, t.alarm);
            row("onAmbiguous on ambiguous", t.onAmbiguous, t.ambiguous);
            QColor closed;
            closed.setRgbF(static_cast<float>(0.45 * t.success.redF() + 0.55 * t.panel.redF()),
                static_cast<float>(0.45 * t.success.greenF() + 0.55 * t.panel.greenF()),
                static_cast<float>(0.45 * t.success.blueF() + 0.55 * t.panel.blueF()));
            row("text on a closed breaker", t.text, closed);
            for (int tenth = 0; tenth <= 10; ++tenth) {
                const QColor cell = heatColour(tenth / 10.0, look);
                row(qPrintable(QStringLiteral("ink on a cell of shade %1").arg(tenth)), inkOn(cell), cell);
            }
        }
    }
    /// So that a greyscale picture, or an eye that sees no blue, has the same order; steps of at least 1 : 1.05 can be told apart.
    void heatGrowsEvenlyInLightness()
    {
        for (const Look look : {Look::Light, Look::Dark}) {
            for (int tenth = 1; tenth <= 10; ++tenth) {
                const QColor before = heatColour((tenth - 1) / 10.0, look), after = heatColour(tenth / 10.0, look);
                QVERIFY((qGray(before.rgb()) > qGray(after.rgb())) == (look == Look::Light));
                QVERIFY(contrast(before, after) > 1.05);
            }
        }
    }

    void textIsReadableOnWhatItStandsOn()
    {
        QFETCH(QColor, text);
        QFETCH(QColor, ground);
        QVERIFY2(contrast(text, ground) >= 4.5, qPrintable(QString::number(contrast(text, ground))));
    }
};

QTEST_APPLESS_MAIN(TestGuiContrast)
#include "tst_gui_contrast.moc"
