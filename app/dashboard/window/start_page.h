// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QVBoxLayout>
#include <QWidget>

namespace throttlescope::dashboard {

/// What is seen before anything is open.
class StartPage final : public QWidget {
    Q_OBJECT

public:
    explicit StartPage(QWidget *parent = nullptr);

    void setRecent(const QStringList &files);

Q_SIGNALS:
    void scenarioAsked();
    void journalAsked();
    void exampleAsked();
    void fetchAsked();
    void fileAsked(const QString &file);

private:
    QVBoxLayout *m_recent;
};

} // namespace throttlescope::dashboard
