// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/journal_reading.h"

#include <algorithm>
#include <sys/stat.h>

namespace throttlescope::dashboard {

namespace {

constexpr qint64 kPartBytes = 256 * 1024; ///< parsed in a few milliseconds
constexpr std::size_t kChunkEvents = 8192;
constexpr int kPollMilliseconds = 200; ///< file systems that tell of no change
constexpr int kLookAtCancelMilliseconds = 10;
constexpr qint64 kProbeBytes = 512;
constexpr quint64 kLinesNamed = 20;

} // namespace

JournalReading::JournalReading(QString path, std::shared_ptr<FollowerLink> link)
    : m_path(std::move(path))
    , m_link(std::move(link))
    , m_file(this)
{
}

void JournalReading::begin()
{
    m_buffer.resize(kPartBytes);
    m_watcher = new QFileSystemWatcher{this};
    connect(m_watcher, &QFileSystemWatcher::fileChanged, this, &JournalReading::look);
    auto *timer = new QTimer{this};
    timer->setTimerType(Qt::CoarseTimer);
    connect(timer, &QTimer::timeout, this, &JournalReading::look);
    timer->start(kPollMilliseconds);
    look();
}

void JournalReading::look()
{
    if (cancelled())
        return;
    if (m_file.isOpen()) {
        if (const auto changed = changedUnderneath()) {
            m_file.close();
            m_whyNext = changed;
        }
    }
    if (!m_file.isOpen() && !openFile())
        return;
    readWhatIsThere();
    if (!m_watcher->files().contains(m_path) && !cancelled())
        m_watcher->addPath(m_path);
}

bool JournalReading::openFile()
{
    struct stat there { };
    if (::stat(QFile::encodeName(m_path).constData(), &there) == 0 && !S_ISREG(there.st_mode)) {
        sayFailed(QStringLiteral("is no file")); // a pipe would be waited for
        return false;
    }
    m_file.setFileName(m_path);
    if (!m_file.open(QIODevice::ReadOnly | QIODevice::Unbuffered)) {
        sayFailed(m_file.errorString());
        return false;
    }
    m_saidError.clear();
    restart(*std::exchange(m_whyNext, NewRun::Replaced));
    return true;
}

/// By the name, the length, and what stands where it had been read: a file can be written anew faster than one looks.
std::optional<NewRun> JournalReading::changedUnderneath()
{
    struct stat open {
    }, named{};
    m_state.gone = ::stat(QFile::encodeName(m_path).constData(), &named) != 0;
    if (m_state.gone)
        return std::nullopt; // what was read is still good
    if (::fstat(m_file.handle(), &open) != 0 || open.st_ino != named.st_ino || open.st_dev != named.st_dev)
        return NewRun::Replaced;
    const auto stands = [this](qint64 at, const QByteArray &bytes) { return m_file.seek(at) && m_file.read(bytes.size()) == bytes; };
    const bool same = open.st_size >= m_state.bytes && stands(0, m_head) && stands(m_state.bytes - m_tail.size(), m_tail);
    return same && m_file.seek(m_state.bytes) ? std::nullopt : std::optional{NewRun::Rewritten};
}

void JournalReading::restart(NewRun why)
{
    m_lines.emplace();
    m_state = {};
    m_head.clear();
    m_tail.clear();
    restartRun(why);
}

void JournalReading::restartRun(NewRun why)
{
    m_builder = ChunkBuilder{};
    m_state.events = m_state.brokenLines = 0;
    m_state.finished = false;
    m_said.reset();
    Q_EMIT runBegan(why);
}

void JournalReading::readWhatIsThere()
{
    while (readPart()) { }
    if (cancelled())
        return;
    if (const auto line = m_lines->last())
        takeLine(*line);
    sendChunk();
    m_state.lines = m_lines->lines();
    m_state.cutLastLine = m_lines->cutLastLine();
    if (!cancelled() && m_said != m_state) {
        m_said = m_state;
        Q_EMIT caughtUp(m_state);
    }
}

/// False: there is nothing more now.
bool JournalReading::readPart()
{
    const qint64 count = cancelled() ? 0 : m_file.read(m_buffer.data(), m_buffer.size());
    if (count <= 0)
        return false;
    const QByteArrayView part{m_buffer.constData(), count};
    if (m_head.size() < kProbeBytes)
        m_head.append(part.first(std::min<qint64>(count, kProbeBytes - m_head.size())));
    m_tail = m_tail.append(part.last(std::min(count, kProbeBytes))).right(kProbeBytes);
    m_state.bytes += count;
    m_lines->add({part.data(), static_cast<std::size_t>(count)});
    while (!cancelled()) {
        const auto line = m_lines->next();
        if (!line)
            break;
        takeLine(*line);
    }
    Q_EMIT progressed(m_state.bytes, std::max(m_state.bytes, m_file.size()));
    return !cancelled();
}

void JournalReading::takeLine(const JournalLines::Line &line)
{
    if (!line.event) {
        if (++m_state.brokenLines <= kLinesNamed)
            Q_EMIT lineBroken(line.number, QString::fromStdString(line.error));
        return;
    }
    if (line.beginsSecondRun) {
        sendChunk();
        restartRun(NewRun::Appended);
        m_lines->restartRun();
    }
    m_builder.accept(*line.event);
    ++m_state.events;
    m_state.finished |= std::holds_alternative<journal::RunFinished>(line.event->payload);
    if (m_builder.size() >= kChunkEvents)
        sendChunk();
}

void JournalReading::sendChunk()
{
    if (m_builder.size() == 0)
        return;
    while (!m_link->room.tryAcquire(1, kLookAtCancelMilliseconds)) {
        if (cancelled())
            return;
    }
    Q_EMIT chunkRead(m_builder.take());
}

void JournalReading::sayFailed(const QString &error)
{
    if (m_saidError != error)
        Q_EMIT failed(error);
    m_saidError = error;
}

} // namespace throttlescope::dashboard
