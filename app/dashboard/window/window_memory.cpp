// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/window_memory.h"

#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLockFile>
#include <QMainWindow>
#include <QScreen>
#include <QSplitter>
#include <algorithm>

namespace throttlescope::dashboard {

namespace {

QString splitterName(std::size_t index)
{
    return QStringLiteral("layout/splitter%1").arg(index);
}

constexpr int kPatience = 500; ///< milliseconds
constexpr int kGrip = 24; ///< pixels of the top edge by which a window is held
constexpr int kLeastColumn = 24, kMostColumn = 800;

/// Enough of its top edge is on a screen to take hold of it, and it is no larger than all screens together.
void keepOnScreen(QMainWindow &window)
{
    const QRect frame = window.geometry();
    const auto screens = QGuiApplication::screens();
    if (screens.isEmpty())
        return;
    const bool held = std::any_of(screens.begin(), screens.end(), [&](const QScreen *screen) {
        const QRect shared = screen->availableGeometry() & QRect{frame.topLeft(), QSize{frame.width(), kGrip}};
        return shared.width() >= std::min(200, frame.width()) && shared.height() == kGrip;
    });
    const QScreen *primary = QGuiApplication::primaryScreen();
    const QSize most = primary->availableVirtualSize();
    if (held && frame.width() <= most.width() && frame.height() <= most.height())
        return;
    const QRect room = primary->availableGeometry();
    window.resize(frame.size().boundedTo(room.size()));
    window.move(room.topLeft());
}

/// A column that cannot be seen cannot be made wider.
void keepColumnsSeen(QHeaderView &columns)
{
    columns.setStretchLastSection(false);
    for (int each = 0; each < columns.count(); ++each) {
        columns.setSectionHidden(each, false);
        columns.resizeSection(each, std::clamp(columns.sectionSize(each), kLeastColumn, kMostColumn));
    }
    columns.setStretchLastSection(true);
}

} // namespace

bool WindowMemory::restore(QMainWindow &window, QHeaderView &columns)
{
    const bool remembered = window.restoreGeometry(m_settings.value(key("layout/geometry")).toByteArray());
    if (columns.restoreState(m_settings.value(key("layout/columns")).toByteArray()))
        keepColumnsSeen(columns);
    keepOnScreen(window);
    return remembered;
}

void WindowMemory::restore(const std::vector<QSplitter *> &splitters)
{
    for (std::size_t i = 0; i < splitters.size(); ++i) {
        const Qt::Orientation orientation = splitters[i]->orientation();
        const int handle = splitters[i]->handleWidth();
        splitters[i]->restoreState(m_settings.value(key(splitterName(i))).toByteArray());
        splitters[i]->setOrientation(orientation);
        splitters[i]->setHandleWidth(handle);
        splitters[i]->setChildrenCollapsible(false);
    }
}

void WindowMemory::save(const QMainWindow &window, const std::vector<QSplitter *> &splitters, const QHeaderView &columns)
{
    m_settings.setValue(key("layout/geometry"), window.saveGeometry());
    for (std::size_t i = 0; i < splitters.size(); ++i)
        m_settings.setValue(key(splitterName(i)), splitters[i]->saveState());
    m_settings.setValue(key("layout/columns"), columns.saveState());
    m_settings.sync();
}

/// Its own keys: what else stands there is a newer version's.
void WindowMemory::forgetLayout()
{
    m_settings.remove(key("layout/geometry"));
    m_settings.remove(key("layout/columns"));
    for (std::size_t splitter = 0; splitter < 3; ++splitter)
        m_settings.remove(key(splitterName(splitter)));
}

void WindowMemory::addRecent(const QString &file)
{
    const QString path = QFileInfo{file}.absoluteFilePath();
    // Another program may be at it, too; QSettings itself would let the one that writes last have its list alone.
    QDir{}.mkpath(QFileInfo{m_settings.fileName()}.path());
    QLockFile alone{m_settings.fileName() + ".recent.lock"};
    alone.tryLock(kPatience);
    m_settings.sync();
    QStringList files = recent();
    files.removeAll(path);
    files.prepend(path);
    m_settings.setValue(key("recent"), QStringList{files.mid(0, kMostRecent)});
    m_settings.sync();
}

} // namespace throttlescope::dashboard
