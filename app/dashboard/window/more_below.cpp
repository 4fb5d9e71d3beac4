// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/more_below.h"

#include "app/dashboard/theme/tokens.h"

#include <QEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <utility>

namespace throttlescope::dashboard {

namespace {

constexpr int kLeastHeight = 18;

} // namespace

MoreBelow::MoreBelow(QScrollArea *area, Rows rows)
    : QPushButton(area->viewport())
    , m_area(area)
    , m_rows(std::move(rows))
{
    setProperty("role", "more");
    setFocusPolicy(Qt::NoFocus); // Tab scrolls as it goes
    hide();
    area->viewport()->installEventFilter(this);
    area->widget()->installEventFilter(this);
    connect(area->verticalScrollBar(), &QScrollBar::valueChanged, this, &MoreBelow::refresh);
    connect(area->verticalScrollBar(), &QScrollBar::rangeChanged, this, &MoreBelow::refresh);
    connect(this, &QPushButton::clicked, this, [this] {
        QScrollBar *bar = m_area->verticalScrollBar();
        bar->setValue(bar->value() + y());
    });
}

bool MoreBelow::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)
        refresh();
    return QPushButton::eventFilter(watched, event);
}

/// Everything from the first row on that is not whole above it.
void MoreBelow::refresh()
{
    const QWidget *seen = m_area->viewport();
    const QScrollBar *bar = m_area->verticalScrollBar();
    const int edge = seen->height() - qRound(kLeastHeight * textScale());
    int hidden = 0, top = edge;
    for (const QWidget *row : m_rows()) {
        const int rowTop = row->mapTo(m_area->widget(), QPoint{}).y() - bar->value();
        if (row->isHidden() || rowTop + row->height() <= edge)
            continue;
        if (hidden++ == 0 && rowTop > 0)
            top = rowTop;
    }
    setVisible(hidden > 0 && bar->value() < bar->maximum());
    if (isHidden())
        return;
    setText(tr("▾  %1 more").arg(hidden));
    setGeometry(0, top, seen->width(), seen->height() - top);
    raise();
}

} // namespace throttlescope::dashboard
