// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/window/window_memory.h"

#include <QFileInfo>
#include <QGuiApplication>
#include <QHeaderView>
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

void keepOnScreen(QMainWindow &window)
{
    const QRect frame = window.geometry();
    const auto screens = QGuiApplication::screens();
    const bool seen = std::any_of(screens.begin(), screens.end(), [&](const QScreen *screen) {
        const QRect shared = screen->availableGeometry() & frame;
        return shared.width() >= std::min(200, frame.width()) && shared.height() >= std::min(120, frame.height());
    });
    if (seen || screens.isEmpty())
        return;
    const QRect room = QGuiApplication::primaryScreen()->availableGeometry();
    window.resize(frame.size().boundedTo(room.size()));
    window.move(room.topLeft());
}

} // namespace

bool WindowMemory::restore(QMainWindow &window, const std::vector<QSplitter *> &splitters, QHeaderView &columns)
{
    const bool remembered = window.restoreGeometry(m_settings.value(key("layout/geometry")).toByteArray());
    for (std::size_t i = 0; i < splitters.size(); ++i)
        splitters[i]->restoreState(m_settings.value(key(splitterName(i))).toByteArray());
    columns.restoreState(m_settings.value(key("layout/columns")).toByteArray());
    keepOnScreen(window);
    return remembered;
}

void WindowMemory::save(const QMainWindow &window, const std::vector<QSplitter *> &splitters, const QHeaderView &columns)
{
    m_settings.setValue(key("layout/geometry"), window.saveGeometry());
    for (std::size_t i = 0; i < splitters.size(); ++i)
        m_settings.setValue(key(splitterName(i)), splitters[i]->saveState());
    m_settings.setValue(key("layout/columns"), columns.saveState());
    m_settings.sync();
}

void WindowMemory::forgetLayout()
{
    m_settings.remove(key("layout"));
}

void WindowMemory::addRecent(const QString &file)
{
    const QString path = QFileInfo{file}.absoluteFilePath();
    QStringList files = recent();
    files.removeAll(path);
    files.prepend(path);
    m_settings.setValue(key("recent"), QStringList{files.mid(0, kMostRecent)});
}

} // namespace throttlescope::dashboard
