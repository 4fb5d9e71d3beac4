// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGridLayout>
#include <QLabel>
#include <QWidget>
#include <vector>

namespace throttlescope::dashboard {

/// Name, value, remark: in a line each while all remarks have room there, else the remarks under the names.
class FactsTable final : public QWidget {
    Q_OBJECT

public:
    explicit FactsTable(QWidget *parent = nullptr);

    void add(const QString &name, const QString &value, const QString &remark, bool strong);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    struct Fact {
        QLabel *name, *value, *remark;
    };
    int widthInLines() const;
    void arrange(bool inLines);

    QGridLayout *m_grid;
    std::vector<Fact> m_facts;
    bool m_inLines = true;
};

} // namespace throttlescope::dashboard
