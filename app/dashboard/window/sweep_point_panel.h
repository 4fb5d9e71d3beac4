// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/sweep/sweep_result.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <QWidget>

namespace throttlescope::dashboard {

class FactsTable;

/// What one point of a sweep came to, and which of its runs is opened.
class SweepPointPanel final : public QWidget {
    Q_OBJECT

public:
    explicit SweepPointPanel(QWidget *parent = nullptr);

    /// `metric`: whose median, worst, 5 % or 95 % seed is meant.
    void show(const SweepPointer &result, std::optional<std::size_t> point, std::size_t metric, bool canOpen);
    SeedChoice seedChoice() const;

Q_SIGNALS:
    void openAsked();
    void copyAsked();

private:
    void showFacts(const SweepResult &result, std::size_t point);
    void showSeeds(const SweepResult &result, std::size_t point, std::size_t metric);

    QLabel *m_headline, *m_verdict, *m_seedLabel;
    QVBoxLayout *m_body;
    FactsTable *m_facts = nullptr;
    QWidget *m_foot;
    QComboBox *m_seeds;
    QPushButton *m_open, *m_copy;
};

} // namespace throttlescope::dashboard
