// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/knob_row.h"

#include "app/dashboard/sweep/knob_sweep.h"
#include "app/dashboard/theme/tokens.h"
#include "app/dashboard/window/choice.h"
#include "app/dashboard/window/elided_label.h"
#include "app/dashboard/window/widgets.h"

#include <QAction>
#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <algorithm>

namespace throttlescope::dashboard {

namespace {

constexpr int kSteps = 400;

/// The wheel scrolls the editor, and changes nothing by accident.
class Slider final : public QSlider {
public:
    using QSlider::QSlider;

protected:
    void wheelEvent(QWheelEvent *event) override { event->ignore(); }
};

QString shortOrigin(const QString &origin, ValueOrigin::Kind kind)
{
    switch (kind) {
    case ValueOrigin::Kind::Default: return QStringLiteral("default");
    case ValueOrigin::Kind::Preset: return origin.section(' ', 1);
    case ValueOrigin::Kind::File: return QStringLiteral("line ") + origin.section(':', -2, -2);
    case ValueOrigin::Kind::Edited: return QStringLiteral("edited");
    }
    return origin;
}

constexpr int kChipWidth = 58, kChipPadding = 8;

} // namespace

void showOrigin(QLabel &chip, const QString &words)
{
    const int width = qRound(kChipWidth * textScale());
    chip.setFixedWidth(width);
    chip.setAlignment(Qt::AlignCenter);
    chip.setText(QFontMetricsF{textFont(TextSize::Label)}.elidedText(words, Qt::ElideRight, width - kChipPadding));
}

void showOrigin(QLabel &chip, const QString &origin, ValueOrigin::Kind kind)
{
    showOrigin(chip, shortOrigin(origin, kind));
    chip.setToolTip(origin);
    restyle(&chip, "edited", kind == ValueOrigin::Kind::Edited);
}

KnobRow::KnobRow(PolicyModel &model, int row, QWidget *parent)
    : QWidget(parent)
    , m_model(model)
    , m_row(row)
    , m_path(at(PolicyModel::PathRole).toString())
    , m_title(new ElidedLabel)
    , m_origin(label({}, "chip"))
{
    auto *column = new QVBoxLayout{this};
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *line = new QHBoxLayout;
    line->setSpacing(4);
    const QString group = at(PolicyModel::GroupRole).toString();
    const QString name = model.data(model.index(row, PolicyModel::Label)).toString();
    const QString inRateLimit = QStringLiteral("rate_limit.");
    const QString words = group.isEmpty() ? name : group + '.' + name;
    m_title->setText(words.startsWith(inRateLimit) ? words.mid(inRateLimit.size()) : words);
    m_title->setToolTip(m_path);
    line->addWidget(m_title, 1);
    const QStringList choices = at(PolicyModel::WordsRole).toStringList();
    if (!choices.isEmpty() && static_cast<Schema::Kind>(at(PolicyModel::KindRole).toInt()) == Schema::Kind::Words) {
        m_words = new Choice;
        m_words->addItems(choices);
        connect(m_words, &QComboBox::textActivated, this,
            [this](const QString &word) { m_model.setData(m_model.index(m_row, PolicyModel::Value), word); });
        line->addWidget(m_words);
        m_title->setBuddy(m_words);
    } else {
        m_box = new ValueBox;
        m_box->setAlignment(Qt::AlignRight);
        m_box->setPlaceholderText(QStringLiteral("none"));
        m_box->setContextMenuPolicy(Qt::CustomContextMenu); // the row's beside the box's own
        connect(m_box, &QWidget::customContextMenuRequested, this,
            [this](const QPoint &at) { showMenu(m_box->createStandardContextMenu(), m_box->mapToGlobal(at)); });
        connect(m_box, &QLineEdit::textChanged, this, &KnobRow::fit);
        connect(m_box, &QLineEdit::editingFinished, this, &KnobRow::typed);
        connect(m_box, &ValueBox::abandoned, this, &KnobRow::abandon);
        line->addWidget(m_box);
        m_title->setBuddy(m_box);
    }
    QWidget *editor = m_words ? static_cast<QWidget *>(m_words) : m_box;
    editor->setProperty("role", "value");
    editor->setAccessibleName(m_path);
    line->addWidget(m_origin);
    column->addLayout(line);
    if (static_cast<Schema::Kind>(at(PolicyModel::AmountKindRole).toInt()) != Schema::Kind::Other)
        addSlider();
    refresh();
}

void KnobRow::contextMenuEvent(QContextMenuEvent *event)
{
    showMenu(new QMenu{this}, event->globalPos());
}

void KnobRow::showMenu(QMenu *menu, const QPoint &at)
{
    menu->setAttribute(Qt::WA_DeleteOnClose);
    auto *sweep = new QAction{tr("Sweep this knob…"), menu};
    sweep->setEnabled(canBeSwept(m_model.knobs()[static_cast<std::size_t>(m_row)]));
    connect(sweep, &QAction::triggered, this, [this] { Q_EMIT sweepAsked(m_path); });
    menu->insertAction(menu->actions().value(0), sweep);
    menu->popup(at);
}

void KnobRow::addSlider()
{
    m_slider = new Slider{Qt::Horizontal};
    m_slider->setRange(0, kSteps);
    m_slider->setPageStep(kSteps / 10);
    m_slider->setAccessibleName(tr("%1, slider").arg(m_path));
    connect(m_slider, &QSlider::valueChanged, this, [this](int position) { m_model.drag(m_row, amount(position)); });
    for (const auto gesture : {&QSlider::sliderPressed, &QSlider::sliderReleased})
        connect(m_slider, gesture, this, [this] { m_model.endDrag(); });
    layout()->addWidget(m_slider);
}

int KnobRow::position(double amount) const
{
    const double least = at(PolicyModel::SliderLeastRole).toDouble();
    const double most = at(PolicyModel::SliderMostRole).toDouble();
    return most > least ? qRound((amount - least) / (most - least) * kSteps) : 0;
}

double KnobRow::amount(int position) const
{
    const double least = at(PolicyModel::SliderLeastRole).toDouble();
    const double most = at(PolicyModel::SliderMostRole).toDouble();
    return least + (most - least) * position / kSteps;
}

void KnobRow::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    fit();
}

/// As wide as what it says, so that the name has the rest; beside the name as long as there is room for both.
void KnobRow::fit()
{
    QWidget *editor = m_words ? static_cast<QWidget *>(m_words) : m_box;
    const QString words = m_words ? m_words->currentText() : m_box->text().isEmpty() ? m_box->placeholderText() : m_box->text();
    const double room = (m_words ? 34 : 16) * textScale();
    const double least = 44 * textScale();
    const double most = width() - m_origin->width() - m_title->sizeHint().width() - 8;
    const double wanted = QFontMetricsF{textFont(TextSize::Body)}.horizontalAdvance(words) + room;
    editor->setFixedWidth(qRound(std::clamp(wanted, least, std::max(most, 110 * textScale()))));
}

void KnobRow::typed()
{
    const QString typed = m_box->written();
    if (typed == at(Qt::EditRole).toString())
        return;
    m_box->setModified(false); // so that an accepted value is shown as the model has it
    const bool taken = m_model.setData(m_model.index(m_row, PolicyModel::Value), typed);
    m_box->setModified(!taken);
    restyle(m_box, "wrong", !taken);
}

/// The value as it was; Tab goes on from here.
void KnobRow::abandon()
{
    m_box->setValue(at(Qt::EditRole).toString());
    restyle(m_box, "wrong", false);
    setFocus();
}

bool KnobRow::focusNextPrevChild(bool next)
{
    if (!hasFocus() || !m_box)
        return QWidget::focusNextPrevChild(next);
    m_box->setFocus(Qt::TabFocusReason);
    return true;
}

void KnobRow::setHideNames(bool hide)
{
    m_hideNames = hide;
    refresh();
}

void KnobRow::refresh()
{
    const QString value = at(Qt::EditRole).toString();
    if (m_box && (!m_box->hasFocus() || !m_box->isModified())) {
        m_box->setValue(value);
        restyle(m_box, "wrong", false);
    }
    QWidget *editor = m_words ? static_cast<QWidget *>(m_words) : m_box;
    const QString origin = m_model.data(m_model.index(m_row, PolicyModel::Origin)).toString();
    const auto kind = static_cast<ValueOrigin::Kind>(at(PolicyModel::OriginKindRole).toInt());
    showOrigin(*m_origin, origin, kind);
    if (m_hideNames)
        m_origin->setToolTip({});
    const QString expected = at(PolicyModel::ExpectedRole).toString();
    editor->setToolTip(value.isEmpty() ? expected : value + '\n' + expected);
    if (m_words)
        m_words->setCurrentText(value);
    fit();
    if (m_slider) {
        const QSignalBlocker quiet{m_slider};
        const QVariant amount = at(PolicyModel::AmountRole);
        m_slider->setVisible(amount.isValid());
        if (amount.isValid() && !m_slider->isSliderDown())
            m_slider->setValue(position(amount.toDouble()));
    }
}

} // namespace throttlescope::dashboard
