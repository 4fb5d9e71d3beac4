// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/knob_row.h"

#include "app/dashboard/theme/tokens.h"
#include "app/dashboard/window/choice.h"
#include "app/dashboard/window/widgets.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

namespace throttlescope::dashboard {

namespace {

constexpr int kSteps = 400;

QString shortOrigin(const QString &origin, int kind)
{
    switch (static_cast<ValueOrigin::Kind>(kind)) {
    case ValueOrigin::Kind::Default: return QStringLiteral("default");
    case ValueOrigin::Kind::Preset: return origin.section(' ', 1);
    case ValueOrigin::Kind::File: return QStringLiteral("line ") + origin.section(':', -2, -2);
    case ValueOrigin::Kind::Edited: return QStringLiteral("edited");
    }
    return origin;
}

} // namespace

KnobRow::KnobRow(PolicyModel &model, int row, QWidget *parent)
    : QWidget(parent)
    , m_model(model)
    , m_row(row)
    , m_path(at(PolicyModel::PathRole).toString())
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
    auto *title = new QLabel{words.startsWith(inRateLimit) ? words.mid(inRateLimit.size()) : words};
    title->setToolTip(m_path);
    title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    line->addWidget(title, 1);
    const QStringList choices = at(PolicyModel::WordsRole).toStringList();
    if (!choices.isEmpty() && static_cast<Schema::Kind>(at(PolicyModel::KindRole).toInt()) == Schema::Kind::Words) {
        m_words = new Choice;
        m_words->addItems(choices);
        connect(m_words, &QComboBox::textActivated, this,
            [this](const QString &word) { m_model.setData(m_model.index(m_row, PolicyModel::Value), word); });
        line->addWidget(m_words);
        title->setBuddy(m_words);
    } else {
        m_box = new QLineEdit;
        m_box->setAlignment(Qt::AlignRight);
        m_box->setPlaceholderText(QStringLiteral("none"));
        connect(m_box, &QLineEdit::textEdited, this, &KnobRow::fit);
        connect(m_box, &QLineEdit::editingFinished, this, &KnobRow::typed);
        line->addWidget(m_box);
        title->setBuddy(m_box);
    }
    QWidget *editor = m_words ? static_cast<QWidget *>(m_words) : m_box;
    editor->setProperty("role", "value");
    editor->setAccessibleName(m_path);
    editor->setToolTip(at(PolicyModel::ExpectedRole).toString());
    m_origin->setFixedWidth(qRound(52 * textScale()));
    m_origin->setAlignment(Qt::AlignCenter);
    line->addWidget(m_origin);
    column->addLayout(line);
    if (static_cast<Schema::Kind>(at(PolicyModel::AmountKindRole).toInt()) != Schema::Kind::Other)
        addSlider();
    refresh();
}

void KnobRow::addSlider()
{
    m_slider = new QSlider{Qt::Horizontal};
    m_slider->setRange(0, kSteps);
    m_slider->setPageStep(kSteps / 10);
    m_slider->setAccessibleName(m_path);
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

/// As wide as what it says, so that the name has the rest.
void KnobRow::fit()
{
    QWidget *editor = m_words ? static_cast<QWidget *>(m_words) : m_box;
    const QString words = m_words ? m_words->currentText() : m_box->text().isEmpty() ? m_box->placeholderText() : m_box->text();
    const double room = (m_words ? 34 : 16) * textScale();
    editor->setFixedWidth(
        qRound(std::clamp(QFontMetricsF{textFont(TextSize::Body)}.horizontalAdvance(words) + room, 44 * textScale(), 116 * textScale())));
}

void KnobRow::typed()
{
    if (m_box->text() == at(Qt::EditRole).toString())
        return;
    m_box->setModified(false); // so that an accepted value is shown as the model has it
    const bool taken = m_model.setData(m_model.index(m_row, PolicyModel::Value), m_box->text());
    m_box->setModified(!taken);
    restyle(m_box, "wrong", !taken);
}

void KnobRow::refresh()
{
    const QString value = at(Qt::EditRole).toString();
    if (m_box && (!m_box->hasFocus() || !m_box->isModified())) {
        m_box->setText(value);
        m_box->setCursorPosition(0);
        restyle(m_box, "wrong", false);
    }
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
    const QString origin = m_model.data(m_model.index(m_row, PolicyModel::Origin)).toString();
    const int kind = at(PolicyModel::OriginKindRole).toInt();
    m_origin->setText(shortOrigin(origin, kind));
    m_origin->setToolTip(origin);
    restyle(m_origin, "edited", static_cast<ValueOrigin::Kind>(kind) == ValueOrigin::Kind::Edited);
}

} // namespace throttlescope::dashboard
