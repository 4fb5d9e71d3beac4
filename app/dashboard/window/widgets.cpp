// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/widgets.h"

#include <QDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>
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

void tabAfter(QWidget *first, const QWidgetList &then)
{
    const auto add = [&first](QWidget *widget) {
        if ((widget->focusPolicy() & Qt::TabFocus) == 0 || widget->window() != first->window()) // as a combo box's list
            return;
        QWidget::setTabOrder(first, widget);
        first = widget;
    };
    for (QWidget *each : then) {
        add(each);
        for (QWidget *inside : each->findChildren<QWidget *>())
            add(inside);
    }
}

DialogForm dialogForm(QDialog &dialog, const QString &headline, const QString &words)
{
    dialog.setWindowTitle(headline);
    auto *column = new QVBoxLayout{&dialog};
    column->setContentsMargins(24, 20, 24, 20);
    column->setSpacing(12);
    column->addWidget(label(headline, "headline"));
    auto *said = new QLabel{words};
    said->setWordWrap(true);
    column->addWidget(said);
    auto *rows = new QFormLayout;
    rows->setVerticalSpacing(8);
    rows->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    column->addLayout(rows);
    return {column, rows};
}

QHBoxLayout *answers(QDialog &dialog, QPushButton *wanted)
{
    auto *cancel = new QPushButton{QObject::tr("Cancel")};
    QObject::connect(cancel, &QPushButton::clicked, &dialog, &QDialog::reject);
    auto *buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(wanted);
    return buttons;
}

QWidget *panel(QWidget *parent)
{
    auto *made = new QWidget{parent};
    made->setObjectName("Panel");
    made->setAttribute(Qt::WA_StyledBackground);
    return made;
}

} // namespace throttlescope::dashboard
