// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/help_dialog.h"

#include "app/dashboard/data/filter.h"
#include "app/dashboard/theme/marks.h"
#include "app/dashboard/window/widgets.h"

#include <QGridLayout>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>
#include <functional>

namespace throttlescope::dashboard {

namespace {

using Paint = std::function<void(QPainter &, const QPointF &)>;

QLabel *markLabel(const Paint &paint)
{
    QPixmap picture{44, 36};
    picture.setDevicePixelRatio(2);
    picture.fill(Qt::transparent);
    QPainter painter{&picture};
    painter.setRenderHint(QPainter::Antialiasing);
    paint(painter, QPointF{11, 9});
    painter.end();
    auto *made = new QLabel;
    made->setPixmap(picture);
    return made;
}

class Page {
public:
    explicit Page(QGridLayout *grid)
        : m_grid(grid)
    {
        m_grid->setHorizontalSpacing(16);
        m_grid->setVerticalSpacing(5);
        m_grid->setColumnStretch(1, 1);
    }
    void title(const QString &words)
    {
        QLabel *made = label(words, "section");
        made->setContentsMargins(0, m_row > 0 ? 12 : 0, 0, 2);
        m_grid->addWidget(made, m_row++, 0, 1, 2);
    }
    void line(QWidget *first, const QString &words)
    {
        auto *second = new QLabel{words};
        second->setWordWrap(true);
        m_grid->addWidget(first, m_row, 0, Qt::AlignTop);
        m_grid->addWidget(second, m_row++, 1);
    }
    void line(const QString &first, const QString &words) { line(new QLabel{first}, words); }

private:
    QGridLayout *m_grid;
    int m_row = 0;
};

void addLegend(Page &page)
{
    const auto outcome = [](AttemptOutcome which) {
        return markLabel([which](QPainter &painter, const QPointF &at) { drawOutcome(painter, at, 10, which, tokens()); });
    };
    page.title(HelpDialog::tr("Legend"));
    page.line(outcome(AttemptOutcome::Success), HelpDialog::tr("answered, 2xx"));
    page.line(outcome(AttemptOutcome::RateLimited), HelpDialog::tr("rate limited, 429"));
    page.line(outcome(AttemptOutcome::Ambiguous), HelpDialog::tr("a server error, 500, 502, 503 or 504"));
    page.line(outcome(AttemptOutcome::Transport), HelpDialog::tr("lost: no answer came"));
    page.line(outcome(AttemptOutcome::Interrupted), HelpDialog::tr("the body broke off"));
    page.line(outcome(AttemptOutcome::Permanent), HelpDialog::tr("a permanent answer, such as 404"));
    page.line(outcome(AttemptOutcome::Cancelled), HelpDialog::tr("cancelled"));
    page.line(markLabel([](QPainter &painter, const QPointF &at) {
        painter.fillRect(QRectF{at.x() - 9, at.y() - 5, 18, 10}, hatch(tokens().wait, tokens().panel));
    }),
        HelpDialog::tr("a wait before a retry; a dotted line: the queue of the shared pacer"));
    page.line(markLabel([](QPainter &painter, const QPointF &at) { drawTick(painter, at, 13, tokens().rateLimited); }),
        HelpDialog::tr("the moment that the server asked for"));
    page.line(markLabel([](QPainter &painter, const QPointF &at) { drawRefusal(painter, at, 9, tokens()); }),
        HelpDialog::tr("given up: the wait was over max_wait, or another limit refused"));
}

} // namespace

HelpDialog::HelpDialog(const QList<QAction *> &commands, QWidget *parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Legend and keys"));
    resize((QSizeF{560, 640} * textScale()).toSize().boundedTo(screen()->availableSize() * 9 / 10));
    auto *outer = new QVBoxLayout{this};
    outer->setContentsMargins(0, 0, 0, 0);
    auto *scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setAccessibleName(tr("Legend, keys, mouse and filter"));
    auto *inside = new QWidget;
    auto *column = new QVBoxLayout{inside};
    column->setContentsMargins(20, 16, 20, 16);
    auto *grid = new QGridLayout;
    column->addLayout(grid);
    column->addStretch();
    Page page{grid};
    addLegend(page);
    page.title(tr("Keys"));
    for (const QAction *command : commands) {
        QStringList keys;
        for (const QKeySequence &key : command->shortcuts())
            keys << key.toString(QKeySequence::NativeText);
        if (!keys.isEmpty())
            page.line(keys.join(tr(" or ")), command->text());
    }
    page.title(tr("Mouse, in the plots"));
    page.line(tr("wheel"), tr("zoom time"));
    page.line(tr("drag"), tr("move along; on the max_wait line: try another limit"));
    page.line(tr("Shift+drag"), tr("figures of that span alone"));
    page.line(tr("click"), tr("why: the story of an attempt, a wait, a ✕ or a trip"));
    page.title(tr("Filter"));
    for (const FilterHelp &row : filterHelp())
        page.line(text(row.key.empty() ? "word" : row.key),
            text(row.meaning) + (row.example.empty() ? QString{} : tr("; %1").arg(text(row.example))));
    scroll->setWidget(inside);
    outer->addWidget(scroll);
}

} // namespace throttlescope::dashboard
