// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/theme/look.h"

#include <QApplication>
#include <QPalette>
#include <QStyle>
#include <QStyleFactory>

namespace throttlescope::dashboard {

namespace {

Look g_look = Look::Dark;

/// Of the desktop: whichever its own palette is closer to.
Look systemLook()
{
    static const bool dark = QApplication::palette().color(QPalette::Window).lightness() < 128;
    return dark ? Look::Dark : Look::Light;
}

QPalette paletteOf(const Tokens &tokens)
{
    QPalette palette;
    palette.setColor(QPalette::Window, tokens.window);
    palette.setColor(QPalette::Base, tokens.panel);
    palette.setColor(QPalette::AlternateBase, tokens.panel);
    palette.setColor(QPalette::Button, tokens.chip);
    palette.setColor(QPalette::Text, tokens.text);
    palette.setColor(QPalette::WindowText, tokens.text);
    palette.setColor(QPalette::ButtonText, tokens.text);
    palette.setColor(QPalette::PlaceholderText, tokens.muted);
    palette.setColor(QPalette::Highlight, tokens.selection);
    palette.setColor(QPalette::HighlightedText, tokens.text);
    palette.setColor(QPalette::Link, tokens.accent);
    palette.setColor(QPalette::ToolTipBase, tokens.panel);
    palette.setColor(QPalette::ToolTipText, tokens.text);
    palette.setColor(QPalette::Mid, tokens.line);
    palette.setColor(QPalette::Disabled, QPalette::Text, tokens.muted);
    palette.setColor(QPalette::Disabled, QPalette::WindowText, tokens.muted);
    palette.setColor(QPalette::Disabled, QPalette::ButtonText, tokens.muted);
    return palette;
}

/// `@name` is a token, `$12` a number of pixels that grows with the text.
QString styleSheet(const Tokens &tokens)
{
    QString sheet = QStringLiteral(R"(
QMainWindow, QDialog { background: @window; }
QWidget#Panel { background: @panel; border: 1px solid @line; border-radius: 8px; }
QWidget#Bar { background: @panel; border-bottom: 1px solid @line; }
QLabel { background: transparent; }
QLabel[role="label"] { color: @muted; font-size: $11px; }
QLabel[role="section"] { color: @muted; font-size: $12px; font-weight: 600; }
QLabel[role="headline"] { font-size: $15px; font-weight: 600; }
QLabel[role="figure"] { font-size: $21px; font-weight: 600; }
QLabel[role="alarm"] { color: @alarm; }
QLabel[role="said"] { color: @muted; font-size: $11px; }
QWidget#Figure { border-left: 1px solid @line; }
QLabel[role="said"][alarm="true"] { color: @alarm; }
QWidget#Notice { background: @panel; border-bottom: 2px solid @ambiguous; }
QLabel[role="chip"] { background: @chip; color: @muted; border-radius: 7px; padding: 1px 3px; font-size: $11px; }
QLabel[role="chip"][edited="true"] { background: @selection; color: @accent; }
QLabel[role="banner"] { background: @accent; color: @onAccent; border-radius: 9px; padding: 3px 12px; font-size: $11px; font-weight: 700; }
QLabel[role="banner"][traffic="real"] { background: @alarm; color: @onAlarm; }
QLabel[role="header"] { background: @chip; border-radius: 6px; padding: 8px 10px; }
QWidget#Change { background: @selection; border-radius: 6px; }
QPushButton, QToolButton { background: @chip; color: @text; border: 1px solid transparent; border-radius: 6px; padding: 4px 12px; }
QToolButton { padding: 3px; }
QPushButton:hover, QToolButton:hover { border-color: @muted; }
QPushButton:focus, QToolButton:focus, QCheckBox:focus { border: 1px solid @accent; }
QPushButton:disabled, QToolButton:disabled { color: @muted; }
QPushButton[role="link"] { background: transparent; color: @accent; padding: 0 2px; }
QPushButton[role="link"]:disabled { color: @muted; }
QPushButton[role="mode"] { color: @muted; border-radius: 9px; padding: 3px 12px; font-size: $11px; }
QPushButton[role="choice"] { color: @muted; border-radius: 9px; padding: 3px 12px; font-size: $11px; }
QPushButton[role="choice"]:checked { background: @panel; color: @text; border: 1px solid @muted; }
QPushButton[role="choice"]:focus { border: 1px solid @accent; }
QPushButton[role="time"] { background: transparent; padding: 3px 6px; font-weight: 600; }
QPushButton[role="more"], QPushButton[role="more"]:hover { background: @panel; color: @accent; border: 0; border-radius: 0;
    border-top: 1px solid @line; padding: 0 2px; font-size: $11px; text-align: left; }
QPushButton[role="chip"] { background: @selection; color: @accent; border-radius: 11px; padding: 3px 10px; }
QPushButton[role="primary"] { background: @accent; color: @onAccent; }
QPushButton[role="alarm"] { background: @alarm; color: @onAlarm; }
QPushButton[role="alarm"]:disabled { background: @chip; color: @muted; }
QCheckBox { spacing: 6px; border: 1px solid transparent; border-radius: 4px; padding: 1px; }
QLineEdit, QComboBox, QSpinBox { background: @panel; color: @text; border: 1px solid @line; border-radius: 6px; padding: 3px 8px;
    selection-background-color: @accent; selection-color: @onAccent; }
QLineEdit[role="value"], QComboBox[role="value"] { background: transparent; border-color: transparent; padding: 1px 4px; }
QComboBox[role="value"] { padding-right: 12px; }
QLineEdit[role="value"]:hover, QComboBox[role="value"]:hover { border-color: @line; }
QLineEdit:focus, QComboBox:focus, QLineEdit[role="value"]:focus, QComboBox[role="value"]:focus { border-color: @accent; }
QLineEdit[wrong="true"], QLineEdit[role="value"][wrong="true"]:focus { border-color: @alarm; }
QPushButton::menu-indicator { width: 0; }
QSlider { min-height: 16px; }
QSlider::groove:horizontal { height: 4px; background: @line; border-radius: 2px; }
QSlider::sub-page:horizontal { background: @accent; border-radius: 2px; }
QSlider::sub-page:horizontal:disabled { background: @line; }
QSlider::handle:horizontal { width: 10px; height: 10px; margin: -5px 0; border: 2px solid @accent; border-radius: 7px; background: @panel; }
QSlider::handle:horizontal:hover, QSlider::handle:horizontal:focus { background: @selection; }
QSlider::handle:horizontal:disabled { border-color: @line; }
QComboBox::drop-down { border: 0; width: 16px; }
QComboBox QAbstractItemView { background: @panel; border: 1px solid @line; selection-background-color: @selection; selection-color: @text; }
QTableView { background: @panel; border: 0; gridline-color: transparent; selection-background-color: @selection;
    selection-color: @text; outline: 0; }
QTableView::item { padding: 0 6px; border: 0; }
QHeaderView { background: @panel; border: 0; }
QHeaderView::section { background: @panel; color: @muted; border: 0; border-bottom: 1px solid @line; padding: 4px 9px;
    font-size: $11px; font-weight: 600; }
QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; border: 0; }
QScrollArea:focus { border: 1px solid @accent; border-radius: 4px; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @line; border-radius: 4px; min-height: 24px; min-width: 24px; margin: 1px; }
QScrollBar::handle:hover { background: @muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QSplitter::handle { background: transparent; }
QToolTip { background: @panel; color: @text; border: 1px solid @line; padding: 4px; }
QMenu { background: @panel; border: 1px solid @line; padding: 4px; }
QMenu::item { padding: 4px 20px 4px 12px; border-radius: 4px; }
QMenu::item:selected { background: @selection; }
QMenu::item:disabled { color: @muted; }
QMenu::separator { height: 1px; background: @line; margin: 4px 8px; }
)");
    // The longest names first, so that none is taken for the beginning of another.
    const std::pair<const char *, QColor> values[]{{"@onAccent", tokens.onAccent}, {"@onAlarm", tokens.onAlarm},
        {"@selection", tokens.selection}, {"@ambiguous", tokens.ambiguous}, {"@window", tokens.window}, {"@accent", tokens.accent},
        {"@panel", tokens.panel}, {"@muted", tokens.muted}, {"@alarm", tokens.alarm}, {"@text", tokens.text}, {"@line", tokens.line},
        {"@chip", tokens.chip}};
    for (const auto &[name, colour] : values)
        sheet.replace(QLatin1String{name}, colour.name());
    for (const int pixels : {11, 12, 15, 21})
        sheet.replace(QStringLiteral("$%1px").arg(pixels), QStringLiteral("%1px").arg(qRound(pixels * textScale())));
    return sheet;
}

} // namespace

Look shownLook()
{
    return g_look;
}

void applyLook(QApplication &application, LookChoice choice)
{
    const Look ofSystem = systemLook();
    g_look = choice == LookChoice::System ? ofSystem : choice == LookChoice::Light ? Look::Light : Look::Dark;
    QApplication::setStyle(QStyleFactory::create("Fusion"));
    QApplication::setPalette(paletteOf(tokens()));
    QApplication::setFont(textFont(TextSize::Body));
    application.setStyleSheet(styleSheet(tokens()));
}

} // namespace throttlescope::dashboard
