// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/top_bar.h"

#include "app/dashboard/theme/tokens.h"
#include "app/dashboard/window/choice.h"
#include "app/dashboard/window/elided_label.h"
#include "app/dashboard/window/switch.h"
#include "app/dashboard/window/time_text.h"
#include "app/dashboard/window/widgets.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>

namespace throttlescope::dashboard {

namespace {

struct Speed {
    const char *text;
    std::optional<double> factor;
};
constexpr std::array<Speed, 6> kSpeeds{{{"1×", 1}, {"5×", 5}, {"20×", 20}, {"60×", 60}, {"600×", 600}, {"max", std::nullopt}}};

QString bannerText(journal::Traffic traffic)
{
    switch (traffic) {
    case journal::Traffic::Simulated: return "SIMULATED";
    case journal::Traffic::Loopback: return "LOOPBACK";
    case journal::Traffic::Real: return "REAL TRAFFIC";
    }
    return {};
}

} // namespace

TopBar::TopBar(Workspace &workspace, QWidget *parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_name(new ElidedLabel)
    , m_file(label({}, "label"))
    , m_banner(label({}, "banner"))
    , m_mode(new QPushButton)
    , m_run(new QPushButton{tr("Run")})
    , m_pause(new QPushButton{tr("Pause")})
    , m_step(new QPushButton{tr("Step")})
    , m_on(new Choice)
    , m_speed(new Choice)
    , m_follow(new Switch{tr("Follow")})
    , m_time(new QPushButton)
    , m_menu(new QPushButton{tr("Menu")})
    , m_row(new QHBoxLayout)
    , m_secondRow(new QHBoxLayout)
    , m_controls(new QWidget)
{
    setObjectName("Bar");
    setAttribute(Qt::WA_StyledBackground);
    auto *rows = new QVBoxLayout{this};
    rows->setContentsMargins(16, 8, 16, 8);
    rows->setSpacing(0);
    QHBoxLayout *row = m_row;
    row->setSpacing(8);
    rows->addLayout(row);
    rows->addLayout(m_secondRow);
    m_name->setProperty("role", "headline");
    for (QWidget *each : {static_cast<QWidget *>(m_name), static_cast<QWidget *>(m_file)})
        row->addWidget(each);
    m_banner->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    row->addSpacing(8);
    row->addWidget(m_banner);
    row->addWidget(m_mode);
    row->addStretch();
    auto *controls = new QHBoxLayout{m_controls};
    controls->setContentsMargins(0, 0, 0, 0);
    controls->setSpacing(8);
    for (QPushButton *button : {m_run, m_pause, m_step})
        controls->addWidget(button);
    controls->addSpacing(8);
    controls->addWidget(m_on);
    controls->addWidget(m_speedLabel = label(tr("Speed"), "label"));
    controls->addWidget(m_speed);
    controls->addSpacing(8);
    controls->addWidget(m_follow);
    row->addWidget(m_controls);
    row->addStretch();
    row->addWidget(m_time);
    row->addWidget(m_menu);

    for (const Speed &speed : kSpeeds)
        m_speed->addItem(speed.text);
    m_on->addItems({tr("virtual time"), tr("loopback")});
    m_on->setAccessibleName(tr("Run in virtual time or on loopback sockets"));
    m_on->setToolTip(tr("Virtual time takes none; on loopback, a real client asks a real server, from the next run on"));
    m_speed->setAccessibleName(tr("Speed"));
    m_follow->setChecked(true);
    m_mode->setProperty("role", "mode");
    m_mode->setToolTip(tr("What-if replays from the start with each change; Retune live changes the running policy from now on"));
    m_time->setProperty("role", "time");
    m_time->setToolTip(tr("Scenario time or wall clock"));
    m_run->setToolTip(tr("Space"));
    m_step->setToolTip(tr("To the next decision: ."));
    connect(m_run, &QPushButton::clicked, &m_workspace, &Workspace::run);
    connect(m_pause, &QPushButton::clicked, &m_workspace, &Workspace::pause);
    connect(m_step, &QPushButton::clicked, &m_workspace, &Workspace::step);
    connect(m_mode, &QPushButton::clicked, this, [this] { m_workspace.setRetuneLive(!m_workspace.retunesLive()); });
    connect(m_speed, &QComboBox::activated, this,
        [this](int index) { m_workspace.setSpeed(kSpeeds.at(static_cast<std::size_t>(index)).factor); });
    connect(m_on, &QComboBox::activated, this, [this](int index) { m_workspace.setLoopback(index == 1); });
    connect(m_follow, &QCheckBox::toggled, this, &TopBar::followToggled);
    connect(m_time, &QPushButton::clicked, this, [this] { Q_EMIT wallToggled(!m_wall); });
    connect(&m_workspace, &Workspace::stateChanged, this, &TopBar::refresh);
    connect(&m_workspace, &Workspace::opened, this, &TopBar::refresh);
    connect(&m_workspace, &Workspace::grew, this, &TopBar::refreshTime);
    refresh();
}

void TopBar::refresh()
{
    const bool scenario = m_workspace.source() == Workspace::Source::Scenario;
    const bool real = m_workspace.source() == Workspace::Source::Fetch;
    const bool nothing = m_workspace.source() == Workspace::Source::Nothing;
    m_name->setText(nothing ? QStringLiteral("Throttlescope") : m_hideNames ? tr("a run") : m_workspace.name());
    const QString folder = QFileInfo{m_workspace.file()}.dir().dirName();
    m_name->setToolTip(m_name->text());
    m_file->setText(nothing || m_hideNames ? QString{} : folder + '/' + QFileInfo{m_workspace.file()}.fileName());
    m_file->setVisible(width() > 1400 * textScale()); // there is no room for all
    const bool unknown = m_workspace.source() == Workspace::Source::Journal && m_workspace.record().store.rowCount() == 0;
    m_banner->setVisible(!nothing && !unknown);
    m_banner->setText(bannerText(m_workspace.traffic()));
    restyle(m_banner, "traffic", m_workspace.traffic() == journal::Traffic::Real ? "real" : "unreal");
    m_mode->setVisible(scenario || real);
    m_mode->setEnabled(scenario);
    m_mode->setText(m_workspace.retunesLive() ? tr("Retune live") : tr("What-if"));
    const auto state = m_workspace.state();
    m_follow->setVisible(!nothing);
    for (QWidget *each : {m_run, m_pause})
        each->setVisible(scenario || real);
    m_on->setVisible(scenario);
    for (QWidget *each : {static_cast<QWidget *>(m_step), static_cast<QWidget *>(m_speed), static_cast<QWidget *>(m_speedLabel)})
        each->setVisible(scenario);
    m_on->setCurrentIndex(m_workspace.loopback() ? 1 : 0);
    const auto chosen
        = std::find_if(kSpeeds.begin(), kSpeeds.end(), [this](const Speed &each) { return each.factor == m_workspace.speed(); });
    if (chosen != kSpeeds.end())
        m_speed->setCurrentIndex(static_cast<int>(chosen - kSpeeds.begin()));
    m_run->setEnabled((scenario || real) && state != Workspace::State::Running);
    m_run->setText(state == Workspace::State::Paused ? tr("Go on") : tr("Run"));
    m_pause->setEnabled((scenario || real) && state == Workspace::State::Running);
    m_pause->setText(m_workspace.onSockets() ? tr("Stop") : tr("Pause"));
    m_step->setEnabled(scenario && !m_workspace.loopback());
    m_speed->setEnabled(scenario);
    m_follow->setEnabled(!nothing);
    m_time->setVisible(!nothing);
    refreshTime();
    arrange();
}

/// In one row, in two where they do not fit.
void TopBar::arrange()
{
    int wanted = m_controls->sizeHint().width() + 2 * 16 + 8 * 8;
    for (QWidget *each : {static_cast<QWidget *>(m_name), static_cast<QWidget *>(m_banner), static_cast<QWidget *>(m_mode),
             static_cast<QWidget *>(m_time), static_cast<QWidget *>(m_menu)})
        wanted += each->isHidden() ? 0 : each->sizeHint().width();
    const bool two = wanted > width();
    if (two == (m_secondRow->indexOf(m_controls) >= 0))
        return;
    if (two)
        m_secondRow->addWidget(m_controls, 0, Qt::AlignLeft);
    else
        m_row->insertWidget(m_row->indexOf(m_time) - 1, m_controls);
    layout()->setSpacing(two ? 6 : 0);
}

/// What does not fit in one row is no reason for a wider window.
QSize TopBar::minimumSizeHint() const
{
    return {320, QWidget::minimumSizeHint().height()};
}

void TopBar::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    refresh();
}

void TopBar::refreshTime()
{
    const QString at = timeText(m_workspace.record().now.time_since_epoch());
    const auto zero = m_workspace.wallZero();
    m_time->setText(zero && textScale() < 1.5 ? at + " · " + wallText(*zero + m_workspace.record().now.time_since_epoch()) : at);
    m_banner->setText(bannerText(m_workspace.traffic()));
    restyle(m_banner, "traffic", m_workspace.traffic() == journal::Traffic::Real ? "real" : "unreal");
}

void TopBar::setFollow(bool follow)
{
    const QSignalBlocker quiet{m_follow};
    m_follow->setChecked(follow);
}

void TopBar::setWall(bool wall)
{
    m_wall = wall;
}

void TopBar::setHideNames(bool hide)
{
    m_hideNames = hide;
    refresh();
}

void TopBar::setMenu(QMenu *menu)
{
    m_menu->setMenu(menu);
}

} // namespace throttlescope::dashboard
