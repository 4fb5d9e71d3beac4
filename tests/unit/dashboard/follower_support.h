// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/dashboard/data/journal_follower.h"
#include "dashboard_support.h"

#include <QFile>
#include <optional>

namespace throttlescope::dashboard::test {

/// What whoever follows a journal has of it.
class Reader : public QObject {
public:
    explicit Reader(const QString &path)
    {
        connect(&follower, &JournalFollower::runBegan, this, [this](NewRun why) {
            store.clear();
            runs.push_back(why);
        });
        connect(&follower, &JournalFollower::chunkRead, this, [this](const ChunkPointer &chunk) { store.append(*chunk); });
        connect(&follower, &JournalFollower::lineBroken, this,
            [this](quint64 number, const QString &error) { broken.append(QString::number(number) + ": " + error); });
        connect(&follower, &JournalFollower::caughtUp, this, [this](const JournalState &reached) { state = reached; });
        connect(&follower, &JournalFollower::failed, this, [this](const QString &error) { errors.append(error); });
        follower.open(path);
    }

    std::vector<std::string> lines() const
    {
        LineSink sink;
        EventBuffer buffer;
        for (Row row = 0; row < store.rowCount(); ++row)
            sink.accept(store.event(row, buffer));
        return sink.lines;
    }

    EventStore store;
    std::vector<NewRun> runs;
    QStringList broken, errors;
    std::optional<JournalState> state;
    JournalFollower follower;
};

inline std::vector<std::string> linesOf(const QString &scenario)
{
    LineSink sink;
    runInto(shipped(scenario), sink);
    return sink.lines;
}

/// Writes as another process would: opened, appended, closed.
inline void append(const QString &path, const std::string &text, QIODevice::OpenMode mode = QIODevice::Append)
{
    QFile file{path};
    if (!file.open(QIODevice::WriteOnly | mode) || file.write(text.data(), static_cast<qint64>(text.size())) < 0)
        qFatal("%s", qPrintable(path));
}

inline std::string joined(const std::vector<std::string> &lines, std::size_t from, std::size_t to)
{
    std::string text;
    for (std::size_t i = from; i < to; ++i)
        text += lines[i] + '\n';
    return text;
}
inline std::string joined(const std::vector<std::string> &lines)
{
    return joined(lines, 0, lines.size());
}

} // namespace throttlescope::dashboard::test
