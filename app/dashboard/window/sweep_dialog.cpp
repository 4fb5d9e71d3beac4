// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/sweep_dialog.h"

#include "app/dashboard/window/choice.h"
#include "app/dashboard/window/widgets.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

namespace throttlescope::dashboard {

namespace {

QSpinBox *numberBox(int least, int most, int value, const QString &name)
{
    auto *box = new QSpinBox;
    box->setRange(least, most);
    box->setValue(value);
    box->setButtonSymbols(QSpinBox::NoButtons);
    box->setAccessibleName(name);
    return box;
}

} // namespace

SweepDialog::SweepDialog(const PolicyDraft &draft, const std::string &policy, const QString &path, QWidget *parent)
    : QDialog(parent)
    , m_draft(draft)
    , m_seeds(numberBox(1, 100'000, 1, tr("Seeds a point")))
    , m_words(new QLabel)
    , m_start(new QPushButton{tr("Run the sweep")})
{
    for (const PolicyKnob &knob : draft.knobs(policy)) {
        if (canBeSwept(knob))
            m_knobs.push_back(knob);
    }
    const auto [column, rows] = dialogForm(
        *this, tr("Sweep a knob"), tr("Runs the scenario as it is edited now at many values of one knob, or of two, in virtual time."));
    addAxis(rows, m_axes[0], tr("Knob"), false);
    addAxis(rows, m_axes[1], tr("Over a second"), true);
    rows->addRow(tr("Seeds a point"), m_seeds);
    m_words->setProperty("role", "said");
    m_words->setWordWrap(true);
    m_start->setProperty("role", "primary");
    m_start->setDefault(true);
    column->addWidget(m_words);
    column->addLayout(answers(*this, m_start));
    connect(m_seeds, &QSpinBox::valueChanged, this, &SweepDialog::refresh);
    connect(m_start, &QPushButton::clicked, this, [this] {
        if (const auto ordered = header()) {
            accept();
            Q_EMIT this->ordered(*ordered);
        }
    });
    const auto asked
        = std::find_if(m_knobs.begin(), m_knobs.end(), [&path](const PolicyKnob &knob) { return knob.setPath == path.toStdString(); });
    m_axes[0].knob->setCurrentIndex(asked == m_knobs.end() ? 0 : static_cast<int>(asked - m_knobs.begin()));
    for (AxisRow &row : m_axes)
        knobChosen(row);
    resize(560, sizeHint().height());
}

void SweepDialog::addAxis(QFormLayout *form, AxisRow &row, const QString &words, bool optional)
{
    row.knob = new Choice;
    row.knob->setAccessibleName(words);
    for (const PolicyKnob &knob : m_knobs)
        row.knob->addItem(QString::fromStdString(knob.row.path));
    if (optional) {
        row.knob->insertItem(0, tr("none"));
        row.knob->setCurrentIndex(0);
    }
    form->addRow(words, row.knob);
    row.range = new QWidget;
    auto *line = new QHBoxLayout{row.range};
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(6);
    row.from = new QLineEdit;
    row.to = new QLineEdit;
    row.steps = numberBox(2, 10'000, 24, tr("%1: values").arg(words));
    row.log = new QCheckBox{tr("logarithmic")};
    row.from->setAccessibleName(tr("%1: from").arg(words));
    row.to->setAccessibleName(tr("%1: to").arg(words));
    row.log->setAccessibleName(tr("%1: logarithmic").arg(words));
    line->addWidget(row.from, 2);
    line->addWidget(label(tr("to"), "label"));
    line->addWidget(row.to, 2);
    line->addWidget(label(tr("in"), "label"));
    line->addWidget(row.steps, 1);
    line->addWidget(label(tr("values"), "label"));
    line->addWidget(row.log);
    form->addRow(QString{}, row.range);
    connect(row.knob, &QComboBox::currentIndexChanged, this, [this, &row] { knobChosen(row); });
    for (QLineEdit *box : {row.from, row.to})
        connect(box, &QLineEdit::textChanged, this, &SweepDialog::refresh);
    connect(row.steps, &QSpinBox::valueChanged, this, &SweepDialog::refresh);
    connect(row.log, &QCheckBox::toggled, this, &SweepDialog::refresh);
}

const PolicyKnob *SweepDialog::knobOf(const AxisRow &row) const
{
    const int index = row.knob->currentIndex() - (&row == &m_axes[1] ? 1 : 0);
    return index >= 0 && index < static_cast<int>(m_knobs.size()) ? &m_knobs[static_cast<std::size_t>(index)] : nullptr;
}

void SweepDialog::knobChosen(AxisRow &row)
{
    const PolicyKnob *knob = knobOf(row);
    row.range->setVisible(knob && knob->amountKind != Schema::Kind::Other);
    if (knob) {
        const KnobSweep sweep = knobSweep(*knob);
        row.from->setText(QString::fromStdString(sweep.from));
        row.to->setText(QString::fromStdString(sweep.to));
        row.steps->setValue(&row == &m_axes[1] ? std::min(sweep.steps, 8) : sweep.steps);
    }
    refresh();
}

tl::expected<SweepHeader, std::string> SweepDialog::header() const
{
    std::vector<KnobSweep> sweeps;
    for (const AxisRow &row : m_axes) {
        const PolicyKnob *knob = knobOf(row);
        if (!knob)
            continue;
        KnobSweep sweep = knobSweep(*knob);
        sweep.from = row.from->text().trimmed().toStdString();
        sweep.to = row.to->text().trimmed().toStdString();
        sweep.steps = row.steps->value();
        sweep.log = row.log->isChecked();
        sweeps.push_back(std::move(sweep));
    }
    if (sweeps.empty())
        return tl::unexpected(std::string{"this policy has no knob that can be swept"});
    if (sweeps.size() == 2 && sweeps[0].path == sweeps[1].path)
        return tl::unexpected(std::string{"the same knob twice, expected two"});
    return sweepHeader(m_draft, sweeps, static_cast<std::uint64_t>(m_seeds->value()));
}

void SweepDialog::refresh()
{
    const auto made = header();
    m_start->setEnabled(made.has_value());
    restyle(m_words, "alarm", !made);
    if (!made)
        return m_words->setText(QString::fromStdString(made.error()));
    const auto plan = planOf(*made);
    m_words->setText(tr("%1 runs").arg(QLocale{QLocale::English}.toString(static_cast<qulonglong>(plan ? plan->runs() : 0))));
}

} // namespace throttlescope::dashboard
