// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/bench/stopwatch.h"

#include <QCoreApplication>
#include <QFile>
#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <unistd.h>
#include <vector>

namespace throttlescope::dashboard::bench {

using throttlescope::bench::median;
using throttlescope::bench::Stopwatch;

/// How long the event loop did not come round to a timer of a millisecond: what a user feels, and, without what other
/// processes took, what this thread did in between.
class LoopWatch {
public:
    LoopWatch()
    {
        m_timer.setTimerType(Qt::PreciseTimer);
        m_timer.setInterval(1);
        m_timer.callOnTimeout([this] {
            m_longest = std::max(m_longest, m_since.wall());
            m_longestBusy = std::max(m_longestBusy, m_since.thread());
            m_since = Stopwatch{};
        });
        m_timer.start();
    }
    double longest() const { return m_longest; }
    double longestBusy() const { return m_longestBusy; }

private:
    QTimer m_timer;
    Stopwatch m_since;
    double m_longest = 0, m_longestBusy = 0;
};

template <typename Condition>
void waitUntil(Condition condition)
{
    constexpr double longest = 120;
    for (const Stopwatch watch; !condition();) {
        if (watch.wall() > longest)
            qFatal("nothing came of it in %.0f s", longest);
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }
}

inline double residentBytes()
{
    std::ifstream file{"/proc/self/statm"};
    double whole = 0, resident = 0;
    file >> whole >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// Of each other thread of this process: seconds on a processor, and seconds that it was ready and another had it.
struct ThreadTimes {
    double busy = 0, kept = 0;
};
inline std::map<std::string, ThreadTimes> otherThreads()
{
    std::map<std::string, ThreadTimes> found;
    for (const auto &entry : std::filesystem::directory_iterator{"/proc/self/task"}) {
        const std::string id = entry.path().filename();
        std::ifstream file{entry.path() / "schedstat"};
        ThreadTimes times;
        if (id != std::to_string(getpid()) && file >> times.busy >> times.kept)
            found[id] = {times.busy / 1e9, times.kept / 1e9};
    }
    return found;
}
/// What the busiest of them did since.
inline ThreadTimes busiestSince(const std::map<std::string, ThreadTimes> &before)
{
    ThreadTimes busiest;
    for (const auto &[id, now] : otherThreads()) {
        const auto then = before.find(id);
        const ThreadTimes began = then == before.end() ? ThreadTimes{} : then->second;
        if (now.busy - began.busy > busiest.busy)
            busiest = {now.busy - began.busy, now.kept - began.kept};
    }
    return busiest;
}

inline double sum(const std::vector<double> &values)
{
    return std::accumulate(values.begin(), values.end(), 0.0);
}

inline std::vector<std::string> &missed()
{
    static std::vector<std::string> sentences;
    return sentences;
}
/// A figure that must stay below its goal; the sentence says so where it does not.
inline void judge(benchmark::State &state, const char *name, double value, double goal, const char *sentence)
{
    state.counters[name] = value;
    if (!(value < goal))
        missed().push_back(fmt::format(fmt::runtime(sentence), value, goal));
}
/// What main() returns.
inline int verdict()
{
    for (const std::string &sentence : missed())
        std::printf("MISSED: %s\n", sentence.c_str());
    return missed().empty() ? 0 : 1;
}

inline QString shippedFile(const QString &name)
{
    return QStringLiteral(THROTTLESCOPE_SOURCE_DIR "/scenarios/") + name;
}
/// A shipped scenario, a part of its text replaced.
inline std::string shippedText(const QString &name, const QByteArray &before, const QByteArray &after)
{
    QFile file{shippedFile(name)};
    if (!file.open(QIODevice::ReadOnly))
        qFatal("%s", qPrintable(file.errorString()));
    QByteArray text = file.readAll();
    if (!text.contains(before))
        qFatal("%s has no %s", qPrintable(name), before.constData());
    return text.replace(before, after).toStdString();
}

/// Files and settings of its own.
class OwnFolder {
public:
    OwnFolder()
    {
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_folder.path());
    }
    QString file(const QString &name) const { return m_folder.filePath(name); }

private:
    QTemporaryDir m_folder;
};

} // namespace throttlescope::dashboard::bench
