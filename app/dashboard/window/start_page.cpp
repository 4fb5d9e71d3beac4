// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/start_page.h"

#include "app/dashboard/window/widgets.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QPushButton>

namespace throttlescope::dashboard {

StartPage::StartPage(QWidget *parent)
    : QWidget(parent)
    , m_recent(new QVBoxLayout)
{
    auto *outer = new QVBoxLayout{this};
    outer->addStretch(2);
    QWidget *card = panel();
    card->setMaximumWidth(620);
    auto *column = new QVBoxLayout{card};
    column->setContentsMargins(32, 28, 32, 28);
    column->setSpacing(10);
    column->addWidget(label(tr("Throttlescope"), "figure"));
    QLabel *words = new QLabel{tr("Play a scenario and turn its knobs, or read the journal of a run.")};
    words->setWordWrap(true);
    column->addWidget(words);
    column->addSpacing(8);
    auto *row = new QHBoxLayout;
    row->setSpacing(8);
    const auto button = [&](const QString &text, const char *role, auto asked) {
        auto *made = new QPushButton{text};
        made->setProperty("role", role);
        connect(made, &QPushButton::clicked, this, asked);
        row->addWidget(made);
        return made;
    };
    button(tr("Open scenario…"), "", &StartPage::scenarioAsked);
    button(tr("Open journal…"), "", &StartPage::journalAsked);
    setFocusProxy(button(tr("Try “minute window”"), "primary", &StartPage::exampleAsked));
    button(tr("Fetch a worklist…"), "link", &StartPage::fetchAsked);
    row->addStretch();
    column->addLayout(row);
    m_recent->setSpacing(2);
    column->addLayout(m_recent);
    column->addSpacing(4);
    QLabel *drop = label(tr("Files can be dropped here, too. F1 shows legend and keys."), "label");
    column->addWidget(drop);
    auto *centred = new QHBoxLayout;
    centred->addStretch();
    centred->addWidget(card, 10);
    centred->addStretch();
    outer->addLayout(centred);
    outer->addStretch(3);
}

void StartPage::setRecent(const QStringList &files)
{
    while (QLayoutItem *item = m_recent->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    if (!files.isEmpty())
        m_recent->addWidget(label(tr("Recent"), "section"));
    for (const QString &file : files) {
        auto *link = new QPushButton{QFileInfo{file}.fileName()};
        link->setProperty("role", "link");
        link->setToolTip(file);
        connect(link, &QPushButton::clicked, this, [this, file] { Q_EMIT fileAsked(file); });
        m_recent->addWidget(link, 0, Qt::AlignLeft);
    }
}

} // namespace throttlescope::dashboard
