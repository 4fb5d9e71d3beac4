// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "../unit/net/scripted_peer.h"
#include "app/cli/fetch/checkpoint.h"
#include "app/cli/fetch/worklist.h"

#include <QDirIterator>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

/// `throttlescope fetch`, started as a user starts it, while the test's own peer answers.
namespace throttlescope::testing {

inline constexpr int kPatience = 60'000;

struct Ran {
    int code = -1; ///< -1: a signal ended it
    QByteArray out, err;
};

inline QByteArray contentOf(const QString &name)
{
    QFile file{name};
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray{};
}

/// A folder with a worklist, and the program run in it while the test's own peer answers.
class Place {
public:
    explicit Place(const QByteArray &list = {})
    {
        write("list", list);
        m_process.setWorkingDirectory(m_folder.path());
        m_process.setProgram(QStringLiteral(THROTTLESCOPE_BINARY));
    }

    void write(const QString &name, const QByteArray &text) const
    {
        QFile file{path(name)};
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner);
    }
    QString path(const QString &name) const { return m_folder.filePath(name); }
    QProcess &process() { return m_process; }

    Ran fetch(const QStringList &arguments)
    {
        m_process.setArguments(QStringList{"fetch", "list"} + arguments);
        m_process.start();
        m_process.closeWriteChannel();
        const bool ended = QTest::qWaitFor([this] { return m_process.state() == QProcess::NotRunning; }, kPatience);
        if (!ended)
            m_process.kill();
        m_process.waitForFinished();
        return {m_process.exitStatus() == QProcess::NormalExit && ended ? m_process.exitCode() : -1, m_process.readAllStandardOutput(),
            m_process.readAllStandardError()};
    }

    /// What the checkpoint has settled.
    std::map<std::string, fetch::Settled> settled(const QString &name = "checkpoint") const
    {
        const auto print = fetch::fingerprint(fetch::readWorklist(path("list").toStdString())->items);
        const auto checkpoint = fetch::Checkpoint::open(path(name).toStdString(), print);
        return checkpoint ? (*checkpoint)->settled() : std::map<std::string, fetch::Settled>{{"it cannot be opened", {}}};
    }

    /// Everything that the program wrote.
    QByteArray everything() const
    {
        QByteArray all;
        QDirIterator files{m_folder.path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories};
        while (files.hasNext()) {
            const QString file = files.next();
            if (file != path("list") && file != path("headers"))
                all += file.toUtf8() + contentOf(file);
        }
        return all;
    }

private:
    QTemporaryDir m_folder;
    QProcess m_process;
};

inline QByteArray listOf(const ScriptedPeer &peer, int count)
{
    QByteArray list;
    for (int i = 0; i < count; ++i)
        list += peer.url(QString{"/%1"}.arg(i)).toEncoded() + '\n';
    return list;
}

inline const QStringList kQuick{"--policy", "none", "--concurrency", "1"};

} // namespace throttlescope::testing
