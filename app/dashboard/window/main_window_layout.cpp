// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/event_panel.h"
#include "app/dashboard/window/figures_bar.h"
#include "app/dashboard/window/inspector_panel.h"
#include "app/dashboard/window/main_window.h"
#include "app/dashboard/window/notice_strip.h"
#include "app/dashboard/window/policy_panel.h"
#include "app/dashboard/window/servers_panel.h"
#include "app/dashboard/window/start_page.h"
#include "app/dashboard/window/sweep_window.h"
#include "app/dashboard/window/top_bar.h"
#include "app/dashboard/window/widgets.h"

#include <QApplication>
#include <QCloseEvent>
#include <QHeaderView>
#include <QScreen>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace throttlescope::dashboard {

namespace {

constexpr int kGap = 12;
constexpr int kPresentationPercent = 140;

QSplitter *splitter(Qt::Orientation orientation, QWidget *first, QWidget *second, int stretching)
{
    auto *made = new QSplitter{orientation};
    made->setHandleWidth(kGap);
    made->setChildrenCollapsible(false);
    made->addWidget(first);
    made->addWidget(second);
    made->setStretchFactor(0, stretching == 0 ? 1 : 0);
    made->setStretchFactor(1, stretching == 1 ? 1 : 0);
    return made;
}

} // namespace

void MainWindow::makeLayout()
{
    auto *central = new QWidget;
    central->setFocusPolicy(Qt::ClickFocus); // a click beside a box ends what was typed into it
    auto *column = new QVBoxLayout{central};
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_top = new TopBar{m_workspace});
    column->addWidget(m_figures = new FiguresBar);
    column->addWidget(m_notice = new NoticeStrip);
    column->addWidget(m_pages = new QStackedWidget, 1);

    m_left = new QWidget;
    auto *left = new QVBoxLayout{m_left};
    left->setContentsMargins(0, 0, 0, 0);
    left->setSpacing(kGap);
    left->addWidget(m_servers = new ServersPanel{m_workspace});
    left->addWidget(m_policy = new PolicyPanel{m_workspace}, 1);

    m_centre = panel();
    auto *plots = new QVBoxLayout{m_centre};
    plots->setContentsMargins(14, 10, 14, 10);
    plots->addWidget(m_plot = new RunPlot);
    m_inspector = new InspectorPanel;
    m_events = new EventPanel;

    m_upper = splitter(Qt::Horizontal, m_centre, m_inspector, 0);
    m_rows = splitter(Qt::Vertical, m_upper, m_events, 0);
    m_columns = splitter(Qt::Horizontal, m_left, m_rows, 1);
    auto *body = new QWidget;
    auto *margins = new QVBoxLayout{body};
    margins->setContentsMargins(kGap, 6, kGap, kGap);
    margins->addWidget(m_columns);
    m_pages->addWidget(m_start = new StartPage);
    m_body = new QScrollArea; // for large text in a small window
    m_body->setWidgetResizable(true);
    m_body->setFrameShape(QFrame::NoFrame);
    m_body->setFocusPolicy(Qt::NoFocus);
    m_body->setWidget(body);
    m_pages->addWidget(m_body);
    setCentralWidget(central);
    setMinimumSize(QSize{960, 620}.boundedTo(screen()->availableSize()));
    resize(1440, 900);
    const bool remembered = m_memory.restore(*this, *m_events->table().horizontalHeader());
    arrange(); // which forgets where it stacks what stood side by side
    m_placed = remembered;
}

/// Where the text is too large for three columns, the story stands under the plots; what is too high then can be scrolled.
void MainWindow::arrange()
{
    const auto scaled = [](int pixels) { return qRound(pixels * textScale()); };
    const bool narrow = width() < scaled(m_presents ? 640 : 900);
    if (narrow != (m_upper->orientation() == Qt::Vertical)) {
        m_upper->setOrientation(narrow ? Qt::Vertical : Qt::Horizontal);
        m_placed = false;
    }
    m_centre->setMinimumSize(scaled(narrow ? 300 : 360), scaled(narrow ? 290 : 260));
    m_left->setMinimumWidth(scaled(230));
    m_policy->setMinimumHeight(scaled(190));
    m_inspector->setMinimumSize(scaled(210), narrow ? scaled(230) : 0);
    m_events->setMinimumHeight(scaled(narrow ? 180 : 110));
    if (!m_placed)
        placeSplitters();
}

/// As in the pictures: a sixth at the left, a fifth at the right, a fifth below.
void MainWindow::placeSplitters()
{
    const int wide = width() - 2 * kGap;
    const int high = height() - 120;
    const auto scaled = [](int pixels) { return qRound(pixels * textScale()); };
    const int left = std::min(std::clamp(wide * 19 / 100, scaled(272), scaled(340)), wide * 30 / 100);
    const int right = std::min(std::clamp(wide * 20 / 100, scaled(250), scaled(400)), wide * 30 / 100);
    const int below = std::min(std::clamp(high * 24 / 100, scaled(190), scaled(380)), high * 28 / 100);
    m_columns->setSizes({left, wide - left});
    m_rows->setSizes({high - below, below});
    if (m_upper->orientation() == Qt::Horizontal)
        m_upper->setSizes({wide - left - right, right});
    else
        m_upper->setSizes({m_centre->minimumHeight(), m_inspector->minimumHeight()});
}

void MainWindow::resizeEvent(QResizeEvent *event)
{
    QMainWindow::resizeEvent(event);
    if (m_upper)
        arrange();
}

void MainWindow::showEvent(QShowEvent *event)
{
    QMainWindow::showEvent(event);
    restoreSplitters();
}

/// Once, as soon as they have the room that they had: in less they would lose their sizes.
void MainWindow::restoreSplitters()
{
    if (m_restored || !isVisible() || m_pages->currentWidget() != m_body)
        return;
    m_restored = true;
    for (QWidget *each : {centralWidget(), static_cast<QWidget *>(m_pages)})
        each->layout()->activate();
    if (m_placed)
        m_memory.restore({m_columns, m_rows, m_upper});
}

void MainWindow::resetLayout()
{
    m_memory.forgetLayout();
    setPresentation(false);
    showNormal();
    resize(1440, 900);
    m_placed = false;
    arrange();
    m_events->resetColumns();
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (sendsRealRequests()) {
        event->ignore();
        return onceStopped(tr("Stop and close"), [this] { close(); });
    }
    setPresentation(false);
    if (m_sweep)
        m_sweep->close();
    m_memory.save(*this, {m_columns, m_rows, m_upper}, *m_events->table().horizontalHeader());
    QMainWindow::closeEvent(event);
}

void MainWindow::refreshLook()
{
    const bool resized = textScale() != m_textPercent / 100.0;
    setTextScale(m_textPercent / 100.0);
    applyLook(*qApp, m_look);
    if (!m_plot)
        return;
    if (resized) {
        m_placed = false;
        arrange();
        m_events->resetColumns();
        m_top->refresh();
    }
    m_plot->applyLook();
    m_events->applyLook();
    m_policy->applyLook();
    m_servers->refresh();
    m_figures->update();
    if (m_sweep)
        m_sweep->applyLook();
    if (m_op != 0)
        showStory(m_op, m_selection.row != kNoRow ? m_workspace.record().store.attempt(m_selection.row) : 0);
}

void MainWindow::setLook(LookChoice look)
{
    m_look = look;
    m_memory.setValue("look", static_cast<int>(look));
    refreshLook();
}

void MainWindow::setTextPercent(int percent)
{
    m_textPercent = percent;
    if (!m_presents)
        m_memory.setValue("text", percent);
    refreshLook();
}

/// For a room: larger, and without what one works with.
void MainWindow::setPresentation(bool presents)
{
    if (m_presents == presents)
        return;
    m_presents = presents;
    m_left->setVisible(!presents);
    m_events->setVisible(!presents);
    if (presents) {
        m_textBefore = m_textPercent;
        setTextPercent(std::max(m_textPercent, kPresentationPercent));
        setWindowState(windowState() | Qt::WindowFullScreen);
        m_plot->setFocus();
    } else {
        setWindowState(windowState() & ~Qt::WindowFullScreen);
        setTextPercent(m_textBefore);
        m_events->table().setFocus();
    }
}

void MainWindow::setHideNames(bool hide)
{
    m_hideNames = hide;
    m_top->setHideNames(hide);
    m_events->setHideNames(hide);
    m_servers->setHideNames(hide);
    m_policy->setHideNames(hide);
    m_inspector->setHideNames(hide);
    m_figures->say({}); // it may have named somebody
    sayVerdict();
    m_plot->setHideNames(hide);
    showTitle();
    if (m_op != 0)
        showStory(m_op, m_selection.row != kNoRow ? m_workspace.record().store.attempt(m_selection.row) : 0);
}

void MainWindow::showTitle()
{
    const QString name = m_hideNames ? QString{} : m_workspace.name();
    setWindowTitle(name.isEmpty() ? tr("Throttlescope") : tr("%1 – Throttlescope").arg(name));
}

void MainWindow::setFollow(bool follow)
{
    m_plot->setFollow(follow);
    m_top->setFollow(follow);
}

void MainWindow::setWall(bool wall)
{
    m_wall = wall;
    m_top->setWall(wall);
    m_plot->setWallZero(wall ? m_workspace.wallZero() : std::nullopt);
    m_events->setWall(wall);
}

} // namespace throttlescope::dashboard
