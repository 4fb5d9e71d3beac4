// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/fetch_dialog.h"

#include "app/dashboard/window/choice.h"
#include "app/dashboard/window/widgets.h"
#include "simulator/scenario/presets.h"

#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QIntValidator>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace throttlescope::dashboard {

FetchDialog::FetchDialog(QWidget *parent)
    : QDialog(parent)
    , m_policy(new Choice)
    , m_concurrency(new QSpinBox)
    , m_most(new QLineEdit)
    , m_start(new QPushButton{tr("Send real requests")})
{
    const auto [column, rows] = dialogForm(*this, tr("Fetch a worklist"),
        tr("As “throttlescope fetch” does: real requests to real servers. Its policy can be retuned while it runs; Stop ends it, and "
           "the checkpoint lets it go on later."));
    m_worklist = addPath(rows, tr("Worklist"), tr("one URL a line, or JSON Lines"), Kind::Existing);
    m_policy->setEditable(true);
    for (const Preset &preset : presets())
        m_policy->addItem(text(preset.name));
    m_policy->setCurrentText(QString::fromStdString(fetch::FetchOrder{}.policy));
    m_policy->setAccessibleName(tr("Policy"));
    m_policy->setToolTip(tr("A preset, or a file of policy keys"));
    rows->addRow(tr("Policy"), m_policy);
    m_checkpoint = addPath(rows, tr("Checkpoint"), tr("keeps what is settled, and goes on from it"), Kind::New);
    m_out = addPath(rows, tr("Answers into"), tr("a folder for bodies and headers"), Kind::Folder);
    m_journal = addPath(rows, tr("Journal"), tr("a file for the events, to open again"), Kind::New);
    m_headers = addPath(rows, tr("Headers from"), tr("lines “Name: value”, sent with each request"), Kind::Existing);
    m_concurrency->setRange(1, 1000);
    m_concurrency->setValue(static_cast<int>(fetch::FetchOrder{}.concurrency));
    m_concurrency->setButtonSymbols(QSpinBox::NoButtons);
    m_concurrency->setAccessibleName(tr("Items at a time"));
    rows->addRow(tr("At a time"), m_concurrency);
    m_most->setPlaceholderText(tr("no limit"));
    m_most->setValidator(new QIntValidator{0, std::numeric_limits<int>::max(), this});
    m_most->setAccessibleName(tr("Most requests"));
    rows->addRow(tr("Most requests"), m_most);

    m_start->setProperty("role", "alarm");
    column->addLayout(answers(*this, m_start));
    for (QPushButton *each : findChildren<QPushButton *>())
        each->setAutoDefault(false); // Enter in a box sends no request
    connect(m_worklist, &QLineEdit::textChanged, this, &FetchDialog::refresh);
    connect(m_start, &QPushButton::clicked, this, [this] {
        Q_EMIT ordered(order());
        accept();
    });
    resize(560, sizeHint().height());
    refresh();
}

QLineEdit *FetchDialog::addPath(QFormLayout *form, const QString &words, const QString &hint, Kind kind)
{
    auto *box = new QLineEdit;
    box->setPlaceholderText(hint);
    box->setAccessibleName(words);
    auto *browse = new QPushButton{tr("Browse…")};
    browse->setAutoDefault(false);
    browse->setAccessibleName(tr("Browse for %1").arg(words));
    connect(browse, &QPushButton::clicked, this, [this, box, words, kind] { choosePath(box, words, kind); });
    auto *row = new QHBoxLayout;
    row->addWidget(box);
    row->addWidget(browse);
    form->addRow(words, row);
    return box;
}

void FetchDialog::choosePath(QLineEdit *box, const QString &title, Kind kind)
{
    QString path;
    switch (kind) {
    case Kind::Existing: path = QFileDialog::getOpenFileName(this, title, box->text()); break;
    case Kind::New: path = QFileDialog::getSaveFileName(this, title, box->text(), {}, nullptr, QFileDialog::DontConfirmOverwrite); break;
    case Kind::Folder: path = QFileDialog::getExistingDirectory(this, title, box->text()); break;
    }
    if (!path.isEmpty())
        box->setText(path);
}

fetch::FetchOrder FetchDialog::order() const
{
    const auto text = [](const QLineEdit *box) { return box->text().trimmed().toStdString(); };
    fetch::FetchOrder order;
    order.worklist = text(m_worklist);
    order.policy = m_policy->currentText().trimmed().toStdString();
    order.concurrency = static_cast<std::size_t>(m_concurrency->value());
    order.checkpoint = text(m_checkpoint);
    order.unsettledOnly = !order.checkpoint.empty();
    order.out = text(m_out);
    order.journal = text(m_journal);
    order.credentials.headerFile = text(m_headers);
    if (!m_most->text().isEmpty())
        order.maxRequests = m_most->text().toULongLong();
    return order;
}

void FetchDialog::refresh()
{
    m_start->setEnabled(!m_worklist->text().trimmed().isEmpty());
}

} // namespace throttlescope::dashboard
