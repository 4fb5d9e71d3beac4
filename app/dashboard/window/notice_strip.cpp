// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/notice_strip.h"

#include "app/dashboard/window/widgets.h"

#include <QApplication>
#include <QClipboard>
#include <QFileInfo>
#include <QHBoxLayout>

namespace throttlescope::dashboard {

NoticeStrip::NoticeStrip(QWidget *parent)
    : QWidget(parent)
    , m_text(label({}, "notice"))
    , m_open(new QPushButton{tr("Open there")})
    , m_copy(new QPushButton{tr("Copy place")})
    , m_close(new QPushButton{tr("Close")})
{
    setObjectName("Notice");
    setAttribute(Qt::WA_StyledBackground);
    auto *row = new QHBoxLayout{this};
    row->setContentsMargins(16, 6, 16, 6);
    row->setSpacing(8);
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(m_text, 1);
    for (QPushButton *button : {m_open, m_copy, m_close})
        row->addWidget(button);
    connect(m_open, &QPushButton::clicked, this, [this] {
        Q_EMIT placeAsked(
            QString::fromStdString(m_error->file), static_cast<int>(m_error->mark.line), static_cast<int>(m_error->mark.column));
    });
    connect(m_copy, &QPushButton::clicked, this, [this] {
        QApplication::clipboard()->setText(
            QStringLiteral("%1:%2:%3").arg(QString::fromStdString(m_error->file)).arg(m_error->mark.line).arg(m_error->mark.column));
    });
    connect(m_close, &QPushButton::clicked, this, &NoticeStrip::clear);
    hide();
}

void NoticeStrip::showErrors(const std::vector<LoadError> &errors, const QString &rest)
{
    if (errors.empty())
        return clear();
    m_error = errors.front();
    const bool placed = m_error->mark.line > 0;
    QString words = QFileInfo{QString::fromStdString(m_error->file)}.fileName();
    if (placed)
        words += tr(", line %1, column %2").arg(m_error->mark.line).arg(m_error->mark.column);
    words += ": " + QString::fromStdString(m_error->text);
    if (errors.size() > 1)
        words += tr(" (and %1 more)").arg(errors.size() - 1);
    if (!rest.isEmpty())
        words += "  ·  " + rest;
    m_text->setText(words);
    m_open->setVisible(placed);
    m_copy->setVisible(placed);
    show();
}

void NoticeStrip::showMessage(const QString &message)
{
    m_error.reset();
    m_text->setText(message);
    m_open->hide();
    m_copy->hide();
    show();
}

void NoticeStrip::clear()
{
    m_error.reset();
    m_text->clear();
    hide();
}

} // namespace throttlescope::dashboard
