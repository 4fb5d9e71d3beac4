// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dashboard/data/journal_follower.h"

#include "app/dashboard/data/journal_reading.h"

namespace throttlescope::dashboard {

JournalFollower::JournalFollower(QObject *parent)
    : QObject(parent)
{
}

JournalFollower::~JournalFollower()
{
    close();
}

void JournalFollower::open(const QString &path)
{
    close();
    m_path = path;
    m_link = std::make_shared<FollowerLink>();
    m_thread = std::make_unique<QThread>();
    m_thread->setObjectName(QStringLiteral("journal"));
    auto *reading = new JournalReading{path, m_link};
    reading->moveToThread(m_thread.get());
    // What is on its way when a file is closed belongs to nobody any more.
    const auto current = [this, link = m_link](auto deliver) {
        return [this, link, deliver](auto... values) {
            if (m_link == link)
                deliver(this, values...);
        };
    };
    connect(reading, &JournalReading::runBegan, this, current([](auto *self, NewRun why) { Q_EMIT self->runBegan(why); }));
    connect(reading, &JournalReading::chunkRead, this, current([](auto *self, const ChunkPointer &chunk) { self->take(chunk); }));
    connect(reading, &JournalReading::progressed, this,
        current([](auto *self, qint64 bytes, qint64 size) { Q_EMIT self->progressed(bytes, size); }));
    connect(reading, &JournalReading::lineBroken, this,
        current([](auto *self, quint64 number, const QString &error) { Q_EMIT self->lineBroken(number, error); }));
    connect(reading, &JournalReading::caughtUp, this, current([](auto *self, const JournalState &state) { Q_EMIT self->caughtUp(state); }));
    connect(reading, &JournalReading::failed, this, current([](auto *self, const QString &error) { Q_EMIT self->failed(error); }));
    connect(m_thread.get(), &QThread::started, reading, &JournalReading::begin);
    connect(m_thread.get(), &QThread::finished, reading, &QObject::deleteLater);
    m_thread->start();
}

void JournalFollower::close()
{
    if (!m_thread)
        return;
    m_link->cancelled = true;
    m_link.reset();
    m_thread->quit();
    m_thread->wait();
    m_thread.reset();
}

void JournalFollower::take(const ChunkPointer &chunk)
{
    const auto link = m_link; // whoever takes it may close the file
    Q_EMIT chunkRead(chunk);
    link->room.release();
}

} // namespace throttlescope::dashboard
