// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/dashboard/data/chunk.h"

#include <QObject>
#include <QSemaphore>
#include <QString>
#include <QThread>
#include <atomic>
#include <memory>

namespace throttlescope::dashboard {

/// What is known of the file at a moment when everything in it has been read.
struct JournalState {
    quint64 events = 0;
    quint64 lines = 0; ///< whole ones
    quint64 brokenLines = 0; ///< left out
    qint64 bytes = 0;
    bool cutLastLine = false; ///< whoever writes it is in the middle of a line, or was stopped there
    bool finished = false; ///< run.finished has been read
    bool gone = false; ///< no file has the name any more: what was read is still good
    bool operator==(const JournalState &) const = default;
};

/// Why what was read so far is to be forgotten.
enum class NewRun {
    Opened, ///< it was the first
    Replaced, ///< another file has its name now
    Rewritten, ///< it became shorter, or what had been read is no longer there
    Appended, ///< a second run begins in the same file
};

/// What the reading thread and its owner share.
struct FollowerLink {
    static constexpr int kChunksUnderWay = 8;
    std::atomic<bool> cancelled = false;
    QSemaphore room{kChunksUnderWay}; ///< for chunks that were sent and not taken: bounds the memory
};

/// Reads a journal on a thread of its own and follows it while another process writes it; never writes, never locks.
/// Its signals come in the thread of the follower.
class JournalFollower final : public QObject {
    Q_OBJECT

public:
    explicit JournalFollower(QObject *parent = nullptr);
    ~JournalFollower() override;

    /// Closes what is open. A file that is not there yet is waited for.
    void open(const QString &path);
    /// Within 50 ms; no signal comes after it.
    void close();
    QString path() const { return m_path; }
    bool isOpen() const { return m_thread != nullptr; }

Q_SIGNALS:
    /// The chunks that follow are of a new run.
    void runBegan(NewRun why);
    void chunkRead(ChunkPointer chunk);
    void progressed(qint64 bytes, qint64 size);
    /// Said of the first twenty of a run; JournalState counts them all. What is not broken goes on.
    void lineBroken(quint64 number, QString error);
    /// Everything that is in the file has been read; it is watched.
    void caughtUp(JournalState state);
    /// It cannot be read, at least now; it is looked at again.
    void failed(QString error);

private:
    void take(const ChunkPointer &chunk);

    QString m_path;
    std::unique_ptr<QThread> m_thread;
    std::shared_ptr<FollowerLink> m_link;
};

} // namespace throttlescope::dashboard
