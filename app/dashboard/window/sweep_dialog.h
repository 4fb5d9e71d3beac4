// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/sweep/knob_sweep.h"

#include <QDialog>
#include <array>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace throttlescope::dashboard {

/// Asks which knobs of a policy are swept, from where to where, and with how many seeds.
class SweepDialog final : public QDialog {
    Q_OBJECT

public:
    /// `path`: of the first knob, as `--set` takes it; else the first one that can be swept.
    SweepDialog(const PolicyDraft &draft, const std::string &policy, const QString &path, QWidget *parent = nullptr);

Q_SIGNALS:
    void ordered(const throttlescope::SweepHeader &header);

private:
    struct AxisRow {
        QComboBox *knob = nullptr;
        QLineEdit *from = nullptr, *to = nullptr;
        QSpinBox *steps = nullptr;
        QCheckBox *log = nullptr;
        QWidget *range = nullptr;
    };
    void addAxis(QFormLayout *form, AxisRow &row, const QString &words, bool optional);
    void knobChosen(AxisRow &row);
    const PolicyKnob *knobOf(const AxisRow &row) const;
    tl::expected<SweepHeader, std::string> header() const;
    void refresh();

    PolicyDraft m_draft;
    std::vector<PolicyKnob> m_knobs;
    std::array<AxisRow, 2> m_axes;
    QSpinBox *m_seeds;
    QLabel *m_words;
    QPushButton *m_start;
};

} // namespace throttlescope::dashboard
