// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/session/scenario_watch.h"

#include "simulator/scenario/file_text.h"

#include <QDateTime>
#include <QFileInfo>
#include <fmt/format.h>

namespace throttlescope::dashboard {

namespace {

constexpr std::uintmax_t kLargestScenario = std::uintmax_t{16} << 20; // the loader's

QStringList tracesOf(const ScenarioPointer &scenario)
{
    QStringList files;
    for (std::size_t i = 0; scenario && i < scenario->scenario.workload.size(); ++i) {
        if (const auto *trace = std::get_if<TraceArrivals>(&scenario->scenario.workload[i].arrivals); trace && !trace->file.empty())
            files << QString::fromStdString(trace->file);
    }
    return files;
}

/// A trace is not part of the text, so that its size and time stand for it.
std::string stampOf(const QStringList &files)
{
    std::string stamp;
    for (const QString &file : files) {
        const QFileInfo info{file};
        stamp += fmt::format("|{} {}", info.size(), info.lastModified().toMSecsSinceEpoch());
    }
    return stamp;
}

} // namespace

ScenarioWatch::ScenarioWatch(QObject *parent)
    : QObject(parent)
{
    m_settle.setSingleShot(true);
    m_settle.setInterval(kSettle);
    connect(&m_settle, &QTimer::timeout, this, &ScenarioWatch::look);
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, [this] { m_settle.start(); });
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, [this] { m_settle.start(); });
}

tl::expected<void, LoadErrors> ScenarioWatch::open(const QString &file, const LoadOptions &options)
{
    close();
    m_file = file;
    m_options = options;
    read();
    watch();
    return m_errors.empty() ? tl::expected<void, LoadErrors>{} : tl::unexpected(m_errors);
}

void ScenarioWatch::close()
{
    m_settle.stop();
    if (const QStringList watched = m_watcher.files() + m_watcher.directories(); !watched.isEmpty())
        m_watcher.removePaths(watched);
    m_file.clear();
    m_scenario = nullptr;
    m_text.clear();
    m_seen.clear();
    m_errors.clear();
}

/// A file that is replaced is another one, which is to be watched anew; that it was replaced its folder tells.
void ScenarioWatch::watch()
{
    QStringList wanted = tracesOf(m_scenario) << m_file;
    for (const QString &file : QStringList{wanted})
        wanted << QFileInfo{file}.absolutePath();
    wanted.removeDuplicates();
    const QStringList watched = m_watcher.files() + m_watcher.directories();
    for (const QString &path : wanted) {
        if (!watched.contains(path) && QFileInfo::exists(path))
            m_watcher.addPath(path);
    }
}

/// False: it is as it was when it was read last.
bool ScenarioWatch::read()
{
    const std::string file = m_file.toStdString();
    const auto text = readFile(file, kLargestScenario);
    const std::string seen = (text ? "=" + *text : "!" + text.error()) + stampOf(tracesOf(m_scenario));
    if (seen == m_seen)
        return false;
    m_errors.clear();
    if (!text) {
        m_errors.push_back({file, {1, 1}, text.error()});
    } else if (auto loaded = loadScenarioText(*text, file, m_options)) {
        m_scenario = std::make_shared<const LoadedScenario>(std::move(*loaded));
        m_text = *text;
    } else {
        m_errors = std::move(loaded.error());
    }
    m_seen = (text ? "=" + *text : "!" + text.error()) + stampOf(tracesOf(m_scenario));
    return true;
}

void ScenarioWatch::look()
{
    const bool changed = read();
    watch();
    if (!changed)
        return;
    if (m_errors.empty())
        Q_EMIT reloaded(m_scenario, m_text);
    else
        Q_EMIT broken(m_errors);
}

} // namespace throttlescope::dashboard
