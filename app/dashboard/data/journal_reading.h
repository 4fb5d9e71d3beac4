// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/journal_follower.h"
#include "app/dashboard/data/journal_lines.h"

#include <QFile>
#include <QFileSystemWatcher>
#include <QTimer>

namespace throttlescope::dashboard {

/// The part of a JournalFollower that lives on the other thread.
class JournalReading final : public QObject {
    Q_OBJECT

public:
    JournalReading(QString path, std::shared_ptr<FollowerLink> link);

    /// In the thread that reads: reads what is there, then watches.
    void begin();

Q_SIGNALS:
    void runBegan(NewRun why);
    void chunkRead(ChunkPointer chunk);
    void progressed(qint64 bytes, qint64 size);
    void lineBroken(quint64 number, QString error);
    void caughtUp(JournalState state);
    void failed(QString error);

private:
    void look();
    bool openFile();
    std::optional<NewRun> changedUnderneath();
    bool readPart();
    void readWhatIsThere();
    void restart(NewRun why);
    void restartRun(NewRun why);
    void takeLine(const JournalLines::Line &line);
    void sendChunk();
    void sayFailed(const QString &error);
    bool cancelled() const { return m_link->cancelled.load(std::memory_order_relaxed); }

    const QString m_path;
    const std::shared_ptr<FollowerLink> m_link;
    QFileSystemWatcher *m_watcher = nullptr; ///< made in the thread that reads
    QFile m_file;
    std::optional<JournalLines> m_lines;
    ChunkBuilder m_builder;
    JournalState m_state;
    std::optional<JournalState> m_said;
    QString m_saidError;
    QByteArray m_buffer;
    QByteArray m_head, m_tail; ///< the first and the last bytes that were read: whether they still stand there
    std::optional<NewRun> m_whyNext = NewRun::Opened; ///< the next file that can be opened
};

} // namespace throttlescope::dashboard
