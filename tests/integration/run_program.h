// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFile>
#include <QProcess>
#include <QTest>

/// What a program came to, started as a user starts it.
struct Ran {
    int code = -1;
    QByteArray out, err;
};

/// Starts it, hands it the input, and waits for its end.
inline Ran finished(QProcess &process, const QByteArray &input = {})
{
    process.start();
    process.write(input);
    process.closeWriteChannel();
    if (!process.waitForFinished(60'000))
        process.kill();
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(),
        process.readAllStandardError()};
}

/// `throttlescope ARGUMENTS`, from the source folder unless another is named.
inline Ran throttlescope(const QStringList &arguments, const QString &folder = QStringLiteral(THROTTLESCOPE_SOURCE_DIR))
{
    QProcess process;
    process.setWorkingDirectory(folder);
    process.setProgram(QStringLiteral(THROTTLESCOPE_BINARY));
    process.setArguments(arguments);
    return finished(process);
}

inline QByteArray readAll(const QString &path)
{
    QFile file{path};
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray{};
}

inline void write(const QString &path, const QByteArray &text)
{
    QFile file{path};
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}
