// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/widgets.h"

#include <QStyle>
#include <QVariant>

namespace throttlescope::dashboard {

void restyle(QWidget *widget, const char *property, const QVariant &value)
{
    if (widget->property(property) == value)
        return;
    widget->setProperty(property, value);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

QWidget *panel(QWidget *parent)
{
    auto *made = new QWidget{parent};
    made->setObjectName("Panel");
    made->setAttribute(Qt::WA_StyledBackground);
    return made;
}

} // namespace throttlescope::dashboard
